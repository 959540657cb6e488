"""Small inputs with their exact outputs and findings.

``<case>.expected`` is the translated file, ``<case>.findings`` a line a finding: line:column, rule and what is said.
Cases whose name begins with ``launch_macro`` are translated with --launch-macro. The files are written anew by
``python -m tests.hipify.test_corpus``; look at the difference before it is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from softrock.hipify import run
from softrock.hipify.source import Source
from softrock.hipify.translate import Translation
from softrock.hipify.work import Options

ROOT = Path(__file__).parent / "corpus"
CASES = sorted(each for each in ROOT.rglob("*") if each.is_file() and each.suffix not in (".expected", ".findings"))


def translated(path: Path, data: bytes | None = None) -> tuple[Source, Translation]:
    """A case, or other bytes under its name, and what becomes of it."""
    source = Source.of_bytes(path, path.read_bytes() if data is None else data)
    options = Options(parse="never", launch_macro=path.name.startswith("launch_macro"))
    return source, run.translated(source, options)


def beside(path: Path, suffix: str) -> Path:
    """The file with what is expected of a case."""
    return path.with_name(path.name + suffix)


def findings(result: Translation) -> str:
    """Findings as the files have them."""
    return "".join(
        f"{each.line}:{each.column} {each.severity} {each.rule}: {each.message}\n" for each in result.findings
    )


def test_there_are_enough() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.relative_to(ROOT)))
def test_case(path: Path) -> None:
    source, result = translated(path)
    assert source.to_bytes(result.text) == beside(path, ".expected").read_bytes()
    assert findings(result) == beside(path, ".findings").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_second_time_nothing_changes(path: Path) -> None:
    once = beside(path, ".expected").read_bytes()
    source, result = translated(path, once)
    assert source.to_bytes(result.text) == once


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_not_edited_keeps_its_bytes(path: Path) -> None:
    source, result = translated(path)
    rest, back = result.text, source.text
    for edit in reversed(result.edits):
        back = back[: edit.offset] + back[edit.end :]
    shift = 0
    for edit in result.edits:
        at = edit.offset + shift
        assert rest[at : at + len(edit.text)] == edit.text
        rest = rest[:at] + rest[at + len(edit.text) :]
        shift -= edit.length
    assert rest == back


@pytest.mark.long
@pytest.mark.parametrize("path", [each for each in CASES if each.suffix in (".cu", ".cpp")], ids=lambda path: path.stem)
def test_a_parse_gives_the_same(path: Path) -> None:
    """What clang's tree knows about names and what the tokens tell is the same in all of these."""
    source, tokens = translated(path)
    options = Options(parse="always", launch_macro=path.name.startswith("launch_macro"))
    result = run.translated(source, options)
    assert result.text == tokens.text
    assert result.mode in ("parsed", "")


if __name__ == "__main__":
    for case in CASES:
        read, outcome = translated(case)
        beside(case, ".expected").write_bytes(read.to_bytes(outcome.text))
        beside(case, ".findings").write_text(findings(outcome), encoding="utf-8")
