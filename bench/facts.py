"""What figures depend on: the host, the versions, the state of the sources."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from bench import native, opencl
from bench.context import blas

ROOT = Path(__file__).parents[1]


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _git(*args: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def cpu_model() -> str:
    """The host processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def all_threads() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gather() -> dict[str, Any]:
    """Everything that the JSON says about the run's circumstances."""
    import llvmlite.binding
    import numpy

    from softrock.jit.host import host

    found = host()
    compiler = native.compiler()
    blas_name, blas_kernel = blas()
    features = [
        f for f in ("avx2", "fma", "avx512f", "avx512dq", "avx512bf16", "avx512fp16", "amx-tile") if found.has(f)
    ]
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "--short=12", "HEAD"),
        "modified": bool(_git("status", "--porcelain", "--", "src", "bench")),
        "cpu": cpu_model(),
        "cpu_target": found.cpu,
        "features": features,
        "cpus": all_threads(),
        "load": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "versions": {
            "softrock": _package("softrock"),
            "python": platform.python_version(),
            "llvm": ".".join(str(n) for n in llvmlite.binding.llvm_version_info),
            "llvmlite": _package("llvmlite"),
            "C compiler": native.version(compiler) if compiler else None,
            "numpy": numpy.__version__,
            "BLAS": f"{blas_name} {blas_kernel}",
            "PoCL": opencl.version(),
            "torch": _package("torch"),
            "triton": _package("triton"),
        },
    }
