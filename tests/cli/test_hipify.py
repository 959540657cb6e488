"""`softrock hipify` as a user meets it."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softrock.cli.app import start
from softrock.hipify import translate

CUDA = "#include <cuda_runtime.h>\nint f(void *p) { return cudaFree(p); }  // cudaFree\n"
HIP = "#include <hip/hip_runtime.h>\nint f(void *p) { return hipFree(p); }  // cudaFree\n"
UNKNOWN = "#include <cuda_runtime.h>\nint f() {\n  return cudaNoSuchThing();\n}\n"

Output = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a source in ``src``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "a.cu").write_text(CUDA)
    return tmp_path


def hipify(*words: str) -> int:
    """The command without clang, which most of these tests are not about."""
    at = words.index("--") if "--" in words else len(words)
    return start(["hipify", *words[:at], "--parse", "never", *words[at:]])


# ---- where results go ----


def test_without_a_target_nothing_is_written(folder: Path, capsys: Output) -> None:
    assert hipify("src") == 0
    out = capsys.readouterr().out
    assert "2 names in 1 of 1 file (2 lines); 0 errors, 0 warnings, 0 notes\n" in out
    assert "nothing was written: give --in-place, -o FOLDER or --diff" in out
    assert (folder / "src/a.cu").read_text() == CUDA


def test_in_place_with_a_backup(folder: Path, capsys: Output) -> None:
    source = folder / "src/a.cu"
    source.chmod(0o640)
    assert hipify("src", "--in-place") == 0
    assert source.read_text() == HIP
    assert source.with_name("a.cu.orig").read_text() == CUDA
    assert stat.S_IMODE(source.stat().st_mode) == stat.S_IMODE(source.with_name("a.cu.orig").stat().st_mode) == 0o640
    assert "1 file changed; what was there is kept with the suffix .orig" in capsys.readouterr().out


def test_a_second_run_in_place_changes_nothing(folder: Path, capsys: Output) -> None:
    assert hipify("src", "--in-place") == 0
    written = (folder / "src/a.cu").stat().st_mtime_ns
    assert hipify("src", "--in-place") == 0
    assert "0 files changed" in capsys.readouterr().out
    assert (folder / "src/a.cu").stat().st_mtime_ns == written
    assert sorted(each.name for each in (folder / "src").iterdir()) == ["a.cu", "a.cu.orig", "deep"]


def test_no_backup_is_ever_overwritten(folder: Path) -> None:
    source = folder / "src/a.cu"
    texts = [CUDA, CUDA + "int x = cudaSuccess;\n", "int x = cudaSuccess + cudaErrorUnknown;\n"]
    for text in texts:
        source.write_text(text)
        assert hipify("src", "--in-place") == 0
    source.write_text(texts[1])  # kept already
    assert hipify("src", "--in-place") == 0
    kept = {each.name: each.read_text() for each in (folder / "src").glob("*.orig*")}
    assert kept == dict(zip(["a.cu.orig", "a.cu.orig.2", "a.cu.orig.3"], texts, strict=True))


def test_a_backup_where_files_cannot_be_linked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "link", link)
    for text in (CUDA, CUDA + "int x = cudaSuccess;\n"):
        (folder / "src/a.cu").write_text(text)
        assert hipify("src", "--in-place", "--backup", ".before") == 0
    assert (folder / "src/a.cu.before").read_text() == CUDA
    assert (folder / "src/a.cu.before.2").read_text().startswith(CUDA)


def test_no_backup_where_none_is_wanted(folder: Path) -> None:
    assert hipify("src", "--in-place", "--backup", "") == 0
    assert [each.name for each in (folder / "src").glob("a*")] == ["a.cu"]


def test_output_folder(folder: Path, capsys: Output) -> None:
    (folder / "src/deep/plain.h").write_text("int x;\n")
    (folder / "src/readme.txt").write_text("cudaMalloc")
    (folder / "src/a.cu").chmod(0o755)
    assert hipify("src", "-o", "out") == 0
    assert "2 files written to out" in capsys.readouterr().out
    files = sorted(str(each.relative_to(folder / "out")) for each in (folder / "out").rglob("*") if each.is_file())
    assert files == ["a.cu", "deep/plain.h"]
    assert (folder / "out/a.cu").read_text() == HIP
    assert stat.S_IMODE((folder / "out/a.cu").stat().st_mode) == 0o755
    assert (folder / "src/a.cu").read_text() == CUDA


def test_output_folder_inside_the_input(folder: Path) -> None:
    for _ in range(2):
        assert hipify("src", "-o", "src/out") == 0
        assert sorted(str(each.relative_to(folder)) for each in folder.rglob("*.cu")) == ["src/a.cu", "src/out/a.cu"]


def test_output_folder_gets_what_links_lead_to(folder: Path) -> None:
    (folder / "src/link.cu").symlink_to("a.cu")
    assert hipify("src", "-o", "out") == 0
    assert (folder / "out/link.cu").read_text() == (folder / "out/a.cu").read_text() == HIP
    assert not (folder / "out/link.cu").is_symlink()
    assert (folder / "src/a.cu").read_text() == CUDA


def test_in_place_a_link_stays_one(folder: Path) -> None:
    (folder / "link.cu").symlink_to("src/a.cu")
    assert hipify("link.cu", "--in-place") == 0
    assert (folder / "link.cu").is_symlink()
    assert (folder / "src/a.cu").read_text() == HIP
    assert (folder / "src/a.cu.orig").read_text() == CUDA


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["src", "-o", "src"], "error: -o src is the folder that is read"),
        (["src/a.cu", "-o", "src"], "error: src/a.cu is read and would be overwritten"),
        (["src/a.cu", "link", "-o", "out"], "would both become out/a.cu"),
        (["src", "-o", "src/a.cu"], "error: src/a.cu: not a folder"),
        (["src", "--html", "src/a.cu"], "error: --html src/a.cu is a source that is read"),
        (["src", "--sarif", "src/../src/a.cu"], "is a source that is read"),
        (["src", "--html", "src"], "error: src: cannot be written"),
        (["src", "--in-place", "-o", "out"], "exclude each other"),
        (["src", "--in-place", "--diff"], "exclude each other"),
        (["src", "--backup", ".x"], "--backup goes with --in-place"),
        (["src", "--in-place", "--backup", "../x"], "error: --backup '../x'"),
        (["src", "--in-place", "--backup", ".cu"], "makes sources of the old files"),
        (["src", "--jobs", "0"], "error: --jobs '0'"),
        (["src", "--jobs", "many"], "--jobs 'many' is not a number"),
        (["src", "--jobs", "nan"], "--jobs 'nan'"),
        (["src", "--jobs", "inf"], "--jobs 'inf'"),
        (["src", "--bogus"], "No such option: --bogus"),
        (["nothing.cu"], "error: nothing.cu: no such file or folder"),
        (["src/deep"], "error: no source files in src/deep"),
        (["src", "--include", "*.h"], "error: no source files in src"),
        (["src", "--exclude", "*.cu"], "error: no source files in src"),
        ([], "Missing argument"),
    ],
)
def test_wrong_use_is_status_2_and_changes_nothing(
    words: list[str], message: str, folder: Path, capsys: Output
) -> None:
    (folder / "link").mkdir()
    (folder / "link/a.cu").write_text("int x;\n")
    assert hipify(*words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert out == ""
    files = {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}
    assert files == {"src/a.cu": CUDA, "link/a.cu": "int x;\n"}


def test_parse_has_three_values(folder: Path, capsys: Output) -> None:
    assert start(["hipify", "src", "--parse", "maybe"]) == 2
    assert "choose from auto, always, never" in capsys.readouterr().err


def test_diff_is_a_patch_that_fits(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = b"// caf\xe9\f\x85 \xe2\x80\xa8\r\n#include <cuda.h>\r\nint a = cudaSuccess; // \xe9\r\n"
    before += b"int b = cudaSuccess;"
    (folder / "src/a.cu").write_bytes(before)
    assert hipify("src", "--diff") == 0
    out, err = capfdbinary.readouterr()
    assert b"3 names in 1 of 1 file" in err
    assert (folder / "src/a.cu").read_bytes() == before
    assert out.startswith(b"--- a/src/a.cu\n+++ b/src/a.cu\n@@ -1,4 +1,4 @@\n")
    assert out.endswith(b"\n\\ No newline at end of file\n")
    if shutil.which("patch"):
        subprocess.run(["patch", "-p1", "--binary", "--quiet"], input=out, check=True, cwd=folder)
        after = before.replace(b"<cuda.h>", b"<hip/hip_runtime.h>").replace(b"cuda", b"hip")
        assert (folder / "src/a.cu").read_bytes() == after


def test_check(folder: Path, capsys: Output) -> None:
    assert hipify("src", "--check") == 1
    assert "src/a.cu: 2 to replace\n" in capsys.readouterr().out
    assert (folder / "src/a.cu").read_text() == CUDA
    (folder / "src/a.cu").write_text(HIP)
    assert hipify("src", "--check") == 0
    assert "0 names in 0 of 1 file" in capsys.readouterr().out


def test_check_and_diff_go_together(folder: Path, capfd: Output) -> None:
    assert hipify("src", "--check", "--diff") == 1
    assert "+#include <hip/hip_runtime.h>" in capfd.readouterr().out


def test_rename(folder: Path) -> None:
    (folder / "src/deep/kernel.cu").write_text("#include <cuda_runtime.h>\n")
    (folder / "src/a.cu").write_text('#include "deep/kernel.cu"\n' + CUDA)
    (folder / "src/CMakeLists.txt").write_text("add_library(a a.cu)\n")
    (folder / "src/a.cu.orig").write_text("mine")
    assert hipify("src", "--in-place", "--rename") == 0
    assert sorted(each.name for each in (folder / "src").iterdir()) == [
        *("CMakeLists.txt", "CMakeLists.txt.orig", "a.cu.orig", "a.cu.orig.2", "a.hip", "deep"),
    ]
    assert (folder / "src/a.cu.orig").read_text() == "mine"
    assert (folder / "src/a.cu.orig.2").read_text() == '#include "deep/kernel.cu"\n' + CUDA
    assert (folder / "src/a.hip").read_text() == '#include "deep/kernel.hip"\n' + HIP
    assert "a.hip" in (folder / "src/CMakeLists.txt").read_text()


def test_launch_macro(folder: Path) -> None:
    (folder / "src/a.cu").write_text("#include <hip/hip_runtime.h>\nvoid f() { k<<<1, 2>>>(3); }\n")
    assert hipify("src", "-o", "kept") == 0
    assert "k<<<1, 2>>>(3)" in (folder / "kept/a.cu").read_text()
    assert hipify("src", "-o", "out", "--launch-macro") == 0
    assert "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, 3);" in (folder / "out/a.cu").read_text()


# ---- which files ----


def test_globs(folder: Path) -> None:
    for name in ("b.cuh", "c.cpp", "deep/d.cu", ".git/e.cu", "build/f.cu"):
        (folder / "src" / name).parent.mkdir(exist_ok=True)
        (folder / "src" / name).write_text(CUDA)

    def chosen(*words: str) -> list[str]:
        shutil.rmtree(folder / "out", ignore_errors=True)
        assert hipify("src", "-o", "out", *words) == 0
        return sorted(str(each.relative_to(folder / "out")) for each in (folder / "out").rglob("*") if each.is_file())

    assert chosen() == ["a.cu", "b.cuh", "build/f.cu", "c.cpp", "deep/d.cu"]
    assert chosen("--include", "*.cu, *.cuh") == ["a.cu", "b.cuh", "build/f.cu", "deep/d.cu"]
    assert chosen("--exclude", "src/build/*,c.cpp") == ["a.cu", "b.cuh", "deep/d.cu"]
    assert chosen("--include", "*.cu", "--exclude", "deep/*.cu") == ["a.cu", "build/f.cu"]
    assert chosen("--include", "deep/**") == ["deep/d.cu"]
    assert chosen("--include", "src/build/*") == ["build/f.cu"]


def test_compilation_database(folder: Path) -> None:
    (folder / "src/deep/b.cu").write_text(CUDA)
    (folder / "src/other.cu").write_text(CUDA)
    entry = {"directory": str(folder / "src"), "file": "a.cu", "command": "nvcc -c a.cu '-DX=\"y z\"'"}
    other = {"directory": ".", "file": str(folder / "src/deep/b.cu"), "arguments": ["nvcc", "-c", "b.cu"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry, entry, other]))
    assert hipify("compile_commands.json", "-o", "out") == 0
    assert sorted(str(each.relative_to(folder)) for each in (folder / "out").rglob("*.cu")) == [
        "out/a.cu",
        "out/deep/b.cu",
    ]


@pytest.mark.parametrize("parse", ["auto", "never"])
def test_the_database_s_flags_lead_to_the_program_s_headers(parse: str, folder: Path, capsys: Output) -> None:
    (folder / "include").mkdir()
    (folder / "include/api.h").write_text("int cudaMine(int);\n")
    (folder / "cuda/include").mkdir(parents=True)
    for name in ("cuda_runtime.h", "other.h"):
        (folder / "cuda/include" / name).write_text("int cudaNoSuchThing();\n")
    text = "#include <api.h>\n#include <other.h>\nint g() { return cudaMine(1) + cudaNoSuchThing(); }\n"
    (folder / "src/a.cu").write_text(CUDA + text)
    flags = "-I../include -isystem ../cuda/include -gencode arch=compute_80,code=sm_80 -c ../src/a.cu"
    entry = {"directory": "build", "file": "../src/a.cu", "command": f"nvcc -forward-unknown-to-host-compiler {flags}"}
    (folder / "build").mkdir()
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    assert start(["hipify", "compile_commands.json", "--parse", parse]) == 1
    out = capsys.readouterr().out
    assert "cudaNoSuchThing" in out
    assert "cudaMine" not in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a compilation database"),
        ("{", "not a compilation database"),
        ("[" * 100_000, "not a compilation database"),
        ("\xff\xfe", "not a compilation database"),
        ("{}", "an entry has no file"),
        ("[3]", "an entry has no file"),
        ('[{"directory": "."}]', "an entry has no file"),
        ('[{"file": "a.cu", "command": "nvcc \'"}]', "the command for a.cu cannot be split"),
        ("[]", "no source files in compile_commands.json"),
        ('[{"file": "a\\u0000.cu"}]', "an entry has no file"),
    ],
)
def test_broken_compilation_database(text: str, message: str, folder: Path, capsys: Output) -> None:
    (folder / "compile_commands.json").write_text(text, encoding="latin-1")
    assert hipify("compile_commands.json") == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_a_database_that_names_a_missing_file(folder: Path, capsys: Output) -> None:
    entries = [{"directory": "src", "file": name} for name in ("a.cu", "gone.cu")]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    assert hipify("compile_commands.json") == 1
    assert "src/gone.cu:1:1: error: left out: No such file or directory [unreadable]" in capsys.readouterr().out


# ---- odd files ----


def test_odd_files_get_a_line_each_and_the_others_are_translated(folder: Path, capsys: Output) -> None:
    src = folder / "src"
    (src / "empty.cu").write_bytes(b"")
    (src / "binary.cu").write_bytes(b"\x7fELF\0\0" + random.Random(1).randbytes(4000))
    (src / "latin.cu").write_bytes(b"// caf\xe9\nint a = cudaSuccess; // \xe9\n")
    (src / "mac.cu").write_bytes(b"#include <cuda.h>\rint a;\r")
    (src / "dangling.cu").symlink_to("nowhere")
    (src / "itself.cu").symlink_to("itself.cu")
    (src / "deep/loop").symlink_to("..")
    (src / "folder.cu").mkdir()
    os.mkfifo(src / "pipe.cu")
    before = {each.name: each.read_bytes() for each in src.iterdir() if each.is_file()}
    assert hipify("src", "--in-place") == 1
    out = capsys.readouterr().out.splitlines()
    assert "src/binary.cu:1:1: warning: left out: a binary file [binary]" in out
    assert "src/mac.cu:1:1: error: left out: its lines end with CR alone [unreadable]" in out
    assert "src/dangling.cu:1:1: error: left out: No such file or directory [unreadable]" in out
    assert "src/itself.cu:1:1: error: left out: Too many levels of symbolic links [unreadable]" in out
    assert "src/pipe.cu:1:1: error: left out: not a regular file [unreadable]" in out
    assert out[-2:] == [
        "3 names in 2 of 8 files (4 lines); 4 errors, 1 warning, 0 notes",
        "2 files changed; what was there is kept with the suffix .orig",
    ]
    for name in ("empty.cu", "binary.cu", "mac.cu"):
        assert (src / name).read_bytes() == before[name]
    runtime = b"#include <hip/hip_runtime.h>\n"
    assert (src / "latin.cu").read_bytes() == b"// caf\xe9\n" + runtime + b"int a = hipSuccess; // \xe9\n"
    assert (src / "a.cu").read_text() == HIP


def test_unreadable_files_and_folders(folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, who may read everything."""
    (folder / "src/locked.cu").write_text(CUDA)
    plain_open, plain_scan = os.open, os.scandir

    def locked_open(path: str | Path, *rest: int, **more: int) -> int:
        if Path(path).name == "locked.cu":
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain_open(path, *rest, **more)

    def locked_scan(path: str | Path) -> object:
        if Path(path).name == "deep":
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain_scan(path)

    monkeypatch.setattr(os, "open", locked_open)
    monkeypatch.setattr(os, "scandir", locked_scan)
    assert hipify("src", "--in-place") == 1
    out = capsys.readouterr().out
    assert "src/locked.cu:1:1: error: left out: Permission denied [unreadable]" in out
    assert "src/deep:1:1: error: left out: Permission denied [unreadable]" in out
    assert (folder / "src/a.cu").read_text() == HIP


def test_a_file_that_cannot_be_written(folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    assert hipify("src", "--in-place") == 1
    assert "src/a.cu: cannot be written: No space left on device" in capsys.readouterr().out
    assert (folder / "src/a.cu").read_text() == CUDA


def test_one_mebibyte(folder: Path, capsys: Output) -> None:
    line = "  if (cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) return 1;\n"
    count = (1 << 20) // len(line) + 1
    (folder / "src/a.cu").write_text("#include <cuda_runtime.h>\nint f() {\n" + count * line + "}\n")
    started = time.monotonic()
    assert hipify("src", "--in-place") == 0
    assert time.monotonic() - started < 30
    assert f"{3 * count + 1} names in 1 of 1 file" in capsys.readouterr().out
    assert "cuda" not in (folder / "src/a.cu").read_text()


def test_names_of_files_with_odd_bytes(folder: Path, capsys: Output) -> None:
    odd = folder / os.fsdecode(b"src/\xff \x1b[31m\n.cu")
    odd.write_text(UNKNOWN)
    assert hipify("src", "--html", "r.html", "--sarif", "r.sarif") == 1
    out = capsys.readouterr().out
    assert "src/? ?[31m?.cu:3:10: error: cudaNoSuchThing" in out
    assert "\x1b" not in out
    assert "\x1b" not in (folder / "r.html").read_text(encoding="utf-8", errors="replace")
    assert hipify("src", "--json") == 1
    json.loads(capsys.readouterr().out)
    json.loads((folder / "r.sarif").read_text())


def test_diff_of_names_with_odd_bytes(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / os.fsdecode(b"src/\xff \x1b[31m\n.cu")).write_text(CUDA)
    assert hipify("src", "--diff", "--exclude", "a.cu") == 0
    out = capfdbinary.readouterr().out
    assert out.startswith(b'--- "a/src/\xff \\033[31m\\012.cu"\n+++ "b/src/\xff \\033[31m\\012.cu"\n@@ ')


def test_many_processes_give_the_same(folder: Path, capsys: Output) -> None:
    for number in range(6):
        (folder / f"src/{number}.cu").write_text(CUDA + UNKNOWN * number)
    assert start(["hipify", "src", "--parse", "never", "--jobs", "1", "--json"]) == 1
    alone = json.loads(capsys.readouterr().out)
    command = [sys.executable, "-m", "softrock.cli", "hipify", "src", "--parse", "auto", "--jobs", "3", "--json"]
    command[command.index("auto")] = "never"
    env = {**os.environ, "PYTHONWARNINGS": "ignore"}
    together = subprocess.run(command, capture_output=True, env=env, check=False)
    assert together.returncode == 1, together.stderr
    assert json.loads(together.stdout) == alone


# ---- the report ----


def test_unknown_names_are_errors_with_their_place_a_reason_and_a_suggestion(folder: Path, capsys: Output) -> None:
    (folder / "src/b.cu").write_text(UNKNOWN)
    assert hipify("src/b.cu") == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("src/b.cu:3:10: error: cudaNoSuchThing looks like a name of CUDA's and is in no mapping")
    assert out[0].endswith("[unknown-api]")
    assert out[1].startswith("  mend: ")
    assert "; " in out[1], "a reason and a suggestion"


def test_json_sarif_and_html_agree(folder: Path, capsys: Output) -> None:
    (folder / "src/b.cu").write_text(UNKNOWN + 'const char *s = "<script>"; cudnnHandle_t h; // <b>\n')
    assert hipify("src", "--json", "--sarif", "r/r.sarif", "--html", "r/r.html") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["statistics"]["findings"] == {"error": 1, "warning": 1, "note": 0}
    assert report["statistics"]["replaced"] == 4
    named = {each["family"]: each["verdict"] for each in report["libraries"]}
    assert named == {"runtime": "drop-in", "cudnn": "redesign", "headers": "drop-in"}
    by_hand = {each["family"]: each["by_hand"] for each in report["libraries"]}
    assert by_hand == {"runtime": ["cudaNoSuchThing"], "cudnn": [], "headers": []}
    findings = [finding for file in report["files"] for finding in file["findings"]]
    assert [(each["rule"], each["line"], each["column"]) for each in findings] == [
        ("unknown-api", 3, 10),
        ("partial-api", 5, 29),
    ]
    log = json.loads((folder / "r/r.sarif").read_text())
    assert log["version"] == "2.1.0"
    results = log["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == [each["rule"] for each in findings]
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/b.cu"
    assert place["region"] == {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 25}
    page = (folder / "r/r.html").read_text()
    assert "cudaNoSuchThing" in page
    assert "redesign" in page
    assert "<ins>+const char *s = &quot;&lt;script&gt;&quot;; miopenHandle_t h; // &lt;b&gt;</ins>" in page
    assert "<script>" not in page


def test_a_parse_and_what_it_does_not_cover_are_told(folder: Path, capsys: Output) -> None:
    (folder / "src/a.cu").write_text(CUDA + "#ifdef NEVER\nint x = cudaSuccess;\n#endif\nint y = undeclared;\n")
    assert start(["hipify", "src"]) == 0
    out = capsys.readouterr().out
    assert "src/a.cu: 1 line in a branch of #if that is not compiled was handled by tokens; clang has 1 error" in out


def test_a_file_that_is_not_parsed_is_handled_by_tokens_and_told(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("softrock.hipify.frontend.TIME_LIMIT", 0.001)
    assert start(["hipify", "src", "-o", "out", "--json"]) == 0
    file = json.loads(capsys.readouterr().out)["files"][0]
    assert file["mode"] == "tokens"
    assert [each["rule"] for each in file["findings"]] == ["not-parsed"]
    assert (folder / "out/a.cu").read_text() == HIP
    assert start(["hipify", "src", "--in-place", "--parse", "always"]) == 1
    assert "src/a.cu:1:1: error: left out: " in capsys.readouterr().out
    assert (folder / "src/a.cu").read_text() == CUDA


def test_flags_reach_clang(folder: Path, capsys: Output) -> None:
    (folder / "src/a.cu").write_text("#ifndef GIVEN\n#error not given\n#endif\n" + CUDA)
    assert start(["hipify", "src", "--json", "--", "-DGIVEN"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["mode"] == "parsed"
    assert start(["hipify", "src", "--json"]) == 0
    assert "not given" in json.loads(capsys.readouterr().out)["files"][0]["reason"]


def test_defects_are_not_hidden(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of softrock's own must not look like a translated file."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(translate, "finished", broken)
    with pytest.raises(ZeroDivisionError):
        hipify("src", "--in-place")
    assert (folder / "src/a.cu").read_text() == CUDA


def _block(page: str, start: str) -> str:
    """The indented block of a page behind a line that begins so."""
    behind = page[page.index(start) :].split("\n", 1)[1].lstrip("\n")
    lines = []
    for line in behind.split("\n"):
        if line and not line.startswith("    "):
            break
        lines.append(line[4:])
    return _trimmed("\n".join(lines))


def _trimmed(text: str) -> str:
    """Text as a page has it: no blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def test_the_example_of_the_guide_is_true(folder: Path, capfd: Output) -> None:
    page = (Path(__file__).parents[2] / "docs" / "hipify.md").read_text()
    (folder / "src/a.cu").unlink()
    (folder / "src/scan.cu").write_text(_block(page, "`src/scan.cu`:"))
    (folder / "src/CMakeLists.txt").write_text(_block(page, "`src/CMakeLists.txt`:"))
    assert start(["hipify", "src", "-o", "ported", "--html", "report.html"]) == 1
    assert _trimmed(capfd.readouterr().out) == _block(page, "    $ softrock hipify src -o ported")
    assert start(["hipify", "src/scan.cu", "--diff"]) == 1
    assert _trimmed(capfd.readouterr().out) == _block(page, "The exit status is 1, because")
