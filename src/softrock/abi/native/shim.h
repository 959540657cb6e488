/* Part of softrock (MIT licence, see LICENSE).
 * What every C library of softrock shares: stubs pack their arguments into 8-byte slots and hand them to Python.
 * There is no Python.h and no libc header here: the few functions needed are declared below, so that the
 * library is built with the compiler of the ziglang wheel alone. */
#ifndef SOFTROCK_ABI_SHIM_H
#define SOFTROCK_ABI_SHIM_H

#include <stddef.h>
#include <stdint.h>

/* One exported function: its name and one letter an argument, the letters of Python's struct module
 * ("s" stands for a structure passed by value, whose address is in the slot). */
typedef struct sr_stub {
    const char *name;
    const char *kinds;
} sr_stub;

/* Every exported function by name, sorted (generated). */
typedef struct sr_export {
    const char *name;
    void *address;
} sr_export;
extern const sr_export sr_exports[];
extern const size_t sr_export_count;

/* What a thread of the program owns. */
typedef struct sr_thread {
    int last_error;
    int device;       /* current device, or -1 where only Python knows */
    int depth;        /* pushed call configurations */
    struct {
        uint32_t grid[3], block[3];
        uint64_t shared;
        void *stream;
    } config[16];
} sr_thread;

/* The state that all copies of the library in one process share; Python learns its address when it boots. */
typedef struct sr_runtime {
    uint32_t size;                                      /* of this structure; tells layouts apart */
    int32_t phase;                                      /* 0 before boot, 1 running, 2 ended, 3 cannot start */
    int32_t sticky;                                     /* error that no call clears (after a device fault) */
    int32_t failure;                                    /* exit status to force where the program says 0 */
    int32_t unseen;                                     /* a launch failed and nobody asked for the error yet */
    int32_t embedded;                                   /* 1 where this library started Python */
    int (*dispatch)(const sr_stub *stub, uint64_t *slots);
    void (*finish)(void);                               /* last words, called when the process exits */
    sr_thread *(*thread)(void);
    void (*set_device)(int device);                     /* Python tells the calling thread's current device */
    void (*write)(const void *data, size_t size, int to_stderr);
    void *records;                                      /* what this copy's programs registered (register.c) */
    int (*fast_kernel)(const void *described);          /* launches without Python (fast.c) */
    int (*fast_stream)(uint64_t handle, void *queue, int device);
} sr_runtime;

/* Fills nothing and returns the status; results other than a status come back in slots[0]. */
int sr_call(const sr_stub *stub, uint64_t *slots);
sr_thread *sr_this_thread(void);
sr_runtime *sr_shared(void);
/* Note a result as the thread's last error and pass it on. */
int sr_note(int status);

#define SR_RECORD(x) (__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13)
#define SR_KIND(x)                                                                                           \
    (SR_RECORD(x) ? 's' : __builtin_classify_type(x) == 5 ? 'Q'                                              \
                        : _Generic((x), _Bool: 'B', char: 'b', signed char: 'b', unsigned char: 'B',         \
                                   short: 'h', unsigned short: 'H', int: 'i', unsigned: 'I', long: 'q',      \
                                   unsigned long: 'Q', long long: 'q', unsigned long long: 'Q', float: 'f',  \
                                   double: 'd', default: '?'))
#define SR_PUT(slot, x) sr_put(&(slot), SR_KIND(x), &(x), sizeof(x))

static inline void sr_put(uint64_t *slot, char kind, const void *value, size_t size) {
    *slot = 0;
    if (kind == 's')
        *slot = (uint64_t)(uintptr_t)value;
    else
        __builtin_memcpy(slot, value, size);
}

#endif
