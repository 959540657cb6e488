/* Worker threads: waiting for work, sharing launches, running workgroups. */
#include "rt.h"

/* ---- running one launch on one worker ---- */

/* Whether workgroups far from each other may begin at the same time. Those of a kernel that waits for others' must come in
   order; whether one with barriers does so shows in its first launch. */
static bool may_split(const packet *job) {
    if (job->kind != LAUNCH) return true;
    const sr_launch *l = &job->launch;
    if (l->flags & SR_COOPERATIVE) return false;
    return !(l->flags & SR_FIBERS) || (l->kernel && l->kernel->launches && !l->kernel->stalls);
}

/* Deal the work out to the nodes, to each as much as it has workers. */
static void job_split(packet *job) {
    uint32_t nodes = pool.nodes > 1 && job->total >= 2 * pool.asked && may_split(job) ? pool.nodes : 1;
    uint64_t at = 0, workers = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        workers += nodes == 1 ? pool.asked : pool.node_workers[i];
        uint64_t end = job->total / pool.asked * workers + job->total % pool.asked * workers / pool.asked;
        atomic_store_explicit(&job->shares[i].next, at, memory_order_relaxed);
        job->shares[i].end = at = end;
    }
    job->share_count = nodes;
}

/* Workgroups that nobody has taken. */
static uint64_t job_left(packet *job) {
    uint64_t left = 0;
    for (uint32_t i = 0; i < job->share_count; i++) {
        uint64_t next = atomic_load_explicit(&job->shares[i].next, memory_order_relaxed);
        if (next < job->shares[i].end) left += job->shares[i].end - next;
    }
    return left;
}

/* Take up to `most` workgroups, of this worker's own node if it has some. They are those from the result to *end. */
static uint64_t take(worker *w, packet *job, uint64_t most, uint64_t *end) {
    uint32_t shares = job->share_count, at = w->node < shares ? w->node : 0;
    for (uint32_t i = 0; i < shares; i++, at = at + 1 < shares ? at + 1 : 0) {
        share *s = &job->shares[at];
        uint64_t next = atomic_load_explicit(&s->next, memory_order_relaxed);
        if (next >= s->end) continue;
        uint64_t fair = (s->end - next) / (4 * (shares == 1 ? pool.asked : pool.node_workers[at]));
        uint64_t count = most < fair ? most : fair;
        if (!count) count = 1;
        next = atomic_fetch_add_explicit(&s->next, count, memory_order_relaxed);
        if (next >= s->end) continue;
        *end = next + count < s->end ? next + count : s->end;
        return next;
    }
    return *end = 0;
}

static bool take_chunk(worker *w, packet *job) {
    bool known = !(job->launch.flags & SR_COOPERATIVE) && w->group_ns;
    w->at = take(w, job, known ? CHUNK_NS / w->group_ns : 1, &w->end);
    if (w->at >= w->end) return false;
    uint64_t nx = job->launch.grid[0], ny = job->launch.grid[1], row = w->at / nx;
    w->x = (uint32_t)(w->at % nx);
    w->y = (uint32_t)(row % ny);
    w->z = (uint32_t)(row / ny);
    return true;
}

static inline void step(worker *w, packet *job) {
    w->at++;
    if (++w->x < job->launch.grid[0]) return;
    w->x = 0;
    if (++w->y < job->launch.grid[1]) return;
    w->y = 0;
    w->z++;
}

/* How long a workgroup takes, smoothed; and the decision whether the rest is worth waking others for. */
static void measure(worker *w, packet *job, uint64_t ns, uint64_t groups) {
    uint64_t each = ns / groups + 1;
    w->group_ns = w->group_ns ? (w->group_ns * 3 + each) / 4 + 1 : each;
    if (job->listed && atomic_load(&pool.sleepers) && job_left(job) * w->group_ns > WAKE_NS)
        wake_workers(pool.asked);
}

static void run_direct(worker *w, packet *job) {
    sr_group *g = group_get(w, job);
    if (!g) {
        fault_host(job, SR_FAULT_NO_MEMORY, 0);
        return;
    }
    w->active[0] = g;
    w->active_count = 1;
    w->current = g;
    void (*fn)(sr_wave *) = (void (*)(sr_wave *))job->launch.fn;
    uint64_t from = now_ns();
    while (take_chunk(w, job)) {
        uint64_t groups = w->end - w->at;
        for (; w->at < w->end; step(w, job)) {
            if (UNLIKELY(atomic_load_explicit(&job->stop, memory_order_relaxed))) break;
            if (UNLIKELY(!group_begin(g, job, w->x, w->y, w->z))) break;
            for (uint32_t i = 0; i < g->count; i++) {
                g->running = &g->waves[i];
                fn(&g->waves[i]);
            }
            w->groups_run++;
        }
        if (UNLIKELY(job->stop)) break;
        uint64_t to = now_ns();
        measure(w, job, to - from, groups);
        from = to;
    }
    w->active_count = 0;
    group_put(w, g);
}

static bool more_room(worker *w) {
    if (w->active_count < w->active_room) return true;
    w->busy = 1;
    uint32_t room = w->active_room * 2;
    sr_group **grown = realloc(w->active, room * sizeof *grown);
    if (grown) {
        w->active = grown;
        w->active_room = room;
    }
    w->busy = 0;
    return grown != NULL;
}

/* Make one more workgroup resident. False if there is none left (or the job was stopped for lack of memory). */
static bool open_group(worker *w, packet *job) {
    if (w->at >= w->end && !take_chunk(w, job)) return false;
    sr_group *g = more_room(w) ? group_get(w, job) : NULL;
    if (!g) {
        fault_host(job, SR_FAULT_NO_MEMORY, 0);
        return false;
    }
    if (!group_begin(g, job, w->x, w->y, w->z)) {
        group_put(w, g);
        return false;
    }
    step(w, job);
    w->active[w->active_count++] = g;
    return true;
}

/* Every resident workgroup has only yielded. Returns whether to open one more, which may be what they wait for; where
   there is none, lets other threads have the processor now and then, and sleeps a little if this lasts. By time, not by
   turn: most loops over atomics only count, and on a busy machine one sched_yield gives away a slice to every process. */
static bool stalled(worker *w, packet *job, bool more, uint64_t *since, uint64_t *rested) {
    uint64_t now = now_ns();
    if (!*since) *since = *rested = now;
    uint64_t span = now - *since;
    if (more && (job->launch.flags & SR_COOPERATIVE)) {
        uint32_t share = (uint32_t)((job->total + pool.asked - 1) / pool.asked);
        if (w->active_count < share || span > LATE_NS) return true;
    } else if (more && w->active_count < MAX_RESIDENT) {
        if (span > (w->active_count > 1 ? RESTALL_NS : STALL_NS)) return true;
    }
    if (now - *rested > REST_NS) {
        struct timespec nap = {0, 20000};
        if (span > SLEEPY_NS) nanosleep(&nap, NULL);
        else sched_yield();
        *rested = now_ns();
    }
    return false;
}

static void run_fibers(worker *w, packet *job) {
    uint64_t from = now_ns(), since = 0, rested = 0, chunk_start = w->groups_run;
    uint32_t at = 0, fruitless = 0;
    bool more = true; /* workgroups may be left to open */
    for (;;) {
        if (UNLIKELY(atomic_load_explicit(&job->stop, memory_order_relaxed))) break;
        if (!w->active_count) {
            if (w->at >= w->end && w->groups_run != chunk_start) {
                uint64_t to = now_ns();
                measure(w, job, to - from, w->groups_run - chunk_start);
                from = to;
                chunk_start = w->groups_run;
            }
            if (!more || !open_group(w, job)) break;
            at = 0;
        }
        sr_group *g = w->active[at];
        w->current = g;
        if (LIKELY(group_resume(g))) {
            w->groups_run++;
            w->active[at] = w->active[--w->active_count];
            group_put(w, g);
            if (at == w->active_count) at = 0;
            fruitless = 0;
            since = 0;
            continue;
        }
        at++;
        if (++fruitless >= w->active_count) {
            fruitless = 0;
            atomic_fetch_add_explicit(&pool.stalls, 1, memory_order_relaxed);
            if (job->launch.kernel) __atomic_fetch_add(&job->launch.kernel->stalls, 1, __ATOMIC_RELAXED);
            if (stalled(w, job, more, &since, &rested)) {
                more = open_group(w, job);
                if (more) at = w->active_count - 1, since = 0;
            }
        }
        if (at >= w->active_count) at = 0;
    }
}

static void job_body(void *worker_, void *job_) {
    worker *w = worker_;
    packet *job = job_;
    w->in_code = 1;
    if (job->kind != LAUNCH)
        run_copy(w, job);
    else if (job->launch.flags & SR_FIBERS)
        run_fibers(w, job);
    else
        run_direct(w, job);
    w->in_code = 0;
}

static void set_job(worker *w, packet *job) {
    spin_lock(&w->job_lock);
    w->job = job;
    spin_unlock(&w->job_lock);
}

/* This worker's part of a launch. Comes back also when the launch faulted or was stopped. */
static void run_job(worker *w, packet *job) {
    w->at = w->end = 0;
    w->group_ns = 0;
    w->active_count = 0;
    w->current = NULL;
    w->reaper = false;
    w->stop_pc = 0;
    uint64_t before = w->groups_run;
    set_job(w, job);
    uint64_t landed = sr_call_guarded(&w->guard_rsp, job_body, w, job);
    store_fence(); /* a kernel's stores may have gone around the caches */
    w->in_code = w->busy = 0;
    if (UNLIKELY(landed || w->active_count)) {
        report_waves(w, job);
        while (w->active_count) group_put(w, w->active[--w->active_count]);
    }
    if (UNLIKELY(w->group_count > MAX_KEPT)) groups_trim(w);
    set_job(w, NULL);
    atomic_fetch_add_explicit(&pool.groups, w->groups_run - before, memory_order_relaxed);
    if (UNLIKELY(w->reaper)) reap(job);
}

/* ---- handing launches to several workers ---- */

static void pool_publish(packet *job) {
    pthread_mutex_lock(&pool.lock);
    job->joined = 1;
    job->listed = 1;
    job->job_prev = NULL;
    job->job_next = pool.jobs;
    if (pool.jobs) pool.jobs->job_prev = job;
    pool.jobs = job;
    atomic_fetch_add(&pool.job_count, 1);
    pthread_mutex_unlock(&pool.lock);
    atomic_fetch_add(&pool.signal, 1);
}

static void unlist(packet *job) {
    if (!job->listed) return;
    job->listed = 0;
    if (job->job_prev) job->job_prev->job_next = job->job_next;
    else pool.jobs = job->job_next;
    if (job->job_next) job->job_next->job_prev = job->job_prev;
    atomic_fetch_sub(&pool.job_count, 1);
}

/* A worker is through with a launch: true for the last one, who ends it. */
static bool pool_leave(packet *job) {
    pthread_mutex_lock(&pool.lock);
    unlist(job);
    bool last = --job->joined == 0;
    pthread_mutex_unlock(&pool.lock);
    return last;
}

static packet *pool_join(void) {
    if (!atomic_load(&pool.job_count)) return NULL;
    pthread_mutex_lock(&pool.lock);
    packet *job = pool.jobs;
    while (job && (!job_left(job) || job->stop)) job = job->job_next;
    if (job) job->joined++;
    pthread_mutex_unlock(&pool.lock);
    return job;
}

static void wake_workers(uint32_t count) {
    if (!atomic_load(&pool.sleepers)) return;
    atomic_fetch_add_explicit(&pool.wakes, 1, memory_order_relaxed);
    futex_wake(&pool.signal, count);
}

static void pool_push(sr_queue *queue) {
    queue->next_ready = NULL;
    pthread_mutex_lock(&pool.lock);
    if (pool.ready_tail) pool.ready_tail->next_ready = queue;
    else pool.ready_head = queue;
    pool.ready_tail = queue;
    atomic_fetch_add(&pool.ready_count, 1);
    pthread_mutex_unlock(&pool.lock);
    atomic_fetch_add(&pool.signal, 1);
    if (!atomic_load(&pool.spinners)) wake_workers(1);
}

static sr_queue *pool_pop(void) {
    if (!atomic_load(&pool.ready_count)) return NULL;
    pthread_mutex_lock(&pool.lock);
    sr_queue *queue = pool.ready_head;
    if (queue) {
        pool.ready_head = queue->next_ready;
        if (!pool.ready_head) pool.ready_tail = NULL;
        atomic_fetch_sub(&pool.ready_count, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    /* whoever pushed the next one may have counted on this worker, which is busy from now on */
    if (queue && atomic_load(&pool.ready_count)) wake_workers(1);
    return queue;
}

/* ---- the threads ---- */

static bool worker_step(worker *w) {
    sr_queue *queue = pool_pop();
    if (queue) {
        queue_run(w, queue);
        return true;
    }
    packet *job = pool_join();
    if (!job) return false;
    run_job(w, job);
    if (pool_leave(job)) queue_finish(w, job);
    return true;
}

/* Watch for news a little. Only half of the workers may at once: the caller, who waits for the others, needs a processor. */
static bool spin_for_news(uint32_t seen) {
    uint32_t allowed = pool.asked > 3 ? pool.asked / 2 : 1;
    bool news = false;
    if (atomic_fetch_add(&pool.spinners, 1) < allowed) {
        uint64_t start = now_ns(), now = start;
        for (; !(news = atomic_load(&pool.signal) != seen) && now - start < SPIN_NS; now = now_ns())
            spin_step(start, now);
    }
    atomic_fetch_sub(&pool.spinners, 1);
    return news;
}

/* Nothing to do: spin, then sleep, at first only briefly (see POLL_NS). */
static void worker_idle(uint32_t seen, uint32_t *naps) {
    if (spin_for_news(seen)) return;
    bool deep = ++*naps > POLL_ROUNDS;
    atomic_fetch_add(&pool.sleepers, 1);
    if (deep) atomic_fetch_add(&pool.deep_sleepers, 1);
    futex_wait(&pool.signal, seen, deep ? -1 : POLL_NS);
    if (deep) atomic_fetch_sub(&pool.deep_sleepers, 1);
    atomic_fetch_sub(&pool.sleepers, 1);
}

static void *worker_main(void *argument) {
    worker *w = argument;
    self = w;
    stack_t alternate = {.ss_sp = map_pages(256 << 10, PROT_READ | PROT_WRITE), .ss_size = 256 << 10};
    if (alternate.ss_sp) sigaltstack(&alternate, NULL);
    if (pool.nodes) /* the CPUs may have been taken away meanwhile: then it runs where it may */
        syscall(SYS_sched_setaffinity, 0, pool.cpu_words * 8, pool.node_cpus + (uint64_t)w->node * pool.cpu_words);
    w->stack_top = (uint64_t)__builtin_frame_address(0);
    uint32_t naps = 0;
    for (;;) {
        uint32_t seen = atomic_load(&pool.signal);
        if (worker_step(w)) naps = 0;
        else worker_idle(seen, &naps);
    }
    return NULL;
}

static worker *worker_start(uint32_t index) {
    worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->index = index;
    if (pool.nodes) w->node = pool.node_of_worker[index];
    w->active_room = 64;
    w->active = calloc(w->active_room, sizeof *w->active);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t block, old;
    sigfillset(&block);
    for (int i = 0; i < 5; i++) sigdelset(&block, (int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}[i]);
    sigdelset(&block, SR_STOP_SIGNAL);
    pthread_sigmask(SIG_SETMASK, &block, &old);
    int failed = !w->active || pthread_create(&w->thread, &attributes, worker_main, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (!failed) return w;
    free(w->active);
    free(w);
    return NULL;
}

static void fork_child(void);

/* Size of the last cache; so large that nothing fills it where the host does not say. */
static uint64_t last_cache(void) {
    static const char *const places[] = {
        "/sys/devices/system/cpu/cpu0/cache/index3/size",
        "/sys/devices/system/cpu/cpu0/cache/index2/size",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char text[32] = "";
        int file = open(places[i], O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        ssize_t got = read(file, text, sizeof text - 1);
        close(file);
        char *unit = text;
        uint64_t size = got > 0 ? strtoull(text, &unit, 10) : 0;
        if (size) return size << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 0);
    }
    return UINT64_MAX / 2;
}

/* Start the workers if they do not run (first use, or first use after a fork). */
static int pool_start(void) {
    if (LIKELY(__atomic_load_n(&pool.count, __ATOMIC_ACQUIRE))) return 0;
    pthread_mutex_lock(&pool.lock);
    int result = 0;
    if (!pool.count) {
        if (!pool.private_base) pool.private_base = reserve_span();
        install_handlers();
        if (!pool.asked) pool.asked = 1;
        pool.cache_bytes = last_cache();
        uint32_t count = 0;
        while (count < pool.asked && (pool.workers[count] = worker_start(count))) count++;
        if (!pool.private_base || !count) result = -ENOMEM;
        __atomic_store_n(&pool.count, result ? 0 : count, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&pool.lock);
    return result;
}
