/* What the runtime's own files share. The files are compiled as one translation unit, in the order of build.py. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sr_wave.h"
#pragma clang attribute push(__attribute__((visibility("default"))), apply_to = function)
#include "api.h"
#pragma clang attribute pop

#define SR_EXPORT __attribute__((visibility("default"), used))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#if defined(__aarch64__)
enum { PAGE = 65536 }; /* the largest page size of its kernels */
#else
enum { PAGE = 4096 };
#endif

enum {
    MAX_WAVES = 64,
    KERNARG_SLACK = 256,     /* zero bytes behind the arguments */
    MAX_WORKERS = 1024,
    MAX_NODES = 16,
    MAX_RESIDENT = 4096,     /* workgroups a worker keeps at once when a launch is not cooperative */
    MAX_KEPT = 2048,         /* places a worker keeps between launches */
    MAX_DIRTY = 32,          /* pages of an LDS tail remembered one by one */
    MAX_REPORT = 65536,      /* waves that a report of an ended launch holds */
    SPIN_NS = 20000,         /* how long idle workers and waiting callers spin before they sleep */
    STAY_NS = 3000,          /* after this much of it they offer the processor to other threads */
    CHUNK_NS = 50000,        /* work handed out at once, by the time measured so far */
    WAKE_NS = 15000,         /* a launch shorter than this is not worth waking another worker */
    POLL_NS = 1000000,       /* a worker that went to sleep lately looks around this often ... */
    POLL_ROUNDS = 50,        /* ... this many times */
    STALL_NS = 50000,        /* a workgroup that only yields this long gets company, ... */
    RESTALL_NS = 5000,       /* ... after that one more each time */
    LATE_NS = 1000000,       /* a cooperative launch waits so long for its share to be taken by other workers */
    REST_NS = 200000,        /* a worker whose workgroups all only yield offers the processor this often, ... */
    SLEEPY_NS = 10000000,    /* ... and sleeps in between after this */
    GRACE_NS = 20000000,     /* other workers of a faulted launch are interrupted after this */
    WORKER_STACK = 16 << 20, /* waves that are not fibers run on it */
    REFAULT_NS = 1000000,
};

#define SR_STOP_SIGNAL (SIGRTMAX - 5) /* interrupts a worker; installed only where nobody else has it */

typedef struct sr_group sr_group;
typedef struct worker worker;
typedef struct packet packet;

/* A resident workgroup: the place a worker runs a workgroup in, reused for one after another. */
struct sr_group {
    int32_t pending;         /* waves still to come to the barrier; negative: see `ready` */
    uint32_t alive_count;
    uint64_t ready;          /* if pending is negative, waves that can run: neither ended nor at a barrier */
    uint64_t alive;          /* waves that have not ended */
    sr_wave *running;
    uint64_t home_rsp;       /* the scheduler, suspended while a wave runs */
    uint32_t idle_yields;
    uint32_t count;          /* waves of the present workgroup */
    worker *owner;
    sr_wave *waves;
    uint64_t serial;         /* the launch this place was prepared for */
    uint32_t wave_room;      /* waves there is room for */
    uint32_t shape[3];       /* work-items and wave size that the waves are set to */
    uint32_t shape_wave;
    struct ids *list;        /* the ids they point into: the worker's, or for a partial workgroup its own */
    struct ids *own_ids;
    uint64_t lds, lds_rw;    /* base of the reserve, bytes of it that are writable */
    uint32_t dirty_count;
    uint64_t dirty[MAX_DIRTY];
    uint8_t *scratch;
    uint64_t scratch_bytes;
    uint8_t *stacks;         /* stack_waves times (guard, stack) */
    uint32_t stack_waves;
    uint8_t *regs;           /* regs_waves times SR_REGS_BYTES */
    uint32_t regs_waves;
    _Alignas(64) uint64_t amd_queue[40];
    sr_group *next_free;
};

struct worker {
    uint32_t index, node;
    _Atomic uint32_t job_lock;
    packet *job;             /* the launch or copy this worker is in; changes under job_lock */
    volatile uint32_t in_code;   /* a fault now belongs to the job */
    volatile uint32_t busy;      /* resources are being changed: do not interrupt */
    uint64_t guard_rsp;      /* where sr_land returns to */
    uint64_t stack_top;
    volatile uint64_t stop_pc;   /* where the running wave was interrupted */
    sr_group *current;
    struct ids *ids;         /* work-item ids of whole workgroups of the present launch */
    sr_group **active;       /* resident workgroups, active_count of them */
    uint32_t active_count, active_room;
    sr_group *free_groups;
    uint32_t group_count;    /* places this worker has made and not given up */
    uint64_t at, end;        /* workgroups in hand */
    uint32_t x, y, z;        /* position of `at` in the grid */
    uint64_t group_ns;       /* measured time of a workgroup of this launch, 0 unknown */
    uint64_t groups_run;
    bool reaper;             /* this worker recorded the fault */
    pthread_t thread;
};

/* What the workers of one node take first; they go on with the others' when it is empty. Many write it: it has a cache line
   of its own. */
typedef struct share {
    _Alignas(64) _Atomic uint64_t next;
    uint64_t end;
} share;

enum packet_kind { LAUNCH, COPY, FILL, CALL, RECORD, WAIT, MARKER, BATCH };

struct packet {
    packet *next;
    sr_queue *queue;
    uint64_t seq;
    enum packet_kind kind;   /* of a batch that runs: that of the piece it is at */
    uint32_t room;           /* bytes of kernarg this packet can hold */
    uint32_t batch_next;     /* the piece that comes next */
    sr_batch *batch;
    union {
        sr_launch launch;
        sr_copy copy;
        sr_fill fill;
        struct { void (*fn)(void *); void *arg; } call;
        struct { sr_event *event; uint64_t generation; } sync;
    };
    const char *name;
    uint64_t kernarg_at, aql_at; /* what the waves see: this packet's own, or the batch's */
    /* state of a running launch */
    uint64_t total, serial, dispatch_id, started;
    uint32_t waves_per_group;
    uint32_t joined, listed; /* under pool.lock */
    _Atomic uint32_t stop, faulted;
    packet *job_next, *job_prev;
    uint32_t share_count;
    sr_fault fault;
    _Atomic uint32_t report_lock;
    sr_wave_at *report;
    uint32_t report_count, report_room;
    share shares[MAX_NODES]; /* of the workgroups (or pieces of a copy); set when the work begins */
    char own_name[192];
    _Alignas(64) uint8_t aql[64];
    _Alignas(64) uint8_t kernarg[];
};

struct sr_event {
    sr_event *next_all, *prev_all;
    uint64_t issued, completed, time;
    uint32_t refs;
    _Atomic uint32_t pulse, waiters;
    sr_queue *parked;
};

struct sr_queue {
    pthread_mutex_t lock;
    packet *head, *tail, *spare;
    packet *parked;          /* done or waited for, to be retired when the queue goes on */
    sr_queue *next_ready, *next_parked, *next_all, *prev_all;
    uint64_t last, launches, parked_generation;
    bool active, dying;
    _Atomic bool failed;
    _Atomic uint64_t done;
    _Atomic uint32_t pulse, waiters;
    sr_fault fault;
    sr_wave_at *report;
    uint32_t report_count;
};

struct pool {
    pthread_mutex_t lock;
    packet *jobs;
    sr_queue *ready_head, *ready_tail, *queues;
    _Atomic uint32_t signal, sleepers, deep_sleepers, spinners, ready_count, job_count;
    _Atomic uint32_t aborting;
    uint32_t asked, count;
    uint64_t fiber_stack, private_base;
    uint64_t cache_bytes;    /* of the last cache that a worker writes through */
    bool handlers;
    uint32_t nodes;          /* 0: the host's memory is all the same */
    uint32_t node_workers[MAX_NODES], cpu_words;
    uint32_t *node_of_worker;
    uint64_t *node_cpus;
    worker *workers[MAX_WORKERS];
    _Atomic uint64_t serial, launches, groups, wakes, stalls, lds_drops;
};

static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .fiber_stack = 1 << 20};
static __thread worker *self;

static inline uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Non-temporal stores of this thread are seen before what it writes next. */
static inline void store_fence(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

static inline void cpu_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A step of a spin that began at `start`: at first stay on the processor, then offer it to others at each step (the one
   that is waited for may be among them). */
static inline void spin_step(uint64_t start, uint64_t now) {
    if (now - start < STAY_NS)
        for (int i = 0; i < 8; i++) cpu_relax();
    else sched_yield();
}

static inline void spin_lock(_Atomic uint32_t *lock) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire)) cpu_relax();
}

static inline void spin_unlock(_Atomic uint32_t *lock) { atomic_store_explicit(lock, 0, memory_order_release); }

static inline uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

/* Wait until *word differs from `seen`, or timeout_ns (negative: for ever) passes. */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns) {
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, timeout_ns < 0 ? NULL : &t, NULL, 0);
}

static inline void futex_wake(_Atomic uint32_t *word, uint32_t count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* fiber.c */
void sr_switch(uint64_t *save, uint64_t load);
_Noreturn void sr_jump(uint64_t load);
uint64_t sr_call_guarded(uint64_t *save, void (*fn)(void *, void *), void *a, void *b);
_Noreturn void sr_land(uint64_t load, uint64_t value);

/* fault.c */
_Noreturn static void fault_here(sr_wave *wave, uint32_t kind, uint32_t code, uint64_t address, uint64_t gpu_pc);
static void fault_host(packet *job, uint32_t kind, uint32_t code);
static void install_handlers(void);
static void renew_handlers(void);
static void reap(packet *job);
static void report_waves(worker *w, packet *job);

/* slot.c */
static sr_group *group_get(worker *w, packet *job);
static bool group_begin(sr_group *g, packet *job, uint32_t x, uint32_t y, uint32_t z);
static bool lds_tail_write(worker *w, uint64_t address);

/* pool.c */
static int pool_start(void);
static uint64_t take(worker *w, packet *job, uint64_t most, uint64_t *end);
static void job_split(packet *job);
static void pool_push(sr_queue *queue);
static void wake_workers(uint32_t count);

/* queue.c */
static void queue_run(worker *w, sr_queue *queue);
static void queue_finish(worker *w, packet *job);
static packet *packet_new(sr_queue *q, enum packet_kind kind, uint32_t kernarg_bytes);
static int64_t enqueue_many(sr_queue *q, packet *p, uint32_t launches);
static bool launch_valid(const sr_launch *l);
static void launch_take(sr_launch *l, const sr_launch *from);
static void launch_count(const sr_launch *l, uint64_t *total, uint32_t *waves_per_group);
static void fill_aql(const sr_launch *l, void *aql, uint64_t kernarg);
static bool work_run(worker *w, packet *p);

/* batch.c */
static bool batch_run(worker *w, packet *p);
static void batch_unref(sr_batch *batch);
