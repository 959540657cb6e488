"""Build and run the programs of public collections, and write what came out as a page.

    python tools/public_programs.py run  --state results.json [--targets gfx942,gfx1100] [--only WORD] FOLDER...
    python tools/public_programs.py page --state results.json --notes notes.tsv --out docs/tested-programs.md

FOLDER is a checkout of somebody's programs. Every ``.cu`` or ``.hip`` file in it that has a ``main`` is one
program; where it is the only one of its folder, the other sources there belong to it. It is built as it stands
with ``softrock build`` for all targets at once. With ``--make``, every folder whose Makefile speaks of HIPCXX
is one program, built by that Makefile with our ROCM_PATH layout, once for each target. Nothing is edited, and
nothing of a program is kept except the facts: built or not, exit status, verdict, first line of complaint.

A program's *verdict* is what it says itself:

* ``passed``: it ends with 0 and claims a match;
* ``no mismatch``: it ends with 0, its source has a message for a mismatch, and it did not print it;
* ``ran``: it ends with 0 and checks nothing;
* ``complains``: it ends with 0 and speaks of an error or a mismatch;
* ``exit N``, ``timeout``, ``not built``, ``needs X`` (a library outside CUDA's runtime: cuBLAS, OpenGL, MPI, ...).

The notes file has one line a program: ``collection<TAB>program<TAB>arguments<TAB>note`` (``-`` for no arguments).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

Key = tuple[str, str, str]
Notes = dict[tuple[str, str], tuple[str, str]]

#: Header names (first folder or stem) of what lies outside the CUDA runtime, and what to call it.
OUTSIDE = {
    "cublas": "cuBLAS", "cufft": "cuFFT", "curand": "cuRAND", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER",
    "cudnn": "cuDNN", "hiprand": "hipRAND", "nccl": "NCCL", "npp": "NPP", "nppi": "NPP", "nvml": "NVML",
    "GL": "OpenGL", "glut": "OpenGL", "glew": "OpenGL", "cuda_gl_interop": "OpenGL", "GLFW": "OpenGL",
    "glad": "OpenGL", "vulkan": "Vulkan", "opencv": "OpenCV", "opencv2": "OpenCV", "FreeImage": "FreeImage",
    "thrust": "Thrust", "cub": "CUB", "mpi": "MPI", "openacc": "OpenACC", "omp": "OpenMP", "torch": "PyTorch",
    "helper_cuda": "NVIDIA's helper headers", "helper_timer": "NVIDIA's helper headers",
    "helper_functions": "NVIDIA's helper headers",
    "windows": "Windows", "mma": "mma.h",
}  # fmt: skip
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
_MAIN = re.compile(r"^\s*(?:extern\s+\"C\"\s+)?(?:int|void|auto)?\s*main\s*\(", re.M)
_GOOD = re.compile(
    r"\b(pass(ed)?|success(ful(ly)?)?|match(es|ed)?|correct|validat(ed|ion)|verified|equal|no errors?"
    r"|errors?\s*[:=]\s*0)\b|通过",
    re.I,
)
_MISMATCH = r"do(es)?(n't| not) match|not match|mismatch|\bfail|incorrect|\bwrong\b|not equal|❌"
_BAD = re.compile(
    _MISMATCH + r"|^softrock: |\bnan\b|(?<!square )\berrors?\b(?!\s*[:=]\s*0*(\.0*)?(e[-+]\d+)?\s*$)", re.I
)
_CLEAN = re.compile(r"no errors?|0 errors?|errors?\s*(count)?\s*[:=]?\s*0\b", re.I)
_PROMISE = re.compile(
    r'"[^"\n]*(do(es)?(n\'t| not) match|not match|mismatch|incorrect|\bwrong\b|not equal|FAIL'
    r'|(?i:test|verification|validation|check)\w*\W+(has |have )?(?i:fail))[^"\n]*"'
)
_UNLINKED = re.compile(r"undefined reference to `(glut|gl[A-Z]|cublas|curand|cufft)")


@dataclasses.dataclass
class Outcome:
    """What one program did on one target; `seconds` is the run's wall time."""

    collection: str
    revision: str
    program: str
    target: str
    verdict: str
    detail: str = ""
    seconds: float = 0.0


@dataclasses.dataclass(frozen=True)
class Job:
    """One program of a collection: the checkout's folder, the program in it, and its sources (none: its Makefile)."""

    root: pathlib.Path
    path: pathlib.Path
    sources: tuple[pathlib.Path, ...] = ()

    @property
    def collection(self) -> str:
        return self.root.name.replace("+", "/")

    @property
    def program(self) -> str:
        return str(self.path.relative_to(self.root))

    @property
    def folder(self) -> pathlib.Path:
        return self.path.parent if self.sources else self.path

    def text(self) -> str:
        """The program's sources and the local headers they name, one level deep."""
        files = self.sources or [p for p in self.path.iterdir() if p.suffix in (".hip", ".cpp", ".hpp", ".cu")]
        texts = [read(one) for one in files]
        headers = {(self.folder / name).resolve() for text in texts for name in _INCLUDE.findall(text)}
        return "\n".join([*texts, *(read(one) for one in sorted(headers) if one.is_file())])


def read(path: pathlib.Path) -> str:
    return path.read_text(errors="replace")


def outside_library(text: str) -> str:
    """The first library outside the runtime that a source includes, or nothing."""
    for name in _INCLUDE.findall(text):
        first = name.split("/")[0]
        for key in (first, re.split(r"[._]", first)[0], first.split(".")[0]):
            if key in OUTSIDE:
                return OUTSIDE[key]
    return ""


def programs(root: pathlib.Path, by_make: bool) -> Iterator[Job]:
    """The programs of a checkout."""
    if by_make:
        for makefile in sorted(root.rglob("Makefile")):
            if re.search("HIPCXX|hipcc", read(makefile)):
                yield Job(root, makefile.parent)
        return
    for folder in sorted({path.parent for end in ("cu", "hip") for path in root.rglob(f"*.{end}")}):
        files = [p for p in sorted(folder.iterdir()) if p.suffix in (".cu", ".hip", ".cpp", ".cc")]
        mains = [p for p in files if _MAIN.search(read(p))]
        others = tuple(p for p in files if p not in mains)
        for path in mains:
            together = len(mains) == 1
            if path.suffix in (".cu", ".hip") or (together and others):
                yield Job(root, path, (path, *others) if together else (path,))


def verdict_of(code: int, output: str, source: str) -> tuple[str, str]:
    """The program's own verdict and, where it complains, its first line of complaint."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    bad = next((line for line in lines if _BAD.search(line) and not _CLEAN.search(line)), "")
    if code == 124:
        return "timeout", ""
    if code:
        return f"exit {code}", bad or (lines or [""])[-1]
    if bad:
        return "complains", bad
    if _GOOD.search(output):
        return "passed", ""
    return ("no mismatch" if _PROMISE.search(source) else "ran"), ""


class Runner:
    """Builds and runs jobs; outcomes stand in a JSON state file that is written after every program."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.targets: list[str] = arguments.targets.split(",")
        self.limit: int = arguments.timeout
        self.flags: list[str] = arguments.flags.split()
        self.state = pathlib.Path(arguments.state)
        self.logs = pathlib.Path(arguments.logs or tempfile.mkdtemp(prefix="public-programs-")).resolve()
        self.logs.mkdir(parents=True, exist_ok=True)
        self.softrock = str(pathlib.Path(sys.executable).parent / "softrock")
        self.notes = read_notes(arguments.notes)
        self.lock = threading.Lock()
        self.outcomes = load(self.state)

    def keep(self, job: Job, target: str, verdict: str, detail: str = "", seconds: float = 0.0) -> None:
        detail = " ".join(detail.replace(str(job.root), "").replace(str(self.logs), "").split())[:140]
        found = Outcome(job.collection, revision(job.root), job.program, target, verdict, detail, round(seconds, 1))
        with self.lock:
            self.outcomes[(found.collection, found.program, target)] = found
            rows = [dataclasses.asdict(one) for one in self.outcomes.values()]
            temporary = self.state.with_suffix(".new")
            temporary.write_text(json.dumps(rows, indent=0))
            temporary.replace(self.state)
            print(job.collection, job.program, target, verdict, detail, f"{seconds:.1f}s", flush=True)

    def log(self, job: Job, name: str) -> pathlib.Path:
        return self.logs / f"{job.collection}/{job.program}.{name}".replace("/", "_").replace(" ", "_")

    def one(self, job: Job) -> None:
        """Build and run one program on every target."""
        if not job.sources:
            for target in self.targets:
                self.made(job, target)
            return
        executable = self.log(job, "exe")
        arches = [f"--offload-arch={target}" for target in self.targets]
        command = [self.softrock, "build", *map(str, job.sources), "-o", str(executable), "-w", "-O2"]
        built = captured([*command, *arches, *self.flags], job.folder, {}, 600)
        self.log(job, "build").write_text(built[1])
        for target in self.targets:
            if built[0]:
                self.unbuilt(job, target, built[1])
            else:
                self.run(job, target, executable, {})
        executable.unlink(missing_ok=True)

    def unbuilt(self, job: Job, target: str, output: str) -> None:
        lines = output.splitlines()
        line = next((one for one in lines if "error" in one), lines[-1] if lines else "")
        library = outside_library(job.text())
        if found := _UNLINKED.search(output):
            library = OUTSIDE.get(found.group(1), "OpenGL")
        self.keep(job, target, f"needs {library}" if library else "not built", re.sub(r"^\S*/", "", line.strip()))

    def made(self, job: Job, target: str) -> None:
        """Build by the program's own Makefile; the executable is the newest ELF file it made."""
        layout = captured([self.softrock, "env", "--gpu", target], job.path, {}, 60)[1]
        found = re.search(r"ROCM_PATH=['\"]?([^'\"\s;]+)", layout)
        rocm = found.group(1) if found else ""
        setting = [f"ROCM_INSTALL_DIR={rocm}", f"ROCM_PATH={rocm}", f"HIPCXX={rocm}/bin/hipcc"]
        around = {"ROCM_PATH": rocm, "HIP_PATH": rocm, "PATH": f"{rocm}/bin:{os.environ['PATH']}"}
        around |= {"LD_LIBRARY_PATH": f"{rocm}/lib", "SOFTROCK_GPUS": target}
        captured(["make", "clean", *setting], job.path, around, 60)
        begun = time.time()
        built = captured(["make", *setting, *self.flags], job.path, around, 600)
        self.log(job, f"{target}.build").write_text(built[1])
        if built[0]:
            self.unbuilt(job, target, built[1])
            return
        new = [p for p in job.path.iterdir() if p.is_file() and os.access(p, os.X_OK)]
        new = [p for p in new if p.stat().st_mtime >= begun - 1 and p.read_bytes()[:4] == b"\x7fELF"]
        if not new:
            self.keep(job, target, "not built", "the Makefile made no program")
            return
        self.run(job, target, max(new, key=lambda p: p.stat().st_mtime), around)

    def run(self, job: Job, target: str, executable: pathlib.Path, around: dict[str, str]) -> None:
        """Run a built program where its sources stand, which is where it looks for its data."""
        arguments = self.notes.get((job.collection, job.program), ("", ""))[0].split()
        begun = time.time()
        around = {**around, "SOFTROCK_GPUS": target}
        code, output = captured([str(executable), *arguments], job.folder, around, self.limit)
        self.log(job, f"{target}.run").write_text(output)
        self.keep(job, target, *verdict_of(code, output, job.text()), seconds=time.time() - begun)


def captured(command: list[str], folder: pathlib.Path, around: dict[str, str], limit: int) -> tuple[int, str]:
    """Exit status (124 when `limit` seconds passed) and all that was printed."""
    environment = {**os.environ, **around}
    with tempfile.TemporaryFile() as sink:
        to = {"stdin": subprocess.DEVNULL, "stdout": sink, "stderr": subprocess.STDOUT}
        done = subprocess.Popen(command, cwd=folder, env=environment, **to)  # type: ignore[call-overload]
        try:
            code = done.wait(limit)
        except subprocess.TimeoutExpired:
            done.kill()
            done.wait()
            code = 124
        sink.seek(0)
        return code, sink.read(4_000_000).decode(errors="replace")


def revision(root: pathlib.Path) -> str:
    command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "-"


def load(path: pathlib.Path) -> dict[Key, Outcome]:
    rows = [Outcome(**row) for row in json.loads(path.read_text())] if path.exists() else []
    return {(row.collection, row.program, row.target): row for row in rows}


def read_notes(path: str | None) -> Notes:
    """(collection, program) → (arguments, note)."""
    notes: Notes = {}
    for line in pathlib.Path(path).read_text().splitlines() if path else ():
        if line and not line.startswith("#"):
            collection, program, arguments, note = (*line.split("\t"), "", "", "")[:4]
            notes[(collection, program)] = ("" if arguments == "-" else arguments, note)
    return notes


COLUMNS = ("passed", "no mismatch", "ran", "complains or fails", "timeout", "not built", "needs a library")


def column(verdict: str) -> str:
    """The summary's column for a verdict."""
    if verdict.startswith("needs"):
        return COLUMNS[-1]
    return verdict if verdict in COLUMNS else "complains or fails"


def page(state: dict[Key, Outcome], notes: Notes, head: str) -> str:
    """The Markdown page: a summary, then a table a collection, a line a program, a column a target."""
    summary = [
        "| collection | revision | target | " + " | ".join(COLUMNS) + " |",
        "|---|---|---|" + "---:|" * len(COLUMNS),
    ]
    tables: list[str] = []
    for name in sorted({one.collection for one in state.values()}, key=str.lower):
        rows = [one for one in state.values() if one.collection == name]
        targets = sorted({one.target for one in rows})
        for target in targets:
            found = [column(one.verdict) for one in rows if one.target == target]
            counts = " | ".join(str(found.count(each)) for each in COLUMNS)
            summary.append(f"| {name} | {rows[0].revision} | {target} | {counts} |")
        tables += ["", f"## {name}", ""]
        tables += [f"| program | {' | '.join(targets)} | note |", "|---|" + "---|" * (len(targets) + 1)]
        for program in sorted({one.program for one in rows}):
            cells = {one.target: one for one in rows if one.program == program}
            tables.append(program_line(program, targets, cells, notes.get((name, program), ("", ""))))
    return "\n".join([head.rstrip(), "", *summary, *tables]) + "\n"


def program_line(program: str, targets: list[str], cells: dict[str, Outcome], about: tuple[str, str]) -> str:
    arguments, note = about
    words = [f"arguments: {arguments}"] if arguments else []
    words += [note] if note else sorted({one.detail.replace("|", "¦") for one in cells.values() if one.detail})
    shown = " | ".join(cells[target].verdict if target in cells else "-" for target in targets)
    return f"| {program} | {shown} | {'; '.join(words)} |"


def needed(job: Job, runner: Runner, arguments: argparse.Namespace) -> bool:
    """Whether a job was asked for and is not known yet."""
    if arguments.only not in job.program or re.search(arguments.skip, job.program):
        return False
    known = [runner.outcomes.get((job.collection, job.program, target)) for target in runner.targets]
    if arguments.again or None in known:
        return True
    good = ("passed", "no mismatch", "ran")
    return bool(arguments.failed) and any(one is not None and one.verdict not in good for one in known)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="build and run the programs of checkouts")
    runs.add_argument("folders", nargs="+", type=pathlib.Path)
    runs.add_argument("--targets", default="gfx942,gfx1100")
    runs.add_argument("--only", default="", help="only programs whose path holds this word")
    runs.add_argument("--skip", default="^$", help="none of those whose path matches this regular expression")
    runs.add_argument("--again", action="store_true", help="also programs that the state file already knows")
    runs.add_argument("--failed", action="store_true", help="again those that did not pass")
    runs.add_argument("--make", action="store_true", help="by the programs' own Makefiles")
    runs.add_argument("--flags", default="", help="further flags of the compiler, or of make")
    runs.add_argument("--timeout", type=int, default=90, help="seconds a run may take")
    runs.add_argument("--jobs", type=int, default=2)
    runs.add_argument("--logs", help="folder for what programs print")
    pages = commands.add_parser("page", help="write the page")
    pages.add_argument("--out", required=True)
    pages.add_argument("--head", help="file with the page's introduction")
    pages.add_argument("--state", required=True, nargs="+")
    runs.add_argument("--state", required=True)
    for one in (runs, pages):
        one.add_argument("--notes")
    return top


def main() -> int:
    arguments = parser().parse_args()
    if arguments.command == "page":
        head = read(pathlib.Path(arguments.head)) if arguments.head else "# Public programs that were run\n"
        state = {key: one for path in arguments.state for key, one in load(pathlib.Path(path)).items()}
        pathlib.Path(arguments.out).write_text(page(state, read_notes(arguments.notes), head))
        return 0
    runner = Runner(arguments)
    jobs = [job for folder in arguments.folders for job in programs(folder.resolve(), arguments.make)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(runner.one, [job for job in jobs if needed(job, runner, arguments)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
