"""Decoding and text against vectors that an independent assembler confirmed."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softrock.core.errors import DecodeError
from softrock.decode import decode, decode_range, format_instruction
from softrock.isa import Target

from . import vectors as data

REFUSED = {
    "gfx942": ["fc034cd0de110040", "ec016cd06af10320", "ec00a0d00e410300"],
    "gfx1100": ["ec8216d49a800060", "ec003ed45e8d0100", "ee0b03d4ccd50060"],
}
"""Encodings LLVM's disassembler accepts though the destination of the comparison is a read-only source."""


CHIEF = ("gfx942", "gfx1100")
STEP = {name: 1 if name in CHIEF else 7 for name in data.NAMES}
"""Of the chief targets every vector is tried in every run, of the others each seventh (all in long runs)."""


def check_texts(name: str, step: int) -> None:
    """Each vector decodes to its own text and length."""
    target = data.target_of(name)
    wrong = []
    for raw, text in data.vectors(name)[::step]:
        instruction = decode(target, raw)
        found = format_instruction(instruction, target)
        if found != text or instruction.size != len(raw) or instruction.raw != raw:
            wrong.append((raw.hex(), text, found))
    assert not wrong, f"{len(wrong)} of {len(data.vectors(name))}: {wrong[:5]}"


def check_bytes(name: str, step: int, folder: Path) -> None:
    """The assembler turns our text of each vector back into its bytes."""
    target = data.target_of(name)
    raws = [raw for raw, _ in data.vectors(name)[::step]]
    texts = [format_instruction(decode(target, raw), target) for raw in raws]
    assert assemble(target, texts, folder) == raws


@pytest.mark.parametrize("name", data.NAMES)
def test_bytes_become_the_assemblers_text(name: str) -> None:
    check_texts(name, STEP[name])


@pytest.mark.parametrize("name", data.NAMES)
def test_text_becomes_the_same_bytes(name: str, tmp_path: Path) -> None:
    check_bytes(name, STEP[name], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in data.NAMES if name not in CHIEF])
def test_all_vectors_of_the_other_targets(name: str, tmp_path: Path) -> None:
    check_texts(name, 1)
    check_bytes(name, 1, tmp_path)


def assemble(target: Target, texts: list[str], folder: Path) -> list[bytes]:
    """Bytes of each line, from the clang of the ziglang wheel."""
    source, listing = folder / "in.s", folder / "out.s"
    source.write_text("\n".join(texts) + "\n")
    command = [sys.executable, "-m", "ziglang", "clang", "-cc1as", "-triple", "amdgcn-amd-amdhsa", "-target-cpu",
               target.name, "-filetype", "asm", "-show-encoding", str(source), "-o", str(listing)]
    if target.major > 9:
        command += ["-target-feature", f"+wavefrontsize{target.wave_size}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return [bytes(int(byte, 16) for byte in found.split(","))
            for found in re.findall(r"encoding: \[([0-9a-fx,]*)\]", listing.read_text())]


@pytest.mark.parametrize("name", REFUSED)
def test_comparison_into_a_read_only_source_is_refused(name: str) -> None:
    for data_hex in REFUSED[name]:
        with pytest.raises(DecodeError):
            decode(name, bytes.fromhex(data_hex))


@pytest.mark.parametrize("name", data.NAMES)
def test_decoding_does_not_depend_on_what_came_before(name: str) -> None:
    """Operands and modifiers are kept by the bits they depend on; a fresh decoder must agree with a used one."""
    from softrock.decode.decoder import Decoder

    target = data.target_of(name)
    used = Decoder(target)
    sample = data.vectors(name)[::37]
    for raw, _ in data.vectors(name)[::5]:
        used.decode(raw)
    fresh = Decoder(target)
    for raw, _ in reversed(sample):
        assert fresh.decode(raw) == used.decode(raw)


@pytest.mark.long
def test_decoding_is_fast() -> None:
    """Code repeats itself, so a second pass is what counts: processor time, with room for a slow machine."""
    target = data.target_of("gfx942")
    code = b"".join(raw for raw, _ in data.vectors("gfx942"))
    count = sum(1 for _ in decode_range(target, code, 0, len(code)))
    start = time.process_time()
    assert sum(1 for _ in decode_range(target, code, 0, len(code))) == count
    assert count / (time.process_time() - start) > 40_000
