"""Run Triton kernels on CPU tensors through softrock.

    import softrock.hip.python.triton as soft
    soft.activate()            # before the first kernel; the GPU model is SOFTROCK_GPUS
    kernel[grid](x, y, …)      # x, y: torch CPU tensors

Triton compiles for the current device and launches through our libamdhip64; tensors are passed by address, for the
software GPU's memory is host memory. `softrock.synchronize()` (or a copy) makes results visible.
"""

from __future__ import annotations

import os
from typing import Any

from softrock.core.errors import UsageError


def _address(value: Any) -> Any:
    """A tensor's address; other arguments as they are."""
    return value.data_ptr() if hasattr(value, "data_ptr") else value


def activate() -> None:
    """Make the current softrock device Triton's device.

    Raises:
        UsageError: Triton or torch is not installed, or the device is real hardware (Triton's own driver serves that).
    """
    from softrock.hip import state

    if state.current().device.backend != "software":
        raise UsageError("the current device is real hardware", hint="use Triton's own driver there")
    # The C library and this module must be one runtime: Triton opens the library by this path.
    from importlib import import_module

    library = import_module("softrock.abi").library_dir() / "libamdhip64.so"
    os.environ["TRITON_LIBHIP_PATH"] = str(library)
    try:
        import torch
        from triton.backends.amd import driver as amd
        from triton.runtime import driver
    except ImportError as error:
        raise UsageError(f"{error.name} is not installed", hint="pip install triton torch") from None

    class Launcher(amd.HIPLauncher):  # type: ignore[misc]
        """Passes tensors by address."""

        def __call__(self, *args: Any) -> None:
            super().__call__(*(_address(a) for a in args))

    class Driver(amd.HIPDriver):  # type: ignore[misc]
        """Triton's AMD driver without torch's HIP build."""

        def __init__(self) -> None:
            self.utils = amd.HIPUtils()
            self.launcher_cls = Launcher
            self.get_current_stream = lambda index: 0
            self.get_current_device = lambda: 0
            self.set_current_device = lambda device: None
            self.get_device_capability = lambda *args: (9, 4)

        @staticmethod
        def is_active() -> bool:
            return True

        def get_active_torch_device(self) -> Any:
            return torch.device("cpu")

    driver.set_active(Driver())
