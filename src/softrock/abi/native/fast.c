/* Part of softrock (MIT licence, see LICENSE).
 * Launches without Python. The first launch of a kernel goes through Python, which checks and translates it and then
 * describes it here; later ones are packed and queued by this file in about a microsecond. Whatever is unusual
 * (a launch that is not valid, a stream that must be ordered behind another, capture, printf) goes to Python again. */
#include "shim.h"
#include "../../exec/native/api.h"
#include "fast.h"

enum { SR_SLOTS = 4096, SR_STREAMS = 256, SR_KERNARG = 4096, SR_PROBES = 64 };

enum { SR_COUNT_X = 0, SR_SIZE_X = 3, SR_DIMS = 6, SR_DYNAMIC = 7, SR_VALUE = 8 };

typedef struct sr_hidden {
    uint32_t offset;
    uint16_t size, kind;
    uint64_t value;
} sr_hidden;

typedef struct sr_argument {
    uint32_t offset, size;
} sr_argument;

typedef struct sr_described {
    uint64_t key;                /* host function or function handle; 0 free */
    const sr_launch *launch;     /* what does not change from launch to launch */
    int64_t (*enqueue)(sr_queue *queue, const sr_launch *launch);
    const sr_argument *arguments;
    const sr_hidden *hidden;
    uint32_t device, argument_count, hidden_count, kernarg_bytes;
    uint32_t explicit_bytes, most_threads, static_lds, most_lds;
    uint32_t block[3];           /* of the workgroups it was translated for */
} sr_described;

typedef struct sr_direct {
    uint64_t handle;             /* of the stream; the default stream of device d is d + 1 */
    sr_queue *queue;             /* null: ask Python */
    uint64_t device;
} sr_direct;

static const sr_described *kernels[SR_SLOTS];
static sr_direct streams[SR_STREAMS];

static size_t place_of(uint64_t key, uint32_t device, const uint32_t *block) {
    uint64_t mixed = (key >> 4) + device + block[0] + ((uint64_t)block[1] << 11) + ((uint64_t)block[2] << 22);
    return mixed * 0x9E3779B97F4A7C15u >> 52;
}

static int is_for(const sr_described *kernel, uint64_t key, uint32_t device, const uint32_t *block) {
    return kernel->key == key && kernel->device == device && kernel->block[0] == block[0] &&
           kernel->block[1] == block[1] && kernel->block[2] == block[2];
}

static const sr_described *kernel_of(uint64_t key, uint32_t device, const uint32_t *block) {
    size_t at = place_of(key, device, block);
    for (int i = 0; i < SR_PROBES; i++) {
        const sr_described *found = __atomic_load_n(&kernels[(at + i) % SR_SLOTS], __ATOMIC_ACQUIRE);
        if (!found) return 0;
        if (is_for(found, key, device, block)) return found;
    }
    return 0;
}

/* Python's side; it calls these one at a time. A description stays where it is for the life of the process. */
int sr_fast_kernel(const void *described) {
    const sr_described *kernel = described;
    size_t at = place_of(kernel->key, kernel->device, kernel->block);
    for (int i = 0; i < SR_PROBES; i++) {
        const sr_described **place = &kernels[(at + i) % SR_SLOTS];
        if (!*place || is_for(*place, kernel->key, kernel->device, kernel->block) || !(*place)->key) {
            __atomic_store_n(place, kernel, __ATOMIC_RELEASE);
            return 1;
        }
    }
    return 0;
}

void sr_fast_forget(void) {
    for (size_t i = 0; i < SR_SLOTS; i++) __atomic_store_n(&kernels[i], 0, __ATOMIC_RELEASE);
}

int sr_fast_stream(uint64_t handle, void *queue, int device) {
    for (int i = 0; i < SR_STREAMS; i++) {
        sr_direct *place = &streams[(handle / 64 + i) % SR_STREAMS];
        if (place->handle == handle || !place->handle) {
            if (!place->handle && !queue) return 1;
            __atomic_store_n(&place->queue, (sr_queue *)queue, __ATOMIC_RELEASE);
            place->device = (uint64_t)device;
            __atomic_store_n(&place->handle, handle, __ATOMIC_RELEASE);
            return 1;
        }
    }
    return 0;
}

static const sr_direct *stream_of(uint64_t handle) {
    for (int i = 0; i < SR_STREAMS; i++) {
        const sr_direct *place = &streams[(handle / 64 + i) % SR_STREAMS];
        uint64_t found = __atomic_load_n(&place->handle, __ATOMIC_ACQUIRE);
        if (found == handle) return place;
        if (!found) return 0;
    }
    return 0;
}

static uint64_t hidden_value(const sr_hidden *hidden, const uint32_t *grid, const uint32_t *block, uint64_t shared) {
    if (hidden->kind < SR_SIZE_X) return grid[hidden->kind];
    if (hidden->kind < SR_DIMS) return block[hidden->kind - SR_SIZE_X];
    if (hidden->kind == SR_DIMS)
        return (uint64_t)grid[2] * block[2] > 1 ? 3 : (uint64_t)grid[1] * block[1] > 1 ? 2 : 1;
    return hidden->kind == SR_DYNAMIC ? shared : hidden->value;
}

int sr_fast_launch(uint64_t key, uint64_t stream, const uint32_t *grid, const uint32_t *block, uint64_t shared,
                   void **pointers, void **extra) {
    sr_runtime *runtime = sr_shared();
    if (!runtime || runtime->phase != 1 || runtime->sticky) return 0;
    if (stream <= 1) {
        int device = sr_this_thread()->device;
        if (device < 0) return 0;
        stream = (uint64_t)device + 1;
    }
    const sr_direct *direct = stream_of(stream);
    sr_queue *queue = direct ? __atomic_load_n(&direct->queue, __ATOMIC_ACQUIRE) : 0;
    if (!queue) return 0;
    const sr_described *kernel = kernel_of(key, (uint32_t)direct->device, block);
    if (!kernel) return 0;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (!threads || block[0] > 1024 || block[1] > 1024 || block[2] > 1024 || threads > kernel->most_threads) return 0;
    if (!grid[0] || !grid[1] || !grid[2] || shared + kernel->static_lds > kernel->most_lds) return 0;
    if (grid[0] > 0x7fffffff || grid[1] > 65536 || grid[2] > 65536 || (uint64_t)grid[0] * block[0] > 0xffffffff) return 0;

    _Alignas(16) uint8_t kernarg[SR_KERNARG];
    __builtin_memset(kernarg, 0, kernel->kernarg_bytes);
    if (extra) {
        if (pointers || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return 0;
        if (*(size_t *)extra[3] < kernel->explicit_bytes) return 0;
        __builtin_memcpy(kernarg, extra[1], kernel->explicit_bytes);
    } else {
        if (kernel->argument_count && !pointers) return 0;
        for (uint32_t i = 0; i < kernel->argument_count; i++) {
            if (!pointers[i]) return 0;
            __builtin_memcpy(kernarg + kernel->arguments[i].offset, pointers[i], kernel->arguments[i].size);
        }
    }
    for (uint32_t i = 0; i < kernel->hidden_count; i++) {
        uint64_t value = hidden_value(&kernel->hidden[i], grid, block, shared);
        __builtin_memcpy(kernarg + kernel->hidden[i].offset, &value, kernel->hidden[i].size);
    }
    sr_launch launch = *kernel->launch;
    for (int i = 0; i < 3; i++) launch.grid[i] = grid[i], launch.group[i] = block[i], launch.items[i] = 0;
    launch.lds_bytes = kernel->static_lds + (uint32_t)shared;
    launch.kernarg = kernarg;
    launch.kernarg_bytes = kernel->kernarg_bytes;
    return kernel->enqueue(queue, &launch) > 0;
}
