"""Atomics: on memory that they do not reach, with too small a scope, and in locks that a wave cannot take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind
from softrock.lint.file import File
from softrock.lint.memory import FINE, MANAGED, PINNED, Given, given_memory, pointer_name
from softrock.lint.outline import Call, Function, Outline, Range, Statement
from softrock.lint.registry import rule
from softrock.lint.threads import threads

_FLOAT = re.compile(r"\b(?:float|double|half|__half2?|half2|__nv_bfloat16\d?|__hip_bfloat16\d?)\b")
_FLOAT_ATOMICS = ("atomicAdd", "atomicAdd_system", "unsafeAtomicAdd", "atomicAddNoRet", "atomicMin", "atomicMax")
_ATOMIC = re.compile(
    r"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?|__hip_atomic_\w+|unsafeAtomicAdd"
)
_NARROW = re.compile(r"__HIP_MEMORY_SCOPE_(?:SINGLETHREAD|WAVEFRONT|WORKGROUP|AGENT)")
_LOCKING = frozenset(
    {"atomicCAS", "atomicExch", "atomicCAS_system", "atomicCAS_block", "atomic_compare_exchange", "atomic_exchange"}
    | {"__hip_atomic_compare_exchange_strong", "__hip_atomic_compare_exchange_weak"}
)
_TRY_LOCK = ("try_lock", "tryLock", "trylock", "try_acquire", "test_and_set")
_HOST_VISIBLE = (PINNED, FINE, MANAGED)


def _parameter_atomics(out: Outline, function: Function, name: str, calls: Iterator[Call]) -> Iterator[Call]:
    for call in calls:
        if call.arguments and pointer_name(out, call.arguments[0]) == name:
            yield call


def _calls(out: Outline, pattern: re.Pattern[str], within: Range) -> Iterator[Call]:
    yield from out.calls(*(name for name in out.names if pattern.fullmatch(name)), within=within)


@rule("float-atomic-fine-grained", Severity.WARNING)
def float_atomic_fine_grained(file: File) -> Iterator[Finding]:
    """Floating-point atomics on fine-grained memory.

    Why:
        Pinned host memory, managed memory and hipDeviceMallocFinegrained are fine-grained. The hardware's
        floating-point atomics of gfx90a and gfx942 do not work there: an add sent to memory behind PCIe is dropped
        without an error. The compiler therefore makes a compare-and-swap loop, which is slow, unless it is told
        ``-munsafe-fp-atomics`` or the source says unsafeAtomicAdd: then results are lost.

    Example:
        __global__ void sum(float* total, const float* in) { atomicAdd(total, in[threadIdx.x]); }
        void run(const float* in) {
          float* total;
          (void)cudaMallocManaged(&total, sizeof(float));
          sum<<<1, 64>>>(total, in);
        }

    Fix:
        __global__ void sum(float* total, const float* in) { atomicAdd(total, in[threadIdx.x]); }
        void run(const float* in) {
          float* total;
          (void)cudaMalloc(&total, sizeof(float));
          sum<<<1, 64>>>(total, in);
        }
    """
    out = file.outline
    for given in given_memory(out):
        parameter = given.kernel.parameters[given.position]
        if given.memory.kind not in _HOST_VISIBLE or not _FLOAT.search(parameter.type):
            continue
        calls = out.calls(*_FLOAT_ATOMICS, within=given.kernel.body)
        for call in _parameter_atomics(out, given.kernel, parameter.name, calls):
            unsafe = call.name == "unsafeAtomicAdd"
            yield file.finding(
                "float-atomic-fine-grained",
                *out.offsets((call.index, call.index + 1)),
                f"{call.name} on {parameter.name}, which is {given.memory.kind} memory ({given.memory.by}"
                f" in line {file.source.position(out.tokens[given.memory.index].offset)[0]})",
                "collect the sum in device memory (hipMalloc) and copy it"
                + ("" if unsafe else "; build without -munsafe-fp-atomics"),
                severity=Severity.ERROR if unsafe else Severity.WARNING,
            )


@rule("atomic-scope", Severity.WARNING)
def atomic_scope(file: File) -> Iterator[Finding]:
    """An atomic's scope is smaller than the set of those who use the memory.

    Why:
        atomicAdd and its kin are atomic among the threads of one GPU, those that end in _block in one workgroup.
        Memory that the host or another GPU uses at the same time (pinned, managed, fine-grained, peer memory) needs
        the _system forms, or __hip_atomic_… with __HIP_MEMORY_SCOPE_SYSTEM. On AMD GPUs the scope decides which cache
        the operation is carried out in: too small a scope on shared memory of two devices loses updates, or is never
        seen. The same holds for fences: __threadfence orders for one GPU, __threadfence_system for all.

    Example:
        __global__ void ready(int* flag) { atomicExch(flag, 1); }
        void run() {
          int* flag;
          (void)cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
          ready<<<1, 1>>>(flag);
          while (*(volatile int*)flag == 0) {}
        }

    Fix:
        __global__ void ready(int* flag) { atomicExch_system(flag, 1); }
        void run() {
          int* flag;
          (void)cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
          ready<<<1, 1>>>(flag);
          while (*(volatile int*)flag == 0) {}
        }
    """
    out = file.outline
    reported: set[int] = set()
    for given in given_memory(out):
        if given.memory.kind not in _HOST_VISIBLE or not _concurrent(out, given):
            continue
        name = given.kernel.parameters[given.position].name
        for call in _parameter_atomics(out, given.kernel, name, _calls(out, _ATOMIC, given.kernel.body)):
            problem = _too_weak(out, call)
            if problem and call.index not in reported:
                reported.add(call.index)
                yield file.finding(
                    "atomic-scope",
                    *out.offsets((call.index, call.index + 1)),
                    f"{call.name} on {name}, {given.memory.kind} memory in use elsewhere meanwhile, {problem[0]}",
                    problem[1],
                )
        for call in out.calls("__threadfence", "__threadfence_block", within=given.kernel.body):
            if call.index not in reported:
                reported.add(call.index)
                yield file.finding(
                    "atomic-scope",
                    *out.offsets((call.index, call.index + 1)),
                    f"{call.name} does not order what others see of {name}, {given.memory.kind} memory",
                    "use __threadfence_system()",
                )
    yield from _peers(file, out, reported)
    yield from _block_scope(file, out, reported)


def _too_weak(out: Outline, call: Call) -> tuple[str, str] | None:
    """(what is wrong, what to do) of an atomic on memory that the host or another GPU uses at the same time."""
    text = out.text((call.index, call.close))
    if not call.name.startswith("__hip_atomic_"):
        wider = f"use {call.name.removesuffix('_block')}_system"
        return None if call.name.endswith("_system") else ("is not atomic there", wider)
    if _NARROW.search(text):
        return "is not atomic there", "give it __HIP_MEMORY_SCOPE_SYSTEM"
    if "__ATOMIC_RELAXED" in text and re.search("_store$|_exchange$", call.name):
        return (
            "orders nothing that was written before it",
            "use __ATOMIC_RELEASE, and __ATOMIC_ACQUIRE where it is read",
        )
    return None


def _peers(file: File, out: Outline, reported: set[int]) -> Iterator[Finding]:
    """Atomics of device scope in a file that lets GPUs use each other's memory, on what its launches hand out."""
    if next(out.api("DeviceEnablePeerAccess", "CtxEnablePeerAccess"), None) is None:
        return
    launched = {each.kernel for each in out.launches}
    for function in out.functions:
        if not function.is_kernel or function.name not in launched:
            continue
        pointers = {each.name for each in function.parameters if "*" in each.type}
        for call in _calls(out, _ATOMIC, function.body):
            name = pointer_name(out, call.arguments[0]) if call.arguments else ""
            problem = _too_weak(out, call)
            if problem and name in pointers and call.index not in reported:
                reported.add(call.index)
                yield file.finding(
                    "atomic-scope",
                    *out.offsets((call.index, call.index + 1)),
                    f"{call.name} on {name}: where that is a peer's memory, the operation {problem[0]}",
                    problem[1],
                    severity=Severity.NOTE,
                )


def _concurrent(out: Outline, given: Given) -> bool:
    """Whether the host (or another launch on another device) uses the memory before it waits for the kernel."""
    host = out.function_at(given.launch.index)
    if host is None:
        return False
    variable = pointer_name(out, given.launch.arguments[given.position])
    for statement, _ in host.paths():  # one launch for each of several GPUs
        loops = statement.kind in ("for", "while", "do") and statement.start <= given.launch.index < statement.end
        if loops and next(out.api("SetDevice", within=(statement.start, statement.end)), None) is not None:
            return given.memory.index < statement.start
    for at in range(given.launch.end, host.body[1]):
        text = out.at(at)
        if re.fullmatch(r"(?:cuda|hip)(?:(?:Device|Stream|Event)Synchronize|Memcpy\w*|Free\w*|HostFree)", text):
            return False
        if re.fullmatch(r"(?:cuda|hip)SetDevice", text):
            return any(out.at(each) == variable for each in range(at, host.body[1]))
        if text == variable:
            return True
    return False


def _block_scope(file: File, out: Outline, reported: set[int]) -> Iterator[Finding]:
    """Atomics of workgroup scope on a kernel's parameters: all workgroups share those."""
    for function in out.functions:
        if not function.is_kernel:
            continue
        pointers = {each.name for each in function.parameters if "*" in each.type}
        for call in _calls(out, _ATOMIC, function.body):
            if not call.arguments or call.index in reported:
                continue
            small = call.name.endswith("_block") or re.search(
                r"__HIP_MEMORY_SCOPE_(?:WORKGROUP|WAVEFRONT|SINGLETHREAD)", out.text((call.index, call.close))
            )
            name = pointer_name(out, call.arguments[0])
            if small and name in pointers and "blockIdx" not in out.words(call.arguments[0]):
                yield file.finding(
                    "atomic-scope",
                    *out.offsets((call.index, call.index + 1)),
                    f"{call.name} of workgroup scope on {name}, which every workgroup gets",
                    "use a wider scope (no _block, __HIP_MEMORY_SCOPE_AGENT), unless each workgroup has its own part",
                )


@rule("spin-lock", Severity.ERROR)
def spin_lock(file: File) -> Iterator[Finding]:
    """Threads of one wave wait for each other at a lock.

    Why:
        The lanes of a wave go in lockstep. When one lane takes the lock and the others of its wave spin, the loop goes
        on for all of them, and the owner never comes to release it: the kernel hangs. NVIDIA's GPUs since Volta
        schedule threads of a warp independently, so that the same code ends there. A lock must be taken and released
        inside one turn of the loop, or by one lane for its wave, or (best) be replaced by an atomic operation.

        A loop over a lock's own ``try_lock`` is reported as a warning where the body does the work and releases the
        lock: there it depends on the compiler, and on no lane waiting for what another one of its wave is to do.

    Example:
        __global__ void add(int* lock, float* sum, float value) {
          while (atomicCAS(lock, 0, 1) != 0) {}
          *sum += value;
          atomicExch(lock, 0);
        }

    Fix:
        __global__ void add(int* lock, float* sum, float value) {
          for (bool done = false; !done;) {
            if (atomicCAS(lock, 0, 1) == 0) {
              *sum += value;
              __threadfence();
              atomicExch(lock, 0);
              done = true;
            }
          }
        }
    """
    out = file.outline
    if not out.names.keys() & {*_LOCKING, *_TRY_LOCK}:
        return
    for function in out.functions:
        if not function.is_device or _always_elected(out, function):
            continue
        reported: set[int] = set()
        for statement, path in function.paths():
            if statement.kind not in ("while", "do", "for") or _elected(function, statement.start, path):
                continue
            for call in _acquires(out, statement):
                if call.index not in reported and not _releases_within(out, statement, call):
                    reported.add(call.index)
                    yield file.finding(
                        "spin-lock",
                        *out.offsets((call.index, call.index + 1)),
                        f"each thread spins on {call.name} until it has the lock: lanes of a wave wait for each other",
                        "do the work and release the lock in the loop's turn that took it, let one lane lock for its "
                        "wave, or use an atomic operation instead",
                    )
            for call in out.calls(*_TRY_LOCK, within=(statement.start, statement.end)):
                if call.index not in reported and statement.kind != "for":
                    reported.add(call.index)
                    yield _tries(file, out, statement, call)


def _tries(file: File, out: Outline, loop: Statement, call: Call) -> Finding:
    """The finding on a lock's own try function: an error where the loop does nothing but wait."""
    waits = loop.head[0] <= call.index < loop.head[1]
    return file.finding(
        "spin-lock",
        *out.offsets((call.index, call.index + 1)),
        f"each thread repeats {call.name} until it has the lock: lanes of a wave wait for each other",
        "let one lane after the other take it (__ballot and __ffsll choose the next), or use atomic operations",
        severity=Severity.ERROR if waits else Severity.WARNING,
    )


def _elected(function: Function, index: int, path: tuple[Statement, ...]) -> bool:
    """Whether only one thread comes to a statement: under ``if (threadIdx.x == 0)``, or behind the others' return."""
    varying = threads(function)
    if any(each.kind == "if" and varying.elects(each.head) for each in path):
        return True
    for statement, around in function.paths():
        conditions = [each for each in around if each.kind == "if"]
        if statement.kind == "return" and statement.start < index and conditions:
            head = conditions[-1].head
            if varying.varies(head) and re.search(r"!= 0$|> 0$|^threadIdx \. x$", function.outline.text(head)):
                return True
    return False


def _always_elected(out: Outline, function: Function) -> bool:
    """Whether the file calls a function, and from places only that one thread comes to."""
    calls = [call for call in out.calls(function.name) if call.index != function.index]
    places = [(caller, call) for call in calls if (caller := out.function_at(call.index)) is not None]
    return bool(places) and all(
        any(
            _elected(caller, call.index, path)
            for statement, path in caller.paths()
            if not statement.children and statement.start <= call.index < statement.end
        )
        for caller, call in places
    )


def _acquires(out: Outline, loop: Statement) -> Iterator[Call]:
    """The calls with which a loop tries to take one and the same lock again and again."""
    changed = {
        out.at(at - 1 if out.at(at) not in ("++", "--") or out.tokens[at - 1].kind is Kind.NAME else at + 1)
        for at in range(loop.start, loop.end)
        if out.at(at) in ("=", "+=", "-=", "++", "--", "^=", "|=", "&=", "<<=", ">>=")
    }
    for call in out.calls(*_LOCKING, within=(loop.start, loop.end)):
        if _takes_lock(out, call) and not out.words(call.arguments[0]) & changed:
            yield call


def _takes_lock(out: Outline, call: Call) -> bool:
    """Whether a compare-and-swap puts one constant in another's place, or an exchange a 1, and the result is used."""
    swap = "CAS" in call.name or "compare" in call.name
    constants = call.arguments[1:3] if swap else call.arguments[1:2]
    if call.name.startswith("__hip_atomic_compare"):  # the expected value is given by its address
        return len(call.arguments) > 2 and _constant(out, call.arguments[2])
    if len(constants) < (2 if swap else 1) or not all(_constant(out, each) for each in constants):
        return False
    texts = [out.text(each) for each in constants]
    if swap:
        return texts[0] != texts[1]
    return texts[0] not in ("0", "0u", "false") and out.at(call.index - 1) not in (";", "{", "}", ")")


_LOCK_STATE = re.compile(r"k?(?:un)?locked|k?(?:free|taken)|true|false|int|unsigned|[()-]")


def _constant(out: Outline, span: Range) -> bool:
    tokens = out.tokens[span[0] : span[1]]
    return bool(tokens) and all(
        each.kind is Kind.NUMBER or each.text.isupper() or _LOCK_STATE.fullmatch(each.text.lower()) for each in tokens
    )


def _releases_within(out: Outline, loop: Statement, taken: Call) -> bool:
    """Whether the loop's body gives the lock back: then the turn that took it ends it."""
    lock, variable = out.text(taken.arguments[0]), pointer_name(out, taken.arguments[0])
    for call in out.calls(*_LOCKING, "__hip_atomic_store", within=(loop.start, loop.end)):
        if call.index != taken.index and call.arguments and out.text(call.arguments[0]) == lock:
            return True
    return any(
        out.at(at) == variable and "=" in (out.at(at + 1), out.at(out.match.get(at + 1, at) + 1))
        for at in range(loop.start, loop.end)
        if at < taken.index - 1 or at > taken.close
    )
