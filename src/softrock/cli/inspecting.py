"""``softrock inspect``: what GPU code files, folders and packages hold."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from softrock.cli.commands import Given
from softrock.core.errors import CodeObjectError, UsageError

_LIMIT = 200


class _Progress:
    """A line on the terminal while a long file is read."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._kernels = 0
        self._name = ""

    def __call__(self, name: str, kernels: int) -> None:
        self._kernels += kernels
        self._name = name or self._name
        now = time.monotonic()
        if now - self._start > 1 and now - self._last > 0.2:
            self._last = now
            print(f"\r\x1b[K{self._kernels} kernels, {self._name[-60:]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._last != self._start:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def inspect(given: Given) -> int:
    """Describe each file; 1 where one cannot be read or does not run on a GPU that was asked for.

    Raises:
        SoftrockError: an option is wrong, or the only file cannot be read.
    """
    from softrock.inspect import Options, devices

    values = given.values
    text = values.get("--limit")
    if text is not None and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise UsageError(f"--limit {text!r} is no count", hint="for instance 50; 0 lists all")
    limit = None if text is None else int(text)
    listed = bool({"--kernels", "--filter", "--sort", "--limit"} & set(values))
    progress = _Progress() if sys.stderr.isatty() else None
    options = Options(
        gpus=devices(values["--gpu"]) if "--gpu" in values else (),
        kernels=True if listed else None,
        pattern=values.get("--filter", ""),
        progress=progress,
    )
    show = _json if "--json" in values else _text
    status = 0
    many = len(given.words) > 1
    for number, path in enumerate(given.words):
        try:
            status |= show(path, options, values.get("--sort", ""), limit, number, len(given.words))
        except CodeObjectError as error:
            _failed(error, path, "--json" in values, many, number, len(given.words))
            status = 1
        finally:
            if progress is not None:
                progress.clear()
    return status


def _failed(error: CodeObjectError, path: str, as_json: bool, many: bool, number: int, count: int) -> None:
    from softrock.cli.report import show
    from softrock.inspect.limits import clean

    message = clean(error.message, 1000)
    if not many:
        raise CodeObjectError(message, hint=error.hint) from None
    if as_json:
        document = {"file": clean(path), "error": message, "hint": error.hint}
        sys.stdout.write(_around(number, count)[0] + json.dumps(document, indent=2) + _around(number, count)[1])
    else:
        show(CodeObjectError(message, hint=error.hint))


def _around(number: int, count: int) -> tuple[str, str]:
    """What stands before and after a document of several."""
    if count == 1:
        return "", "\n"
    return ("[\n" if number == 0 else ""), (",\n" if number < count - 1 else "\n]\n")


def _text(path: str, options: Any, sort: str, limit: int | None, number: int, count: int) -> int:
    from softrock.inspect import Listing, render, report, survey

    listing = None
    if options.kernels:
        listing = Listing(sort, _LIMIT if limit is None else limit)
        found = survey(path, options._replace(arguments=False, enough=listing.full), listing.add)
    else:
        found = report(path, options._replace(arguments=False))
    if options.progress is not None:
        options.progress.clear()
    print(("\n" if number else "") + render(found, listing))
    return _status(found)


def _json(path: str, options: Any, sort: str, limit: int | None, number: int, count: int) -> int:
    """Print a document; code objects are written as they are read, so that memory holds only one."""
    from softrock.inspect import report, survey

    if sort:
        raise UsageError("--sort goes with the table, not with --json", hint="sort the document's kernels yourself")
    before, after = _around(number, count)
    if options.kernels is None:
        found = report(path, options)
        print(before + json.dumps(found, indent=2), end=after)
        return _status(found)
    written = 0
    left = limit or None

    def emit(item: dict[str, Any]) -> None:
        nonlocal written, left
        if left is not None:
            item["kernels"] = item["kernels"][:left]
            left -= len(item["kernels"])
        head = before + '{\n"code_objects": [\n' if not written else ",\n"
        sys.stdout.write(head + json.dumps(item))
        written += 1

    found = survey(path, options._replace(enough=lambda: left == 0), emit)
    rest = json.dumps(found, indent=2)[1:]
    sys.stdout.write(("\n],\n" if written else before + '{\n"code_objects": [],\n') + rest.lstrip("\n") + after)
    return _status(found)


def _status(found: dict[str, Any]) -> int:
    return int(any(each["verdict"] != "runs" for each in found["gpus"]))
