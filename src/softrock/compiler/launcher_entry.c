/* Entry point of programs built where Python has no shared library that a program could load.
 *
 * Such a program is a shared object with a `main`. Python loads it (softrock.abi.launch); when it is started by
 * itself, the kernel and the dynamic linker arrive here, and it becomes that Python. No library is initialised yet,
 * so there is nothing but system calls. The driver defines SR_INTERPRETER, SR_PYTHON and SR_SCRIPT. */

const char sr_interpreter[] __attribute__((section(".interp"), used)) = SR_INTERPRETER;

#if defined(__x86_64__)
#define SR_READLINK 89
#define SR_EXECVE 59
#define SR_EXIT 60
static long call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
__asm__(".text\n.globl sr_entry\n.hidden sr_entry\n.type sr_entry,@function\nsr_entry:\n"
        "xor %ebp, %ebp\nmov %rsp, %rdi\nand $-16, %rsp\ncall sr_become_python\nhlt\n");
#elif defined(__aarch64__)
#define SR_READLINK 78
#define SR_EXECVE 221
#define SR_EXIT 93
static long call(long number, long a, long b, long c) {
    /* readlinkat takes a folder first; -100 is the current one. */
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = number == SR_READLINK ? -100 : a;
    register long x1 __asm__("x1") = number == SR_READLINK ? a : b;
    register long x2 __asm__("x2") = number == SR_READLINK ? b : c;
    register long x3 __asm__("x3") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
__asm__(".text\n.globl sr_entry\n.hidden sr_entry\n.type sr_entry,%function\nsr_entry:\n"
        "mov x29, #0\nmov x0, sp\nbl sr_become_python\nbrk #0\n");
#else
#error "programs that start Python themselves are supported on x86-64 and AArch64"
#endif

__attribute__((visibility("hidden"), used, noreturn)) void sr_become_python(long *stack) {
    long count = stack[0];
    char **arguments = (char **)(stack + 1), **environment = arguments + count + 1;
    char self[4096];
    long length = call(SR_READLINK, (long)"/proc/self/exe", (long)self, sizeof self - 1);
    if (length > 0 && count < 16384) {
        self[length] = 0;
        char *words[count + 5];
        long at = 0;
        words[at++] = (char *)SR_PYTHON;
        words[at++] = (char *)"-Pc";
        words[at++] = (char *)SR_SCRIPT;
        words[at++] = self;
        for (long i = 1; i < count; i++) words[at++] = arguments[i];
        words[at] = 0;
        call(SR_EXECVE, (long)SR_PYTHON, (long)words, (long)environment);
    }
    for (;;) call(SR_EXIT, 127, 0, 0);
}
