"""`program`: compile a HIP device source, translate its kernels and run them on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from softrock import codeobj, jit
from softrock.exec.runtime import Flags, Launch, Queue, runtime

PRELUDE = """
typedef unsigned int u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;
#define KERNEL(N) extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, N)))
#define tid __builtin_amdgcn_workitem_id_x()
#define bid __builtin_amdgcn_workgroup_id_x()
#define sync() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \\
                    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
"""


class Program:
    """A loaded code object whose kernels can be launched."""

    def __init__(self, data: bytes) -> None:
        self.code = codeobj.load(data, "test.co")
        self.image = np.zeros(self.code.size + 4096, np.uint8)
        base = (self.image.ctypes.data + 4095) & ~4095
        self.base = base
        at = base - self.image.ctypes.data
        self.image[at : at + self.code.size] = np.frombuffer(bytes(self.code.image(base)), np.uint8)
        self.queue = Queue()

    def run(
        self,
        name: str,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        *args: Any,
        lds: int = 0,
        layout: str | None = None,
        items: Sequence[int] | None = None,
    ) -> jit.Prepared:
        """Launch and wait; arrays are passed by address, NumPy scalars by value.

        Args (besides the launch's):
            layout: of workgroups that the translation is made for; None: the one that the software GPU takes.
            items: work-items of the whole launch, where they do not fill the last workgroups.

        Raises:
            DeviceFault: the kernel faulted.
        """
        kernel = self.code.kernel(name)
        block3 = [block, 1, 1] if isinstance(block, int) else [*block, 1, 1][:3]
        grid3 = [grid, 1, 1] if isinstance(grid, int) else [*grid, 1, 1][:3]
        if layout is None:
            layout = jit.layout_of(block3, kernel.wavefront_size)
            partial = items is not None and any(n % of for n, of in zip(items, block3, strict=True))
            layout = jit.ANY if partial and layout != jit.LINE else layout
        ready = jit.prepare(self.code, kernel, runtime().symbols, layout=layout)
        kernarg = bytearray(max(kernel.kernarg_size, 16))
        for slot, value in zip(kernel.args, args, strict=True):
            raw = np.uint64(value.ctypes.data) if isinstance(value, np.ndarray) else value
            kernarg[slot.offset : slot.offset + slot.size] = raw.tobytes()
        for axis, letter in enumerate("xyz"):
            for kind, size, number in (("block_count", 4, grid3[axis]), ("group_size", 2, block3[axis])):
                hidden = kernel.hidden_args.get(f"hidden_{kind}_{letter}")
                if hidden is not None:
                    kernarg[hidden.offset : hidden.offset + size] = number.to_bytes(size, "little")
        launch = Launch(
            ready.fn,
            name,
            wave_size=kernel.wavefront_size,
            flags=Flags.FIBERS if ready.fibers else Flags.NONE,
            scratch_lane_bytes=ready.scratch_lane_bytes,
            lds_bytes=kernel.group_segment_size + lds,
            calls=ready.calls,
            code=ready.code,
            code_base=self.base,
        )
        rows = jit.rows_of(layout)[1]
        assert not grid3[1] % rows
        launch.shape([grid3[0], grid3[1] // rows, grid3[2]], block3, items=items)
        self.queue.launch(launch, kernarg)
        self.queue.wait()
        self.queue.check()
        return ready


@pytest.fixture
def program(compile_device: Callable[..., bytes]) -> Callable[..., Program]:
    """``program(source, target, flags=())`` gives a `Program`."""

    def make(source: str, target: str, flags: Sequence[str] = ()) -> Program:
        return Program(compile_device(PRELUDE + source, target, flags))

    return make
