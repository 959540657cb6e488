"""What is looked at, what is silenced, what is mended."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from softrock.core.errors import UsageError
from softrock.hipify.findings import Severity
from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.baseline import STALE, Baseline, digest, save
from softrock.lint.engine import UNREADABLE, Checked, Settings
from softrock.lint.registry import rules
from softrock.lint.suppress import UNKNOWN, suppressions

BALLOT = "__device__ unsigned f(bool p) { return __ballot(p); }\n"
MASKS = frozenset({"ballot-in-32-bits", "mask-bits-counted-in-32", "lane-bit-in-32", "mask-32-bits"})


def _settings(**options: object) -> Settings:
    values: dict[str, object] = {"targets": targets.targets(None), "rules": MASKS, "parse": False, **options}
    return Settings(**values)  # type: ignore[arg-type]


def _check(text: str, name: str = "x.hip", **options: object) -> Checked:
    return engine.check(Source(Path(name), text), _settings(**options))


# ---- languages and files ----


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.cu", "", "cuda"),
        ("a.CU", "", "cuda"),
        ("a.cuh", "#include <hip/hip_runtime.h>\n", "hip"),
        ("a.hip", "", "hip"),
        ("a.cpp", "#include <hip/hip_runtime.h>\n", "hip"),
        ("a.cpp", "#include <cuda_runtime.h>\n", "cuda"),
        ("a.h", "__device__ int f();\n", "cuda"),
        ("a.hpp", "int f();\n", ""),
        ("a.cc", "void f() { k<<<1, 2>>>(); }\n", "cuda"),
        ("a.py", "", "python"),
        ("a.txt", "__global__", ""),
    ],
)
def test_language_goes_by_suffix_and_content(name: str, text: str, language: str) -> None:
    assert engine.language_of(Source(Path(name), text)) == language


def test_files_of_folders_without_loops_and_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.cu", "sub/a.hip", "sub/n.txt", ".git/c.cu", "x.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "again.cu").symlink_to(tmp_path / "b.cu")
    found = [each.relative_to(tmp_path).as_posix() for each in engine.files([tmp_path])]
    assert found == ["again.cu", "x.py", "sub/a.hip"]
    assert [each.name for each in engine.files([tmp_path], include=["*.hip"])] == ["a.hip"]
    assert [each.name for each in engine.files([tmp_path], exclude=["*/sub/*", "*.py"])] == ["again.cu"]
    with pytest.raises(UsageError, match="no such file"):
        engine.files([tmp_path / "nothing"])


def test_links_are_followed_and_a_loop_is_told(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.cu").write_text("")
    (tmp_path / "src" / "up").symlink_to(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.cu").write_text("")
    (tmp_path / "src" / "beside").symlink_to(tmp_path / "other")
    found, trouble = engine.collect([tmp_path / "src"])
    assert sorted(each.path.name for each in found) == ["a.cu", "b.cu"]
    found, trouble = engine.collect([tmp_path])
    assert sorted(each.path.name for each in found) == ["a.cu", "b.cu"]
    (only,) = trouble
    assert only.findings[0].severity is Severity.NOTE
    assert only.findings[0].message == f"not looked at: a link to {tmp_path}, which it is in"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.cu")
    (found,) = engine.check_file(tmp_path / "a.cu", _settings()).findings
    assert (found.rule, found.severity) == (UNREADABLE, Severity.ERROR)
    assert "not a regular file" in found.message


def test_a_compilation_database_names_files_and_their_flags(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "own.h").write_text("typedef unsigned mask_t;\n")
    (tmp_path / "a.hip").write_text('#include "own.h"\n__device__ mask_t f(bool p) { return __ballot(p); }\n')
    entry = {"directory": str(tmp_path), "file": "a.hip", "command": "hipcc -Iinclude -c a.hip"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    (item,), trouble = engine.collect([tmp_path / "compile_commands.json"])
    assert (item.flags, item.cwd, trouble) == (("-Iinclude", "-c", "a.hip"), tmp_path, [])


def test_what_cannot_be_read_is_told_and_the_rest_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\0\1\2")
    (tmp_path / "b.hip").write_text(BALLOT)
    first, second = engine.check_files([tmp_path / "a.cu", tmp_path / "b.hip"], _settings())
    assert [each.rule for each in first.findings] == [UNREADABLE]
    assert "binary" in first.findings[0].message
    assert [each.rule for each in second.findings] == ["ballot-in-32-bits"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(BALLOT)
    path.chmod(0)
    assert [each.rule for each in engine.check_file(path, _settings()).findings] == [UNREADABLE]


def test_many_files_over_several_processes_give_the_same(tmp_path: Path) -> None:
    paths = [tmp_path / f"{each}.hip" for each in range(12)]
    for number, path in enumerate(paths):
        path.write_text("\n" * number + BALLOT)
    several = engine.check_files(paths, _settings(), jobs=2)
    assert several == engine.check_files(paths, _settings(), jobs=1)
    assert [each.findings[0].line for each in several] == list(range(1, 13))


def test_text_of_other_encodings_keeps_its_columns() -> None:
    text = "/* \u00e4\u00f6 */ " + BALLOT
    for data in (text.encode("utf-8"), text.encode("latin-1"), b"\xff\xfe" + text.encode("utf-16-le")):
        source = Source.of_bytes(Path("x.hip"), data)
        (found,) = engine.check(source, _settings()).findings
        assert (found.line, found.column) == (1, 49)


# ---- rules ----


def test_rules_are_chosen_by_id() -> None:
    assert engine.choose(["mask-32-bits", "ballot-in-32-bits"], ["mask-32-bits"]) == {"ballot-in-32-bits"}
    assert engine.choose([], []) == set(rules())
    with pytest.raises(UsageError, match="no such rule: balot-in-32-bits") as caught:
        engine.choose(["balot-in-32-bits"], [])
    assert caught.value.hint == "did you mean ballot-in-32-bits?"


def test_severity_limits_what_is_shown() -> None:
    text = "__device__ float f(float x) { __syncwarp(); return __shfl_down(x, 1, 32); }\n"
    chosen = frozenset({"syncwarp-as-memory-fence", "shuffle-width-32"})
    shown = {least: [each.rule for each in _check(text, rules=chosen, least=least).findings] for least in Severity}
    assert shown[Severity.NOTE] == ["syncwarp-as-memory-fence", "shuffle-width-32"]
    assert shown[Severity.WARNING] == ["shuffle-width-32"]
    assert shown[Severity.ERROR] == []


def test_kernels_in_strings_of_python_have_the_files_lines() -> None:
    text = 'x = 1\nk = RawKernel("""\n' + BALLOT + '""", "f")\n# __ballot(p)\n'
    (found,) = _check(text, "x.py").findings
    assert (found.rule, found.line, found.column) == ("ballot-in-32-bits", 3, 40)


# ---- comments ----


@pytest.mark.parametrize(
    "text",
    [
        BALLOT.rstrip() + " // softrock: allow(ballot-in-32-bits) wave32 only\n",
        "// softrock: allow(ballot-in-32-bits)\n" + BALLOT,
        "// softrock: allow(lane-bit-in-32, ballot-in-32-bits) two\n// and more words\n\n" + BALLOT,
        "/* softrock: allow(ballot-in-32-bits)\n * because */\n" + BALLOT,
        "int x;\n\n" + BALLOT + "// softrock: allow-file(ballot-in-32-bits) all of it\n",
    ],
)
def test_comments_silence(text: str) -> None:
    checked = _check(text)
    assert checked.findings == []
    assert checked.silenced == 1


@pytest.mark.parametrize(
    "text",
    [
        "// softrock: allow(mask-32-bits)\n" + BALLOT,
        "// softrock: allow(ballot-in-32-bits)\nint x;\n" + BALLOT,
        "int y; // softrock: allow(ballot-in-32-bits)\n" + BALLOT,
        'const char *s = "softrock: allow(ballot-in-32-bits)"; ' + BALLOT,
    ],
)
def test_other_comments_do_not(text: str) -> None:
    assert [each.rule for each in _check(text).findings] == ["ballot-in-32-bits"]


def test_unknown_ids_in_comments_are_told() -> None:
    found = _check("// softrock: allow(ballot-in-32-bit)\n// softrock: allow\n" + BALLOT).findings
    assert [(each.rule, each.line) for each in found] == [(UNKNOWN, 1), (UNKNOWN, 2), ("ballot-in-32-bits", 3)]
    assert found[0].hint == "did you mean 'ballot-in-32-bits'?"


def test_comments_of_python() -> None:
    source = Source(Path("x.py"), "# softrock: allow-file(a, b)\nx = 1  # softrock: allow(c)\n")
    found = suppressions(source, "python", ["a", "b", "c"])
    assert found.everywhere == {"a", "b"}
    assert found.lines == {2: {"c"}}


# ---- baselines ----


def test_a_baseline_holds_what_is_known_where_lines_move(tmp_path: Path) -> None:
    path, file = tmp_path / "baseline.json", tmp_path / "x.hip"
    file.write_text(BALLOT + BALLOT)
    first = engine.check_file(file, _settings())
    assert save(path, zip(first.findings, first.digests, strict=True)) == 2
    file.write_text("\n\n  " + BALLOT + "int x;\n" + BALLOT + BALLOT)
    second = engine.check_file(file, _settings())
    fresh, stale = Baseline.read(path).new(zip(second.findings, second.digests, strict=True), [str(file)])
    assert [each.line for each in fresh] == [6]
    assert stale == []


def test_entries_that_match_nothing_are_told(tmp_path: Path) -> None:
    path, file = tmp_path / "baseline.json", tmp_path / "x.hip"
    file.write_text(BALLOT)
    first = engine.check_file(file, _settings())
    save(path, zip(first.findings, first.digests, strict=True))
    baseline = Baseline.read(path)
    fresh, stale = baseline.new([], [str(file)])
    assert fresh == []
    assert [(each.rule, each.path) for each in stale] == [(STALE, str(path))]
    assert baseline.new([], [str(tmp_path / "other.hip")]) == ([], [])
    file.unlink()
    assert [each.rule for each in baseline.new([], [])[1]] == [STALE]


def test_a_file_that_is_no_baseline_is_told(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    for text in ("[]", "{", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{"rule": "x"}]}'):
        path.write_text(text)
        with pytest.raises(UsageError, match="baseline"):
            Baseline.read(path)


def test_digest_leaves_blanks_out() -> None:
    assert digest("  a  = b;") == digest("a=b;\t") != digest("a = c;")


# ---- fixes ----

TO_MEND = (
    "// Gr\u00f6\u00dfe\r\n"
    "__device__ int rank(bool p, int lane) {\r\n"
    "\tunsigned  votes = __ballot(p);  // all\r\n"
    "\treturn __popc(votes & ((1u << lane) - 1));\r\n"
    "}"
)
MENDED = (
    TO_MEND.replace("unsigned  votes", "unsigned long long  votes")
    .replace("__popc(", "__popcll(")
    .replace("1u", "1ull")
)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_fixes_change_nothing_else_and_are_made_once(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.hip"
    path.write_bytes(TO_MEND.encode(encoding))
    path.chmod(0o640)
    checked = engine.check_file(path, _settings(fix=True))
    assert checked.findings == []
    assert checked.fixed == 3
    assert path.read_bytes() == MENDED.encode(encoding)
    assert path.stat().st_mode & 0o777 == 0o640
    stamp = path.stat().st_mtime_ns
    again = engine.check_file(path, _settings(fix=True))
    assert (again.fixed, path.stat().st_mtime_ns) == (0, stamp)


def test_what_is_allowed_is_not_mended(tmp_path: Path) -> None:
    path = tmp_path / "x.hip"
    text = "// softrock: allow-file(mask-bits-counted-in-32)\n" + TO_MEND.encode().decode("latin-1")
    path.write_bytes(text.encode("latin-1"))
    engine.check_file(path, _settings(fix=True))
    assert b"__popc(votes" in path.read_bytes()
    assert b"unsigned long long  votes" in path.read_bytes()
