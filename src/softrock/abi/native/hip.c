/* Part of softrock (MIT licence, see LICENSE).
 * The calls of libamdhip64 that need no Python: thread-local state, names of errors, addresses of functions.
 * The rest are the generated stubs. */
#include "shim.h"
#include "hip/detail/api_functions.h"
#include "fast.h"
#include "generated.h"

/* Tells this library from AMD's. */
int softrock_library(void) { return 1; }

static int compare(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static hipError_t take_error(int clear) {
    sr_runtime *shared = sr_shared();
    sr_thread *thread = sr_this_thread();
    int error = thread->last_error;
    if (shared && error) shared->unseen = 0;
    if (shared && shared->sticky) return (hipError_t)shared->sticky;
    if (clear) thread->last_error = 0;
    return (hipError_t)error;
}

hipError_t hipGetLastError(void) { return take_error(1); }
hipError_t hipExtGetLastError(void) { return take_error(1); }
hipError_t hipPeekAtLastError(void) { return take_error(0); }

static const sr_error *error_of(int code) {
    for (size_t i = 0; i < sizeof sr_errors / sizeof sr_errors[0]; i++)
        if (sr_errors[i].code == code) return &sr_errors[i];
    return 0;
}

const char *hipGetErrorName(hipError_t code) {
    const sr_error *error = error_of((int)code);
    return error ? error->name : "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t code) {
    const sr_error *error = error_of((int)code);
    return error ? error->text : "unknown error";
}

hipError_t hipDrvGetErrorName(hipError_t code, const char **text) {
    const sr_error *error = error_of((int)code);
    if (!text) return (hipError_t)sr_note(hipErrorInvalidValue);
    *text = error ? error->name : 0;
    return (hipError_t)sr_note(error ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipDrvGetErrorString(hipError_t code, const char **text) {
    const sr_error *error = error_of((int)code);
    if (!text) return (hipError_t)sr_note(hipErrorInvalidValue);
    *text = error ? error->text : 0;
    return (hipError_t)sr_note(error ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGetDevice(int *device) {
    sr_thread *thread = sr_this_thread();
    if (device && thread->device >= 0) {
        *device = thread->device;
        return hipSuccess;
    }
    static const sr_stub stub = {"hipGetDevice", "Q"};
    uint64_t slots[1] = {(uint64_t)(uintptr_t)device};
    return (hipError_t)sr_note(sr_call(&stub, slots));
}

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind kind) {
    hipChannelFormatDesc desc = {x, y, z, w, kind};
    return desc;
}

/* ---- `kernel<<<...>>>` pushes its configuration, the kernel's host stub pops it ---- */
#define SR_CONFIGS (sizeof ((sr_thread *)0)->config / sizeof ((sr_thread *)0)->config[0])

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
    sr_thread *thread = sr_this_thread();
    if (thread->depth >= (int)SR_CONFIGS) return (hipError_t)sr_note(hipErrorOutOfMemory);
    int i = thread->depth++;
    thread->config[i].grid[0] = grid.x, thread->config[i].grid[1] = grid.y, thread->config[i].grid[2] = grid.z;
    thread->config[i].block[0] = block.x, thread->config[i].block[1] = block.y, thread->config[i].block[2] = block.z;
    thread->config[i].shared = shared;
    thread->config[i].stream = stream;
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream) {
    sr_thread *thread = sr_this_thread();
    if (thread->depth <= 0) return (hipError_t)sr_note(hipErrorMissingConfiguration);
    int i = --thread->depth;
    grid->x = thread->config[i].grid[0], grid->y = thread->config[i].grid[1], grid->z = thread->config[i].grid[2];
    block->x = thread->config[i].block[0], block->y = thread->config[i].block[1], block->z = thread->config[i].block[2];
    *shared = thread->config[i].shared;
    *stream = thread->config[i].stream;
    return hipSuccess;
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, hipStream_t stream) {
    static const sr_stub stub = {"hipLaunchKernel", "QssQQQ"};
    const uint32_t groups[3] = {grid.x, grid.y, grid.z}, items[3] = {block.x, block.y, block.z};
    uint64_t key = (uint64_t)(uintptr_t)function, queue = (uint64_t)(uintptr_t)stream;
    if (sr_fast_launch(key, queue, groups, items, shared, arguments, 0)) return hipSuccess;
    uint64_t slots[6] = {key, (uint64_t)(uintptr_t)&grid, (uint64_t)(uintptr_t)&block, (uint64_t)(uintptr_t)arguments,
                         shared, queue};
    return (hipError_t)sr_note(sr_call(&stub, slots));
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                                 unsigned int by, unsigned int bz, unsigned int shared, hipStream_t stream,
                                 void **arguments, void **extra) {
    static const sr_stub stub = {"hipModuleLaunchKernel", "QIIIIIIIQQQ"};
    const uint32_t groups[3] = {gx, gy, gz}, items[3] = {bx, by, bz};
    uint64_t key = (uint64_t)(uintptr_t)function, queue = (uint64_t)(uintptr_t)stream;
    if (sr_fast_launch(key, queue, groups, items, shared, arguments, extra)) return hipSuccess;
    uint64_t slots[11] = {key, gx, gy, gz, bx, by, bz, shared, queue, (uint64_t)(uintptr_t)arguments,
                          (uint64_t)(uintptr_t)extra};
    return (hipError_t)sr_note(sr_call(&stub, slots));
}

/* ---- functions by name ---- */
static void *address_of(const char *name) {
    size_t low = 0, high = sr_export_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(name, sr_exports[middle].name);
        if (order == 0) return sr_exports[middle].address;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}

/* Since HIP 6 these names mean the functions with the new structure. */
static const char *current_name(const char *name) {
    if (compare(name, "hipGetDeviceProperties") == 0) return "hipGetDevicePropertiesR0600";
    if (compare(name, "hipChooseDevice") == 0) return "hipChooseDeviceR0600";
    return name;
}

hipError_t hipGetProcAddress(const char *symbol, void **address, int version, uint64_t flags,
                             hipDriverProcAddressQueryResult *status) {
    (void)version, (void)flags;
    if (!symbol || !address) return (hipError_t)sr_note(hipErrorInvalidValue);
    *address = address_of(current_name(symbol));
    if (status) *status = *address ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return (hipError_t)sr_note(*address ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGetProcAddress_spt(const char *symbol, void **address, int version, uint64_t flags,
                                 hipDriverProcAddressQueryResult *status) {
    return hipGetProcAddress(symbol, address, version, flags, status);
}

hipError_t hipGetDriverEntryPoint(const char *symbol, void **address, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *status) {
    (void)flags;
    if (!symbol || !address) return (hipError_t)sr_note(hipErrorInvalidValue);
    *address = address_of(current_name(symbol));
    if (status) *status = *address ? hipDriverEntryPointSuccess : hipDriverEntryPointSymbolNotFound;
    return (hipError_t)sr_note(*address ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **address, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *status) {
    return hipGetDriverEntryPoint(symbol, address, flags, status);
}
