"""Modules and kernels from Python."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from softrock.core.errors import UsageError
from softrock.hip import launch as launching
from softrock.hip import memory, modules, quick, state, streams
from softrock.hip.python.arrays import Array
from softrock.hip.python.streams import Stream
from softrock.hip.quick import Packer, Quick

if TYPE_CHECKING:
    from softrock.codeobj import Arg

Size = int | Sequence[int]

_SCALARS = {
    "bool": "?", "char": "b", "signed char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H",
    "int": "i", "unsigned int": "I", "long": "q", "unsigned long": "Q", "long long": "q", "unsigned long long": "Q",
    "_Float16": "e", "float": "f", "double": "d",
}  # fmt: skip
"""C++ types that a Python number can be turned into, by struct's letter."""

_MOST_KEPT = 64
"""Geometries of a kernel, and types of arguments, that are remembered."""


class Shape(NamedTuple):
    """A launch's geometry: blocks, threads of a block, bytes of dynamic LDS, stream."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    stream: Stream | None

    @property
    def handle(self) -> int:
        """The stream's handle."""
        return self.stream.handle if self.stream is not None else 0


def _three(value: Size, what: str) -> tuple[int, int, int]:
    numbers = [value] if isinstance(value, int) else [int(v) for v in value]
    if not 1 <= len(numbers) <= 3 or any(n < 1 for n in numbers):
        raise UsageError(f"{what} {value!r} must be one to three positive numbers")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


class Bound:
    """A kernel with its geometry: call it with the arguments."""

    def __init__(self, kernel: Kernel, shape: Shape) -> None:
        self._kernel = kernel
        self._shape = shape
        self._quick: dict[tuple[type, ...], tuple[Quick, bool] | None] = {}

    def __call__(self, *args: Any) -> None:
        """Launch; see :meth:`Kernel.launch`."""
        types = tuple(map(type, args))
        known = self._quick.get(types)
        if known is not None and known[0](args):
            if known[1]:
                streams.synchronize(self._shape.handle)
            return
        self._kernel.launch_shaped(self._shape, args)
        if types not in self._quick:
            if len(self._quick) >= _MOST_KEPT:
                self._quick.clear()
            self._quick[types] = self._kernel.quick_for(self._shape, types)


class Kernel:
    """A kernel: ``kernel[grid, block](…)`` or ``kernel[grid, block, shared_bytes, stream](…)`` launches it."""

    def __init__(self, function: modules.Function) -> None:
        self._function = function
        self.name = function.name
        self._args: tuple[Arg, ...] = function.kernel.args
        self._types = _parameter_types(function.name, len(self._args))
        self._bound: dict[Any, Bound] = {}

    def __getitem__(self, geometry: Any) -> Bound:
        try:
            return self._bound[geometry]
        except (KeyError, TypeError):  # sizes may be given as lists, which are no keys
            pass
        parts = geometry if isinstance(geometry, tuple) else (geometry,)
        if not 2 <= len(parts) <= 4:
            raise UsageError(f"kernel {self.name}: write kernel[grid, block] or kernel[grid, block, shared, stream]")
        shared = int(parts[2]) if len(parts) > 2 else 0
        stream = parts[3] if len(parts) > 3 else None
        shape = Shape(_three(parts[0], "grid"), _three(parts[1], "block"), shared, stream)
        if len(self._bound) >= _MOST_KEPT:
            self._bound.clear()
        made = self._bound[shape] = self._bound.get(shape) or Bound(self, shape)
        with contextlib.suppress(TypeError):
            self._bound[geometry] = made
        return made

    def launch(self, grid: Size, block: Size, *args: Any, shared: int = 0, stream: Stream | None = None) -> None:
        """Launch the kernel.

        Args:
            grid: blocks in x, y, z. block: threads of a block in x, y, z. shared: bytes of dynamic LDS.
            args: for pointers: `Array`, NumPy arrays and CPU tensors (anything with DLPack; C-contiguous), device
                addresses as int, or None. For values: NumPy scalars of the parameter's size, structured NumPy
                scalars, bytes; Python numbers where the kernel's type is known (kernels that are not ``extern "C"``).

        With host arrays among the arguments the call waits for the kernel; with `Array` alone it is asynchronous.

        Raises:
            UsageError: an argument does not fit its parameter. HipError: what HIP gives for the launch.
        """
        self[grid, block, shared, stream](*args)

    def launch_shaped(self, shape: Shape, args: Sequence[Any]) -> None:
        """Launch with arguments of any kind; see :meth:`launch`."""
        if len(args) != len(self._args):
            raise UsageError(f"kernel {self.name} takes {len(self._args)} arguments, {len(args)} were given")
        block_bytes = bytearray(self._function.argument_bytes)
        keep: list[Any] = []
        back: list[tuple[Any, Array]] = []
        for index, (slot, value) in enumerate(zip(self._args, args, strict=True)):
            data = self._argument(index, slot, value, keep, back)
            block_bytes[slot.offset : slot.offset + slot.size] = data
        handle = shape.handle
        launching.launch(self._function, shape.grid, shape.block, bytes(block_bytes), shape.shared, handle)
        if keep:
            streams.synchronize(handle)
            for host, device in back:
                memory.memcpy(host.ctypes.data, device.ptr, device.nbytes)

    def quick_for(self, shape: Shape, types: tuple[type, ...]) -> tuple[Quick, bool] | None:
        """A quick launch for arguments of these types, and whether it must be waited for; None where there is none."""
        import numpy as np

        packers = [self._packer(index, kind) for index, kind in enumerate(types)]
        if any(each is None for each in packers):
            return None
        known = [each for each in packers if each is not None]
        made = quick.make(self._function, shape.grid, shape.block, shape.shared, shape.handle, known)
        return None if made is None else (made, any(issubclass(kind, np.ndarray) for kind in types))

    def _packer(self, index: int, kind: type) -> Packer | None:
        """How to write an argument of a type, with the meaning that `_argument` gives it."""
        import numpy as np

        slot = self._args[index]
        if slot.value_kind != "by_value":
            if issubclass(kind, Array):
                return "Q", "{}.ptr"
            if issubclass(kind, np.ndarray):
                return "Q", "address({})"
            if kind is type(None):
                return "Q", "0"
            return ("Q", "{}") if kind is int else None
        if issubclass(kind, (np.bool_, np.integer)):
            dtype = np.dtype(kind)
            letter = {"b": "?", "i": "bhiq", "u": "BHIQ"}[dtype.kind][dtype.itemsize.bit_length() - 1]
            return letter, "{}"
        if issubclass(kind, np.inexact):
            return f"{np.dtype(kind).itemsize}s", "bytes({})"  # its own bytes: a NaN keeps its payload
        if kind in (bool, int, float):
            known = _SCALARS.get(self._types[index]) if self._types else None
            return (known, "{}") if known and (kind is not float or known in "efd") else None
        return None

    def _argument(self, index: int, slot: Arg, value: Any, keep: list[Any], back: list[tuple[Any, Array]]) -> bytes:
        if slot.value_kind == "by_value":
            return self._by_value(index, slot, value)
        if value is None:
            return bytes(slot.size)
        if isinstance(value, Array):
            return value.ptr.to_bytes(8, "little")
        if isinstance(value, int):
            return value.to_bytes(8, "little")
        return self._host_array(index, value, keep, back).to_bytes(8, "little")

    def _host_array(self, index: int, value: Any, keep: list[Any], back: list[tuple[Any, Array]]) -> int:
        import numpy as np

        if isinstance(value, np.ndarray):
            view = value
        elif hasattr(value, "__dlpack__"):
            view = np.from_dlpack(value)
        else:
            raise UsageError(
                f"kernel {self.name}: argument {index} is a pointer; {type(value).__name__} cannot stand for one",
                hint="pass an Array, a NumPy array, a CPU tensor, an address or None",
            )
        if not view.flags.c_contiguous:
            raise UsageError(f"kernel {self.name}: argument {index} is not contiguous", hint="pass a contiguous copy")
        keep.append(view)
        if self._function.home.device.backend == "software":
            return int(view.ctypes.data)
        staged = Array(view.shape, view.dtype)
        staged.set(view)
        keep.append(staged)
        if view.flags.writeable:
            back.append((view, staged))
        return staged.ptr

    def _by_value(self, index: int, slot: Arg, value: Any) -> bytes:
        import struct

        if isinstance(value, (bytes, bytearray)):
            data = bytes(value)
        elif hasattr(value, "tobytes") and hasattr(value, "dtype"):
            data = value.tobytes()
        elif isinstance(value, (bool, int, float)):
            letter = _SCALARS.get(self._types[index]) if self._types else None
            if letter is None:
                raise UsageError(
                    f"kernel {self.name}: the type of argument {index} ({slot.size} bytes) is not known, "
                    f"so {value!r} could mean several things",
                    hint="pass a NumPy scalar, for instance numpy.float32(2) or numpy.int32(2)",
                )
            if isinstance(value, float) and letter not in "efd":
                raise UsageError(f"kernel {self.name}: argument {index} is {self._types[index]}, {value!r} is a float")
            try:
                data = struct.pack("<" + letter, value)
            except (struct.error, OverflowError):
                raise UsageError(
                    f"kernel {self.name}: {value!r} does not fit argument {index} ({self._types[index]})"
                ) from None
        else:
            raise UsageError(f"kernel {self.name}: argument {index} is a value of {slot.size} bytes, not {value!r}")
        if len(data) != slot.size:
            raise UsageError(
                f"kernel {self.name}: argument {index} takes {slot.size} bytes, {len(data)} were given",
                hint="pass a NumPy scalar of the parameter's type",
            )
        return data

    def __repr__(self) -> str:
        return f"<softrock kernel {self.name}>"


def _parameter_types(name: str, count: int) -> list[str]:
    """Parameter types from a mangled name; empty where it tells none."""
    if not name.startswith("_Z"):
        return []
    from softrock.codeobj.names import demangle

    readable = demangle(name)
    inside = readable[readable.find("(") + 1 : readable.rfind(")")]
    types = [t.strip() for t in re.split(r",(?![^<(]*[>)])", inside)]
    return types if len(types) == count else []


class Module:
    """Compiled code on the current device; kernels are attributes and items by name.

    C++ kernels are found by their mangled name, or by their plain name where only one kernel has it.
    """

    def __init__(self, module: modules.Module, log: str = "") -> None:
        self._module = module
        self.log = log
        self._kernels: dict[str, Kernel] = {}

    @property
    def kernels(self) -> list[str]:
        """Names of the kernels."""
        return self._module.names()

    def __getitem__(self, name: str) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = Kernel(self._find(name))
        return found

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except UsageError as error:
            raise AttributeError(error.message) from None

    def _find(self, name: str) -> modules.Function:
        function = self._module.function(name)
        if function is not None:
            return function
        from softrock.codeobj.names import demangle

        same = [n for n in self.kernels if re.split(r"[(<]", demangle(n))[0].split(" ")[-1] == name]
        if len(same) == 1:
            function = self._module.function(same[0])
            if function is not None:
                return function
        known = ", ".join(sorted(same or self.kernels)) or "none"
        what = f"several kernels are called {name}" if same else f"there is no kernel {name}"
        raise UsageError(f"{what}; kernels: {known}", hint="use one of the names listed")

    def symbol(self, name: str, dtype: Any = "uint8") -> Array:
        """A global variable as an array of `dtype`."""
        import numpy as np

        found = self._module.variable(name)
        if found is None:
            raise UsageError(f"there is no global variable {name}")
        return Array(found[1] // np.dtype(dtype).itemsize, dtype, ptr=found[0], owner=self)


def compile(
    source: str,
    *,
    options: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    name: str = "kernel.hip",
    cuda: bool = False,
) -> Module:
    """Compile HIP (or CUDA) device code for the current device and load it.

    Args:
        source: text of the source; HIP's headers are included on their own.
        options: compiler flags as hipcc takes them.
        headers: text of headers by the name they are included under.
        name: what messages call the source.
        cuda: CUDA semantics: a warp of 32 lanes on every device.

    Raises:
        CompileError: with the compiler's message. HipError: the code cannot be loaded.
    """
    from softrock.compiler.device import compile_device

    home = state.current()
    header = "cuda_runtime.h" if cuda else "hip/hip_runtime.h"
    file = name if not cuda or name.endswith(".cu") else name.rsplit(".", 1)[0] + ".cu"
    built = compile_device(source, home.device.facts.target, ["-include", header, *options], name=file, headers=headers)
    return Module(modules.load_image(built.code, home, file), built.log)


def load(image: bytes | str | Path) -> Module:
    """Load a code object or bundle, from bytes or a file.

    Raises:
        HipError: it holds nothing for the current device, or is corrupt.
    """
    if isinstance(image, bytes):
        return Module(modules.load_image(image, state.current(), "image"))
    return Module(modules.load_file(str(image)))
