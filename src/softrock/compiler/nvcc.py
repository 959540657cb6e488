"""nvcc's spellings of flags, turned into clang's, so that the usual command lines for ``.cu`` files work.

Source of the names: the nvcc documentation, chapter "NVCC Command Options". A flag that chooses an NVIDIA
architecture or tunes NVIDIA's assembler has no meaning for an AMD GPU; it is dropped and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from softrock.core.errors import UsageError

# Flags without a value, and what stands in their place (nothing: they are clang's behaviour already).
_ALONE = """
    -rdc=true                           -fgpu-rdc
    --relocatable-device-code=true      -fgpu-rdc
    -rdc=false
    --relocatable-device-code=false
    -dc                                 -c -fgpu-rdc
    --device-c                          -c -fgpu-rdc
    -lineinfo                           -gline-tables-only
    --generate-line-info                -gline-tables-only
    -use_fast_math                      -ffast-math
    --use_fast_math                     -ffast-math
    -G                                  -g
    --device-debug                      -g
    -ftz=true                           -fgpu-flush-denormals-to-zero
    -ftz=false
    -fmad=false                         -ffp-contract=off
    --fmad=false                        -ffp-contract=off
    -fmad=true
    --fmad=true
    --expt-relaxed-constexpr
    -expt-relaxed-constexpr
    --expt-extended-lambda
    -expt-extended-lambda
    --extended-lambda
    -extended-lambda
    -allow-unsupported-compiler
    --allow-unsupported-compiler
    -restrict
    --restrict
    -keep                               -save-temps
    --keep                              -save-temps
    -lcudart
    -lcudart_static
    -lcudadevrt
    -lcuda
    -lnvrtc                             -lhiprtc
"""

# Flags with a value: "drop" says so in a note, "quiet" drops it, "split" passes a comma list to clang; else
# the clang flag that takes the value, which is a word of its own after a flag ending in a blank ("_").
_VALUED = """
    -arch                   drop
    --gpu-architecture      drop
    -code                   drop
    --gpu-code              drop
    -gencode                drop
    --generate-code         drop
    -Xptxas                 drop
    --ptxas-options         drop
    -Xnvlink                drop
    --nvlink-options        drop
    -maxrregcount           drop
    --maxrregcount          drop
    -prec-div               drop
    --prec-div              drop
    -prec-sqrt              drop
    --prec-sqrt             drop
    -Xcudafe                quiet
    -ccbin                  quiet
    --compiler-bindir       quiet
    -cudart                 quiet
    --cudart                quiet
    -t                      quiet
    --threads               quiet
    -diag-suppress          quiet
    --diag-suppress         quiet
    -Xcompiler              split
    --compiler-options      split
    -default-stream         -fgpu-default-stream=
    --default-stream        -fgpu-default-stream=
    --std                   -std=
    --optimize              -O
    --output-file           -o_
    --include-path          -I_
    --system-include        -isystem_
    --pre-include           -include_
    --define-macro          -D_
    --undefine-macro        -U_
    --library-path          -L_
    --library               -l
    --linker-options        -Wl,
"""


def _table(text: str) -> dict[str, list[str]]:
    rows = (line.split() for line in text.splitlines() if line.strip())
    return {row[0]: row[1:] for row in rows}


def translate(args: Sequence[str], takes_next: frozenset[str], note: Callable[[str], None]) -> Iterator[str]:
    """Yield `args` with nvcc's spellings replaced.

    Args:
        args: the command line.
        takes_next: clang flags whose next word is a value and must not be read as a flag.
        note: told about each flag that has no meaning here.

    Raises:
        UsageError: a flag lacks its value.
    """
    alone, valued = _table(_ALONE), _table(_VALUED)
    words = iter(args)
    for word in words:
        if word == "-l":  # its value may be the next word
            word += next(words, "")
        name, equals, value = word.partition("=")
        if word in alone:
            yield from alone[word]
        elif word in takes_next:
            yield word
            yield from (each for each in (next(words, None),) if each is not None)
        elif name == "-arch" and value.startswith("gfx"):
            yield f"--offload-arch={value}"
        elif name in valued:
            if not equals:
                following = next(words, None)
                if following is None:
                    raise UsageError(f"argument to {word!r} is missing", status=1)
                value = following
            yield from _replace(name, value, valued[name][0], note)
        else:
            yield word


def _replace(name: str, value: str, meaning: str, note: Callable[[str], None]) -> Iterator[str]:
    if meaning == "drop":
        note(f"{name} {value} is ignored (GPU targets are chosen by --offload-arch=gfx...)")
    elif meaning == "split":
        yield from (each for each in value.split(",") if each)
    elif meaning.endswith("_"):
        yield from (meaning[:-1], value)
    elif meaning != "quiet":
        yield meaning + value
