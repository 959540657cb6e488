"""Faults of kernels, ending kernels, and living with other signal handlers."""

from __future__ import annotations

import mmap
import signal
import struct
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softrock.core.errors import DeviceFault
from softrock.exec import runtime as rt
from softrock.exec.runtime import Access
from softrock.exec.runtime import FaultKind as Kind
from softrock.exec.runtime import WaveState as State

FIBERS = rt.Flags.FIBERS


def fault_of(queue: rt.Queue, launch: rt.Launch, kernarg: bytes = b"", grid: int = 40, group: int = 256) -> rt.Fault:
    launch.shape((grid, 1, 1), (group, 1, 1))
    queue.launch(launch, kernarg)
    assert queue.wait(timeout=20)
    fault = queue.fault()
    assert fault is not None
    queue.clear()
    assert queue.fault() is None
    return fault


def works(kernels: Any, queue: rt.Queue) -> None:
    value = np.zeros(1, np.uint32)
    launch = kernels.launch("add_one")
    launch.shape((64, 1, 1), (64, 1, 1))
    queue.launch(launch, struct.pack("Q", value.ctypes.data))
    assert queue.wait(timeout=20)
    queue.check()
    assert value[0] == 64


@pytest.mark.parametrize(("name", "access"), [("bad_read", Access.READ), ("bad_write", Access.WRITE)])
@pytest.mark.parametrize("address", [0, 0x1230, 0x7FFF_FFFF_E000])
def test_a_bad_address_is_reported_and_survived(
    kernels: Any, queue: rt.Queue, name: str, access: Access, address: int
) -> None:
    for group in (0, 17, 39):
        fault = fault_of(queue, kernels.launch(name, user=5), struct.pack("QQ", address, group))
        assert (fault.kind, fault.access, fault.address) == (Kind.MEMORY, access, address)
        assert (fault.kernel, fault.group, fault.user, fault.signal) == (
            name,
            (group, 0, 0),
            5,
            signal.SIGSEGV,
        )
        assert kernels.code[0] <= fault.host_pc == fault.code_pc < kernels.code[1]
        works(kernels, queue)


def test_a_write_to_read_only_memory(kernels: Any, queue: rt.Queue) -> None:
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
    address = np.frombuffer(page, np.uint8).ctypes.data
    fault = fault_of(queue, kernels.launch("bad_write"), struct.pack("QQ", address + 8, 1))
    assert (fault.access, fault.address) == (Access.WRITE, address + 8)


def test_an_address_that_is_not_canonical(kernels: Any, queue: rt.Queue) -> None:
    fault = fault_of(queue, kernels.launch("bad_read"), struct.pack("QQ", 0x1234_5678_9ABC_DEF0, 0))
    assert (fault.kind, fault.access, fault.address) == (Kind.MEMORY, Access.UNKNOWN, None)


def test_a_fault_inside_the_c_library_names_the_kernels_code(kernels: Any, queue: rt.Queue) -> None:
    fault = fault_of(queue, kernels.launch("bad_memcpy"), struct.pack("Q", 0x4000))
    assert not kernels.code[0] <= fault.host_pc < kernels.code[1]
    assert kernels["bad_memcpy"] < fault.code_pc < kernels["bad_memcpy"] + 200


def test_a_fault_in_a_fiber(kernels: Any, queue: rt.Queue) -> None:
    fault = fault_of(queue, kernels.launch("bad_after_barrier", flags=FIBERS), struct.pack("Q", 64), grid=1)
    assert (fault.kind, fault.address, fault.wave_id) == (Kind.MEMORY, 64, 2)
    assert {wave.wave_id for wave in fault.waves} == {0, 1, 2, 3}
    works(kernels, queue)


def test_traps_and_other_ends(kernels: Any, queue: rt.Queue) -> None:
    fault = fault_of(queue, kernels.launch("trap"), struct.pack("Q", 2))
    assert (fault.kind, fault.code, fault.gpu_pc) == (Kind.TRAP, 2, 0x1234)
    assert kernels["trap"] < fault.code_pc < kernels["trap"] + 100
    fault = fault_of(queue, kernels.launch("bad_pc", flags=FIBERS))
    assert (fault.kind, fault.address, fault.gpu_pc) == (Kind.BAD_PC, 0x5678, 0x1234)
    fault = fault_of(queue, kernels.launch("unsupported"))
    assert (fault.kind, fault.code, fault.gpu_pc) == (Kind.UNSUPPORTED, 99, 0x1234)
    fault = fault_of(queue, kernels.launch("illegal"))
    assert fault.kind == Kind.ILLEGAL
    fault = fault_of(queue, kernels.launch("overflow", flags=FIBERS), grid=3)
    assert fault.kind == Kind.STACK
    fault = fault_of(queue, kernels.launch("overflow"), grid=3, group=64)
    assert fault.kind == Kind.STACK
    fault = fault_of(queue, kernels.launch("nine_barriers"))
    assert fault.kind == Kind.MISUSE
    works(kernels, queue)


def test_a_fault_ends_the_other_workgroups(kernels: Any, queue: rt.Queue) -> None:
    if rt.runtime().threads < 2:
        pytest.skip("needs two workers: one faults while the other spins")
    flag = np.zeros(1, np.uint32)
    start = time.monotonic()
    fault = fault_of(queue, kernels.launch("fault_and_spin"), struct.pack("Q", flag.ctypes.data), group=64)
    assert (fault.kind, fault.address, fault.group) == (Kind.MEMORY, 16, (0, 0, 0))
    assert time.monotonic() - start < 2
    works(kernels, queue)


def test_a_faulted_queue_skips_work_but_not_events(kernels: Any, queue: rt.Queue) -> None:
    value, called = np.zeros(1, np.uint32), []
    bad, good = kernels.launch("bad_write"), kernels.launch("add_one")
    for launch in (bad, good):
        launch.shape((1, 1, 1), (64, 1, 1))
    event = rt.Event()
    queue.launch(bad, struct.pack("QQ", 0, 0))
    queue.launch(good, struct.pack("Q", value.ctypes.data))
    queue.fill(value.ctypes.data, 1, 1, element=4)
    queue.record(event)
    queue.call(lambda: called.append(1))
    assert queue.wait(timeout=10)
    assert (value[0], event.done(), called) == (0, True, [1])
    with pytest.raises(DeviceFault, match="write to address 0x0 in kernel bad_write, workgroup"):
        queue.check()
    other = rt.Queue()
    works(kernels, other)
    other.close()
    queue.clear()
    works(kernels, queue)
    event.close()


def test_a_copy_from_nowhere(kernels: Any, queue: rt.Queue) -> None:
    target = np.zeros(64, np.uint8)
    queue.memcpy(target.ctypes.data, 0x5000, 64)
    assert queue.wait(timeout=5)
    fault = queue.fault()
    assert fault is not None
    assert (fault.kind, fault.access) == (Kind.COPY, Access.READ)
    assert fault.address is not None
    assert 0x5000 <= fault.address < 0x5040
    queue.clear()
    queue.fill(0x5000, 0, 64)
    assert queue.wait(timeout=5)
    fault = queue.fault()
    assert fault is not None
    assert (fault.kind, fault.access) == (Kind.COPY, Access.WRITE)
    queue.clear()
    works(kernels, queue)


@pytest.mark.parametrize(("name", "flags"), [("spin", 0), ("spin", 1), ("spin_clock", 0), ("yield_forever", 1)])
@pytest.mark.parametrize("grid", [1, 9])
def test_abort_ends_a_spinning_kernel(kernels: Any, queue: rt.Queue, name: str, flags: int, grid: int) -> None:
    launch = kernels.launch(name, flags=rt.Flags(flags))
    launch.shape((grid, 1, 1), (128, 1, 1))
    after = kernels.launch("add_one")
    after.shape((1, 1, 1), (64, 1, 1))
    value = np.zeros(1, np.uint32)
    queue.launch(launch)
    queue.launch(after, struct.pack("Q", value.ctypes.data))
    assert not queue.wait(timeout=0.1)
    start = time.monotonic()
    assert rt.runtime().abort_all(7) == 0
    assert time.monotonic() - start < 0.5
    assert queue.wait(timeout=1)
    fault = queue.fault()
    assert fault is not None
    assert (fault.kind, fault.code, fault.kernel) == (Kind.ABORTED, 7, name)
    assert value[0] == 0
    running = [wave for wave in fault.waves if wave.state == State.RUNNING]
    assert running or name == "yield_forever"
    for wave in fault.waves:
        assert wave.state == State.UNSTARTED or kernels.code[0] <= wave.host_pc < kernels.code[1]
    queue.clear()
    works(kernels, queue)


def test_abort_says_where_each_wave_is(kernels: Any, queue: rt.Queue) -> None:
    flag = np.zeros(1, np.uint32)
    launch = kernels.launch("spin_mixed", flags=FIBERS)
    launch.shape((1, 1, 1), (256, 1, 1))
    queue.launch(launch, struct.pack("Q", flag.ctypes.data))
    until = time.monotonic() + 5
    while not flag[0] and time.monotonic() < until:
        time.sleep(0.01)
    assert rt.runtime().abort_all() == 0
    assert queue.wait(timeout=1)
    fault = queue.fault()
    assert fault is not None
    states = {wave.wave_id: wave.state for wave in fault.waves}
    assert states == {0: State.BARRIER, 1: State.RUNNING, 2: State.UNSTARTED, 3: State.UNSTARTED}
    assert kernels["spin_mixed"] <= fault.waves[0].host_pc < kernels["spin_mixed"] + 200


def run_script(kernels: Any, body: str) -> subprocess.CompletedProcess[str]:
    prelude = f"""
        import ctypes, struct, os, signal, sys, time, threading
        from softrock.exec import runtime as rt
        ctypes.CDLL(str(rt.runtime().path), ctypes.RTLD_GLOBAL)
        library = ctypes.CDLL({str(kernels.path)!r})
        def launch(name, *words, grid=4):
            made = rt.Launch(ctypes.cast(getattr(library, name), ctypes.c_void_p).value, name)
            made.shape((grid, 1, 1), (64, 1, 1))
            queue.launch(made, struct.pack(f"{{len(words)}}Q", *words))
        queue = rt.Queue()
    """
    code = textwrap.dedent(prelude) + textwrap.dedent(body)
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(Path(rt.__file__).parents[2]), **__import__("os").environ},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("order", ["before", "after"])
def test_faulthandler_and_kernel_faults_coexist(kernels: Any, order: str) -> None:
    enable = "import faulthandler; faulthandler.enable()\n"
    first, second = (enable, "") if order == "before" else ("", enable)
    done = run_script(
        kernels,
        first
        + "launch('bad_write', 0, 0); queue.wait(); assert queue.fault().address == 0; queue.clear()\n"
        + second
        + "launch('bad_write', 8, 0); queue.wait(); assert queue.fault().address == 8\n"
        + "print('fine', flush=True)\nctypes.string_at(16)\n",
    )
    assert done.stdout == "fine\n", done.stderr
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("Fatal Python error: Segmentation fault") >= 1
    assert "string_at" in done.stderr


def test_a_fault_outside_kernels_is_fatal_as_ever(kernels: Any) -> None:
    done = run_script(kernels, "launch('empty'); queue.wait()\nctypes.string_at(16)\n")
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_control_c_reaches_python_while_a_kernel_spins(kernels: Any) -> None:
    done = run_script(
        kernels,
        """
        launch('spin')
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            queue.wait()
        except KeyboardInterrupt:
            left = rt.runtime().abort_all(1)
            assert queue.wait(timeout=1)
            print(left, queue.fault().kind.name, time.monotonic() - start < 1)
        """,
    )
    assert done.stdout == "0 ABORTED True\n", done.stderr


def test_a_process_may_exit_while_a_kernel_spins(kernels: Any) -> None:
    start = time.monotonic()
    done = run_script(kernels, "launch('spin', grid=100)\ntime.sleep(0.1)\nprint('bye')\n")
    assert (done.returncode, done.stdout) == (0, "bye\n"), done.stderr
    assert time.monotonic() - start < 5


def test_a_process_may_exit_while_host_calls_are_pending(kernels: Any) -> None:
    done = run_script(
        kernels,
        """
        for _ in range(2000):
            queue.call(lambda: sum(range(100)))
        queue.wait(seq=10)
        other = rt.Queue()
        other.call(lambda: time.sleep(0.2))
        print('bye')
        """,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


def test_the_compiled_library_is_rebuilt_when_it_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from softrock.exec import build

    monkeypatch.setenv("SOFTROCK_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("HOME", raising=False)
    path = build.library()
    good = path.read_bytes()
    assert good[:4] == b"\x7fELF"
    assert path.stat().st_mode & 0o077 == 0
    stamp = path.stat().st_mtime_ns
    assert build.library() == path
    assert path.stat().st_mtime_ns == stamp
    path.write_bytes(good[:1000])
    assert build.library() == path
    assert path.read_bytes() == good
    for entry in path.parent.iterdir():
        entry.write_bytes(b"rubbish")
    assert build.library().read_bytes()[:4] == b"\x7fELF"
    assert "ffi" in build.bindings()
