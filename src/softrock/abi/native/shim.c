/* Part of softrock (MIT licence, see LICENSE).
 * Finds or starts Python and joins all copies of the library in a process to one runtime.
 *
 * SR_PYTHON_LIB, SR_PYTHON_EXE and SR_PYTHON_PATH are set when the library is built; the environment variables
 * SOFTROCK_PYTHON_LIB and SOFTROCK_PYTHON override the first two. */
#include "shim.h"

/* ---- the few functions of the C library that are used ---- */
extern void *dlopen(const char *file, int mode);
extern void *dlsym(void *handle, const char *name);
extern char *dlerror(void);
extern char *getenv(const char *name);
extern int on_exit(void (*function)(int, void *), void *argument);
extern void _exit(int status) __attribute__((noreturn));
extern int fflush(void *stream);
extern size_t fwrite(const void *data, size_t size, size_t count, void *stream);
extern int fprintf(void *stream, const char *format, ...);
extern void *stdout;
extern void *stderr;
typedef struct { uint64_t words[8]; } sr_mutex; /* all zero is an unlocked default mutex */
extern int pthread_mutex_lock(sr_mutex *mutex);
extern int pthread_mutex_unlock(sr_mutex *mutex);
#define SR_RTLD_NOW 2
#define SR_RTLD_GLOBAL 0x100
#define SR_RTLD_DEFAULT ((void *)0)

#define SR_NOT_INITIALIZED 3
#define SR_DEINITIALIZED 4
#define SR_NOT_READY 600

static __thread sr_thread this_thread = {0, -1, 0, {{{0}, {0}, 0, 0}}};
static sr_mutex boot_lock;
static sr_runtime *runtime; /* of the first copy of the library that booted, or this one's */
static int exit_status;

static sr_thread *own_thread(void) { return &this_thread; }
static void own_set_device(int device) { this_thread.device = device; }
static void own_write(const void *data, size_t size, int to_stderr) {
    if (to_stderr) fflush(stdout);
    fwrite(data, 1, size, to_stderr ? stderr : stdout);
}

#ifdef SR_IS_HIP
#include "fast.h"
extern char sr_records[];
#define SR_OF_HIP sr_records, sr_fast_kernel, sr_fast_stream
#else
#define SR_OF_HIP 0, 0, 0
#endif
static sr_runtime own = {sizeof(sr_runtime), 0, 0, 0, 0, 0, 0, 0, own_thread, own_set_device, own_write, SR_OF_HIP};

sr_runtime *sr_shared(void) { return __atomic_load_n(&runtime, __ATOMIC_ACQUIRE); }

sr_thread *sr_this_thread(void) {
    sr_runtime *shared = sr_shared();
    return shared ? shared->thread() : &this_thread;
}

/* ---- Python, by name ---- */
static struct {
    int (*is_initialized)(void);
    void (*initialize)(int signals);
    void *(*save_thread)(void);
    int (*ensure)(void);
    void (*release)(int state);
    void *(*import_module)(const char *name);
    void *(*call_method)(void *object, const char *name, const char *format, ...);
    unsigned long long (*as_address)(void *object);
    void (*decref)(void *object);
    void *(*error)(void);
    void (*print)(void);
    void (*clear)(void);
    int (*run)(const char *text);
} py;

static int find_python(void *library) {
    static const struct { const char *name; void *place; } table[] = {
        {"Py_IsInitialized", &py.is_initialized},
        {"Py_InitializeEx", &py.initialize},
        {"PyEval_SaveThread", &py.save_thread},
        {"PyGILState_Ensure", &py.ensure},
        {"PyGILState_Release", &py.release},
        {"PyImport_ImportModule", &py.import_module},
        {"PyObject_CallMethod", &py.call_method},
        {"PyLong_AsUnsignedLongLong", &py.as_address},
        {"Py_DecRef", &py.decref},
        {"PyErr_Occurred", &py.error},
        {"PyErr_Print", &py.print},
        {"PyErr_Clear", &py.clear},
        {"PyRun_SimpleString", &py.run},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        void *address = dlsym(library, table[i].name);
        if (!address) return 0;
        *(void **)table[i].place = address;
    }
    return 1;
}

/* Name the interpreter whose packages are wanted: its pyvenv.cfg makes site find them, whatever the environment. */
static int start_python(void *library, const char *executable) {
    void *(*create)(void) = (void *(*)(void))dlsym(library, "PyInitConfig_Create");
    if (create) { /* Python 3.14 and newer */
        int (*set_text)(void *, const char *, const char *) =
            (int (*)(void *, const char *, const char *))dlsym(library, "PyInitConfig_SetStr");
        int (*set_number)(void *, const char *, int64_t) =
            (int (*)(void *, const char *, int64_t))dlsym(library, "PyInitConfig_SetInt");
        int (*start)(void *) = (int (*)(void *))dlsym(library, "Py_InitializeFromInitConfig");
        void *config = create();
        if (config && set_text && set_number && start && set_text(config, "program_name", executable) == 0 &&
            set_text(config, "executable", executable) == 0 &&
            set_number(config, "install_signal_handlers", 0) == 0 && set_number(config, "use_environment", 0) == 0)
            return start(config) == 0;
        return 0;
    }
    wchar_t *(*decode)(const char *, size_t *) =
        (wchar_t * (*)(const char *, size_t *)) dlsym(library, "Py_DecodeLocale");
    void (*set_name)(const wchar_t *) = (void (*)(const wchar_t *))dlsym(library, "Py_SetProgramName");
    if (!decode || !set_name) return 0;
    int *ignore = (int *)dlsym(library, "Py_IgnoreEnvironmentFlag");
    if (ignore) *ignore = 1; /* PYTHONHOME and PYTHONPATH belong to some other interpreter */
    wchar_t *name = decode(executable, 0);
    if (!name) return 0;
    set_name(name);
    py.initialize(0);
    return 1;
}

static const char *setting(const char *name, const char *built) {
    const char *value = getenv(name);
    return value && *value ? value : built;
}

/* Make Python ready; called under boot_lock. Returns 0 and says why where that is impossible. */
static int ready_python(void) {
    if (find_python(SR_RTLD_DEFAULT) && py.is_initialized()) return 1;
    const char *file = setting("SOFTROCK_PYTHON_LIB", SR_PYTHON_LIB);
    void *library = *file ? dlopen(file, SR_RTLD_NOW | SR_RTLD_GLOBAL) : 0;
    if (!library) {
        fprintf(stderr,
                "softrock: cannot start Python: %s\n"
                "  mend: run the program with `softrock run` or `softrock exec`, or set SOFTROCK_PYTHON_LIB to the\n"
                "  shared libpython that belongs to %s\n",
                *file ? dlerror() : "this interpreter has no shared libpython", SR_PYTHON_EXE);
        return 0;
    }
    if (!find_python(library)) {
        fprintf(stderr, "softrock: %s is no usable libpython\n", file);
        return 0;
    }
    if (py.is_initialized()) return 1;
    if (!start_python(library, setting("SOFTROCK_PYTHON", SR_PYTHON_EXE))) {
        fprintf(stderr, "softrock: Python (%s) did not start\n", file);
        return 0;
    }
    own.embedded = 1;
    /* The program is not Python's: Ctrl-C must end it as any program, which importing `signal` would change. Only the
     * thread that started Python may say so. */
    if (py.run("import sys, _signal\n"
               "for p in (" SR_PYTHON_PATH "):\n    p in sys.path or sys.path.append(p)\n"
               "if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:\n"
               "    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)\n") != 0)
        return 0;
    py.save_thread();
    return 1;
}

static void at_exit(int status, void *argument) {
    sr_runtime *shared = argument;
    exit_status = status;
    if (shared->phase == 1 && shared->finish) shared->finish();
    shared->phase = 2;
}

/* The last thing this library does. A program that ignored a kernel's failure must not look successful. Python programs
 * see failures as exceptions, and what they do with them is theirs to say. */
__attribute__((destructor)) static void last_words(void) {
    int native = own.embedded || getenv("SOFTROCK_NATIVE_PROGRAM");
    if (native && runtime == &own && (own.failure || own.unseen) && exit_status == 0) {
        fflush(0);
        _exit(own.failure ? own.failure : 1);
    }
}

static sr_runtime *boot(void) {
    pthread_mutex_lock(&boot_lock);
    int ready = runtime != 0 || (own.phase != 3 && ready_python());
    if (!ready) own.phase = 3;
    pthread_mutex_unlock(&boot_lock);
    if (!ready) return 0;
    /* From here the interpreter's lock orders the threads: holding ours while waiting for it would be a deadlock. */
    int state = py.ensure();
    sr_runtime *found = sr_shared();
    if (!found && own.phase != 3) {
        void *module = py.import_module("softrock.abi.boot");
        void *result = module ? py.call_method(module, "boot", "K", (unsigned long long)(uintptr_t)&own) : 0;
        if (result) found = (sr_runtime *)(uintptr_t)py.as_address(result);
        if (!found || py.error()) {
            fprintf(stderr, "softrock: the runtime did not start\n");
            if (py.error()) py.print();
            own.phase = 3;
            found = 0;
        } else {
            if (found == &own) on_exit(at_exit, &own);
            __atomic_store_n(&runtime, found, __ATOMIC_RELEASE);
        }
        if (result) py.decref(result);
        if (module) py.decref(module);
    }
    py.release(state);
    return found;
}

/* Programs call these from static destructors, when Python may be gone; nothing is left for them to do. */
static int harmless(const char *name) {
    static const char *const names[] = {"__hipUnregisterFatBinary", "hipFree", "hipHostFree", "hipFreeHost", "hipFreeAsync",
                                        "hipStreamDestroy", "hipEventDestroy", "hipModuleUnload", "hipGraphDestroy",
                                        "hipGraphExecDestroy", "hipDeviceReset", "hipFreeArray"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *a = names[i], *b = name;
        while (*a && *a == *b) a++, b++;
        if (*a == *b) return 1;
    }
    return 0;
}

int sr_call(const sr_stub *stub, uint64_t *slots) {
    sr_runtime *shared = sr_shared();
    if (!shared && !(shared = boot())) return SR_NOT_INITIALIZED;
    if (shared->phase != 1) return harmless(stub->name) ? 0 : SR_DEINITIALIZED;
    return shared->dispatch(stub, slots);
}

int sr_note(int status) {
    if (status != 0 && status != SR_NOT_READY) sr_this_thread()->last_error = status;
    return status;
}
