"""Files that nobody wrote: the time they take grows with their length, not faster."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from softrock.hipify.source import Source
from softrock.lint import engine, report, targets
from softrock.lint.registry import rules

PIECES = [
    *(
        "(",
        "[",
        "{",
        "<",
        "a<",
        "a,",
        "#",
        '"',
        "\\",
        "/*",
        "if(",
        "do ",
        "else ",
        "template<",
        "a::",
        "a.",
        "(a)",
        "*",
    ),
    *(
        "x=(",
        "__ballot(",
        'asm("',
        "#if X\n",
        "#if WARP_SIZE==32\n",
        "struct A{",
        "__shared__ int a[",
        "a?b:",
        "=[",
        "m=m&m;",
    ),
    *(
        "if(x){}else ",
        "<<<",
        "lane&",
        "threadIdx.x+",
        "(threadIdx.x+",
        "for(int i=0;i<32;i++){__shfl(v,i);",
        "using A=B;",
    ),
    *(
        "template<int W=32>",
        "f'{' ",
        "'__shfl(' ",
        "x = 1\n",
        "a b ",
        "__global__ void f(int a){int b=a;}\n",
        "# # #'\n",
    ),
]


def _seconds(text: str, name: str) -> float:
    settings = engine.Settings(targets.targets(None), frozenset(rules()), parse=False)
    start = time.process_time()
    engine.check(Source(Path(name), text), settings)
    return time.process_time() - start


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.cu", "a.py"])
@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_length(piece: str, name: str) -> None:
    assert _seconds(piece * (24_000 // len(piece)), name) < 6.0


@pytest.mark.parametrize("text", ["'__shfl('" + "# " * 200 + "\n'x'\n", "'__shfl(' +" + " \\\n" * 200 + "x 'y'\n"])
def test_what_stands_between_strings_is_read_once(text: str) -> None:
    assert _seconds(text, "a.py") < 2.0


def test_a_page_of_one_long_line_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("void f() {" + "cudaDeviceSynchronize();" * 4000 + "}\n")
    checked = engine.check_file(path, engine.Settings(targets.targets("gfx942"), frozenset(rules()), parse=False))
    assert len(checked.findings) >= 4000
    assert len(report.page([checked], checked.findings, ["gfx942"])) < 1500 * len(checked.findings)
