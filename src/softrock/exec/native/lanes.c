/* Memory accesses a lane at a time: the slow but exact forms behind translated loads and stores.
 *
 * Translated code handles consecutive and equal addresses inline and calls these for the rest. Arrays have one entry a lane;
 * multi-dword data is laid out dword by dword: data[k * lanes + lane]. Device memory is little-endian, as all hosts are. */
#include <stdint.h>
#include <string.h>

#include "sr_wave.h"

#define EACH_LANE(mask, i) for (uint64_t m_ = (mask); m_; m_ &= m_ - 1) for (uint32_t i = (uint32_t)__builtin_ctzll(m_), once_ = 1; once_; once_ = 0)

/* Aligned pairs of dwords go in one access: another workgroup never sees half of one. */
static uint64_t load_pair(const uint8_t *p)
{
    uint64_t v;
    if ((uintptr_t)p % 8 == 0)
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
    memcpy(&v, p, 8);
    return v;
}

static void store_pair(uint8_t *p, uint64_t v)
{
    if ((uintptr_t)p % 8 == 0)
        __atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED);
    else
        memcpy(p, &v, 8);
}

void sr_load_lanes(const uint64_t *addr, uint64_t mask, uint32_t bytes, uint32_t lanes, uint32_t *out)
{
    EACH_LANE(mask, i) {
        const uint8_t *p = (const uint8_t *)addr[i];
        if (bytes < 4) {
            uint32_t v = 0;
            memcpy(&v, p, bytes);
            out[i] = v;
        } else {
            uint32_t k = 0;
            for (; k + 1 < bytes / 4; k += 2) {
                uint64_t pair = load_pair(p + 4 * k);
                out[k * lanes + i] = (uint32_t)pair;
                out[(k + 1) * lanes + i] = (uint32_t)(pair >> 32);
            }
            if (k < bytes / 4)
                memcpy(&out[k * lanes + i], p + 4 * k, 4);
        }
    }
}

void sr_store_lanes(const uint64_t *addr, uint64_t mask, uint32_t bytes, uint32_t lanes, const uint32_t *data)
{
    EACH_LANE(mask, i) {
        uint8_t *p = (uint8_t *)addr[i];
        if (bytes < 4)
            memcpy(p, &data[i], bytes);
        else {
            uint32_t k = 0;
            for (; k + 1 < bytes / 4; k += 2)
                store_pair(p + 4 * k, data[k * lanes + i] | (uint64_t)data[(k + 1) * lanes + i] << 32);
            if (k < bytes / 4)
                memcpy(p + 4 * k, &data[k * lanes + i], 4);
        }
    }
}

/* Where byte `offset` of a lane's private memory stands: dwords are interleaved by lane. */
static uint8_t *scratch_byte(uint64_t base, uint32_t offset, uint32_t lanes, uint32_t lane)
{
    return (uint8_t *)(base + (uint64_t)(offset >> 2) * 4 * lanes + 4 * lane + (offset & 3));
}

static void scratch_load_one(uint64_t base, uint32_t offset, uint32_t lanes, uint32_t i, uint32_t bytes, uint32_t *out)
{
    uint32_t words = bytes < 4 ? 1 : bytes / 4, chunk = bytes < 4 ? bytes : 4;
    for (uint32_t k = 0; k < words; k++) {
        uint32_t v = 0;
        for (uint32_t j = 0; j < chunk; j++)
            v |= (uint32_t)*scratch_byte(base, offset + 4 * k + j, lanes, i) << 8 * j;
        out[k * lanes + i] = v;
    }
}

static void scratch_store_one(uint64_t base, uint32_t offset, uint32_t lanes, uint32_t i, uint32_t bytes, const uint32_t *data)
{
    uint32_t words = bytes < 4 ? 1 : bytes / 4, chunk = bytes < 4 ? bytes : 4;
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t j = 0; j < chunk; j++)
            *scratch_byte(base, offset + 4 * k + j, lanes, i) = (uint8_t)(data[k * lanes + i] >> 8 * j);
}

void sr_scratch_load(uint64_t base, const uint32_t *offset, uint64_t mask, uint32_t bytes, uint32_t lanes, uint32_t *out)
{
    EACH_LANE(mask, i) scratch_load_one(base, offset[i], lanes, i, bytes, out);
}

void sr_scratch_store(uint64_t base, const uint32_t *offset, uint64_t mask, uint32_t bytes, uint32_t lanes, const uint32_t *data)
{
    EACH_LANE(mask, i) scratch_store_one(base, offset[i], lanes, i, bytes, data);
}

/* FLAT accesses of which some may be private: the private aperture is told by the address's high half. */
void sr_flat_load(const sr_wave *w, const uint64_t *addr, uint64_t mask, uint32_t bytes, uint32_t lanes, uint32_t *out)
{
    EACH_LANE(mask, i) {
        if (addr[i] >> 32 == w->private_base >> 32)
            scratch_load_one(w->scratch, (uint32_t)addr[i], lanes, i, bytes, out);
        else
            sr_load_lanes(addr, (uint64_t)1 << i, bytes, lanes, out);
    }
}

void sr_flat_store(const sr_wave *w, const uint64_t *addr, uint64_t mask, uint32_t bytes, uint32_t lanes, const uint32_t *data)
{
    EACH_LANE(mask, i) {
        if (addr[i] >> 32 == w->private_base >> 32)
            scratch_store_one(w->scratch, (uint32_t)addr[i], lanes, i, bytes, data);
        else
            sr_store_lanes(addr, (uint64_t)1 << i, bytes, lanes, data);
    }
}

/* Where private addresses among `addr` really stand, for atomics on private memory. */
void sr_flat_resolve(const sr_wave *w, uint64_t *addr, uint64_t mask, uint32_t lanes)
{
    EACH_LANE(mask, i)
        if (addr[i] >> 32 == w->private_base >> 32)
            addr[i] = (uint64_t)scratch_byte(w->scratch, (uint32_t)addr[i], lanes, i);
}
