"""softrock: an open, ROCm-compatible GPU compute stack with a software AMD GPU.

The Python API (`compile`, `array`, `Kernel`, `Stream` …) is loaded when first used; see :mod:`softrock.hip.python`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from softrock.core.errors import SoftrockError
    from softrock.hip.python import (
        Array,
        Device,
        Event,
        Kernel,
        Module,
        Stream,
        array,
        compile,
        devices,
        empty,
        from_dlpack,
        load,
        set_device,
        synchronize,
        zeros,
    )

__all__ = [
    "Array",
    "Device",
    "Event",
    "Kernel",
    "Module",
    "SoftrockError",
    "Stream",
    "array",
    "compile",
    "devices",
    "empty",
    "from_dlpack",
    "load",
    "set_device",
    "synchronize",
    "zeros",
]


def __getattr__(name: str) -> Any:
    if name == "SoftrockError":
        from softrock.core.errors import SoftrockError

        return SoftrockError
    if name in __all__:
        from softrock.hip import python

        return getattr(python, name)
    raise AttributeError(f"module 'softrock' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
