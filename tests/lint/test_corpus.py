"""Small inputs and exactly what is found in each.

`corpus/<folder>/<input>.expected` has what `softrock lint` prints of an input, without its path and the hints; where
findings carry edits, `<input>.fixed` is what ``--fix`` makes of it. A comment ``softrock-gpu: NAMES`` in an input
chooses other GPUs than the default ones. ``python -m tests.lint.test_corpus`` writes the expectations anew; look at the
difference.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softrock.hipify.findings import Finding
from softrock.hipify.parse import parse
from softrock.hipify.source import Source
from softrock.lint import engine, fixes, targets
from softrock.lint.registry import rules

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = {"waves": {"wave_size", "masks", "shuffles", "reductions", "launch"}}
"""Folder -> families of rules that run on its inputs."""
INPUTS = sorted(
    each for name in FOLDERS for each in (CORPUS / name).iterdir() if each.suffix not in (".expected", ".fixed")
)


def found_in(path: Path, source: Source | None = None) -> list[Finding]:
    """The findings in an input, or in another source in its place."""
    source = source or Source.read(path)
    match = re.search(r"softrock-gpu: ([\w,]+)", source.text)
    chosen = frozenset(each.id for each in rules().values() if each.family in FOLDERS[path.parent.name])
    settings = engine.Settings(targets.targets(match[1] if match else None), chosen, parse=False)
    return engine.check(source, settings).findings


def shown(found: list[Finding]) -> list[str]:
    """Findings as an expectation has them."""
    return [str(each).partition("\n")[0].removeprefix(f"{each.path}:") for each in found]


def expectation(path: Path) -> Path:
    """The file that holds what is to be found in an input."""
    return path.with_name(path.name + ".expected")


def mended(path: Path) -> Path:
    """The file that holds what the edits make of an input; it is there where findings carry some."""
    return path.with_name(path.name + ".fixed")


def fixed(path: Path, folder: Path) -> bytes:
    """What the edits make of an input; done on a copy in `folder`."""
    copy = Source(folder / path.name, Source.read(path).text)
    source, _ = fixes.fix(copy, lambda text: found_in(path, text))
    return source.to_bytes()


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_findings_are_exactly_those_expected(path: Path) -> None:
    assert shown(found_in(path)) == expectation(path).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_fixes_are_exactly_those_expected(path: Path, tmp_path: Path) -> None:
    wanted = mended(path).read_bytes() if mended(path).exists() else path.read_bytes()
    assert fixed(path, tmp_path) == wanted


@pytest.mark.parametrize("path", [each for each in INPUTS if mended(each).exists()], ids=lambda path: path.name)
def test_what_compiled_still_compiles_when_it_is_mended(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    messages: list[set[str]] = []
    for source in (path, mended(path)):
        copy.write_bytes(source.read_bytes())
        messages.append({each.message for each in parse(copy).errors})
    assert messages[1] <= messages[0]


def test_every_rule_is_found_somewhere_in_the_corpus() -> None:
    lines = [line for path in INPUTS for line in expectation(path).read_text(encoding="utf-8").splitlines()]
    found = {line.rpartition("[")[2].rstrip("]") for line in lines}
    for families in FOLDERS.values():
        assert {each.id for each in rules().values() if each.family in families} <= found


def test_the_corpus_has_inputs_without_findings() -> None:
    assert sum(not expectation(path).read_text(encoding="utf-8") for path in INPUTS) >= 10


@pytest.mark.parametrize("name", ["generic-fine.cu", "generic-fine.hip", "well-guarded-fine.cu"])
@pytest.mark.parametrize("parse_it", [False, True])
def test_no_rule_of_any_family_speaks_of_code_that_is_fine(name: str, parse_it: bool) -> None:
    settings = engine.Settings(targets.targets(None), frozenset(rules()), parse=parse_it)
    checked = engine.check_file(CORPUS / "waves" / name, settings)
    assert checked.parsed is parse_it
    assert shown(checked.findings) == []


def test_no_expectation_is_left_of_an_input_that_is_gone() -> None:
    for name in FOLDERS:
        kept = {each for path in INPUTS for each in (path, expectation(path), mended(path))}
        assert set((CORPUS / name).iterdir()) <= kept


def main() -> None:
    """Write all expectations anew."""
    import tempfile

    for path in INPUTS:
        lines = shown(found_in(path))
        expectation(path).write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            data = fixed(path, Path(folder))
        if data != path.read_bytes():
            mended(path).write_bytes(data)
        else:
            mended(path).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
