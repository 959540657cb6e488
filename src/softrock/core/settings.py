"""Settings, read from the environment once, in one place.

Environment variables:
    SOFTROCK_GPUS: devices, e.g. ``gfx942:2,gfx1100`` (default: one gfx942).
    SOFTROCK_CACHE_DIR: cache folder (default: the user's cache folder for softrock).
    SOFTROCK_THREADS: host threads that run workgroups (default: the CPUs this process may use).
    SOFTROCK_DUMP: folder into which every stage of every kernel is written.
    SOFTROCK_HOST_CPU: host CPU to translate for, e.g. ``x86-64-v3`` (default: this CPU with its features).
    SOFTROCK_OPT: LLVM optimisation level of translated code, 0 to 3.
    SOFTROCK_TIMEOUT: seconds after which a running kernel is ended and reported (default: never).
    SOFTROCK_NO_CACHE: set to 1 to neither read nor write the code cache.
    SOFTROCK_CACHE_LIMIT: MiB that translated kernels may take in the cache (default 4096).
    SOFTROCK_TIER: ``auto`` (default: a quick translation first where the full one takes long), ``full`` or ``quick``.
    SOFTROCK_TIMINGS: 1 to print at exit where host time went, or a file that gets it as JSON.
    SOFTROCK_TRACE: folder into which each launch and digests of memory behind it are written (hip/trace.py).
    SOFTROCK_TRACE_AT: number of the launch behind which memory is kept there.
    SOFTROCK_NUMA: ``auto`` (default: workers and memory are placed on hosts with several memory nodes) or ``off``.
    SOFTROCK_BACKEND: ``auto`` (default), ``software`` or ``hardware``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from softrock.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment asks for; see the module's docstring."""

    gpus: str
    cache_dir: Path
    threads: int
    dump: Path | None
    host_cpu: str | None
    opt: int
    timeout: float | None
    no_cache: bool
    backend: str
    cache_limit: int
    tier: str
    timings: str | None
    numa: str
    trace: Path | None
    trace_at: int


def _number(name: str, default: float | None, low: float, high: float) -> float | None:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"{name}={text!r} is not a number", hint=f"set {name} to a number or unset it") from None
    if not low <= value <= high:
        raise UsageError(
            f"{name}={text} is outside {low:g} to {high:g}", hint=f"choose a value in that range for {name}"
        )
    return value


def cpus() -> int:
    """CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cache_dir() -> Path:
    asked = os.environ.get("SOFTROCK_CACHE_DIR", "").strip()
    if asked:
        return Path(asked).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("softrock"))


def load() -> Settings:
    """Read the environment now.

    Raises:
        UsageError: a variable holds something that cannot be used.
    """
    env = os.environ
    threads = _number("SOFTROCK_THREADS", None, 1, 4096)
    opt = _number("SOFTROCK_OPT", 2, 0, 3)
    backend = env.get("SOFTROCK_BACKEND", "auto").strip() or "auto"
    if backend not in ("auto", "software", "hardware"):
        raise UsageError(f"SOFTROCK_BACKEND={backend!r} is unknown", hint="use auto, software or hardware")
    dump = env.get("SOFTROCK_DUMP", "").strip()
    tier = env.get("SOFTROCK_TIER", "auto").strip() or "auto"
    if tier not in ("auto", "full", "quick"):
        raise UsageError(f"SOFTROCK_TIER={tier!r} is unknown", hint="use auto, full or quick")
    timings = env.get("SOFTROCK_TIMINGS", "").strip()
    numa = env.get("SOFTROCK_NUMA", "auto").strip() or "auto"
    if numa not in ("auto", "off"):
        raise UsageError(f"SOFTROCK_NUMA={numa!r} is unknown", hint="use auto or off")
    trace = env.get("SOFTROCK_TRACE", "").strip()
    limit = _number("SOFTROCK_CACHE_LIMIT", 4096, 1, 1e9)
    return Settings(
        gpus=env.get("SOFTROCK_GPUS", "").strip() or "gfx942",
        cache_dir=_cache_dir(),
        threads=cpus() if threads is None else int(threads),
        dump=Path(dump) if dump else None,
        host_cpu=env.get("SOFTROCK_HOST_CPU", "").strip() or None,
        opt=2 if opt is None else int(opt),
        timeout=_number("SOFTROCK_TIMEOUT", None, 0.001, 1e9),
        no_cache=env.get("SOFTROCK_NO_CACHE", "") not in ("", "0"),
        backend=backend,
        cache_limit=int((4096 if limit is None else limit) * (1 << 20)),
        tier=tier,
        timings=None if timings in ("", "0") else timings,
        numa=numa,
        trace=Path(trace) if trace else None,
        trace_at=int(_number("SOFTROCK_TRACE_AT", 0, 0, 1e9) or 0),
    )
