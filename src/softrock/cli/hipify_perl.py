"""``hipify-perl``: the tool of that name that ROCm's build files call."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from softrock.core.errors import UsageError
from softrock.hipify import source
from softrock.hipify.findings import Severity
from softrock.hipify.source import Source
from softrock.hipify.translate import translate
from softrock.hipify.work import Options

_USAGE = "hipify-perl FILE.cu... [-o FILE | --inplace | --examine]"


def main(args: Sequence[str]) -> int:
    """Translate files to standard output, to ``-o FILE``, or in place with the old file kept as ``FILE.prehip``.

    Raises:
        UsageError: unknown options, no file, several for one output, or a file that cannot be read.
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
        raise UsageError(
            f"unknown option -{min(unknown)}" if unknown else "give one file, or several without -o", hint=_USAGE
        )
    for file in files:
        read = Source.read(Path(file))
        result = translate(read, Options(parse="never", runtime_header="always"))
        for each in result.findings:
            if each.severity > Severity.NOTE:
                print(f"{file}:{each.line}: warning: {each.message}", file=sys.stderr)
        if options & {"examine", "examin"}:
            missing = sum(
                count
                for (_, status, _), count in result.uses.items()
                if status in ("unknown", "unsupported", "removed")
            )
            print(f"{file}: {result.replaced} names to replace, {missing} unknown")
        elif output is not None or "inplace" in options:
            backup = ".prehip" if output is None and result.text != read.text else None
            source.write(Path(output or file), read.to_bytes(result.text), like=Path(file), backup=backup)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(read.to_bytes(result.text))
    return 0
