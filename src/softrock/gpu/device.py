"""What a GPU can do: the protocol that the HIP runtime is written against, and the choice of who fulfils it.

Two implementations stand behind it: :mod:`softrock.gpu.software` (translated code on the host's processor) and
:mod:`softrock.gpu.hardware` (a real ``libamdhip64``). All addresses are plain integers: device memory of both is
visible under one number to host and device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from softrock.core import settings
from softrock.core.errors import SoftrockError

if TYPE_CHECKING:
    from softrock.codeobj import Kernel

Dim = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of `depth` slices of `height` rows of `width` bytes; pitches and slices in bytes."""

    dst: int
    src: int
    width: int
    height: int = 1
    depth: int = 1
    dst_pitch: int = 0
    src_pitch: int = 0
    dst_slice: int = 0
    src_slice: int = 0


@dataclass(frozen=True, slots=True)
class Fill:
    """A fill of `depth` slices of `height` rows of `width` elements of `element` (1, 2 or 4) bytes."""

    dst: int
    value: int
    element: int
    width: int
    height: int = 1
    depth: int = 1
    pitch: int = 0
    slice: int = 0


@dataclass(slots=True)
class Launch:
    """A kernel launch.

    Attributes:
        function: what :meth:`Module.function` gave.
        grid: workgroups in x, y, z.
        block: work-items of a workgroup in x, y, z.
        shared: bytes of dynamic LDS.
        arguments: the explicit arguments, laid out as the kernel's argument block.
        cooperative: all workgroups must be resident at once.
        items: work-items of the whole grid where that is no multiple of the block, else None.
        supplied: hidden arguments by kind that the caller supplies (printf buffer).
        held: what must live until the launch has ended.
    """

    function: Function
    grid: Dim
    block: Dim
    shared: int
    arguments: bytes
    cooperative: bool = False
    items: Dim | None = None
    supplied: dict[str, int] = field(default_factory=dict)
    held: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a queue stopped.

    Attributes:
        kind: memory, trap, assert, unsupported, timeout, resources or other.
        message: complete text for the user, several lines.
    """

    kind: str
    message: str


class Function(Protocol):
    """A kernel on one device."""

    name: str
    kernel: Kernel

    def prepare(self, block: Sequence[int], items: Sequence[int] | None = None) -> object:
        """Make it ready to run with workgroups of these dimensions (translate it); a launch does so itself.

        Raises:
            UnsupportedError: the kernel holds an instruction that is not supported.
        """

    def repeat(self, launch: Launch) -> Any:
        """What queues this launch at little cost with other arguments each time; None where there is no such way.

        It has `block`, a bytearray with the whole argument block (the caller writes the explicit arguments), and
        ``queue(queue)``, which queues a launch with what stands there now and says whether it could. Only for launches
        that need nothing of their own (no printf buffer, not cooperative).
        """


class Module(Protocol):
    """A code object loaded on one device."""

    names: Sequence[str]

    def function(self, name: str) -> Function | None:
        """A kernel by name, None where the module has none of that name."""

    def variable(self, name: str) -> tuple[int, int] | None:
        """Address and size in bytes of a global variable, or None."""

    def unload(self) -> None:
        """Free its memory; its functions must not be used any more."""


class Event(Protocol):
    """A point in a queue."""

    def done(self) -> bool:
        """Whether everything before the last record has ended (True where it was never recorded)."""

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds; whether it is done."""

    def time(self) -> int:
        """Nanoseconds of some clock of the device at which the last record was reached."""

    def close(self) -> None:
        """Free it; queues that still use it keep what they need."""


class Queue(Protocol):
    """Work in order. Nothing here blocks except :meth:`wait`."""

    def copy(self, copy: Copy) -> None: ...

    def fill(self, fill: Fill) -> None: ...

    def launch(self, launch: Launch) -> None: ...

    def run_batch(self, batch: Any) -> None:
        """Do what :meth:`Device.batch` wrote down, in order."""

    def call(self, function: int, argument: int) -> None:
        """Call the native function at address `function` with one pointer."""

    def record(self, event: Any) -> None: ...

    def wait_for(self, event: Any) -> None:
        """Go on only when the event's last record so far has been reached."""

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds; whether all work so far has ended (also by a fault)."""

    def idle(self) -> bool: ...

    def position(self) -> int:
        """A number for the end of the work submitted so far."""

    def reached(self) -> int:
        """The greatest position whose work has certainly ended."""

    def catch_up(self, position: int) -> None:
        """An event has told that a position is reached: return when :meth:`reached` tells so too."""

    def fault(self) -> Fault | None:
        """Why the queue stopped, or None."""

    def clear(self) -> None:
        """Forget a fault, so that the queue can go on."""

    def close(self) -> None:
        """Free it after its work has ended."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a device is, in the units HIP reports (sizes in bytes, clocks in kHz); see `properties`."""

    name: str
    target: str
    wave_size: int
    properties: dict[str, Any] = field(default_factory=dict)


class Device(Protocol):
    """One GPU."""

    backend: str
    facts: Facts

    def allocate(self, size: int) -> int:
        """Device memory, aligned to 256 bytes at least.

        Raises:
            SoftrockError: there is not enough; the message says of what.
        """

    def free(self, address: int) -> None: ...

    def allocate_host(self, size: int) -> int:
        """Host memory that the device can use.

        Raises:
            SoftrockError: there is not enough.
        """

    def free_host(self, address: int) -> None: ...

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of device memory."""

    def load(self, image: bytes, name: str) -> Module:
        """Load a code object for this device.

        Raises:
            CodeObjectError: it is corrupt or for another device.
        """

    def queue(self, priority: int) -> Queue: ...

    def batch(self, pieces: Sequence[Launch | Copy | Fill]) -> Any:
        """Work written down to be repeated at little cost (:meth:`Queue.run_batch`); None where there is no such way.
        Only for launches that need nothing of their own (no printf buffer, not cooperative).

        Raises:
            UnsupportedError: a kernel holds an instruction that is not supported.
        """

    def event(self, timing: bool) -> Event: ...


def open_devices() -> list[Device]:
    """The devices that SOFTROCK_BACKEND and SOFTROCK_GPUS ask for, in order.

    ``auto`` takes the hardware where a real runtime library finds a device, and software GPUs otherwise.

    Raises:
        SoftrockError: hardware was asked for and there is none.
        UsageError: SOFTROCK_GPUS names an unknown GPU.
    """
    asked = settings.load().backend
    if asked in ("auto", "hardware"):
        from softrock.gpu import hardware

        found = hardware.open_devices()
        if found:
            return found
        if asked == "hardware":
            raise SoftrockError(
                "SOFTROCK_BACKEND=hardware, but no libamdhip64 with a device was found",
                hint="install ROCm, set ROCM_PATH to it, or unset SOFTROCK_BACKEND to use a software GPU",
            )
    from softrock.gpu import software

    return software.open_devices()
