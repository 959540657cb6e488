/* Waves as fibers: the switch between stacks, the barrier, yielding, the end of a wave.

   A suspended fiber is its stack pointer; what the ABI wants preserved lies on its stack in the order sr_switch pushes it. A
   fresh fiber gets a frame made to look like that, so that starting and resuming are the same jump.

   The waves of a workgroup stand in a ring, and a barrier hands over to the next one in it. As long as nothing but barriers
   and ends of waves hands over, that one can always run: those that have arrived are the ones just before the running
   wave. So a barrier only counts, and needs to know nothing but the next wave's stack pointer, which stands in the wave's
   own structure: what a switch waits for is one load after the wave's address has been popped. The first yield ends this
   order; from then on a mask tells who can run (`ready`, pending negative) until the workgroup has ended. */
#include "rt.h"

#define UNRULY INT32_MIN

static inline uint64_t *saved_rsp(sr_wave *wave) { return (uint64_t *)wave->slot; }

static inline sr_wave *wave_before(sr_wave *wave) {
    return (sr_wave *)(wave->slot - offsetof(sr_wave, next_rsp));
}

#if defined(__x86_64__)
#define SAVED_WORDS 7
/* R is what a register's name starts with: "%", or "%%" where the assembly is a template. */
#define SAVE_WITH(R) \
    "pushq " R "rbp\n pushq " R "rbx\n pushq " R "r12\n pushq " R "r13\n pushq " R "r14\n pushq " R "r15\n"
#define LOAD_WITH(R) \
    "popq " R "r15\n popq " R "r14\n popq " R "r13\n popq " R "r12\n popq " R "rbx\n popq " R "rbp\n"
#define SAVE_ALL SAVE_WITH("%")
#define LOAD_ALL LOAD_WITH("%")
/* A return would be predicted to go back into the fiber that is being left; a jump is predicted by its history. */
#define GO_WITH(R) "popq " R "rcx\n jmpq *" R "rcx\n"
#define GO GO_WITH("%")
__asm__(".text\n"
        ".p2align 4\n.hidden sr_switch\n.globl sr_switch\n.type sr_switch,@function\nsr_switch:\n"
        SAVE_ALL "movq %rsp, (%rdi)\n movq %rsi, %rsp\n" LOAD_ALL GO
        ".size sr_switch, .-sr_switch\n"
        ".p2align 4\n.hidden sr_jump\n.globl sr_jump\n.type sr_jump,@function\nsr_jump:\n"
        "movq %rdi, %rsp\n" LOAD_ALL GO
        ".size sr_jump, .-sr_jump\n"
        /* Entered by the return of a switch into a fresh frame: rbx is the wave, r12 the kernel. */
        ".p2align 4\n.hidden sr_fiber_entry\n.globl sr_fiber_entry\n.type sr_fiber_entry,@function\nsr_fiber_entry:\n"
        "movq %rbx, %rdi\n callq *%r12\n movq %rbx, %rdi\n callq sr_wave_end\n ud2\n"
        ".size sr_fiber_entry, .-sr_fiber_entry\n"
        ".p2align 4\n.hidden sr_call_guarded\n.globl sr_call_guarded\n.type sr_call_guarded,@function\n"
        "sr_call_guarded:\n" SAVE_ALL "subq $8, %rsp\n stmxcsr (%rsp)\n movq %rsp, (%rdi)\n"
        "movq %rsi, %rax\n movq %rdx, %rdi\n movq %rcx, %rsi\n callq *%rax\n"
        "xorl %eax, %eax\n addq $8, %rsp\n" LOAD_ALL "retq\n"
        ".size sr_call_guarded, .-sr_call_guarded\n"
        ".p2align 4\n.hidden sr_land\n.globl sr_land\n.type sr_land,@function\nsr_land:\n"
        "movq %rdi, %rsp\n movq %rsi, %rax\n cld\n ldmxcsr (%rsp)\n addq $8, %rsp\n" LOAD_ALL "retq\n"
        ".size sr_land, .-sr_land\n");

extern void sr_fiber_entry(void);

static inline void fiber_prepare(sr_wave *wave) {
    uint64_t *frame = (uint64_t *)wave->top - SAVED_WORDS;
    frame[3] = wave->fn;              /* r12 */
    frame[4] = (uint64_t)wave;        /* rbx */
    frame[5] = 0;                     /* rbp: ends the chain of frames */
    frame[6] = (uint64_t)sr_fiber_entry;
    *saved_rsp(wave) = (uint64_t)frame;
}
#elif defined(__aarch64__)
#define SAVED_WORDS 20
#define SAVE_ALL                                                                                             \
    "sub sp, sp, #160\n stp x19, x20, [sp]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n"            \
    "stp x25, x26, [sp, #48]\n stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"                          \
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
#define LOAD_ALL                                                                                             \
    "ldp x19, x20, [sp]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"                               \
    "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"                          \
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n" \
    "add sp, sp, #160\n"
__asm__(".text\n"
        ".p2align 4\n.hidden sr_switch\n.globl sr_switch\n.type sr_switch,%function\nsr_switch:\n"
        SAVE_ALL "mov x9, sp\n str x9, [x0]\n mov sp, x1\n" LOAD_ALL "ret\n"
        ".p2align 4\n.hidden sr_jump\n.globl sr_jump\n.type sr_jump,%function\nsr_jump:\n"
        "mov sp, x0\n" LOAD_ALL "ret\n"
        ".p2align 4\n.hidden sr_fiber_entry\n.globl sr_fiber_entry\n.type sr_fiber_entry,%function\nsr_fiber_entry:\n"
        "mov x0, x19\n blr x20\n mov x0, x19\n bl sr_wave_end\n brk #1\n"
        ".p2align 4\n.hidden sr_call_guarded\n.globl sr_call_guarded\n.type sr_call_guarded,%function\n"
        "sr_call_guarded:\n" SAVE_ALL "mov x9, sp\n str x9, [x0]\n mov x9, x1\n mov x0, x2\n mov x1, x3\n blr x9\n"
        "mov x0, #0\n" LOAD_ALL "ret\n"
        ".p2align 4\n.hidden sr_land\n.globl sr_land\n.type sr_land,%function\nsr_land:\n"
        "mov sp, x0\n mov x0, x1\n" LOAD_ALL "ret\n");

extern void sr_fiber_entry(void);

static inline void fiber_prepare(sr_wave *wave) {
    uint64_t *frame = (uint64_t *)wave->top - SAVED_WORDS;
    frame[0] = (uint64_t)wave;        /* x19 */
    frame[1] = wave->fn;              /* x20 */
    frame[10] = 0;                    /* x29: ends the chain of frames */
    frame[11] = (uint64_t)sr_fiber_entry;
    *saved_rsp(wave) = (uint64_t)frame;
}
#else
#error "softrock's runtime knows x86-64 and aarch64 only"
#endif

/* Put the waves of a workgroup into a ring. */
static inline void ring_make(sr_group *g) {
    uint32_t count = g->count;
    for (uint32_t i = 0; i < count; i++) {
        sr_wave *wave = &g->waves[i], *next = &g->waves[i + 1 < count ? i + 1 : 0];
        wave->next = (uint64_t)next;
        next->slot = (uint64_t)&wave->next_rsp;
    }
}

/* The waves that can run. */
static uint64_t group_ready(sr_group *g) {
    if (g->pending < 0) return g->ready;
    uint64_t ready = g->alive;
    sr_wave *wave = g->running;
    for (uint32_t arrived = g->alive_count - (uint32_t)g->pending; arrived; arrived--) {
        wave = wave_before(wave);
        ready &= ~wave->bit;
    }
    return ready;
}

static inline void make_unruly(sr_group *g) {
    g->ready = group_ready(g);
    g->pending = UNRULY;
}

/* The next wave of `ready` after wave `id`, going round. */
static inline uint32_t pick(uint64_t ready, uint32_t id) {
    uint64_t later = ready & (~0ull << id << 1);
    return (uint32_t)__builtin_ctzll(later ? later : ready);
}

static inline void switch_from(sr_group *g, sr_wave *wave, uint64_t ready) {
    sr_wave *next = &g->waves[pick(ready, wave->wave_id)];
    g->running = next;
    sr_switch(saved_rsp(wave), *saved_rsp(next));
}

/* s_barrier where the waves are not in order (or not fibers). The last one to arrive goes on without a switch. */
__attribute__((used, visibility("hidden"))) void sr_barrier_unruly(sr_wave *wave) {
    sr_group *g = (sr_group *)wave->home;
    uint64_t ready = g->ready & ~wave->bit;
    wave->pc = (uint64_t)__builtin_return_address(0);
    g->pending = UNRULY;
    if (!ready) {
        if (UNLIKELY(!g->alive)) fault_here(wave, SR_FAULT_MISUSE, 0, 0, 0);
        g->ready = g->alive;
        return;
    }
    g->ready = ready;
    switch_from(g, wave, ready);
}

/* s_barrier. The last wave to arrive goes on without a switch; every other one hands over to the next in the ring. */
#if defined(__x86_64__)
/* The C of the other branch, by hand: one push of the preserved registers, no call, and a jump for the return. */
SR_EXPORT __attribute__((naked)) void sr_barrier(sr_wave *wave) {
    __asm__ volatile(
        "movq %c[home](%%rdi), %%rax\n"
        "movq (%%rsp), %%rsi\n"
        "subl $1, %c[pending](%%rax)\n"
        "jle 1f\n"
        "movq %%rsi, %c[pc](%%rdi)\n"
        "movq %c[slot](%%rdi), %%rcx\n"
        "movq %c[next](%%rdi), %%rdx\n" SAVE_WITH("%%")
        "movq %%rsp, (%%rcx)\n"
        "movq %%rdx, %c[running](%%rax)\n"
        "movq %c[next_rsp](%%rdi), %%rsp\n"
        LOAD_WITH("%%") GO_WITH("%%")
        "1:\n"
        "jl 2f\n"
        "movl %c[alive_count](%%rax), %%ecx\n"
        "movq %%rsi, %c[pc](%%rdi)\n"
        "movl %%ecx, %c[pending](%%rax)\n"
        "retq\n"
        "2: jmp sr_barrier_unruly\n"
        :
        : [home] "i"(offsetof(sr_wave, home)), [pc] "i"(offsetof(sr_wave, pc)), [slot] "i"(offsetof(sr_wave, slot)),
          [next] "i"(offsetof(sr_wave, next)), [next_rsp] "i"(offsetof(sr_wave, next_rsp)),
          [pending] "i"(offsetof(sr_group, pending)), [alive_count] "i"(offsetof(sr_group, alive_count)),
          [running] "i"(offsetof(sr_group, running)));
}
#else
SR_EXPORT void sr_barrier(sr_wave *wave) {
    sr_group *g = (sr_group *)wave->home;
    int32_t pending = --g->pending;
    wave->pc = (uint64_t)__builtin_return_address(0);
    if (pending > 0) {
        g->running = (sr_wave *)wave->next;
        sr_switch(saved_rsp(wave), wave->next_rsp);
    } else if (pending == 0) {
        g->pending = (int32_t)g->alive_count;
    } else {
        sr_barrier_unruly(wave);
    }
}
#endif

/* s_sleep and spin loops: let another wave of the workgroup run; when all that are ready have only yielded, let the
   scheduler go on with another workgroup. */
SR_EXPORT void sr_yield(sr_wave *wave) {
    sr_group *g = (sr_group *)wave->home;
    wave->pc = (uint64_t)__builtin_return_address(0);
    if (!wave->top || !g->alive) { /* called directly: there is no fiber to switch from */
        cpu_relax();
        return;
    }
    if (g->pending >= 0) make_unruly(g);
    uint64_t others = g->ready & ~wave->bit;
    if (others && ++g->idle_yields < g->count) {
        switch_from(g, wave, others);
        return;
    }
    g->idle_yields = 0;
    g->running = &g->waves[pick(g->ready, wave->wave_id)];
    sr_switch(saved_rsp(wave), g->home_rsp);
}

/* A wave's kernel returned. It counts as arrived at whatever barrier the others wait at. */
__attribute__((used, visibility("hidden"))) _Noreturn void sr_wave_end(sr_wave *wave) {
    sr_group *g = (sr_group *)wave->home;
    g->alive &= ~wave->bit;
    if (!--g->alive_count) sr_jump(g->home_rsp);
    sr_wave *next = (sr_wave *)wave->next;
    wave_before(wave)->next = wave->next;
    next->slot = wave->slot;
    *saved_rsp(next) = wave->next_rsp;
    if (g->pending < 0) {
        g->ready &= ~wave->bit;
        if (!g->ready) g->ready = g->alive;
        next = &g->waves[pick(g->ready, wave->wave_id)];
    } else if (!--g->pending) {
        g->pending = (int32_t)g->alive_count;
    }
    g->running = next;
    sr_jump(*saved_rsp(next));
}

/* Run the workgroup until all its waves have ended or only yield. True when it has ended. */
static inline bool group_resume(sr_group *g) {
    sr_switch(&g->home_rsp, *saved_rsp(g->running));
    return g->alive == 0;
}
