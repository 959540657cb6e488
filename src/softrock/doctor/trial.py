"""Small real tests of GPUs, meant for a child process, which a bad driver may hang or kill.

``python -m softrock.doctor.trial software`` tries the software GPU, ``hardware`` all GPUs of the HIP library that is
there; it prints one JSON document: ``{"library": path, "devices": [{"name", "target", "steps": [{"step", "error",
"hint", "seconds"}]}]}``. `run` starts it with a time limit.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softrock.core.errors import SoftrockError
from softrock.doctor.facts.gpus import known
from softrock.gpu.device import Copy, Device, Launch

_GROUP, _GROUPS = 64, 64
_COUNT = _GROUP * _GROUPS
_FACTOR = 2654435761
_LIMIT = 10.0
_IR = """
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @probe(ptr addrspace(1) %out, i32 %factor) "amdgpu-flat-work-group-size"="64,64" {
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = shl i32 %group, 6
  %index = add i32 %first, %item
  %product = mul i32 %index, %factor
  %wide = zext i32 %index to i64
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %wide
  %old = load i32, ptr addrspace(1) %place
  %sum = add i32 %product, %old
  store i32 %sum, ptr addrspace(1) %place
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
"""
"""out[i] += i * factor, for any target: no library is needed."""


def assemble(target: str) -> bytes:
    """A code object with the kernel ``probe`` for a target ID (``gfx942:sramecc+:xnack-``).

    Raises:
        SoftrockError: LLVM does not know the target, or the linker failed.
    """
    from llvmlite import binding as llvm

    from softrock.compiler import toolchain

    processor, *settings = target.split(":")
    if processor not in {each.gfx for each in known().values()}:  # LLVM ends the process over a name it does not know
        raise SoftrockError(f"no code can be made for {target}: the target is not known here")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    features = ",".join(f"{each[-1]}{each[:-1]}" for each in settings if each[-1:] in ("+", "-"))
    try:
        machine = llvm.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(
            cpu=processor, features=features, opt=2, reloc="pic"
        )
        made = machine.emit_object(llvm.parse_assembly(_IR))
    except RuntimeError as error:
        raise SoftrockError(f"no code can be made for {target}: {error}") from None
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "probe.o"), Path(folder, "probe.co")
        source.write_bytes(made)
        command = [str(toolchain.zig()), "ld.lld", "-shared", "-o", str(result), str(source)]
        done = subprocess.run(command, env=toolchain.environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SoftrockError(f"the linker failed for {target}: {done.stderr.strip()[:200]}")
        return result.read_bytes()


class Trial:
    """Steps on one device, each timed; after one that fails the rest is left out."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.steps: list[dict[str, Any]] = []
        self.buffer = 0

    @property
    def failed(self) -> bool:
        """A step has failed."""
        return any(each["error"] for each in self.steps)

    def step(self, name: str, do: Callable[[], None]) -> None:
        """Do a step, unless one has failed; note how it went."""
        if self.failed:
            return
        begin, error, hint = time.monotonic(), "", ""
        try:
            do()
        except (SoftrockError, OSError, AssertionError) as raised:
            error, hint = str(raised) or type(raised).__name__, getattr(raised, "hint", None) or ""
        self.steps.append({"step": name, "error": error, "hint": hint, "seconds": round(time.monotonic() - begin, 3)})

    def wait(self, queue: Any) -> None:
        """Wait for a queue.

        Raises:
            SoftrockError: it stopped, or took too long.
        """
        if not queue.wait(_LIMIT):
            raise SoftrockError(f"no answer within {_LIMIT:g} s")
        fault = queue.fault()
        if fault:
            raise SoftrockError(fault.message)

    def run(self) -> None:
        """Allocate, copy, compute, compare."""
        self.step("allocate", self._allocate)
        self.step("copy", self._copy)
        self.step("kernel", self._kernel)

    def _allocate(self) -> None:
        self.buffer = self.device.allocate(4 * _COUNT)

    def move(self, dst: int, src: int) -> None:
        """Copy a buffer."""
        queue = self.device.queue(0)
        queue.copy(Copy(dst, src, 4 * _COUNT))
        self.wait(queue)
        queue.close()

    def upload(self, values: Sequence[int]) -> None:
        """Write numbers into the buffer."""
        host = self.device.allocate_host(4 * _COUNT)
        ctypes.memmove(host, struct.pack(f"<{_COUNT}I", *values), 4 * _COUNT)
        self.move(self.buffer, host)
        self.device.free_host(host)

    def download(self, address: int) -> tuple[int, ...]:
        """Numbers of a buffer on this device."""
        host = self.device.allocate_host(4 * _COUNT)
        ctypes.memset(host, 0xA5, 4 * _COUNT)  # it may hold what was uploaded, and a copy that does nothing would pass
        self.move(host, address)
        found = struct.unpack(f"<{_COUNT}I", ctypes.string_at(host, 4 * _COUNT))
        self.device.free_host(host)
        return found

    def compare(self, found: Sequence[int], wanted: Sequence[int]) -> None:
        """Raise where numbers differ.

        Raises:
            SoftrockError: they do; the message says where first.
        """
        for at, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if one != other:
                raise SoftrockError(f"wrong result: element {at} of {_COUNT} is {one}, should be {other}")

    def _copy(self) -> None:
        values = pattern()
        self.upload(values)
        self.compare(self.download(self.buffer), values)

    def _kernel(self) -> None:
        module = self.device.load(assemble(self.device.facts.target), "probe")
        function = module.function("probe")
        if function is None:
            raise SoftrockError("the loaded code has no kernel probe")
        queue = self.device.queue(0)
        arguments = struct.pack("<QI", self.buffer, _FACTOR)
        queue.launch(Launch(function, (_GROUPS, 1, 1), (_GROUP, 1, 1), 0, arguments))
        self.wait(queue)
        queue.close()
        self.compare(self.download(self.buffer), computed())


def pattern() -> list[int]:
    """What the buffer holds at first."""
    return [(at * 40503 + 12345) & 0xFFFFFFFF for at in range(_COUNT)]


def computed() -> list[int]:
    """What the kernel makes of it."""
    return [(old + at * _FACTOR) & 0xFFFFFFFF for at, old in enumerate(pattern())]


def peers(trials: Sequence[Trial]) -> None:
    """Copy from each device to each other and compare what arrives."""
    for source in trials:
        for other in trials:
            if source is other or source.failed or not other.buffer:
                continue

            def cross(source: Trial = source, other: Trial = other) -> None:
                place = other.device.allocate(4 * _COUNT)
                source.move(place, source.buffer)
                other.compare(other.download(place), computed())
                other.device.free(place)

            source.step(f"copy to device {trials.index(other)}", cross)


def measure(devices: Sequence[Device], library: str = "") -> dict[str, Any]:
    """Try devices one by one, then copies between them."""
    trials = [Trial(device) for device in devices]
    for trial in trials:
        trial.run()
    peers(trials)
    return {
        "library": library,
        "devices": [
            {"name": each.device.facts.name, "target": each.device.facts.target, "steps": each.steps} for each in trials
        ],
    }


def _of_wheels() -> Any:
    """The HIP library that a wheel of this Python brings along (nothing is imported); None where none has a device."""
    from softrock.gpu import hardware

    for package in ("_rocm_sdk_core", "torch"):
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.origin:
            continue
        for path in sorted(Path(spec.origin).parent.glob("lib/libamdhip64.so*")):
            with contextlib.suppress(OSError, AttributeError):
                library = hardware.Library(str(path))
                if not library.is_ours and library.count():
                    return library
    return None


def main(which: str) -> int:
    """The child's work; prints the document."""
    try:
        if which == "software":
            from softrock.gpu import models, software

            told = measure([software.SoftwareDevice(models.model(models.names()[0]), 0)])
        else:
            from softrock.gpu import hardware

            library = hardware.find_library() or _of_wheels()
            found = [] if library is None else [hardware.HardwareDevice(library, at) for at in range(library.count())]
            told = measure(found, library.path if library else "")
    except (SoftrockError, OSError) as error:
        told = {"error": str(error), "hint": getattr(error, "hint", None) or ""}
    print(json.dumps(told), flush=True)
    os._exit(0)  # what a sick library does at its end is not of interest


@dataclass(frozen=True)
class Tried:
    """How a trial went.

    Attributes:
        error: why there is no answer; empty where there is one.
        hint: what softrock's own error says to do about it, or about the first step that failed.
        library: the HIP library that was used.
        devices: as `measure` gives them.
    """

    error: str = ""
    library: str = ""
    hint: str = ""
    devices: tuple[dict[str, Any], ...] = ()

    @property
    def failures(self) -> list[tuple[str, str, str]]:
        """Device, step and error of all steps that failed."""
        return [
            (str(device["name"]), str(step["step"]), str(step["error"]))
            for device in self.devices
            for step in device["steps"]
            if step["error"]
        ]


def run(which: str, timeout: float) -> Tried:
    """Try ``software`` or ``hardware`` in a child process, at most `timeout` seconds."""
    command = [sys.executable, "-m", "softrock.doctor.trial", which]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False, text=True,
            errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Tried(f"no answer within {timeout:g} s")
    except OSError as error:
        return Tried(f"{sys.executable} does not start: {error.strerror}")
    try:
        told = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Tried(f"it ended with status {done.returncode}: {last}")
    devices = tuple(told.get("devices", ()))
    hints = (step["hint"] for device in devices for step in device["steps"] if step["hint"])
    return Tried(told.get("error", ""), told.get("library", ""), told.get("hint", "") or next(hints, ""), devices)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) == 2 else ""))
