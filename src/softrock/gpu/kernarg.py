"""The argument block of a kernel: explicit arguments, and the hidden ones that the runtime supplies.

Offsets and sizes come from the code object's metadata and are never assumed.

Source: "User Guide for AMDGPU Backend", Code Object V5 Metadata (value kinds of hidden arguments).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.core.errors import UnsupportedError

if TYPE_CHECKING:
    from softrock.codeobj import Kernel
    from softrock.gpu.device import Launch

_AXES = {"x": 0, "y": 1, "z": 2}
_ZERO = frozenset(
    f"hidden_{name}"
    for name in (
        "none", "global_offset_x", "global_offset_y", "global_offset_z", "default_queue", "completion_action",
        "hostcall_buffer", "printf_buffer", "heap_v1", "multigrid_sync_arg", "queue_ptr",
    )
)  # fmt: skip
"""Hidden arguments that are 0 unless a launch supplies them."""


class Arguments:
    """Builds argument blocks of one kernel; remembers the hidden part of the last geometry."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.size = kernel.kernarg_size
        self.hidden = {kind: (arg.offset, arg.size) for kind, arg in kernel.hidden_args.items()}
        for kind in self.hidden:
            _check(kernel, kind)
        self._key: object = None
        self._template = bytearray(self.size)

    def build(self, launch: Launch, supplied: dict[str, int]) -> bytearray:
        """The block for a launch.

        Args:
            launch: geometry and explicit arguments.
            supplied: hidden argument -> value, for those that are not 0 (printf buffer, heap, ...).
        """
        key = (launch.grid, launch.block, launch.shared, launch.items)
        if key != self._key:
            template = bytearray(self.size)
            for kind, (offset, size) in self.hidden.items():
                value = _value(kind, launch)
                if value:
                    template[offset : offset + size] = value.to_bytes(size, "little")
            self._template, self._key = template, key
        block = self._template[:]
        block[: len(launch.arguments)] = launch.arguments
        for kind, value in supplied.items():
            place = self.hidden.get(kind)
            if place is not None:
                block[place[0] : place[0] + place[1]] = value.to_bytes(place[1], "little")
        return block


def _check(kernel: Kernel, kind: str) -> None:
    name, _, axis = kind.rpartition("_")
    known = kind in _ZERO or kind in ("hidden_grid_dims", "hidden_dynamic_lds_size")
    if not known and not (name in ("hidden_block_count", "hidden_group_size", "hidden_remainder") and axis in _AXES):
        raise UnsupportedError(
            f"{kernel.file}: kernel {kernel.name} needs the hidden argument {kind} ({kernel.target}), which is not "
            "supported",
            hint="compile it with -mcode-object-version=5",
        )


def _value(kind: str, launch: Launch) -> int:
    name, _, axis = kind.rpartition("_")
    if name in ("hidden_block_count", "hidden_group_size", "hidden_remainder"):
        at = _AXES[axis]
        block = launch.block[at]
        items = launch.items[at] if launch.items else launch.grid[at] * block
        if name == "hidden_block_count":
            return items // block
        return block if name == "hidden_group_size" else items % block
    if kind == "hidden_grid_dims":
        sizes = launch.items or tuple(g * b for g, b in zip(launch.grid, launch.block, strict=True))
        return 3 if sizes[2] > 1 else 2 if sizes[1] > 1 else 1
    return launch.shared if kind == "hidden_dynamic_lds_size" else 0
