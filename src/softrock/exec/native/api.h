/* The runtime's C interface. Read by the C compiler and, as it stands, by cffi: plain declarations only.
   Functions that can fail return a negative errno; times are nanoseconds of CLOCK_MONOTONIC. */

typedef struct sr_queue sr_queue;
typedef struct sr_event sr_event;
typedef struct sr_batch sr_batch;

enum {
    SR_FIBERS = 1,      /* the kernel calls sr_barrier or sr_yield: run its waves as fibers */
    SR_COOPERATIVE = 2, /* all workgroups stay resident at once (needs SR_FIBERS) */
};

enum {
    SR_FAULT_NONE = 0,
    SR_FAULT_MEMORY = 1,      /* SIGSEGV or SIGBUS in translated code */
    SR_FAULT_TRAP = 2,        /* s_trap; code is the trap id */
    SR_FAULT_BAD_PC = 3,      /* jump to an address that is no function; address is the target */
    SR_FAULT_UNSUPPORTED = 4, /* an instruction that was not translated; code as the translator gave it */
    SR_FAULT_ABORTED = 5,     /* ended by sr_abort_all; code is the reason */
    SR_FAULT_ARITHMETIC = 6,  /* SIGFPE: a defect of the translator */
    SR_FAULT_ILLEGAL = 7,     /* SIGILL or SIGTRAP: unreachable code was reached */
    SR_FAULT_STACK = 8,       /* a wave's host stack overflowed */
    SR_FAULT_COPY = 9,        /* a copy or fill of the queue touched an address that is not mapped */
    SR_FAULT_NO_MEMORY = 10,  /* the host has no memory for stacks, LDS or scratch of the launch */
    SR_FAULT_MISUSE = 11,     /* a barrier in a launch of several waves without SR_FIBERS */
};

enum { SR_ACCESS_UNKNOWN = 0, SR_ACCESS_READ = 1, SR_ACCESS_WRITE = 2, SR_ACCESS_EXECUTE = 3 };

enum { SR_WAVE_RUNNING = 0, SR_WAVE_BARRIER = 1, SR_WAVE_READY = 2, SR_WAVE_UNSTARTED = 3 };

/* Host code of a kernel. It is never changed, only replaced as a whole (sr_kernel_set_code). */
typedef struct sr_code {
    uint64_t fn, calls;
    uint64_t code_lo, code_hi;
    uint32_t flags;            /* SR_FIBERS or 0 */
} sr_code;

/* What all launches of a kernel share. It and every code it ever had stay where they are until its launches have ended. */
typedef struct sr_kernel {
    const sr_code *code;       /* read once by each launch, when it begins to run */
    uint64_t launches, groups; /* that have ended */
    uint64_t run_ns;           /* between their begins and ends */
    uint64_t stalls;           /* times a worker found all its workgroups waiting for others */
} sr_kernel;

typedef struct sr_launch {
    sr_kernel *kernel;         /* where fn, calls, code_lo, code_hi and SR_FIBERS come from; NULL: from here */
    uint64_t fn;               /* void fn(sr_wave *) */
    const char *name;          /* copied, cut at 191 bytes; may be NULL */
    uint32_t grid[3];          /* workgroups, each >= 1 */
    uint32_t group[3];         /* work-items of a workgroup, product 1 to 1024 */
    uint32_t items[3];         /* work-items of the grid; 0 means grid * group */
    uint32_t wave_size;        /* 32 or 64 */
    uint32_t lds_bytes;        /* static and dynamic */
    uint32_t scratch_lane_bytes;
    uint32_t flags;
    uint32_t kernarg_bytes;    /* at most 65536 */
    const void *kernarg;       /* copied */
    uint64_t calls;            /* call table, see sr_wave; stays valid until the launch has ended */
    uint64_t code_base;
    uint64_t user;
    uint64_t code_lo, code_hi; /* host addresses of the translated code, for reports */
    uint64_t kernel_object;    /* the next two go into the AQL packet */
    uint64_t completion_signal;
    uint64_t *times;           /* if not NULL, start and end of the launch are stored here */
} sr_launch;

typedef struct sr_copy {
    uint64_t dst, src;
    uint64_t width, height, depth;  /* bytes, rows, slices */
    uint64_t dst_pitch, src_pitch;  /* bytes from row to row */
    uint64_t dst_slice, src_slice;  /* bytes from slice to slice */
} sr_copy;

typedef struct sr_fill {
    uint64_t dst;
    uint64_t width, height, depth;  /* elements, rows, slices */
    uint64_t pitch, slice;          /* bytes */
    uint32_t value, element;        /* element is 1, 2 or 4 bytes */
} sr_fill;

typedef struct sr_fault {
    uint32_t kind, access, code, signal;
    uint64_t address;          /* what was touched or jumped to */
    uint32_t address_known;    /* 0 where the host does not say (non-canonical addresses) */
    uint32_t worker;
    uint64_t host_pc;          /* where the host processor was */
    uint64_t code_pc;          /* the innermost address within [code_lo, code_hi), 0 if none */
    uint64_t gpu_pc;           /* where the caller said it, else 0 */
    uint64_t fn, user, seq;
    uint32_t group[3];
    uint32_t wave_id;
    char kernel[192];
} sr_fault;

typedef struct sr_wave_at {
    uint64_t host_pc;          /* within the launch's code, 0 if it has not started */
    uint32_t group[3];
    uint32_t wave_id;
    uint32_t state;            /* SR_WAVE_... */
    uint32_t worker;
} sr_wave_at;

typedef struct sr_symbol {
    const char *name;
    uint64_t address;
} sr_symbol;

typedef struct sr_stats {
    uint64_t launches, groups, wakes, stalls, lds_drops;
    uint32_t workers, sleeping;
} sr_stats;

int sr_init(uint32_t workers, uint64_t fiber_stack_bytes);
/* Before the first enqueue: the host's memory nodes. Worker i runs on the CPUs of node_of_worker[i] only, `words` words of
   a bit a CPU for each node; neighbouring workgroups go to the workers of one node. */
int sr_set_nodes(uint32_t nodes, const uint32_t *node_of_worker, uint32_t workers, const uint64_t *cpus, uint32_t words);
void sr_get_stats(sr_stats *out);

sr_queue *sr_queue_new(void);
void sr_queue_free(sr_queue *queue);
int64_t sr_enqueue_launch(sr_queue *queue, const sr_launch *launch);
void sr_kernel_set_code(sr_kernel *kernel, const sr_code *code);
int64_t sr_enqueue_memcpy(sr_queue *queue, uint64_t dst, uint64_t src, uint64_t bytes);
int64_t sr_enqueue_copy(sr_queue *queue, const sr_copy *copy);
int64_t sr_enqueue_fill(sr_queue *queue, const sr_fill *fill);

/* Launches, copies and fills that are written down once and enqueued as one packet, as often as wanted. */
sr_batch *sr_batch_new(void);
void sr_batch_free(sr_batch *batch);
int sr_batch_launch(sr_batch *batch, const sr_launch *launch);
int sr_batch_copy(sr_batch *batch, const sr_copy *copy);
int sr_batch_fill(sr_batch *batch, const sr_fill *fill);
int64_t sr_enqueue_batch(sr_queue *queue, sr_batch *batch);

int64_t sr_enqueue_call(sr_queue *queue, void (*fn)(void *), void *arg);
int sr_close_calls(int64_t timeout_ns);
int64_t sr_enqueue_record(sr_queue *queue, sr_event *event);
int64_t sr_enqueue_wait(sr_queue *queue, sr_event *event);
int64_t sr_enqueue_marker(sr_queue *queue);
int sr_queue_wait(sr_queue *queue, uint64_t seq, int64_t timeout_ns);
uint64_t sr_queue_last(sr_queue *queue);
uint64_t sr_queue_done(sr_queue *queue);
int sr_queue_fault(sr_queue *queue, sr_fault *out);
uint32_t sr_queue_waves(sr_queue *queue, sr_wave_at *out, uint32_t capacity);
void sr_queue_clear(sr_queue *queue);

sr_event *sr_event_new(void);
void sr_event_free(sr_event *event);
int sr_event_query(sr_event *event);
int sr_event_wait(sr_event *event, int64_t timeout_ns);
uint64_t sr_event_time(sr_event *event);

uint32_t sr_abort_all(uint32_t reason, int64_t timeout_ns);
uint64_t sr_private_aperture(void);
const sr_symbol *sr_symbols(uint32_t *count);
