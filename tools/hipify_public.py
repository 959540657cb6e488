"""Translate public CUDA programs with `softrock hipify`, compile and run them, and write what came out as a page.

    python tools/hipify_public.py fetch   --folder CHECKOUTS [NAME...]
    python tools/hipify_public.py run     --state results.json --work FOLDER [--only WORD] CHECKOUT...
    python tools/hipify_public.py execute --state results.json --work FOLDER [--only WORD] CHECKOUT...
    python tools/hipify_public.py page    --state results.json --out docs/hipify-programs.md

`fetch` clones the collections that hipify_programs.toml names, at the revisions named there, into folders called
``owner+name``; any other checkout in a folder of such a name will do too. `run` translates each as a whole into
``FOLDER/owner+name`` (``.cu`` files become ``.hip``). Then every ``.cu`` file, and every C++ file with something to
translate, is compiled with ``hipcc -c`` for gfx942 twice: as it stands, and its translation as HIP. Where that needs a
library's headers, which are not part of the project, both are also parsed against softrock's declarations of these
libraries. `execute` links and runs what compiles as HIP and has a ``main`` on a software GPU. Nothing is edited, and
nothing of a program is kept except the facts: compiles or not and why not, what the translation found.

How a file fares is one of:

* ``compiles``;
* ``needs X``: it includes a header of a library outside the runtime, or one that the collection does not have;
* ``resolves``: it needs a library whose names softrock declares, and clang finds no error against the declarations;
* the compiler's first error otherwise.

The page's introduction, up to its first table, is kept as it stands.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import threading
import tomllib
from collections import Counter

from public_programs import _MAIN, captured, outside_library, read, revision, verdict_of

from softrock.core.errors import SoftrockError
from softrock.hipify.parse import parse

_BIN = pathlib.Path(sys.executable).parent
_LIST = pathlib.Path(__file__).with_name("hipify_programs.toml")
_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_QUOTED = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
_COMMON = frozenset("undeclared identifier unknown type name with thi that must have did you mean use the for".split())
_MISSING = re.compile(r"'([^']+)' file not found")
_ABOUT_HIP = {"hipblas": "hipBLAS", "hipfft": "hipFFT", "hipsparse": "hipSPARSE", "hipsolver": "hipSOLVER"}
_ABOUT_HIP |= {"miopen": "MIOpen", "rccl": "RCCL", "hipcub": "hipCUB", "hiprand": "hipRAND", "rocwmma": "rocWMMA"}
GOOD = ("compiles", "resolves")


@dataclasses.dataclass
class Outcome:
    """One file: how it was translated and how both versions fare; `findings` counts them by rule."""

    collection: str
    revision: str
    file: str
    lines: int
    mode: str
    replaced: int
    findings: dict[str, int]
    cuda: str = ""
    hip: str = ""
    cause: str = ""
    runs: str = ""


@dataclasses.dataclass(frozen=True)
class Collection:
    """What hipify_programs.toml says of a collection; `causes` are by file."""

    name: str
    about: str = ""
    commit: str = ""
    licence: str = "see there"
    folders: tuple[str, ...] = ()
    causes: dict[str, str] = dataclasses.field(default_factory=dict)


def collections() -> dict[str, Collection]:
    rows = tomllib.loads(read(_LIST))["collection"]
    return {row["name"]: Collection(**{**row, "folders": tuple(row.get("folders", ()))}) for row in rows}


def fetch(folder: pathlib.Path, names: list[str]) -> None:
    """Clone collections at their revisions; those that are there are left alone."""
    known = collections()
    for name in names or known:
        if name not in known:
            sys.exit(f"{name}: not in {_LIST.name}, which knows {', '.join(known)}")
        root = folder / name.replace("/", "+")
        if root.exists():
            continue
        root.mkdir(parents=True)
        for words in (
            ["init", "-q"],
            ["fetch", "-q", "--depth=1", f"https://github.com/{name}.git", known[name].commit],
            ["checkout", "-q", "FETCH_HEAD"],
        ):
            if subprocess.run(["git", "-C", str(root), *words]).returncode:
                sys.exit(f"{name}: git {words[0]} failed in {root}; remove this folder to try again")


def translate(root: pathlib.Path, out: pathlib.Path, folders: tuple[str, ...]) -> list[dict[str, object]]:
    """What `softrock hipify` reports about each file of a checkout, or of these folders of it."""
    command = [str(_BIN / "softrock"), "hipify", str(root), "-o", str(out), "--rename", "--json"]
    if folders:
        command += ["--include", ",".join(f"*/{each}/*" for each in folders)]
    code, text = captured(command, root, {}, 7200)
    try:
        files = json.loads(text[text.index("{") :])["files"]
    except ValueError:
        sys.exit(f"{root}: softrock hipify ended with {code} and no report: {text[:500]}")
    assert isinstance(files, list)
    return files


@dataclasses.dataclass(frozen=True)
class Fare:
    """How one version of a file fares, and where its first error is, if it has one."""

    how: str
    file: pathlib.Path | None = None
    line: int = 0


def compiled(path: pathlib.Path, work: pathlib.Path, *language: str) -> Fare:
    """How a file fares with hipcc; where it lacks a library, against the declarations."""
    command = [str(_BIN / "hipcc"), "-c", "--offload-arch=gfx942", "-w", "-o", str(work), *language, str(path)]
    code, output = captured(command, path.parent, {}, 600)
    work.unlink(missing_ok=True)
    if code == 0:
        return Fare("compiles")
    found = _ERROR.search(output)
    if found is None:
        return Fare(f"hipcc ended with {code}: {' '.join(output.split())[:100]}")
    missing = _MISSING.search(found["text"])
    if missing is None:
        return Fare(" ".join(found["text"].split())[:140], (path.parent / found["file"]).resolve(), int(found["line"]))
    return declared(path)


def library(path: pathlib.Path, header: str) -> str:
    """What a header that is not there belongs to."""
    first = re.split(r"[/._]", header)[0]
    return outside_library(f"#include <{header}>") or _ABOUT_HIP.get(first, header)


def declared(path: pathlib.Path) -> Fare:
    """ "resolves" where clang finds no error against the declarations of libraries, else what header is missing still,
    else the first error."""
    try:
        errors = [each for device in (True, False) for each in parse(path, device=device).errors]
    except SoftrockError as error:
        return Fare(error.message[:140])
    for each in errors:
        if missing := _MISSING.search(each.message):
            return Fare(f"needs {library(path, missing[1])}")
    if not errors:
        return Fare("resolves")
    return Fare(errors[0].message[:140], pathlib.Path(errors[0].path).resolve(), errors[0].line)


def reached(path: pathlib.Path) -> list[pathlib.Path]:
    """A file and the headers beside it that it includes, directly or not."""
    found = [path.resolve()]
    for here in found:
        if here.is_file():
            names = [here.parent / name for name in _QUOTED.findall(read(here))]
            found += [
                each for each in dict.fromkeys(p.resolve() for p in names) if each not in found and each.is_file()
            ]
    return found


def stems(text: str) -> set[str]:
    """Words that tell something, without their plural's end."""
    return {each.rstrip("s") for each in re.findall(r"\w{3,}", text.lower())}


def named(path: pathlib.Path, fare: Fare, rows: list[dict[str, object]], root: pathlib.Path) -> str:
    """What the translation's report says about an error: its finding that shares most words with it, near it if any.

    Args:
        path: the file before its translation.
        rows: the report's files.
    """
    by_output = {pathlib.Path(str(each["output"])).resolve(): each for each in rows if each["output"]}
    by_path = {pathlib.Path(str(each["path"])).resolve(): each for each in rows}
    own = by_output.get(fare.file) if fare.file else None
    chosen = [own] if own else [by_path[each] for each in reached(path) if each in by_path]
    words = stems(fare.how) - _COMMON
    best: tuple[int, int, str] | None = None
    for row in chosen:
        findings = row["findings"]
        assert isinstance(findings, list)
        place = pathlib.Path(str(row["path"])).relative_to(root)
        for each in findings:
            shared = len(words & stems(f"{each['message']} {each['hint']}"))
            near = abs(int(str(each["line"])) - fare.line) <= 3 if own else False
            rank = (
                shared and shared + 2 * near,
                each["severity"] == "error",
                f"{place}:{each['line']}: {each['message']}",
            )
            if rank[0] and (best is None or rank[:2] > best[:2]):
                best = rank
    return best[2] if best else ""


class Runner:
    """Translates and compiles; outcomes stand in a JSON state file that is written after every file."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.state = pathlib.Path(arguments.state)
        self.work = pathlib.Path(arguments.work).resolve()
        self.only: str = arguments.only
        self.again: bool = arguments.again
        self.lost: bool = arguments.lost
        self.jobs: int = arguments.jobs
        self.limit: int = arguments.timeout
        self.lock = threading.Lock()
        self.outcomes = load(self.state)

    def collection(self, root: pathlib.Path) -> None:
        """All ``.cu`` files of a checkout."""
        self.work.mkdir(parents=True, exist_ok=True)
        about = collections().get(root.name.replace("+", "/"))
        files = translate(root, self.work / root.name, about.folders if about else ())
        version = revision(root)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda each: self.one(root, version, each, files), files))

    def one(self, root: pathlib.Path, version: str, row: dict[str, object], files: list[dict[str, object]]) -> None:
        path = pathlib.Path(str(row["path"]))
        name, file = root.name.replace("+", "/"), str(path.relative_to(root))
        host = path.suffix in (".cpp", ".cc", ".cxx") and row["replaced"]
        if (path.suffix != ".cu" and not host) or self.only not in file:
            return
        known = self.outcomes.get((name, file))
        if self.lost and known is not None and (known.cuda not in GOOD or known.hip in GOOD):
            return
        found = row["findings"]
        assert isinstance(found, list)
        rules = dict(Counter(str(each["rule"]) for each in found))
        outcome = Outcome(
            name, version, file, int(str(row["lines"])), str(row["mode"]), int(str(row["replaced"])), rules
        )
        temporary = self.work / f"{threading.get_ident()}.o"
        outcome.cuda = known.cuda if known and not self.again else compiled(path, temporary, "-x", "cuda").how
        fare = compiled(pathlib.Path(str(row["output"])), temporary)
        outcome.hip, outcome.runs = fare.how, known.runs if known else ""
        if outcome.hip not in GOOD:
            outcome.cause = named(path, fare, files, root)
        self.keep(outcome)
        print(name, file, "|", outcome.cuda, "|", outcome.hip, "|", rules, "|", outcome.cause, flush=True)

    def keep(self, outcome: Outcome) -> None:
        """Write the state with this outcome in it."""
        with self.lock:
            self.outcomes[outcome.collection, outcome.file] = outcome
            rows = [dataclasses.asdict(each) for each in self.outcomes.values()]
            new = self.state.with_suffix(".new")
            new.write_text(json.dumps(rows, indent=0))
            new.replace(self.state)

    def execute(self, root: pathlib.Path) -> None:
        """Run the translated programs of a collection, each in its folder."""
        name = root.name.replace("+", "/")
        rows = [each for each in self.outcomes.values() if each.collection == name and self.only in each.file]
        rows = [each for each in rows if each.hip == "compiles" and (self.again or not each.runs)]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda each: self.executed(root, each), rows))

    def executed(self, root: pathlib.Path, outcome: Outcome) -> None:
        path = self.work / root.name / outcome.file
        path = path.with_suffix(".hip") if path.suffix == ".cu" else path
        if not path.is_file() or not _MAIN.search(read(path)):
            return
        program = self.work / f"{threading.get_ident()}.exe"
        build = [str(_BIN / "hipcc"), "--offload-arch=gfx942", "-O2", "-w", str(path), "-o", str(program)]
        code, output = captured(build, path.parent, {}, 600)
        if code:
            outcome.runs = "does not link alone"
        else:
            # A program finds its data beside the original; the copy has only sources.
            code, output = captured(
                [str(program)], (root / outcome.file).parent, {"SOFTROCK_GPUS": "gfx942"}, self.limit
            )
            program.unlink(missing_ok=True)
            verdict, detail = verdict_of(code, output, read(path))
            outcome.runs = f"{verdict}: {' '.join(detail.split())[:80]}" if detail else verdict
            outcome.runs = outcome.runs.replace(str(root), "").replace(str(self.work), "")
        self.keep(outcome)
        print(outcome.collection, outcome.file, "|", outcome.runs, flush=True)


def load(path: pathlib.Path) -> dict[tuple[str, str], Outcome]:
    rows = [Outcome(**row) for row in json.loads(read(path))] if path.exists() else []
    return {(row.collection, row.file): row for row in rows}


FIRST = "| collection |"
COLUMNS = ("files", "lines", "parsed", "by tokens", "names replaced", "as CUDA: compiles", "resolves",
           "as HIP: compiles", "resolves", "good as CUDA, not as HIP", "ran", "passed")  # fmt: skip
_RAN = ("passed", "no mismatch", "ran")


def is_lost(row: Outcome) -> bool:
    return row.cuda in GOOD and row.hip not in GOOD


def counts(rows: list[Outcome]) -> list[int]:
    """A line of the summary."""
    return [
        len(rows),
        sum(each.lines for each in rows),
        *(sum(each.mode == mode for each in rows) for mode in ("parsed", "tokens")),
        sum(each.replaced for each in rows),
        *(sum(each.cuda == how for each in rows) for how in GOOD),
        *(sum(each.hip == how for each in rows) for how in GOOD),
        sum(map(is_lost, rows)),
        sum(each.runs in _RAN for each in rows),
        sum(each.runs == "passed" for each in rows),
    ]


def table(head: list[str], rows: list[list[str]], numbers: int = 0) -> list[str]:
    """A Markdown table, its last `numbers` columns aligned to the right."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(each)} |" for each in (head, rule, *rows)]


def page(state: dict[tuple[str, str], Outcome], head: str) -> str:
    """The Markdown page: summary, findings by rule, what got lost, then a table a collection."""
    known = collections()
    rows = sorted(state.values(), key=lambda each: (each.collection.lower(), each.file))
    by_name = {
        name: [each for each in rows if each.collection == name] for name in dict.fromkeys(r.collection for r in rows)
    }
    lines = [head.rstrip(), ""]
    summary = [
        [name, own[0].revision, known.get(name, Collection(name)).licence, *map(str, counts(own))]
        for name, own in by_name.items()
    ]
    summary.append(["all", "", "", *map(str, counts(rows))])
    lines += table(["collection", "revision", "licence", *COLUMNS], summary, len(COLUMNS))
    rules = Counter(rule for each in rows for rule in Counter(each.findings).elements())
    files = Counter(rule for each in rows for rule in each.findings)
    lines += ["", "## Findings of the translation by rule", ""]
    lines += table(["rule", "findings", "files"], [[r, str(n), str(files[r])] for r, n in rules.most_common()], 2)
    lines += ["", "## Good as CUDA, not as HIP", ""]
    lost = [[f"{each.collection}: {each.file}", shown(each.hip), why(each, known)] for each in rows if is_lost(each)]
    lines += table(["file", "as HIP", "cause"], lost) if lost else ["None."]
    for name, own in by_name.items():
        about = known.get(name, Collection(name)).about
        lines += ["", f"## {name}", "", *([f"{about[0].upper()}{about[1:]}.", ""] if about else [])]
        cells = [
            [each.file, str(each.lines), each.mode, str(each.replaced), found(each), shown(each.cuda), shown(each.hip),
             shown(each.runs), why(each, known)]
            for each in own
        ]  # fmt: skip
        head_row = ["file", "lines", "translated", "names", "findings", "as CUDA", "as HIP", "runs", "cause"]
        lines += table(head_row, cells)
    return "\n".join(lines) + "\n"


def why(row: Outcome, known: dict[str, Collection]) -> str:
    """The cause of what is not good: as looked into, else as the translation's report names it."""
    about = known.get(row.collection)
    if "'FIXME'" in row.cuda:
        return "an exercise that the reader is to complete"
    return shown((about.causes.get(row.file, "") if about else "") or row.cause)


def shown(text: str) -> str:
    return text.replace("|", "¦")


def found(row: Outcome) -> str:
    """Findings by rule in words."""
    return ", ".join(rule if count == 1 else f"{rule} ({count})" for rule, count in sorted(row.findings.items()))


def main() -> int:
    top = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    gets = commands.add_parser("fetch", help="clone the collections")
    gets.add_argument("names", nargs="*", help="some of them only")
    gets.add_argument("--folder", required=True, type=pathlib.Path)
    runs = commands.add_parser("run", help="translate and compile")
    executes = commands.add_parser("execute", help="run what compiles as HIP")
    pages = commands.add_parser("page", help="write the page")
    pages.add_argument("--out", required=True)
    for each in (runs, executes):
        each.add_argument("folders", nargs="+", type=pathlib.Path)
        each.add_argument("--work", required=True, help="folder for translations")
        each.add_argument("--only", default="", help="only files whose path holds this word")
        each.add_argument("--again", action="store_true", help="also what the state file knows")
        each.add_argument("--lost", action="store_true", help="of known files, those good as CUDA and not as HIP again")
        each.add_argument("--jobs", type=int, default=2)
        each.add_argument("--timeout", type=int, default=60, help="seconds for one program's run")
    for each in (runs, executes, pages):
        each.add_argument("--state", required=True)
    arguments = top.parse_args()
    if arguments.command == "fetch":
        fetch(arguments.folder, arguments.names)
        return 0
    if arguments.command == "page":
        out = pathlib.Path(arguments.out)
        head = read(out).partition(FIRST)[0] if out.exists() else "# Public programs that were translated\n"
        out.write_text(page(load(pathlib.Path(arguments.state)), head))
        return 0
    runner = Runner(arguments)
    for folder in arguments.folders:
        if arguments.command == "run":
            runner.collection(folder.resolve())
        else:
            runner.execute(folder.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
