"""What a compiler makes: every instruction decodes to the text the compiler itself wrote."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from softrock import isa
from softrock.decode import decode_range, format_instruction

SOURCE = Path(__file__).parent / "data" / "kernel.hip"
INSTRUCTION = re.compile(r"\s+((?:s|v|ds|global|flat|scratch|buffer)_\S+(?: [^;]*)?)")


def compile_kernel(target: str, level: str, output: Path, *options: str) -> bytes:
    """What the ziglang wheel's clang makes of the kernel: an object file or, with -S, assembly."""
    command = [sys.executable, "-m", "ziglang", "clang", "-cc1", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", target,
               "-x", "hip", "-fcuda-is-device", "-mframe-pointer=none", "-Wno-unused-value", level, *options,
               str(SOURCE), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return output.read_bytes()


def plain(text: str) -> str:
    """One spelling for what the compiler and LLVM's disassembler spell differently; symbols and labels cut off."""
    text = re.sub(r"^(s_(?:buffer_)?load_.*), null$", r"\1, 0x0", " ".join(text.split()))
    text = text.replace("s_barrier_wait -1", "s_barrier_wait 0xffff").replace("0xffffffffffffff", "0xffffff")
    if re.search(r"v\d+\.[lh]", text):
        text = re.sub(r" op_sel:\[[01,]*\]", "", text)
    return text.split(" ")[0] if re.search(r"\.L|@|s_(c?branch|call)", text) else text


@pytest.mark.parametrize("level", ["-O2", "-O0"])
@pytest.mark.parametrize("name", ["gfx942", "gfx1100", "gfx90a", "gfx1201"])
def test_every_instruction_of_a_compiled_kernel(name: str, level: str, tmp_path: Path) -> None:
    target = isa.target(name)
    listing = compile_kernel(name, level, tmp_path / "k.s", "-S").decode()
    written = [found[1].strip() for line in listing.splitlines() if (found := INSTRUCTION.match(line))]
    elf = ELFFile(io.BytesIO(compile_kernel(name, level, tmp_path / "k.o", "-emit-obj")))
    code = b"".join(section.data() for section in elf.iter_sections() if section.name.startswith(".text"))
    decoded = list(decode_range(target, code, 0, len(code)))
    texts = [format_instruction(instruction, target) for instruction in decoded]
    padding = ("s_nop 0", "s_code_end")
    ours = [plain(text) for text in texts if text not in padding]
    theirs = [plain(text) for text in written if text not in padding]
    symbols = [place for place, text in enumerate(theirs) if " " not in text]
    for place in symbols:
        ours[place] = ours[place].split(" ")[0]
    assert len(theirs) > 300
    assert ours == theirs
