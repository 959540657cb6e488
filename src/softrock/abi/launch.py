"""Load a program that was built as a shared object and call its `main` in this process.

``python -m softrock.abi.launch PROGRAM.so [ARGUMENTS]`` runs programs where the interpreter has no shared libpython
that a program could start by itself.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from softrock.core.errors import SoftrockError, UsageError


def run(program: Path, arguments: list[str]) -> int:
    """Call the program's `main(argc, argv, envp)`.

    Args:
        program: a shared object that exports `main`.
        arguments: argv without its first element, which is the program's path.

    Returns:
        What `main` returned; a program that calls `exit` ends this process instead.

    Raises:
        SoftrockError: it cannot be loaded, or has no `main`.
    """
    from softrock.abi import build

    if not program.is_file():
        raise SoftrockError(f"no such program: {program}", hint="give the file that the compiler made")
    os.environ["SOFTROCK_NATIVE_PROGRAM"] = "1"  # the C library then judges the exit status as in any other program
    for name in ("libamdhip64.so.7", "libhiprtc.so.7"):
        ctypes.CDLL(str(build.library_dir() / name), mode=ctypes.RTLD_GLOBAL)
    try:
        loaded = ctypes.CDLL(str(program.absolute()), mode=ctypes.RTLD_GLOBAL)
        main = loaded.main
    except OSError as error:
        raise SoftrockError(f"{program} cannot be loaded: {error}", hint="build it as a shared object") from None
    except AttributeError:
        raise SoftrockError(f"{program} has no function main") from None
    texts = [os.fsencode(str(program)), *map(os.fsencode, arguments)]
    argv = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
    environment = [f"{key}={value}".encode("utf-8", "surrogateescape") for key, value in os.environ.items()]
    envp = (ctypes.c_char_p * (len(environment) + 1))(*environment, None)
    main.restype = ctypes.c_int
    return int(main(len(texts), argv, envp))


def main() -> None:
    """Entry of ``python -m softrock.abi.launch``."""
    import signal

    try:
        if len(sys.argv) < 2:
            raise UsageError("no program given", hint="python -m softrock.abi.launch PROGRAM.so [ARGUMENTS]")
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C must end the program even while it computes
        status = run(Path(sys.argv[1]), sys.argv[2:])
    except SoftrockError as error:
        mend = f"\n  mend: {error.hint}" if error.hint else ""
        print(f"error: {error.message}{mend}", file=sys.stderr)
        sys.exit(error.status)
    # The C library's exit runs the program's destructors and its own last words.
    sys.stdout.flush()
    ctypes.CDLL(None).exit(status)


if __name__ == "__main__":
    main()
