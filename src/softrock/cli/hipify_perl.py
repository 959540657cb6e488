"""``hipify-perl``: the tool of that name that ROCm's build files call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from softrock.core.errors import SoftrockError, UsageError
from softrock.hipify import translate

_USAGE = "hipify-perl FILE.cu... [-o FILE | --inplace | --examine]"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise SoftrockError(f"{path}: {error.strerror}", hint="check the name of the source file") from None


def main(args: Sequence[str]) -> int:
    """Translate files to standard output, to ``-o FILE`` or in place.

    Raises:
        UsageError: unknown options, no file, or several for one output.
    """
    words = list(args)
    output: str | None = None
    if "-o" in words:
        at = words.index("-o")
        if at + 1 >= len(words):
            raise UsageError("-o needs a file name", hint=_USAGE)
        output = words[at + 1]
        del words[at : at + 2]
    options = {each.lstrip("-") for each in words if each.startswith("-") and each != "-"}
    files = [each for each in words if not each.startswith("-")]
    unknown = options - {"inplace", "examine", "examin", "print-stats", "quiet-warnings"}
    if unknown or not files or (output is not None and len(files) > 1):
        raise UsageError(f"unknown option -{min(unknown)}" if unknown else "give one file, or several without -o",
                         hint=_USAGE)  # fmt: skip
    for file in files:
        result = translate(_read(file))
        for line, name in result.unknown:
            print(f"{file}:{line}: warning: {name} has no HIP counterpart here and was left as it is", file=sys.stderr)
        if options & {"examine", "examin"}:
            print(f"{file}: {result.replaced} names to replace, {len(result.unknown)} unknown")
        elif output is not None or "inplace" in options:
            Path(output or file).write_text(result.text, encoding="utf-8", errors="surrogateescape")
        else:
            sys.stdout.write(result.text)
    return 0
