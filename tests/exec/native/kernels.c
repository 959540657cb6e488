/* Kernels for the runtime's tests, with the calling convention of translated code. */
#include <string.h>

#include "sr_wave.h"

/* A tail call leaves no return address by which a report could say where a wave is. */
#pragma clang attribute push(__attribute__((disable_tail_calls)), apply_to = function)

void sr_barrier(sr_wave *w);
void sr_yield(sr_wave *w);
void sr_trap(sr_wave *w, uint32_t id, uint64_t pc);
void sr_bad_pc(sr_wave *w, uint64_t target, uint64_t pc);
void sr_unsupported(sr_wave *w, uint64_t pc, uint32_t code);
uint64_t sr_lookup(sr_wave *w, uint64_t pc);
uint64_t sr_time(void);
uint64_t sr_clock(void);

#define ARG(w, i, type) (((type *)(w)->kernarg)[i])

void empty(sr_wave *w) { (void)w; }

void nine_barriers(sr_wave *w) {
    for (int i = 0; i < 9; i++) sr_barrier(w);
}

/* args: u64 *out; a row of 8 words for each work-item in launch order */
void identify(sr_wave *w) {
    uint32_t *out = ARG(w, 0, uint32_t *);
    const uint32_t *ids = (const uint32_t *)w->workitem_ids;
    const uint32_t *aql = (const uint32_t *)w->dispatch;
    const uint16_t *half = (const uint16_t *)w->dispatch;
    uint32_t grid[3] = {aql[3], aql[4], aql[5]};
    for (int i = 0; i < 64; i++) {
        if (!(w->exec >> i & 1)) continue;
        uint32_t at[3];
        for (int k = 0; k < 3; k++) at[k] = w->group_id[k] * half[2 + k] + (ids[i] >> (10 * k) & 1023);
        uint32_t flat = (at[2] * grid[1] + at[1]) * grid[0] + at[0], *row = out + 8ull * flat;
        row[0]++;
        memcpy(row + 1, at, 12);
        row[4] = w->wave_id;
        row[5] = (uint32_t)i;
        row[6] = w->num_waves;
        row[7] = (uint32_t)w->dispatch_id;
    }
}

/* args: u64 *out; the wave's fields as they are */
void fields(sr_wave *w) { memcpy(ARG(w, 0, void *), w, sizeof *w); }

/* args: u8 *out; the AQL packet and the queue */
void packets(sr_wave *w) {
    memcpy(ARG(w, 0, uint8_t *), (void *)w->dispatch, 64);
    memcpy(ARG(w, 0, uint8_t *) + 64, (void *)w->queue, 320);
}

/* args: float *in, float *out; 256 work-items */
void reduce(sr_wave *w) {
    float *in = ARG(w, 0, float *), *out = ARG(w, 1, float *), *lds = (float *)w->lds;
    uint32_t base = w->wave_id * 64;
    for (uint32_t i = 0; i < 64; i++) lds[base + i] = in[w->group_id[0] * 256 + base + i];
    sr_barrier(w);
    for (uint32_t s = 128; s; s >>= 1) {
        for (uint32_t i = 0; i < 64; i++)
            if (base + i < s) lds[base + i] += lds[base + i + s];
        sr_barrier(w);
    }
    if (!w->wave_id) out[w->group_id[0]] = lds[0];
}

/* args: u32 *out; wave k takes part in k barriers, then ends; each counts who is still there at each barrier */
void leave_early(sr_wave *w) {
    uint32_t *lds = (uint32_t *)w->lds, *out = ARG(w, 0, uint32_t *) + w->group_id[0] * 64;
    if (!w->wave_id) memset(lds, 0, 256);
    sr_barrier(w);
    for (uint32_t i = 0; i < w->wave_id; i++) {
        lds[i]++;
        sr_barrier(w);
        if (lds[i] != w->num_waves - 1 - i) out[w->wave_id] = 1000 + i;
    }
    if (w->wave_id + 1 == w->num_waves)
        for (uint32_t i = 0; i < w->num_waves; i++) out[i] += lds[i];
}

/* args: u32 *errors, u32 seed, u32 rounds, u32 odds; waves yield now and then, take part in a number of barriers of their
   own, and check at each that all who take part in it have come, and none has gone on. */
void mixed_order(sr_wave *w) {
    volatile uint32_t *lds = (volatile uint32_t *)w->lds;
    uint32_t *errors = ARG(w, 0, uint32_t *), seed = ARG(w, 2, uint32_t), rounds = ARG(w, 3, uint32_t);
    uint32_t odds = ARG(w, 4, uint32_t), base = w->group_id[0] * 1000, me = w->wave_id;
    uint32_t state = (seed ^ base ^ me << 20) * 2654435761u;
#define TAKES(k) (((seed + base + (k)) * 2654435761u >> 8) % (rounds + 1))
    for (uint32_t i = 0; i < TAKES(me); i++) {
        while (odds && (state = state * 1664525 + 1013904223) >> 16 < odds) sr_yield(w);
        lds[me] = base + i + 1;
        sr_barrier(w);
        for (uint32_t k = 0; k < w->num_waves; k++)
            if (TAKES(k) > i && (lds[k] < base + i + 1 || lds[k] > base + i + 2)) ++*errors;
    }
    while (odds && (state = state * 1664525 + 1013904223) >> 16 < odds) sr_yield(w);
    __atomic_fetch_add(errors + 1, 1, __ATOMIC_SEQ_CST);
}

/* args: u64 *out; wave 0 waits by yielding for what the last wave writes */
void spin_on_wave(sr_wave *w) {
    volatile uint32_t *lds = (volatile uint32_t *)w->lds;
    if (w->wave_id + 1 == w->num_waves) lds[0] = 7 + w->group_id[0];
    while (lds[0] != 7 + w->group_id[0]) sr_yield(w);
    if (!w->wave_id) ARG(w, 0, uint64_t *)[w->group_id[0]] = lds[0];
    sr_barrier(w);
    lds[0] = 0;
}

/* args: u32 *counter, u32 groups; every workgroup waits until all have come (without a cooperative launch) */
void spin_on_groups(sr_wave *w) {
    uint32_t *counter = ARG(w, 0, uint32_t *), groups = ARG(w, 2, uint32_t);
    if (!w->wave_id) __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) < groups) sr_yield(w);
}

/* args: u32 *counters (one a phase), u32 phases, u32 groups, u32 *out */
void grid_sync(sr_wave *w) {
    uint32_t *counters = ARG(w, 0, uint32_t *), phases = ARG(w, 2, uint32_t), groups = ARG(w, 3, uint32_t);
    volatile uint32_t *lds = (volatile uint32_t *)w->lds;
    lds[w->wave_id] = w->group_id[0] * 16 + w->wave_id;
    for (uint32_t phase = 0; phase < phases; phase++) {
        sr_barrier(w);
        if (!w->wave_id) {
            __atomic_fetch_add(counters + phase, 1, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(counters + phase, __ATOMIC_SEQ_CST) < groups) sr_yield(w);
        }
        sr_barrier(w);
    }
    if (lds[w->wave_id] == w->group_id[0] * 16 + w->wave_id)
        ARG(w, 2, uint32_t *)[w->group_id[0] * w->num_waves + w->wave_id]++;
}

/* args: u64 *out; LDS beyond the allocation reads 0, before and after a write there by an earlier workgroup */
void lds_tail(sr_wave *w) {
    uint64_t *out = ARG(w, 0, uint64_t *);
    volatile uint32_t *tail = (volatile uint32_t *)(w->lds + 8192);
    uint32_t seen = 0;
    for (int i = 0; i < 64; i++) seen |= tail[i * 4096];
    seen |= *(volatile uint32_t *)(w->lds + 0xfffffffcull);
    out[w->group_id[0]] = seen ? 1 : 2;
    int many = w->group_id[0] & 1 ? 64 : 3;
    for (int i = 0; i < many; i++) tail[i * 4096] = 5;
    *(volatile uint32_t *)(w->lds + 0xfffffffcull) = 6;
}

/* args: u32 *errors; each wave's scratch and save area are its own across barriers */
void own_areas(sr_wave *w) {
    uint32_t lanes = w->scratch_lane_bytes * 64;
    memset((void *)w->scratch, (int)w->wave_id, lanes);
    memset((void *)w->regs, (int)w->wave_id + 100, SR_REGS_BYTES);
    sr_barrier(w);
    for (uint32_t i = 0; i < lanes; i++)
        if (((uint8_t *)w->scratch)[i] != w->wave_id) ++*ARG(w, 0, uint32_t *);
    for (uint32_t i = 0; i < SR_REGS_BYTES; i++)
        if (((uint8_t *)w->regs)[i] != w->wave_id + 100) ++*ARG(w, 0, uint32_t *);
}

/* args: u64 *out, u64 pc; calls what the table has for pc */
void look_up(sr_wave *w) { ARG(w, 0, uint64_t *)[0] = sr_lookup(w, ARG(w, 1, uint64_t)); }

/* args: u64 *out */
void clocks(sr_wave *w) {
    uint64_t *out = ARG(w, 0, uint64_t *);
    out[0] = sr_time(), out[1] = sr_clock();
    for (volatile int i = 0; i < 3000000; i++) {}
    out[2] = sr_time(), out[3] = sr_clock();
}

int sched_getcpu(void);
/* args: u32 *out, u32 spins; worker and CPU of each workgroup */
void who(sr_wave *w) {
    uint32_t *out = ARG(w, 0, uint32_t *) + 2 * w->group_id[0];
    for (volatile uint32_t i = 0; i < ARG(w, 2, uint32_t); i++) {}
    out[0] = w->hw_id, out[1] = (uint32_t)sched_getcpu();
}
/* the same with a barrier */
void who_meets(sr_wave *w) {
    sr_barrier(w);
    if (!w->wave_id) who(w);
}
/* args: u32 *flags, u32 groups; each workgroup waits for the one before it, as in a scan with look-back */
void look_back(sr_wave *w) {
    uint32_t *flags = ARG(w, 0, uint32_t *), me = w->group_id[0];
    if (!w->wave_id) {
        while (me && !__atomic_load_n(flags + me - 1, __ATOMIC_ACQUIRE)) sr_yield(w);
        __atomic_store_n(flags + me, (me ? flags[me - 1] : 0) + 1, __ATOMIC_RELEASE);
    }
    sr_barrier(w);
}

/* args: u32 *address, u32 group; that workgroup reads (or writes) the address, the others count up out */
void bad_read(sr_wave *w) {
    if (w->group_id[0] == ARG(w, 2, uint32_t)) *(volatile uint32_t *)w->regs = *ARG(w, 0, volatile uint32_t *);
}
void bad_write(sr_wave *w) {
    if (w->group_id[0] == ARG(w, 2, uint32_t)) *ARG(w, 0, volatile uint32_t *) = 1;
}
void bad_memcpy(sr_wave *w) {
    memcpy((void *)w->regs, ARG(w, 0, void *), 4096 + w->group_id[0]);
    *(volatile int *)w->regs = 0; /* no tail call */
}
/* In fibers, in the middle of a barrier sequence, by wave 2. */
void bad_after_barrier(sr_wave *w) {
    sr_barrier(w);
    if (w->wave_id == 2) *ARG(w, 0, volatile uint32_t *) = 1;
    sr_barrier(w);
}
void trap(sr_wave *w) { sr_trap(w, ARG(w, 0, uint32_t), 0x1234); }
void bad_pc(sr_wave *w) { sr_bad_pc(w, 0x5678, 0x1234); }
void unsupported(sr_wave *w) { sr_unsupported(w, 0x1234, 99); }
void illegal(sr_wave *w) {
    (void)w;
    __builtin_trap();
}
__attribute__((noinline)) static int deep(volatile int *p, int n) {
    volatile char frame[4096];
    frame[0] = (char)n;
    return n ? deep(p, n - 1) + frame[0] : *p;
}
void overflow(sr_wave *w) {
    volatile int zero = 0;
    sr_barrier(w);
    *(volatile int *)w->regs = deep(&zero, 1 << 20);
}
/* args: u32 *flag; the first workgroup faults, the others spin for ever without any call */
void fault_and_spin(sr_wave *w) {
    if (w->group_id[0] == 0) {
        while (!__atomic_load_n(ARG(w, 0, uint32_t *), __ATOMIC_SEQ_CST)) {}
        *(volatile int *)16 = 0;
    }
    __atomic_store_n(ARG(w, 0, uint32_t *), 1, __ATOMIC_SEQ_CST);
    for (;;) __asm__ volatile("");
}
void spin(sr_wave *w) {
    (void)w;
    for (;;) __asm__ volatile("");
}
void spin_clock(sr_wave *w) {
    (void)w;
    for (;;) sr_clock();
}
/* args: u32 *flag; wave 1 spins, the others wait at a barrier; wave 0 yields for ever */
void spin_mixed(sr_wave *w) {
    if (w->wave_id == 1) {
        __atomic_store_n(ARG(w, 0, uint32_t *), 1, __ATOMIC_SEQ_CST);
        for (;;) __asm__ volatile("");
    }
    sr_barrier(w);
}
void yield_forever(sr_wave *w) {
    for (;;) sr_yield(w);
}
/* args: u32 *out; counts slowly */
void slow_add(sr_wave *w) {
    for (volatile int i = 0; i < 200000; i++) {}
    __atomic_fetch_add(ARG(w, 0, uint32_t *), 1, __ATOMIC_SEQ_CST);
}
/* args: u32 *value, u32 expected, u32 next, u32 *errors: order within a queue */
void in_order(sr_wave *w) {
    uint32_t *value = ARG(w, 0, uint32_t *);
    if (*value != ARG(w, 2, uint32_t)) ++*ARG(w, 2, uint32_t *);
    *value = ARG(w, 3, uint32_t);
}
void add_one(sr_wave *w) { __atomic_fetch_add(ARG(w, 0, uint32_t *), 1, __ATOMIC_SEQ_CST); }

/* args: function, const double *in, u16 *out, u64 count: narrowing conversions of the runtime */
void convert_double(sr_wave *w) {
    _Float16 (*f)(double) = ARG(w, 0, __typeof__(f));
    for (uint64_t i = 0; i < ARG(w, 3, uint64_t); i++) {
        _Float16 v = f(ARG(w, 1, double *)[i]);
        memcpy(ARG(w, 2, uint16_t *) + i, &v, 2);
    }
}
void convert_float(sr_wave *w) {
    _Float16 (*f)(float) = ARG(w, 0, __typeof__(f));
    for (uint64_t i = 0; i < ARG(w, 3, uint64_t); i++) {
        _Float16 v = f(ARG(w, 1, float *)[i]);
        memcpy(ARG(w, 2, uint16_t *) + i, &v, 2);
    }
}
/* args: function, const u16 *in, float *out, u64 count */
void convert_half(sr_wave *w) {
    float (*f)(_Float16) = ARG(w, 0, __typeof__(f));
    for (uint64_t i = 0; i < ARG(w, 3, uint64_t); i++) {
        _Float16 v;
        memcpy(&v, ARG(w, 1, uint16_t *) + i, 2);
        ARG(w, 2, float *)[i] = f(v);
    }
}

#pragma clang attribute pop
