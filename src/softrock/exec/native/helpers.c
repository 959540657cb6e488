/* Functions that translated code calls: traps, look-ups, clocks, conversions LLVM expects a runtime library to have. */
#include "rt.h"

SR_EXPORT void sr_trap(sr_wave *wave, uint32_t trap_id, uint64_t gpu_pc) {
    fault_here(wave, SR_FAULT_TRAP, trap_id, 0, gpu_pc);
}

SR_EXPORT void sr_bad_pc(sr_wave *wave, uint64_t target, uint64_t gpu_pc) {
    fault_here(wave, SR_FAULT_BAD_PC, 0, target, gpu_pc);
}

SR_EXPORT void sr_unsupported(sr_wave *wave, uint64_t gpu_pc, uint32_t code) {
    fault_here(wave, SR_FAULT_UNSUPPORTED, code, 0, gpu_pc);
}

/* The translated function for a GPU address. */
SR_EXPORT uint64_t sr_lookup(sr_wave *wave, uint64_t gpu_pc) {
    const uint64_t *table = (const uint64_t *)wave->calls;
    uint64_t low = 0, high = table ? table[0] : 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, at = table[1 + 2 * middle];
        if (at == gpu_pc) return table[2 + 2 * middle];
        if (at < gpu_pc) low = middle + 1;
        else high = middle;
    }
    sr_bad_pc(wave, gpu_pc, 0);
    return 0;
}

/* The constant 100 MHz counter (s_memrealtime). */
SR_EXPORT uint64_t sr_time(void) { return now_ns() / 10; }

/* A counter of core clocks (s_memtime): monotonic, its rate is the host's. */
SR_EXPORT uint64_t sr_clock(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
}

/* ---- narrowing conversions, round to nearest even, one rounding ---- */

/* A double's bits to a narrower format with `fraction` and `exponent` bits (sign included in the result). */
static inline uint32_t narrow(uint64_t bits, int fraction, int exponent) {
    const int bias = (1 << (exponent - 1)) - 1, drop = 52 - fraction;
    uint32_t sign = (uint32_t)(bits >> 63) << (fraction + exponent);
    uint32_t infinity = ((1u << exponent) - 1) << fraction;
    uint64_t magnitude = bits & ~(1ull << 63);
    if (magnitude > 0x7ffull << 52)
        return sign | infinity | 1u << (fraction - 1) | (uint32_t)(magnitude >> drop & ((1u << fraction) - 1));
    int power = (int)(magnitude >> 52) - 1023 + bias;
    uint64_t mantissa = magnitude & ((1ull << 52) - 1);
    if (power >= (1 << exponent) - 1) return sign | infinity;
    if (power <= 0) { /* denormal result, or zero (a denormal double is far below every narrow format's) */
        if (power < -fraction) return sign;
        mantissa |= 1ull << 52;
        int shift = drop + 1 - power;
        uint64_t half = 1ull << (shift - 1), rest = mantissa & ((half << 1) - 1), kept = mantissa >> shift;
        kept += rest > half || (rest == half && (kept & 1));
        return sign | (uint32_t)kept;
    }
    uint64_t whole = (uint64_t)power << 52 | mantissa, half = 1ull << (drop - 1), rest = whole & ((half << 1) - 1);
    uint64_t kept = whole >> drop;
    kept += rest > half || (rest == half && (kept & 1));
    return sign | (uint32_t)kept;
}

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

/* A float's bits as those of the double of equal value; written out so that a signalling NaN keeps its payload. */
static inline uint64_t widen(uint32_t bits) {
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) return sign | 0x7ffull << 52 | (uint64_t)(magnitude & 0x7fffff) << 29;
    float value;
    memcpy(&value, &magnitude, 4);
    return sign | double_bits(value);
}

static inline uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline float half_to_float(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits >> 15) << 31, exponent = bits >> 10 & 31, fraction = bits & 1023, out;
    if (exponent == 31) {
        out = sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0);
    } else if (exponent) {
        out = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    float value;
    memcpy(&value, &out, 4);
    return value;
}

static inline _Float16 as_half(uint32_t bits) {
    uint16_t low = (uint16_t)bits;
    _Float16 value;
    memcpy(&value, &low, 2);
    return value;
}

static inline __bf16 as_bf16(uint32_t bits) {
    uint16_t low = (uint16_t)bits;
    __bf16 value;
    memcpy(&value, &low, 2);
    return value;
}

SR_EXPORT _Float16 sr_truncdfhf2(double x) { return as_half(narrow(double_bits(x), 10, 5)); }
SR_EXPORT _Float16 sr_truncsfhf2(float x) { return as_half(narrow(widen(float_bits(x)), 10, 5)); }
SR_EXPORT __bf16 sr_truncdfbf2(double x) { return as_bf16(narrow(double_bits(x), 7, 8)); }
SR_EXPORT __bf16 sr_truncsfbf2(float x) { return as_bf16(narrow(widen(float_bits(x)), 7, 8)); }
SR_EXPORT float sr_extendhfsf2(_Float16 x) {
    uint16_t bits;
    memcpy(&bits, &x, 2);
    return half_to_float(bits);
}
SR_EXPORT uint16_t sr_f2h_ieee(float x) { return (uint16_t)narrow(widen(float_bits(x)), 10, 5); }
SR_EXPORT float sr_h2f_ieee(uint16_t x) { return half_to_float(x); }

/* ---- 128-bit division ---- */

static unsigned __int128 divide(unsigned __int128 a, unsigned __int128 b, unsigned __int128 *remainder) {
    unsigned __int128 quotient = 0, rest = 0;
    for (int i = 127; i >= 0; i--) {
        rest = rest << 1 | (a >> i & 1);
        if (rest >= b) {
            rest -= b;
            quotient |= (unsigned __int128)1 << i;
        }
    }
    *remainder = rest;
    return quotient;
}

SR_EXPORT unsigned __int128 sr_udivti3(unsigned __int128 a, unsigned __int128 b) {
    unsigned __int128 rest;
    return divide(a, b, &rest);
}

SR_EXPORT unsigned __int128 sr_umodti3(unsigned __int128 a, unsigned __int128 b) {
    unsigned __int128 rest;
    divide(a, b, &rest);
    return rest;
}

SR_EXPORT __int128 sr_divti3(__int128 a, __int128 b) {
    unsigned __int128 rest, x = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    unsigned __int128 y = b < 0 ? -(unsigned __int128)b : (unsigned __int128)b;
    unsigned __int128 quotient = divide(x, y, &rest);
    return (__int128)((a < 0) != (b < 0) ? -quotient : quotient);
}

SR_EXPORT __int128 sr_modti3(__int128 a, __int128 b) {
    unsigned __int128 rest, x = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    unsigned __int128 y = b < 0 ? -(unsigned __int128)b : (unsigned __int128)b;
    divide(x, y, &rest);
    return (__int128)(a < 0 ? -rest : rest);
}

/* ---- the names translated code may use ---- */

#define OWN(name) {#name, (uint64_t)name}
#define AS(name, function) {#name, (uint64_t)function}

#pragma weak roundeven
#pragma weak roundevenf

const sr_symbol *sr_symbols(uint32_t *count) {
    static sr_symbol table[] = {
        OWN(sr_barrier), OWN(sr_yield), OWN(sr_trap), OWN(sr_bad_pc), OWN(sr_unsupported), OWN(sr_lookup),
        OWN(sr_time), OWN(sr_clock),
        OWN(sr_load_lanes), OWN(sr_store_lanes), OWN(sr_scratch_load), OWN(sr_scratch_store), OWN(sr_flat_load),
        OWN(sr_flat_store), OWN(sr_flat_resolve),
        AS(__truncdfhf2, sr_truncdfhf2), AS(__truncsfhf2, sr_truncsfhf2), AS(__truncdfbf2, sr_truncdfbf2),
        AS(__truncsfbf2, sr_truncsfbf2), AS(__extendhfsf2, sr_extendhfsf2), AS(__gnu_f2h_ieee, sr_f2h_ieee),
        AS(__gnu_h2f_ieee, sr_h2f_ieee), AS(__udivti3, sr_udivti3), AS(__umodti3, sr_umodti3),
        AS(__divti3, sr_divti3), AS(__modti3, sr_modti3),
        OWN(memcpy), OWN(memmove), OWN(memset), OWN(memcmp),
        OWN(fma), OWN(fmaf), OWN(fmod), OWN(fmodf), OWN(floor), OWN(floorf), OWN(ceil), OWN(ceilf), OWN(trunc),
        OWN(truncf), OWN(rint), OWN(rintf), OWN(nearbyint), OWN(nearbyintf), OWN(round), OWN(roundf), OWN(sqrt),
        OWN(sqrtf), OWN(ldexp), OWN(ldexpf), OWN(frexp), OWN(frexpf), OWN(fmin), OWN(fminf), OWN(fmax), OWN(fmaxf),
        OWN(exp), OWN(expf), OWN(exp2), OWN(exp2f), OWN(log), OWN(logf), OWN(log2), OWN(log2f), OWN(sin), OWN(sinf),
        OWN(cos), OWN(cosf), OWN(pow), OWN(powf), OWN(sincos), OWN(sincosf), OWN(tan), OWN(tanf), OWN(roundeven),
        OWN(roundevenf), OWN(bcmp),
    };
    *count = sizeof table / sizeof *table;
    return table;
}

/* ---- start ---- */

/* Say how many workers to start and how large a fiber's stack is; both hold from the first enqueue on. */
int sr_init(uint32_t workers, uint64_t fiber_stack_bytes) {
    if (!workers || workers > MAX_WORKERS || fiber_stack_bytes % PAGE || fiber_stack_bytes < 65536) return -EINVAL;
    pthread_mutex_lock(&pool.lock);
    bool running = pool.count;
    if (!running) {
        pool.asked = workers;
        pool.fiber_stack = fiber_stack_bytes;
    }
    pthread_mutex_unlock(&pool.lock);
    return running ? -EBUSY : 0;
}

int sr_set_nodes(uint32_t nodes, const uint32_t *node_of_worker, uint32_t workers, const uint64_t *cpus, uint32_t words) {
    uint32_t counts[MAX_NODES] = {0};
    if (!nodes || nodes > MAX_NODES || !words) return -EINVAL;
    for (uint32_t i = 0; i < workers; i++)
        if (node_of_worker[i] >= nodes) return -EINVAL;
        else counts[node_of_worker[i]]++;
    for (uint32_t i = 0; i < nodes; i++)
        if (!counts[i]) return -EINVAL; /* nobody would begin with that node's share */
    uint32_t *own_nodes = malloc(workers * sizeof *own_nodes);
    uint64_t *own_cpus = malloc((uint64_t)nodes * words * 8);
    int result = own_nodes && own_cpus ? 0 : -ENOMEM;
    pthread_mutex_lock(&pool.lock);
    if (!result && pool.count) result = -EBUSY;
    if (!result && workers != pool.asked) result = -EINVAL;
    if (!result) {
        pool.nodes = nodes, pool.cpu_words = words;
        memcpy(pool.node_workers, counts, sizeof counts);
        pool.node_of_worker = memcpy(own_nodes, node_of_worker, workers * sizeof *own_nodes);
        pool.node_cpus = memcpy(own_cpus, cpus, (uint64_t)nodes * words * 8);
    }
    pthread_mutex_unlock(&pool.lock);
    if (result) free(own_nodes), free(own_cpus);
    return result;
}

uint64_t sr_private_aperture(void) { return pool_start() ? 0 : pool.private_base; }

void sr_get_stats(sr_stats *out) {
    out->launches = pool.launches, out->groups = pool.groups, out->wakes = pool.wakes;
    out->stalls = pool.stalls, out->lds_drops = pool.lds_drops;
    out->workers = pool.count, out->sleeping = pool.sleepers;
}
