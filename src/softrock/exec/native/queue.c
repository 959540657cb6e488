/* Queues: one per stream. Packets run in order; whichever worker is free runs a queue's next packet itself, so there is no
   dispatcher to hand over to. A queue is `active` from the moment it has work until a worker finds it empty. */
#include "rt.h"

enum { SMALL_KERNARG = 1024 };

static packet *packet_new(sr_queue *q, enum packet_kind kind, uint32_t kernarg_bytes) {
    packet *p = NULL;
    uint32_t room = kernarg_bytes <= SMALL_KERNARG ? SMALL_KERNARG : (uint32_t)round_up(kernarg_bytes, 64);
    if (room == SMALL_KERNARG) {
        pthread_mutex_lock(&q->lock);
        if ((p = q->spare)) q->spare = p->next;
        pthread_mutex_unlock(&q->lock);
    }
    if (!p) {
        void *memory;
        if (posix_memalign(&memory, 64, sizeof(packet) + room + KERNARG_SLACK)) return NULL;
        p = memory;
    }
    memset(p, 0, offsetof(packet, fault));
    p->fault.kind = SR_FAULT_NONE;
    p->report_lock = 0, p->report = NULL, p->report_count = p->report_room = 0;
    p->queue = q, p->kind = kind, p->room = room;
    return p;
}

static int64_t enqueue_many(sr_queue *q, packet *p, uint32_t launches) {
    int failed = pool_start();
    if (failed) {
        free(p);
        return failed;
    }
    pthread_mutex_lock(&q->lock);
    uint64_t seq = p->seq = ++q->last;
    p->dispatch_id = q->launches;
    q->launches += launches;
    if (q->head) q->tail->next = p;
    else q->head = p;
    q->tail = p;
    bool push = !q->active;
    q->active = true;
    pthread_mutex_unlock(&q->lock);
    if (push) pool_push(q);
    return (int64_t)seq;
}

static int64_t enqueue(sr_queue *q, packet *p) { return enqueue_many(q, p, p->kind == LAUNCH); }

static void packet_retire(sr_queue *q, packet *p) {
    if (UNLIKELY(p->fault.kind) && !q->failed) {
        pthread_mutex_lock(&q->lock);
        free(q->report);
        q->fault = p->fault, q->report = p->report, q->report_count = p->report_count;
        p->report = NULL;
        atomic_store(&q->failed, true);
        pthread_mutex_unlock(&q->lock);
    }
    free(p->report);
    p->report = NULL;
    if (p->batch) batch_unref(p->batch);
    uint64_t seq = p->seq;
    if (p->room == SMALL_KERNARG) {
        pthread_mutex_lock(&q->lock);
        p->next = q->spare;
        q->spare = p;
        pthread_mutex_unlock(&q->lock);
    } else {
        free(p);
    }
    atomic_store(&q->done, seq);
    atomic_fetch_add(&q->pulse, 1);
    if (atomic_load(&q->waiters)) futex_wake(&q->pulse, INT_MAX);
}

/* ---- what packets do ---- */

static bool launch_valid(const sr_launch *l) {
    uint64_t items = (uint64_t)l->group[0] * l->group[1] * l->group[2];
    if (!l->fn || (l->wave_size != 32 && l->wave_size != 64) || l->kernarg_bytes > 65536) return false;
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || !l->group[i] || l->group[i] > 1024) return false;
    if (items > 1024 || (l->kernarg_bytes && !l->kernarg)) return false;
    if ((l->flags & SR_COOPERATIVE) && !(l->flags & SR_FIBERS)) return false;
    for (int i = 0; i < 3 && l->items[0]; i++) {
        uint64_t whole = (uint64_t)l->grid[i] * l->group[i];
        if (l->items[i] > whole || l->items[i] <= whole - l->group[i]) return false;
    }
    return l->grid[0] <= UINT64_MAX / l->grid[1] / l->grid[2];
}

/* The AQL kernel dispatch packet that device code may read (HSA system architecture, 2.9.6). */
static void fill_aql(const sr_launch *l, void *aql, uint64_t kernarg) {
    uint16_t *half = aql;
    uint32_t *word = aql;
    uint64_t *quad = aql;
    memset(aql, 0, 64);
    half[0] = 2; /* HSA_PACKET_TYPE_KERNEL_DISPATCH */
    half[1] = l->grid[2] * l->group[2] > 1 ? 3 : l->grid[1] * l->group[1] > 1 ? 2 : 1;
    for (int i = 0; i < 3; i++) {
        half[2 + i] = (uint16_t)l->group[i];
        word[3 + i] = l->items[0] ? l->items[i] : l->grid[i] * l->group[i];
    }
    word[6] = l->scratch_lane_bytes;
    word[7] = l->lds_bytes;
    quad[4] = l->kernel_object;
    quad[5] = kernarg;
    quad[7] = l->completion_signal;
}

/* Copy a launch; whole workgroups need no count of work-items. */
static void launch_take(sr_launch *l, const sr_launch *from) {
    *l = *from;
    if (l->items[0] == l->grid[0] * l->group[0] && l->items[1] == l->grid[1] * l->group[1] &&
        l->items[2] == l->grid[2] * l->group[2])
        l->items[0] = 0;
}

static void launch_count(const sr_launch *l, uint64_t *total, uint32_t *waves_per_group) {
    *total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    *waves_per_group = (l->group[0] * l->group[1] * l->group[2] + l->wave_size - 1) / l->wave_size;
}

int64_t sr_enqueue_launch(sr_queue *q, const sr_launch *launch) {
    if (!launch_valid(launch)) return -EINVAL;
    packet *p = packet_new(q, LAUNCH, launch->kernarg_bytes);
    if (!p) return -ENOMEM;
    sr_launch *l = &p->launch;
    launch_take(l, launch);
    memcpy(p->kernarg, launch->kernarg, launch->kernarg_bytes);
    memset(p->kernarg + launch->kernarg_bytes, 0, KERNARG_SLACK);
    p->own_name[0] = 0;
    if (launch->name) strncat(p->own_name, launch->name, sizeof p->own_name - 1);
    p->name = p->own_name;
    p->kernarg_at = (uint64_t)p->kernarg, p->aql_at = (uint64_t)p->aql;
    p->serial = atomic_fetch_add(&pool.serial, 1) + 1;
    launch_count(l, &p->total, &p->waves_per_group);
    fill_aql(l, p->aql, p->kernarg_at);
    return enqueue(q, p);
}

void sr_kernel_set_code(sr_kernel *kernel, const sr_code *code) {
    __atomic_store_n(&kernel->code, code, __ATOMIC_RELEASE);
}

/* A launch begins: the one place where it learns which code it runs. */
static void work_begin(packet *p) {
    sr_launch *l = &p->launch;
    if (l->kernel) {
        const sr_code *code = __atomic_load_n(&l->kernel->code, __ATOMIC_ACQUIRE);
        l->fn = code->fn, l->calls = code->calls, l->code_lo = code->code_lo, l->code_hi = code->code_hi;
        /* without a barrier in the code nothing waits for another workgroup */
        l->flags = code->flags & SR_FIBERS ? l->flags | SR_FIBERS : 0;
    }
    if (l->kernel || l->times) p->started = now_ns();
}

static void work_end(packet *p) {
    if (p->kind != LAUNCH) return;
    const sr_launch *l = &p->launch;
    if (l->kernel || l->times) {
        uint64_t end = now_ns();
        if (l->times) l->times[0] = p->started, l->times[1] = end;
        if (l->kernel) {
            __atomic_fetch_add(&l->kernel->launches, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&l->kernel->groups, p->total, __ATOMIC_RELAXED);
            __atomic_fetch_add(&l->kernel->run_ns, end - p->started, __ATOMIC_RELAXED);
        }
    }
    atomic_fetch_add_explicit(&pool.launches, 1, memory_order_relaxed);
}

/* A launch, copy or fill. False when another worker ends it and goes on with the queue. */
static bool work_run(worker *w, packet *p) {
    bool launch = p->kind == LAUNCH;
    if (p->queue->failed) return true;
    if (UNLIKELY(pool.aborting && launch)) {
        fault_host(p, SR_FAULT_ABORTED, pool.aborting - 1);
        return true;
    }
    if (!p->batch || p->batch_next == 1) renew_handlers();
    if (launch) work_begin(p);
    job_split(p);
    if (p->total > 1 && pool.asked > 1) {
        pool_publish(p);
        if (!launch || (p->launch.flags & SR_COOPERATIVE) || atomic_load(&pool.deep_sleepers))
            wake_workers(pool.asked);
        run_job(w, p);
        if (!pool_leave(p)) return false;
    } else {
        run_job(w, p);
    }
    work_end(p);
    return true;
}

int64_t sr_enqueue_memcpy(sr_queue *q, uint64_t dst, uint64_t src, uint64_t bytes) {
    sr_copy c = {dst, src, bytes, 1, 1, 0, 0, 0, 0};
    return sr_enqueue_copy(q, &c);
}

int64_t sr_enqueue_copy(sr_queue *q, const sr_copy *copy) {
    packet *p = packet_new(q, COPY, 0);
    if (!p) return -ENOMEM;
    p->copy = *copy;
    p->total = copy_pieces(copy);
    return enqueue(q, p);
}

int64_t sr_enqueue_fill(sr_queue *q, const sr_fill *fill) {
    if (!fill_valid(fill)) return -EINVAL;
    packet *p = packet_new(q, FILL, 0);
    if (!p) return -ENOMEM;
    p->fill = *fill;
    p->total = fill_pieces(fill);
    return enqueue(q, p);
}

int64_t sr_enqueue_marker(sr_queue *q) {
    packet *p = packet_new(q, MARKER, 0);
    return p ? enqueue(q, p) : -ENOMEM;
}

/* ---- host calls: a thread of their own, so that user code cannot hold up a worker ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news;
    packet *head, *tail;
    bool running, busy, closed;
} calls = {.lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER};

static void *calls_main(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&calls.lock);
        calls.busy = false;
        while (!calls.head || calls.closed) pthread_cond_wait(&calls.news, &calls.lock);
        packet *p = calls.head;
        calls.head = p->next;
        calls.busy = true;
        pthread_mutex_unlock(&calls.lock);
        p->call.fn(p->call.arg);
        pool_push(p->queue);
    }
    return NULL;
}

static void calls_push(packet *p) {
    p->queue->parked = p;
    p->next = NULL;
    pthread_mutex_lock(&calls.lock);
    if (calls.head) calls.tail->next = p;
    else calls.head = p;
    calls.tail = p;
    if (!calls.running) { /* the new thread inherits the worker's signal mask: it takes no asynchronous signal */
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        calls.running = !pthread_create(&thread, &attributes, calls_main, NULL);
        pthread_attr_destroy(&attributes);
    }
    pthread_cond_signal(&calls.news);
    pthread_mutex_unlock(&calls.lock);
}

/* From now on no host call is begun: what they call is about to vanish. Waits for the one that runs; 1 at the timeout. */
int sr_close_calls(int64_t timeout_ns) {
    uint64_t until = now_ns() + (uint64_t)timeout_ns;
    for (;;) {
        pthread_mutex_lock(&calls.lock);
        calls.closed = true;
        bool busy = calls.busy;
        pthread_mutex_unlock(&calls.lock);
        if (!busy || now_ns() >= until) return busy;
        sched_yield();
    }
}

int64_t sr_enqueue_call(sr_queue *q, void (*fn)(void *), void *arg) {
    if (!fn) return -EINVAL;
    packet *p = packet_new(q, CALL, 0);
    if (!p) return -ENOMEM;
    p->call.fn = fn, p->call.arg = arg;
    return enqueue(q, p);
}

/* ---- events ---- */

/* One lock for all events: it is held for a few instructions, and a forked child can make it anew. */
static struct {
    pthread_mutex_t lock;
    sr_event *all;
} events = {.lock = PTHREAD_MUTEX_INITIALIZER};

sr_event *sr_event_new(void) {
    sr_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->refs = 1;
    pthread_mutex_lock(&events.lock);
    e->next_all = events.all;
    if (e->next_all) e->next_all->prev_all = e;
    events.all = e;
    pthread_mutex_unlock(&events.lock);
    return e;
}

static void event_unref(sr_event *e) {
    pthread_mutex_lock(&events.lock);
    bool last = --e->refs == 0;
    if (last) {
        if (e->prev_all) e->prev_all->next_all = e->next_all;
        else events.all = e->next_all;
        if (e->next_all) e->next_all->prev_all = e->prev_all;
    }
    pthread_mutex_unlock(&events.lock);
    if (last) free(e);
}

void sr_event_free(sr_event *e) { event_unref(e); }

static int64_t enqueue_sync(sr_queue *q, sr_event *e, enum packet_kind kind) {
    packet *p = packet_new(q, kind, 0);
    if (!p) return -ENOMEM;
    pthread_mutex_lock(&events.lock);
    e->refs++;
    p->sync.event = e;
    p->sync.generation = kind == RECORD ? ++e->issued : e->issued;
    pthread_mutex_unlock(&events.lock);
    return enqueue(q, p);
}

int64_t sr_enqueue_record(sr_queue *q, sr_event *e) { return enqueue_sync(q, e, RECORD); }
int64_t sr_enqueue_wait(sr_queue *q, sr_event *e) { return enqueue_sync(q, e, WAIT); }

static void record_run(packet *p) {
    sr_event *e = p->sync.event;
    sr_queue *go = NULL;
    pthread_mutex_lock(&events.lock);
    if (p->sync.generation > e->completed) e->completed = p->sync.generation;
    e->time = now_ns();
    for (sr_queue **at = &e->parked; *at;) {
        sr_queue *q = *at;
        if (q->parked_generation <= e->completed) {
            *at = q->next_parked;
            q->next_parked = go;
            go = q;
        } else {
            at = &q->next_parked;
        }
    }
    pthread_mutex_unlock(&events.lock);
    atomic_fetch_add(&e->pulse, 1);
    if (atomic_load(&e->waiters)) futex_wake(&e->pulse, INT_MAX);
    while (go) {
        sr_queue *next = go->next_parked;
        pool_push(go);
        go = next;
    }
    event_unref(e);
}

/* False if the queue is parked at the event, which sends it on. */
static bool wait_run(sr_queue *q, packet *p) {
    sr_event *e = p->sync.event;
    pthread_mutex_lock(&events.lock);
    bool ready = e->completed >= p->sync.generation;
    if (!ready) {
        q->parked = p;
        q->parked_generation = p->sync.generation;
        q->next_parked = e->parked;
        e->parked = q;
    }
    pthread_mutex_unlock(&events.lock);
    if (ready) event_unref(e);
    return ready;
}

int sr_event_query(sr_event *e) {
    pthread_mutex_lock(&events.lock);
    int pending = e->completed < e->issued;
    pthread_mutex_unlock(&events.lock);
    return pending;
}

uint64_t sr_event_time(sr_event *e) {
    pthread_mutex_lock(&events.lock);
    uint64_t time = e->completed ? e->time : 0;
    pthread_mutex_unlock(&events.lock);
    return time;
}

/* ---- waiting, in the caller's thread ---- */

typedef bool (*condition)(void *object, uint64_t argument);

static int wait_for(condition done, void *object, uint64_t argument, _Atomic uint32_t *pulse,
                    _Atomic uint32_t *waiters, int64_t timeout_ns) {
    if (done(object, argument)) return 0;
    uint64_t start = now_ns(), now = start;
    while (timeout_ns && now - start < SPIN_NS) {
        spin_step(start, now);
        if (done(object, argument)) return 0;
        now = now_ns();
    }
    for (;;) {
        int64_t left = timeout_ns < 0 ? -1 : timeout_ns - (int64_t)(now_ns() - start);
        if (timeout_ns >= 0 && left <= 0) return done(object, argument) ? 0 : 1;
        uint32_t seen = atomic_load(pulse);
        atomic_fetch_add(waiters, 1);
        if (!done(object, argument)) futex_wait(pulse, seen, left);
        atomic_fetch_sub(waiters, 1);
        if (done(object, argument)) return 0;
    }
}

static bool queue_reached(void *queue, uint64_t seq) { return atomic_load(&((sr_queue *)queue)->done) >= seq; }

static bool event_reached(void *event, uint64_t generation) {
    sr_event *e = event;
    pthread_mutex_lock(&events.lock);
    bool done = e->completed >= generation;
    pthread_mutex_unlock(&events.lock);
    return done;
}

int sr_event_wait(sr_event *e, int64_t timeout_ns) {
    pthread_mutex_lock(&events.lock);
    uint64_t generation = e->issued;
    pthread_mutex_unlock(&events.lock);
    return wait_for(event_reached, e, generation, &e->pulse, &e->waiters, timeout_ns);
}

int sr_queue_wait(sr_queue *q, uint64_t seq, int64_t timeout_ns) {
    return wait_for(queue_reached, q, seq ? seq : sr_queue_last(q), &q->pulse, &q->waiters, timeout_ns);
}

/* ---- queues ---- */

sr_queue *sr_queue_new(void) {
    sr_queue *q = calloc(1, sizeof *q);
    if (!q) return NULL;
    pthread_mutex_init(&q->lock, NULL);
    pthread_mutex_lock(&pool.lock);
    q->next_all = pool.queues;
    if (q->next_all) q->next_all->prev_all = q;
    pool.queues = q;
    pthread_mutex_unlock(&pool.lock);
    return q;
}

static void queue_delete(sr_queue *q) {
    pthread_mutex_lock(&pool.lock);
    if (q->prev_all) q->prev_all->next_all = q->next_all;
    else pool.queues = q->next_all;
    if (q->next_all) q->next_all->prev_all = q->prev_all;
    pthread_mutex_unlock(&pool.lock);
    while (q->spare) {
        packet *p = q->spare;
        q->spare = p->next;
        free(p);
    }
    free(q->report);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

/* What is enqueued still runs; the queue vanishes afterwards. */
void sr_queue_free(sr_queue *q) {
    pthread_mutex_lock(&q->lock);
    bool idle = !q->active;
    q->dying = true;
    pthread_mutex_unlock(&q->lock);
    if (idle) queue_delete(q);
}

uint64_t sr_queue_last(sr_queue *q) {
    pthread_mutex_lock(&q->lock);
    uint64_t last = q->last;
    pthread_mutex_unlock(&q->lock);
    return last;
}

uint64_t sr_queue_done(sr_queue *q) { return atomic_load(&q->done); }

int sr_queue_fault(sr_queue *q, sr_fault *out) {
    if (!atomic_load(&q->failed)) return 0;
    pthread_mutex_lock(&q->lock);
    int failed = q->failed;
    if (failed && out) *out = q->fault;
    pthread_mutex_unlock(&q->lock);
    return failed;
}

uint32_t sr_queue_waves(sr_queue *q, sr_wave_at *out, uint32_t capacity) {
    pthread_mutex_lock(&q->lock);
    uint32_t count = q->failed ? q->report_count : 0;
    if (out && count) memcpy(out, q->report, (count < capacity ? count : capacity) * sizeof *out);
    pthread_mutex_unlock(&q->lock);
    return count;
}

/* Leave the error state: packets enqueued from now on run again. */
void sr_queue_clear(sr_queue *q) {
    pthread_mutex_lock(&q->lock);
    atomic_store(&q->failed, false);
    memset(&q->fault, 0, sizeof q->fault);
    free(q->report);
    q->report = NULL, q->report_count = 0;
    pthread_mutex_unlock(&q->lock);
}

/* True if the packet is done; false if something else sends the queue on later. */
static bool packet_run(worker *w, sr_queue *q, packet *p) {
    switch (p->kind) {
    case LAUNCH:
    case COPY:
    case FILL: return work_run(w, p);
    case CALL: calls_push(p); return false;
    case RECORD: record_run(p); return true;
    case WAIT: return wait_run(q, p);
    case MARKER: return true;
    case BATCH: return batch_run(w, p);
    }
    return true;
}

static void queue_run(worker *w, sr_queue *q) {
    for (;;) {
        packet *p = q->parked;
        if (p) { /* its wait is over */
            q->parked = NULL;
            if (p->kind == WAIT) event_unref(p->sync.event);
            packet_retire(q, p);
        }
        pthread_mutex_lock(&q->lock);
        p = q->head;
        if (!p) {
            q->active = false;
            bool dying = q->dying;
            pthread_mutex_unlock(&q->lock);
            if (dying) queue_delete(q);
            return;
        }
        q->head = p->next;
        p->next = NULL;
        pthread_mutex_unlock(&q->lock);
        if (!packet_run(w, q, p)) return;
        packet_retire(q, p);
        if (atomic_load(&pool.ready_count)) { /* let the other queues have their turn */
            pool_push(q);
            return;
        }
    }
}

/* The last worker of a launch: retire it and go on with its queue. */
static void queue_finish(worker *w, packet *job) {
    sr_queue *q = job->queue;
    work_end(job);
    if (job->batch && !batch_run(w, job)) return;
    packet_retire(q, job);
    queue_run(w, q);
}
