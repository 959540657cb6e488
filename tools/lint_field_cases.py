"""Lint public sources with known faults before and after they were mended.

For each case the file of the mending commit's parent and that of the commit are linted. A case is met where the rule
fires on lines of the former that it does not fire on in the latter, and on no line that is new there. Nothing of the
sources is kept; the table in docs/lint-field-cases.md holds the facts.

    python tools/lint_field_cases.py FOLDER [--write]

FOLDER holds clones of the projects, one a folder, named ``owner+name``, ``owner/name`` or ``name``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from softrock.hipify.findings import Finding
from softrock.hipify.source import Source
from softrock.lint import engine, targets
from softrock.lint.engine import Settings
from softrock.lint.registry import rules

TABLE = Path(__file__).parent.parent / "docs" / "lint-field-cases.md"


@dataclass(frozen=True)
class Case:
    """A fault that was mended.

    Attributes:
        project: ``owner/name``.
        reference: the issue or pull request that tells of it.
        commit: that mended it.
        path: of the file.
        rules: that find it.
        gpu: the GPU it shows on.
        beside: headers of the project that the file includes, which the rule reads.
    """

    project: str
    reference: str
    commit: str
    path: str
    rules: tuple[str, ...]
    gpu: str = "gfx942"
    beside: tuple[str, ...] = ()


_EXLLAMA = ("turboderp-org/exllamav2", "exllamav2#807", "15daccec5423a634cb656eff52e09f0dbc7fdee8")
_FBGEMM = ("pytorch/FBGEMM",)
_STDGPU = ("stotko/stdgpu", "stdgpu#484", "22599cfdcc185c2ed721d78c792e3193cf84cc01")
_BARRIER = ("return-before-barrier",)
_ON_HOST = ("warp-size-as-constant", "warp-size-on-host")
_LITERALS = ("lane-id-literal", "warp-index-literal", "warp-count-literal", "warp-size-literal")
CASES = (
    Case(
        "cupy/cupy", "cupy#9977", "9ddbc776bd280f0cb27a83180799f1814c0be0c4", "cupyx/scipy/sparse/_compressed.py",
        ("mask-32-bits", "reduction-of-32-lanes", "lane-id-literal", "warp-index-literal", "warp-count-literal",
         "shuffle-in-divergent-code"),
    ),
    Case(
        "pytorch/FBGEMM", "FBGEMM#5830", "9663f240dab407259eeaef11a7fab1be4f610cca",
        "fbgemm_gpu/src/sparse_ops/sparse_block_bucketize_features.cu",
        ("ballot-in-32-bits", "mask-bits-counted-in-32"),
    ),
    Case(*_EXLLAMA, "exllamav2/exllamav2_ext/cuda/layer_norm.cu", _ON_HOST),
    Case(*_EXLLAMA, "exllamav2/exllamav2_ext/cuda/rms_norm.cu", _ON_HOST),
    Case(
        "ROCm/rocHPL", "rocHPL#20", "fcd9340", "include/hpl_hip_ex.hpp", ("warp-size-as-constant",),
    ),
    Case(
        "rusty1s/pytorch_scatter", "pytorch_scatter#498", "648dda3cf964731ffb4de11eafc445a83133eda4",
        "csrc/cuda/utils.cuh", ("mask-32-bits",),
    ),
    Case(
        "bitsandbytes-foundation/bitsandbytes", "bitsandbytes#1885", "373f23be", "csrc/ops.cu",
        ("host-by-device-macro",), beside=("csrc/common.cuh", "csrc/ops.cuh", "csrc/kernels.cuh"),
    ),
    Case("bitsandbytes-foundation/bitsandbytes", "bitsandbytes#1887", "713a3b83", "csrc/kernels.cu", _LITERALS),
    Case("ROCm/bitsandbytes", "ROCm/bitsandbytes#49", "6a8c7116b69857600b0a69ccc7662afa61a1a8c1", "csrc/kernels.hip",
         _LITERALS),
    Case("ROCm/apex", "ROCm/apex#256", "9d1e60fa29b0a7f1bdfba148695e211464a6e44c",
         "apex/contrib/csrc/multihead_attn/softmax.cuh", ("warp-size-constant",)),
    Case(*_FBGEMM, "FBGEMM#5857", "2aa387768", "fbgemm_gpu/src/quantize_ops/quantize_mx.cuh", _BARRIER),
    Case(*_FBGEMM, "FBGEMM#5831", "0882af3d4",
         "fbgemm_gpu/src/intraining_embedding_pruning_ops/intraining_embedding_pruning.cu", _BARRIER),
    Case(*_FBGEMM, "FBGEMM#5856", "2e1b6f46b",
         "fbgemm_gpu/experimental/gen_ai/src/quantize/fast_gemv/include/fast_gemv.cuh", _BARRIER),
    Case(*_FBGEMM, "FBGEMM#5894", "04dbc5196", "fbgemm_gpu/experimental/gen_ai/src/quantize/quantize.cu", _BARRIER),
    Case(*_STDGPU, "src/stdgpu/impl/vector_detail.cuh", ("spin-lock",)),
    Case(*_STDGPU, "src/stdgpu/impl/deque_detail.cuh", ("spin-lock",)),
)  # fmt: skip


@dataclass
class Outcome:
    """What a rule said of a case: lines that it fires on only before, and only after, the commit."""

    case: Case
    rule: str
    before: list[int]
    after: list[int]

    @property
    def met(self) -> bool:
        """It fired on the faulty revision's lines and not on the mended one's."""
        return bool(self.before) and not self.after


def clone(folder: Path, project: str) -> Path | None:
    """The git directory of a project below a folder."""
    owner, name = project.split("/")
    for each in (f"{owner}+{name}", f"{owner}/{name}", name):
        for path in (folder / each / "repo", folder / each / ".git", folder / each, folder / f"{each}.git"):
            if (path / "HEAD").exists():
                return path
    return None


def _file(repository: Path, revision: str, path: str) -> bytes:
    command = ["git", "-C", str(repository), "show", f"{revision}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _lint(repository: Path, revision: str, case: Case) -> tuple[str, list[Finding]]:
    """A case's file in a revision, and what the rules find in it."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (case.path, *case.beside):
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_file(repository, revision, name))
        source = Source.read(Path(folder, case.path))
        settings = Settings(targets.targets(case.gpu), frozenset(rules()), parse=False)
        return source.text, engine.check(source, settings).findings


def _places(found: Iterable[Finding], rule: str, text: str) -> list[tuple[str, int]]:
    """(the line's text without blanks, its number) of a rule's findings."""
    lines = text.split("\n")
    return [("".join(lines[each.line - 1].split()), each.line) for each in found if each.rule == rule]


def _only(these: list[tuple[str, int]], not_those: list[tuple[str, int]]) -> list[int]:
    """Numbers of the lines whose text is not among others."""
    left = Counter(text for text, _ in not_those)
    found = set()
    for text, number in these:
        if left[text] > 0:
            left[text] -= 1
        else:
            found.add(number)
    return sorted(found)


def run(case: Case, repository: Path) -> list[Outcome]:
    """Lint a case's file before and after."""
    before, first = _lint(repository, f"{case.commit}^", case)
    after, second = _lint(repository, case.commit, case)
    outcomes = []
    for rule in case.rules:
        old, new = _places(first, rule, before), _places(second, rule, after)
        outcomes.append(Outcome(case, rule, _only(old, new), _only(new, old)))
    return outcomes


_HEAD = """\
# Lint: faults from the field

Public sources with known faults of wave size, before and after they were mended. `python tools/lint_field_cases.py
FOLDER --write` makes this page from clones of the projects. The first column of lines are those of the faulty revision
(the commit's parent) that the rule fires on and no longer fires on in the commit; the second are lines of the commit
that it fires on anew. A case is met where there are some of the former and none of the latter.

| case | commit | file | rule | faulty lines found | found in their place | met |
|---|---|---|---|---|---|---|
"""


def table(outcomes: Iterable[Outcome]) -> str:
    """The page."""
    rows = [
        f"| {each.case.reference} | {each.case.project}@{each.case.commit[:9]} | {each.case.path} | "
        f"[{each.rule}](rules/{each.rule}.md) | {_numbers(each.before)} | {_numbers(each.after)} | "
        f"{'yes' if each.met else 'no'} |"
        for each in outcomes
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _numbers(lines: list[int]) -> str:
    return ", ".join(map(str, lines)) or "none"


def main() -> int:
    """Run all cases; the exit status is 1 where one is not met."""
    words = [each for each in sys.argv[1:] if each != "--write"]
    if len(words) != 1:
        print("usage: python tools/lint_field_cases.py FOLDER [--write]", file=sys.stderr)
        return 2
    outcomes: list[Outcome] = []
    for case in CASES:
        repository = clone(Path(words[0]), case.project)
        if repository is None:
            print(f"{case.project}: no clone in {words[0]}", file=sys.stderr)
            continue
        outcomes += run(case, repository)
    text = table(outcomes)
    print(text)
    if "--write" in sys.argv[1:]:
        TABLE.write_text(text, encoding="utf-8")
    return 0 if outcomes and all(each.met for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
