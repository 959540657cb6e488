"""Translate the CUDA programs of public collections with `softrock hipify`, and write what came out as a page.

    python tools/hipify_public.py run  --state results.json --work FOLDER [--only WORD] CHECKOUT...
    python tools/hipify_public.py page --state results.json --out docs/hipify-programs.md

CHECKOUT is somebody's collection of CUDA programs, in a folder named ``owner+name``. It is translated as a whole into
``FOLDER/owner+name`` (``.cu`` files become ``.hip``). Then every ``.cu`` file is compiled with ``hipcc -c`` for gfx942
twice: as it stands, and its translation as HIP. Where that needs a library's headers, which are not part of the
project, both are also parsed against softrock's declarations of these libraries. Nothing is edited, and nothing of a
program is kept except the facts: compiles or not and why not, what the translation found.

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
import sys
import threading
from collections import Counter

from public_programs import captured, outside_library, read, revision

from softrock.core.errors import SoftrockError
from softrock.hipify.parse import parse

_BIN = pathlib.Path(sys.executable).parent
_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
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


def translate(root: pathlib.Path, out: pathlib.Path) -> list[dict[str, object]]:
    """What `softrock hipify` reports about each file of a checkout."""
    command = [str(_BIN / "softrock"), "hipify", str(root), "-o", str(out), "--rename", "--json"]
    code, text = captured(command, root, {}, 7200)
    try:
        files = json.loads(text[text.index("{") :])["files"]
    except ValueError:
        sys.exit(f"{root}: softrock hipify ended with {code} and no report: {text[:500]}")
    assert isinstance(files, list)
    return files


def compiled(path: pathlib.Path, work: pathlib.Path) -> str:
    """How a file fares with hipcc; where it lacks a library, against the declarations."""
    command = [str(_BIN / "hipcc"), "-c", "--offload-arch=gfx942", "-w", "-o", str(work), str(path)]
    code, output = captured(command, path.parent, {}, 600)
    work.unlink(missing_ok=True)
    if code == 0:
        return "compiles"
    found = _ERROR.search(output)
    if found is None:
        return f"hipcc ended with {code}: {' '.join(output.split())[:100]}"
    missing = _MISSING.search(found["text"])
    if missing is None:
        return " ".join(found["text"].split())[:140]
    return declared(path) or f"needs {library(path, missing[1])}"


def library(path: pathlib.Path, header: str) -> str:
    """What a header that is not there belongs to."""
    first = re.split(r"[/._]", header)[0]
    return outside_library(f"#include <{header}>") or _ABOUT_HIP.get(first, header)


def declared(path: pathlib.Path) -> str:
    """ "resolves" where clang finds no error against the declarations of libraries, the first one where it is no
    missing header, "" where headers are missing still."""
    try:
        errors = [each for device in (True, False) for each in parse(path, device=device).errors]
    except SoftrockError as error:
        return error.message[:140]
    missing = any("file not found" in each.message for each in errors)
    return "resolves" if not errors else "" if missing else errors[0].message[:140]


class Runner:
    """Translates and compiles; outcomes stand in a JSON state file that is written after every file."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.state = pathlib.Path(arguments.state)
        self.work = pathlib.Path(arguments.work).resolve()
        self.only: str = arguments.only
        self.again: bool = arguments.again
        self.lost: bool = arguments.lost
        self.jobs: int = arguments.jobs
        self.lock = threading.Lock()
        self.outcomes = load(self.state)

    def collection(self, root: pathlib.Path) -> None:
        """All ``.cu`` files of a checkout."""
        self.work.mkdir(parents=True, exist_ok=True)
        files = translate(root, self.work / root.name)
        version = revision(root)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda each: self.one(root, version, each), files))

    def one(self, root: pathlib.Path, version: str, row: dict[str, object]) -> None:
        path = pathlib.Path(str(row["path"]))
        name, file = root.name.replace("+", "/"), str(path.relative_to(root))
        if path.suffix != ".cu" or self.only not in file:
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
        outcome.cuda = known.cuda if known and not self.again else compiled(path, temporary)
        outcome.hip = compiled(pathlib.Path(str(row["output"])), temporary)
        with self.lock:
            self.outcomes[name, file] = outcome
            rows = [dataclasses.asdict(each) for each in self.outcomes.values()]
            new = self.state.with_suffix(".new")
            new.write_text(json.dumps(rows, indent=0))
            new.replace(self.state)
            print(name, file, "|", outcome.cuda, "|", outcome.hip, "|", dict(rules), flush=True)


def load(path: pathlib.Path) -> dict[tuple[str, str], Outcome]:
    rows = [Outcome(**row) for row in json.loads(read(path))] if path.exists() else []
    return {(row.collection, row.file): row for row in rows}


FIRST = "| collection |"
COLUMNS = ("files", "lines", "parsed", "by tokens", "as CUDA: compiles", "resolves", "as HIP: compiles", "resolves",
           "good as CUDA, not as HIP")  # fmt: skip


def counts(rows: list[Outcome]) -> list[int]:
    """A line of the summary."""
    lost = [each for each in rows if each.cuda in GOOD and each.hip not in GOOD]
    return [
        len(rows),
        sum(each.lines for each in rows),
        *(sum(each.mode == mode for each in rows) for mode in ("parsed", "tokens")),
        *(sum(each.cuda == how for each in rows) for how in GOOD),
        *(sum(each.hip == how for each in rows) for how in GOOD),
        len(lost),
    ]


def table(head: list[str], rows: list[list[str]], numbers: int = 0) -> list[str]:
    """A Markdown table, its last `numbers` columns aligned to the right."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(each)} |" for each in (head, rule, *rows)]


def page(state: dict[tuple[str, str], Outcome], head: str) -> str:
    """The Markdown page: summary, findings by rule, what got lost, then a table a collection."""
    rows = sorted(state.values(), key=lambda each: (each.collection.lower(), each.file))
    names = list(dict.fromkeys(each.collection for each in rows))
    lines = [head.rstrip(), ""]
    summary = []
    for name in names:
        own = [each for each in rows if each.collection == name]
        summary.append([name, own[0].revision, *map(str, counts(own))])
    summary.append(["all", "", *map(str, counts(rows))])
    lines += table(["collection", "revision", *COLUMNS], summary, len(COLUMNS))
    rules = Counter(rule for each in rows for rule in Counter(each.findings).elements())
    files = Counter(rule for each in rows for rule in each.findings)
    lines += ["", "## Findings of the translation by rule", ""]
    lines += table(["rule", "findings", "files"], [[r, str(n), str(files[r])] for r, n in rules.most_common()], 2)
    lost = [each for each in rows if each.cuda in GOOD and each.hip not in GOOD]
    lines += ["", "## Good as CUDA, not as HIP", ""]
    named = [[f"{each.collection}: {each.file}", shown(each.hip), found(each)] for each in lost]
    lines += table(["file", "as HIP", "the report names"], named) if lost else ["None."]
    for name in names:
        lines += ["", f"## {name}", ""]
        own = [each for each in rows if each.collection == name]
        cells = [[each.file, each.mode, shown(each.cuda), shown(each.hip), found(each)] for each in own]
        lines += table(["file", "translated", "as CUDA", "as HIP", "findings"], cells)
    return "\n".join(lines) + "\n"


def shown(text: str) -> str:
    return text.replace("|", "¦")


def found(row: Outcome) -> str:
    """Findings by rule in words."""
    return ", ".join(rule if count == 1 else f"{rule} ({count})" for rule, count in sorted(row.findings.items()))


def main() -> int:
    top = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="translate and compile")
    runs.add_argument("folders", nargs="+", type=pathlib.Path)
    runs.add_argument("--work", required=True, help="folder for translations")
    runs.add_argument("--only", default="", help="only files whose path holds this word")
    runs.add_argument("--again", action="store_true", help="compile CUDA sources again that the state file knows")
    runs.add_argument("--lost", action="store_true", help="of known files, those good as CUDA and not as HIP again")
    runs.add_argument("--jobs", type=int, default=2)
    pages = commands.add_parser("page", help="write the page")
    pages.add_argument("--out", required=True)
    for each in (runs, pages):
        each.add_argument("--state", required=True)
    arguments = top.parse_args()
    if arguments.command == "page":
        out = pathlib.Path(arguments.out)
        head = read(out).partition(FIRST)[0] if out.exists() else "# Public programs that were translated\n"
        out.write_text(page(load(pathlib.Path(arguments.state)), head))
        return 0
    runner = Runner(arguments)
    for folder in arguments.folders:
        runner.collection(folder.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
