"""Write docs/porting.md and docs/rules/ from the rules of `softrock lint`: ``python tools/rule_docs.py [--check]``."""

from __future__ import annotations

import sys
from pathlib import Path

from softrock.lint.docs import pages

DOCS = Path(__file__).parent.parent / "docs"


def stale(folder: Path = DOCS) -> list[str]:
    """Names of pages that differ from what the rules say, or that no rule has any more."""
    wanted = pages()
    there = {path.relative_to(folder).as_posix() for path in (folder / "rules").glob("*.md")}
    changed = [
        name
        for name, text in wanted.items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]
    return sorted([*changed, *(there - set(wanted))])


def main() -> int:
    """Write the pages, or with ``--check`` say which are stale (exit status 1)."""
    names = stale()
    if "--check" in sys.argv[1:]:
        print("\n".join(names))
        return 1 if names else 0
    wanted = pages()
    for name in names:
        path = DOCS / name
        if name in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
    print(f"{len(names)} pages written or removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
