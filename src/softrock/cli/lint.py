"""``softrock lint``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from softrock.cli.commands import Given
from softrock.core.errors import UsageError
from softrock.hipify.findings import Finding, Severity
from softrock.hipify.source import write
from softrock.lint import baseline, docs, engine, report, targets
from softrock.lint.engine import Checked, Settings
from softrock.lint.registry import rules


def _ids(given: Given, flag: str) -> list[str]:
    return [each.strip() for each in given.values.get(flag, "").split(",") if each.strip()]


def _severity(text: str) -> Severity:
    try:
        return Severity[text.upper()]
    except KeyError:
        raise UsageError(f"--severity {text!r}", hint="choose from note, warning, error") from None


def _settings(given: Given) -> Settings:
    return Settings(
        targets.targets(given.values.get("--gpu")),
        engine.choose(_ids(given, "--rule"), _ids(given, "--ignore")),
        _severity(given.values.get("--severity", "note")),
        tuple(given.tail),
        "--tokens" not in given.values,
        "--fix" in given.values,
    )


def lint(given: Given) -> int:
    """Carry out the command; returns the exit status."""
    if "--list" in given.values:
        print(docs.overview())
        return 0
    if "--explain" in given.values:
        print(docs.explanation(given.values["--explain"]))
        return 0
    if not given.words:
        raise UsageError("Missing argument 'PATH...'", hint="softrock lint --help shows the usage")
    settings = _settings(given)
    paths = [Path(each) for each in given.words]
    items, trouble = engine.collect(paths, _ids(given, "--include"), _ids(given, "--exclude"))
    if not items and not trouble:
        raise UsageError(f"no source files in {', '.join(given.words)}", hint="give CUDA, HIP, C++ or Python files")
    checked = [*engine.check_files(items, settings), *trouble]
    shown = _after_baseline(given, checked)
    if shown is None:
        return 0
    _report(given, checked, shown)
    return 1 if any(each.severity is Severity.ERROR for each in shown) else 0


def _after_baseline(given: Given, checked: Sequence[Checked]) -> list[Finding] | None:
    """The findings to show; None where they were written to the baseline instead."""
    found = [pair for each in checked for pair in zip(each.findings, each.digests, strict=True)]
    name = given.values.get("--baseline")
    if "--write-baseline" in given.values:
        if name is None:
            raise UsageError("--write-baseline needs --baseline FILE", hint="name the file to be written")
        lasting = [(finding, line) for finding, line in found if finding.rule in rules()]
        print(f"{name}: {baseline.save(Path(name), lasting)} findings")
        return None
    if name is None:
        return [finding for finding, _ in found]
    fresh, stale = baseline.Baseline.read(Path(name)).new(found, [each.path for each in checked])
    return [*fresh, *stale]


def _report(given: Given, checked: Sequence[Checked], shown: Sequence[Finding]) -> None:
    gpus = [each.gfx for each in targets.targets(given.values.get("--gpu"))]
    if "--json" in given.values:
        print(report.text_of(report.document(checked, shown, gpus)))
    else:
        for each in shown:
            print(each)
    if "--sarif" in given.values:
        write(Path(given.values["--sarif"]), report.text_of(report.sarif(shown)).encode("utf-8"))
    if "--html" in given.values:
        text = report.page(checked, shown, gpus)
        write(Path(given.values["--html"]), text.encode("utf-8", "surrogateescape"))
    print(_summary(checked, shown), file=sys.stderr)


def _summary(checked: Sequence[Checked], shown: Sequence[Finding]) -> str:
    named = [f"{number} {name}{'s' * (number != 1)}" for name, number in report.counts(shown).items()]
    looked = [each for each in checked if each.language]
    files = f"{len(looked)} file{'s' * (len(looked) != 1)}"
    text = f"{', '.join(named)} in {files}, {sum(each.lines for each in looked)} lines"
    silenced, fixed = sum(each.silenced for each in checked), sum(each.fixed for each in checked)
    if fixed:
        text += f"; {fixed} mended"
    unparsed = [each for each in checked if each.unparsed]
    if unparsed:
        text += f"; {len(unparsed)} of them by tokens alone, which finds less ({unparsed[0].unparsed})"
    if silenced:
        text += f"; {silenced} allowed by comments"
    return text
