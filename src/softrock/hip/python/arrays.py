"""Arrays in device memory.

On the software GPU device memory is host memory: an :class:`Array` shares its data with NumPy and torch without a
copy. On a hardware GPU data move by explicit copies (`Array.numpy`, `array`).
"""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

from softrock.core.errors import UsageError
from softrock.hip import memory, state

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_CPU = 1  # DLPack's kDLCPU


def _release(address: int) -> None:
    if state.existing() is not None:
        memory.free(address)


class Array:
    """A C-contiguous array in device memory.

    Attributes:
        ptr: device address. shape, dtype: as NumPy has them. nbytes: bytes of data.
    """

    def __init__(
        self, shape: int | tuple[int, ...], dtype: DTypeLike, *, ptr: int | None = None, owner: Any = None
    ) -> None:
        import numpy as np

        self.shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        if any(n < 0 for n in self.shape):
            raise UsageError(f"shape {self.shape} has a negative length")
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        if self.dtype.hasobject:
            raise UsageError(f"dtype {self.dtype} cannot stand in device memory", hint="use a numeric dtype")
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self._owner = owner
        self.ptr: int = ptr if ptr is not None else memory.malloc(max(self.nbytes, 1))
        self._software = state.current().device.backend == "software"
        if ptr is None:
            weakref.finalize(self, _release, self.ptr)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.nbytes // self.dtype.itemsize

    def _view(self) -> NDArray[Any]:
        import numpy as np

        if not self._software:
            raise UsageError("memory of a hardware GPU cannot be looked into", hint="use Array.numpy() for a copy")
        buffer = (ctypes.c_char * self.nbytes).from_address(self.ptr)
        keep: Any = buffer
        keep.owner = self  # the memory lives for as long as the view
        out: NDArray[Any] = np.frombuffer(keep, self.dtype).reshape(self.shape)
        return out

    def numpy(self) -> NDArray[Any]:
        """A copy in host memory, after all work of the device. Raises HipError if a kernel has faulted."""
        import numpy as np

        out = np.empty(self.shape, self.dtype)
        memory.memcpy(out.ctypes.data, self.ptr, self.nbytes)
        return out

    def set(self, values: ArrayLike) -> None:
        """Copy `values` in; their shape must be the array's."""
        import numpy as np

        source = np.ascontiguousarray(values, self.dtype)
        if source.shape != self.shape:
            raise UsageError(f"values of shape {source.shape} do not fit an array of shape {self.shape}")
        memory.memcpy(self.ptr, source.ctypes.data, self.nbytes)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Version 3 of the interface that CuPy, Numba and torch read."""
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.ptr, False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        out = self.numpy()
        return out if dtype is None else out.astype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule. On the software GPU it is CPU memory, shared without a copy; the device is waited for."""
        from softrock.hip.python.device_list import synchronize

        synchronize()
        return self._view().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"softrock.Array(shape={self.shape}, dtype={self.dtype}, ptr=0x{self.ptr:x})"


def empty(shape: int | tuple[int, ...], dtype: DTypeLike = "float32") -> Array:
    """An uninitialised array.

    Raises:
        HipError: hipErrorOutOfMemory.
    """
    return Array(shape, dtype)


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike = "float32") -> Array:
    """An array of zeros."""
    out = Array(shape, dtype)
    memory.memset(out.ptr, 0, out.nbytes)
    return out


def array(values: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """A copy of `values` in device memory."""
    import numpy as np

    source = np.asarray(values, dtype)
    out = Array(source.shape, source.dtype)
    out.set(source)
    return out


def from_dlpack(tensor: Any) -> Array:
    """An array over the memory of a CPU tensor (torch, NumPy, JAX …): shared on the software GPU, copied on
    hardware."""
    import numpy as np

    view = np.from_dlpack(tensor)
    if not view.flags.c_contiguous:
        raise UsageError("the tensor is not contiguous", hint="call .contiguous() on it first")
    if state.current().device.backend != "software":
        return array(view)
    return Array(view.shape, view.dtype, ptr=view.ctypes.data, owner=view)
