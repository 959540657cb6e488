/* Faults of kernels: signals, traps, stopping. A fault is written into the launch's packet, and the worker's thread goes
   back to run_job through sr_land; nothing of the kernel's stacks is unwound, since nothing on them needs it. */
#include "rt.h"

extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));
extern char __start_sr_leaf[] __attribute__((visibility("hidden"))); /* see LEAVES in build.py */
extern char __stop_sr_leaf[] __attribute__((visibility("hidden")));

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
static struct sigaction previous[NSIG];

static bool in_range(const packet *job, uint64_t pc) {
    return pc >= job->launch.code_lo && pc < job->launch.code_hi;
}

/* The innermost address within the translated code: pc itself, or, where a C library function or a helper was running,
   the first such word on the stack. */
static uint64_t code_pc(const packet *job, uint64_t pc, uint64_t sp, uint64_t top) {
    if (job->kind != LAUNCH) return 0;
    if (in_range(job, pc)) return pc;
    if (sp > top || top - sp > WORKER_STACK) return 0;
    for (uint32_t i = 0; i < 512 && sp + 8 <= top; i++, sp += 8) {
        uint64_t word = *(uint64_t *)sp;
        if (in_range(job, word) && word != job->launch.fn) return word; /* the entry is a register that was saved */
    }
    return 0;
}

static uint64_t stack_end(worker *w) {
    sr_group *g = w->current;
    return g && g->running && g->running->top ? g->running->top : w->stack_top;
}

/* Claim the launch's fault record; false if another worker was first. Stops the launch either way. */
static bool claim(packet *job) {
    bool first = !atomic_exchange(&job->faulted, 1);
    if (first) memset(&job->fault, 0, sizeof job->fault);
    atomic_store(&job->stop, 1);
    return first;
}

static void describe(packet *job, worker *w) {
    sr_fault *f = &job->fault;
    f->seq = job->seq;
    if (w) f->worker = w->index;
    if (job->kind != LAUNCH) return;
    f->fn = job->launch.fn;
    f->user = job->launch.user;
    strncpy(f->kernel, job->name, sizeof f->kernel - 1); /* the record was zeroed */
    if (!w || !w->current || !w->current->running) return;
    memcpy(f->group, w->current->running->group_id, sizeof f->group);
    f->wave_id = w->current->running->wave_id;
}

static void fault_host(packet *job, uint32_t kind, uint32_t code) {
    if (!claim(job)) return;
    describe(job, NULL);
    job->fault.code = code;
    job->fault.kind = kind;
    if (self) self->reaper = true;
}

/* A fault that a helper called by translated code found. */
_Noreturn static void fault_here(sr_wave *wave, uint32_t kind, uint32_t code, uint64_t address, uint64_t gpu_pc) {
    worker *w = ((sr_group *)wave->home)->owner;
    packet *job = w->job;
    uint64_t sp = (uint64_t)__builtin_frame_address(0);
    w->in_code = 0;
    w->stop_pc = code_pc(job, 0, sp, stack_end(w));
    if (claim(job)) {
        describe(job, w);
        job->fault.code = code;
        job->fault.address = address;
        job->fault.address_known = kind == SR_FAULT_BAD_PC;
        job->fault.gpu_pc = gpu_pc;
        job->fault.host_pc = job->fault.code_pc = w->stop_pc;
        job->fault.kind = kind;
        w->reaper = true;
    }
    sr_land(w->guard_rsp, 1);
}

/* ---- signals ---- */

#if defined(__x86_64__)
static uint64_t context_pc(ucontext_t *uc) { return (uint64_t)uc->uc_mcontext.gregs[REG_RIP]; }
static uint64_t context_sp(ucontext_t *uc) { return (uint64_t)uc->uc_mcontext.gregs[REG_RSP]; }
static uint32_t context_access(ucontext_t *uc) {
    uint64_t error = (uint64_t)uc->uc_mcontext.gregs[REG_ERR]; /* page-fault error code: bit 1 write, bit 4 fetch */
    return error & 16 ? SR_ACCESS_EXECUTE : error & 2 ? SR_ACCESS_WRITE : SR_ACCESS_READ;
}
static void context_land(ucontext_t *uc, worker *w) {
    greg_t *r = uc->uc_mcontext.gregs;
    r[REG_RIP] = (greg_t)sr_land;
    r[REG_RDI] = (greg_t)w->guard_rsp;
    r[REG_RSI] = 1;
    r[REG_RSP] = (greg_t)w->guard_rsp;
    r[REG_EFL] &= ~0x400; /* direction flag */
}
#else
static uint64_t context_pc(ucontext_t *uc) { return uc->uc_mcontext.pc; }
static uint64_t context_sp(ucontext_t *uc) { return uc->uc_mcontext.sp; }
static uint32_t context_access(ucontext_t *uc) {
    for (uint8_t *at = uc->uc_mcontext.__reserved; ((uint32_t *)at)[0]; at += ((uint32_t *)at)[1]) {
        if (((uint32_t *)at)[0] != 0x45535201) continue; /* ESR_MAGIC */
        uint64_t esr = *(uint64_t *)(at + 8), class = esr >> 26 & 63;
        if (class == 0x20 || class == 0x21) return SR_ACCESS_EXECUTE;
        return esr & 64 ? SR_ACCESS_WRITE : SR_ACCESS_READ;
    }
    return SR_ACCESS_UNKNOWN;
}
static void context_land(ucontext_t *uc, worker *w) {
    uc->uc_mcontext.pc = (uint64_t)sr_land;
    uc->uc_mcontext.regs[0] = w->guard_rsp;
    uc->uc_mcontext.regs[1] = 1;
    uc->uc_mcontext.sp = w->guard_rsp;
}
#endif

static uint32_t fault_kind(worker *w, int number, uint64_t address) {
    switch (number) {
    case SIGFPE: return SR_FAULT_ARITHMETIC;
    case SIGILL:
    case SIGTRAP: return SR_FAULT_ILLEGAL;
    }
    if (w->job->kind != LAUNCH) return SR_FAULT_COPY;
    bool fiber = w->current && in_stack_guard(w->current, address);
    bool own = w->stack_top - address <= WORKER_STACK + (1 << 20) && w->stack_top - address > WORKER_STACK - (1 << 20);
    return fiber || own ? SR_FAULT_STACK : SR_FAULT_MEMORY;
}

static void on_kernel_fault(worker *w, int number, siginfo_t *info, ucontext_t *uc) {
    packet *job = w->job;
    uint64_t pc = context_pc(uc), sp = context_sp(uc), address = (uint64_t)info->si_addr;
    bool memory = number == SIGSEGV || number == SIGBUS;
    uint32_t kind = fault_kind(w, number, address);
    w->in_code = 0;
    w->stop_pc = code_pc(job, pc, kind == SR_FAULT_STACK ? ~0ull : sp, stack_end(w));
    if (claim(job)) {
        describe(job, w);
        job->fault.signal = (uint32_t)number;
        job->fault.host_pc = pc;
        job->fault.code_pc = w->stop_pc;
        if (memory) {
            job->fault.address_known = info->si_code != SI_KERNEL;
            job->fault.address = job->fault.address_known ? address : 0;
            job->fault.access = job->fault.address_known ? context_access(uc) : SR_ACCESS_UNKNOWN;
        }
        job->fault.kind = kind;
        w->reaper = true;
    }
    context_land(uc, w);
}

static void die(int number) {
    struct sigaction fatal = {.sa_handler = SIG_DFL};
    sigaction(number, &fatal, NULL);
    raise(number); /* takes effect when the handler returns */
}

/* Not ours: do what would have happened without us. A handler such as faulthandler's reports, puts the handler back that it
   found (which may be ours) and raises the signal again: that second one is fatal. */
static void chain(int number, siginfo_t *info, void *context) {
    static __thread uint32_t reported;
    struct sigaction *old = &previous[number];
    bool sent = info->si_code <= 0, again = sent && (reported >> number & 1);
    if (again || old->sa_handler == SIG_DFL || (old->sa_handler == SIG_IGN && !sent)) {
        die(number);
        return;
    }
    if (old->sa_handler == SIG_IGN) return;
    if (!sent) reported |= 1u << number;
    if (old->sa_flags & SA_SIGINFO) old->sa_sigaction(number, info, context);
    else old->sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    worker *w = self;
    int error = errno;
    if (w && w->in_code && w->job && info->si_code > 0) {
        bool dropped = number == SIGSEGV && info->si_code == SEGV_ACCERR &&
                       context_access(context) == SR_ACCESS_WRITE && lds_tail_write(w, (uint64_t)info->si_addr);
        if (!dropped) on_kernel_fault(w, number, info, context);
    } else {
        chain(number, info, context);
    }
    errno = error;
}

/* Whether the runtime itself is at work, whose lists must not be left half changed. */
static bool in_runtime(uint64_t pc) {
    if (pc >= (uint64_t)__start_sr_leaf && pc < (uint64_t)__stop_sr_leaf) return false;
    return pc >= (uint64_t)__ehdr_start && pc < (uint64_t)etext;
}

/* Ends the running wave if its launch is to stop. Inside the runtime it is left alone: the sender repeats itself. */
static void on_stop(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    worker *w = self;
    if (!w || !w->in_code || w->busy || !w->job || !w->job->stop) return;
    uint64_t pc = context_pc(context);
    if (in_runtime(pc)) return;
    w->in_code = 0;
    w->stop_pc = code_pc(w->job, pc, context_sp(context), stack_end(w));
    context_land(context, w);
}

static void install_one(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction now;
    if (!sigaction(number, NULL, &now) && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) return;
    previous[number] = now;
    struct sigaction ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&ours.sa_mask);
    sigaddset(&ours.sa_mask, SR_STOP_SIGNAL);
    sigaction(number, &ours, NULL);
}

/* glibc has pthread_atfork only in the static part of its library, musl has only that. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
#pragma weak pthread_atfork

static void at_fork(void) {
    if (__register_atfork) __register_atfork(NULL, NULL, fork_child, NULL);
    else if (pthread_atfork) pthread_atfork(NULL, NULL, fork_child);
}

/* Before each launch: another part of the process may have put its own handlers in (faulthandler does). */
static void renew_handlers(void) { install_one(SIGSEGV, on_signal); }

static void install_handlers(void) {
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) install_one(caught[i], on_signal);
    install_one(SR_STOP_SIGNAL, on_stop);
    if (!pool.handlers) at_fork();
    pool.handlers = true;
}

/* ---- stopping ---- */

static void report_one(worker *w, packet *job, sr_group *g, uint32_t i) {
    if (job->report_count == job->report_room) {
        uint32_t room = job->report_room ? job->report_room * 2 : 64;
        sr_wave_at *grown = room > MAX_REPORT ? NULL : realloc(job->report, room * sizeof *grown);
        if (!grown) return;
        job->report = grown;
        job->report_room = room;
    }
    sr_wave *wave = &g->waves[i];
    bool running = g == w->current && wave == g->running && w->stop_pc;
    sr_wave_at *at = &job->report[job->report_count++];
    memset(at, 0, sizeof *at);
    memcpy(at->group, wave->group_id, sizeof at->group);
    at->wave_id = i;
    at->worker = w->index;
    at->host_pc = running ? w->stop_pc : in_range(job, wave->pc) ? wave->pc : 0; /* 0 after a tail call */
    at->state = running                                       ? SR_WAVE_RUNNING
                : !wave->pc                                   ? SR_WAVE_UNSTARTED
                : wave->top && !(group_ready(g) & wave->bit)        ? SR_WAVE_BARRIER
                                                              : SR_WAVE_READY;
}

/* Where the waves of this worker's resident workgroups are; those that have ended are left out. */
static void report_waves(worker *w, packet *job) {
    spin_lock(&job->report_lock);
    for (uint32_t n = 0; n < w->active_count; n++) {
        sr_group *g = w->active[n];
        bool fibers = job->launch.flags & SR_FIBERS;
        uint32_t first = fibers ? 0 : g->running->wave_id;
        for (uint32_t i = first; i < g->count; i++)
            if (!fibers || (g->alive >> i & 1)) report_one(w, job, g, i);
    }
    spin_unlock(&job->report_lock);
}

/* Interrupt the workers that are still in the launch, except this thread's own. Returns how many there are. */
static uint32_t interrupt(packet *job) {
    uint32_t others = 0;
    for (uint32_t i = 0; i < pool.count; i++) {
        worker *w = pool.workers[i];
        if (w == self) continue;
        spin_lock(&w->job_lock);
        bool hit = job ? w->job == job : w->job && w->job->stop;
        if (hit) pthread_kill(w->thread, SR_STOP_SIGNAL);
        spin_unlock(&w->job_lock);
        others += hit;
    }
    return others;
}

static void pause_ns(long ns) {
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

/* The worker that recorded the fault sees to it that the others come out too. */
static void reap(packet *job) {
    uint64_t until = now_ns() + GRACE_NS;
    for (;;) {
        pthread_mutex_lock(&pool.lock);
        bool alone = job->joined <= 1;
        pthread_mutex_unlock(&pool.lock);
        if (alone) return;
        if (now_ns() >= until) interrupt(job);
        pause_ns(REFAULT_NS);
    }
}

static void stop_running(uint32_t reason) {
    for (uint32_t i = 0; i < pool.count; i++) {
        worker *w = pool.workers[i];
        spin_lock(&w->job_lock);
        packet *job = w->job;
        if (job && job->kind == LAUNCH && claim(job)) {
            job->fault.seq = job->seq;
            job->fault.fn = job->launch.fn;
            job->fault.user = job->launch.user;
            strncpy(job->fault.kernel, job->name, sizeof job->fault.kernel - 1);
            job->fault.code = reason;
            job->fault.kind = SR_FAULT_ABORTED;
        }
        spin_unlock(&w->job_lock);
    }
}

static bool queues_idle(void) {
    bool idle = true;
    pthread_mutex_lock(&pool.lock);
    for (sr_queue *q = pool.queues; q && idle; q = q->next_all) {
        pthread_mutex_lock(&q->lock);
        idle = !q->active;
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return idle;
}

/* End all running launches and those enqueued behind them. Returns how many workers are still in one at the timeout. */
uint32_t sr_abort_all(uint32_t reason, int64_t timeout_ns) {
    uint64_t until = now_ns() + (uint64_t)(timeout_ns < 0 ? 1000000000 : timeout_ns);
    uint32_t left, quiet = 0;
    atomic_store(&pool.aborting, reason + 1);
    for (;;) {
        stop_running(reason);
        left = interrupt(NULL);
        quiet = left ? 0 : quiet + 1; /* a queue may also wait for a host call, which nobody can end */
        if ((!left && queues_idle()) || quiet > 20 || now_ns() >= until) break;
        pause_ns(REFAULT_NS);
    }
    atomic_store(&pool.aborting, 0);
    return left;
}

/* ---- fork: the child has no workers; it starts its own when it needs them ---- */

static void fork_child(void) {
    pthread_mutex_init(&pool.lock, NULL);
    memset(pool.workers, 0, sizeof pool.workers);
    pool.count = 0;
    pool.jobs = NULL;
    pool.ready_head = pool.ready_tail = NULL;
    pool.signal = pool.sleepers = pool.deep_sleepers = pool.spinners = pool.ready_count = pool.job_count = 0;
    pool.aborting = 0;
    pthread_mutex_init(&calls.lock, NULL);
    pthread_cond_init(&calls.news, NULL);
    calls.head = NULL;
    calls.running = calls.busy = false;
    pthread_mutex_init(&events.lock, NULL);
    for (sr_event *e = events.all; e; e = e->next_all) {
        e->completed = e->issued;
        e->waiters = 0;
        e->parked = NULL;
    }
    for (sr_queue *q = pool.queues; q; q = q->next_all) { /* what was enqueued ran, or runs, in the parent */
        pthread_mutex_init(&q->lock, NULL);
        q->head = q->parked = NULL;
        q->active = false;
        q->done = q->last;
        q->waiters = 0;
    }
}
