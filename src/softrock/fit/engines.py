"""Which engines serve models on which targets, by version, dated and with sources."""

from __future__ import annotations

from collections.abc import Iterable

from softrock.fit.tables import rows

ENGINES = ("vLLM", "SGLang", "llama.cpp", "Ollama", "TGI")


def entries(targets: Iterable[str]) -> list[dict[str, str]]:
    """What is said of these targets: target, engine, version, supported, needs, source, date; oldest first."""
    wanted = dict.fromkeys(targets)
    found = [
        {**{key: value for key, value in row.items() if key != "targets"}, "target": target}
        for target in wanted
        for row in rows("engines.tsv")
        if target in row["targets"].split()
    ]
    return sorted(
        found, key=lambda each: (list(wanted).index(each["target"]), ENGINES.index(each["engine"]), each["date"])
    )


def latest(target: str) -> dict[str, dict[str, str]]:
    """Engine -> what was last said of a target."""
    return {each["engine"]: each for each in entries([target])}
