/* Part of softrock (MIT licence, see LICENSE).
 * What compiled programs register before main: fat binaries, kernels, variables. It is only written down here;
 * Python reads the records when a call first needs one, so that a program that uses no GPU starts no Python. */
#include "fast.h"
#include "shim.h"

extern void *malloc(size_t size);
extern void *aligned_alloc(size_t alignment, size_t size);
typedef struct { uint64_t words[8]; } sr_mutex;
extern int pthread_mutex_lock(sr_mutex *mutex);
extern int pthread_mutex_unlock(sr_mutex *mutex);

enum { SR_BINARY = 1, SR_FUNCTION, SR_VARIABLE, SR_MANAGED, SR_TEXTURE, SR_SURFACE, SR_UNREGISTER };

typedef struct sr_record {
    struct sr_record *next;
    uint64_t kind;
    uint64_t binary; /* the record of the fat binary that this belongs to */
    uint64_t host;   /* address that stands for the thing on the host */
    uint64_t name;   /* const char *, in the program */
    uint64_t size;
    uint64_t extra;  /* managed: address of the memory; function: the launch bound */
} sr_record;

static sr_mutex lock;
sr_record sr_records = {0, 0, 0, 0, 0, 0, 0}; /* head of the list; Python follows `next` */
static sr_record *last = &sr_records;

static sr_record *append(uint64_t kind, void *binary, const void *host, const char *name, uint64_t size, uint64_t extra) {
    sr_record *record = malloc(sizeof *record);
    if (!record) return 0;
    record->next = 0;
    record->kind = kind;
    record->binary = (uint64_t)(uintptr_t)binary;
    record->host = (uint64_t)(uintptr_t)host;
    record->name = (uint64_t)(uintptr_t)name;
    record->size = size;
    record->extra = extra;
    pthread_mutex_lock(&lock);
    __atomic_store_n(&last->next, record, __ATOMIC_RELEASE);
    last = record;
    pthread_mutex_unlock(&lock);
    return record;
}

void **__hipRegisterFatBinary(const void *wrapper) { return (void **)append(SR_BINARY, 0, wrapper, 0, 0, 0); }

void __hipRegisterFunction(void **binary, const void *host, char *device, const char *name, unsigned int bound,
                           void *tid, void *bid, void *block, void *grid, int *wave) {
    (void)device, (void)tid, (void)bid, (void)block, (void)grid, (void)wave;
    append(SR_FUNCTION, binary, host, name, 0, bound);
}

void __hipRegisterVar(void **binary, void *host, char *text, char *name, int external, size_t size, int constant,
                      int global) {
    (void)text, (void)external, (void)global;
    append(SR_VARIABLE, binary, host, name, size, (uint64_t)constant);
}

/* The host may use a managed variable before its first call, so its memory is made here. */
void __hipRegisterManagedVar(void *binary, void **pointer, void *initial, const char *name, size_t size, unsigned int align) {
    size_t step = align < 4096 ? 4096 : align;
    char *memory = aligned_alloc(step, (size + step - 1) / step * step);
    if (!memory) return;
    for (size_t i = 0; i < size; i++) memory[i] = initial ? ((const char *)initial)[i] : 0;
    *pointer = memory;
    append(SR_MANAGED, binary, pointer, name, size, (uint64_t)(uintptr_t)memory);
}

void __hipRegisterTexture(void **binary, void *host, char *text, char *name, int type, int normalised, int external) {
    (void)text, (void)type, (void)normalised, (void)external;
    append(SR_TEXTURE, binary, host, name, 0, 0);
}

void __hipRegisterSurface(void **binary, void *host, char *text, char *name, int type, int external) {
    (void)text, (void)type, (void)external;
    append(SR_SURFACE, binary, host, name, 0, 0);
}

void __hipUnregisterFatBinary(void **binary) {
    sr_runtime *shared = sr_shared();
    if (!shared || shared->phase != 1) return;
    sr_fast_forget();
    append(SR_UNREGISTER, binary, 0, 0, 0, 0);
}
