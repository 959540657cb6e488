"""Where the time of translated kernels goes, by GPU instruction.

    python tools/kernel_profile.py [--top 40] [--host 0] [--json FILE] script.py [arguments]

Runs a Python program under ``perf record`` (Linux perf, software clock) and charges the samples that fell into
translated code to the GPU instructions it was made from, by the line tables that translations carry. Helpers that
stand out of line (scattered accesses) are listed by name. `--host N` also prints the N hottest spots of host code.
"""

from __future__ import annotations

import argparse
import atexit
import bisect
import collections
import ctypes
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_OUT = "SOFTROCK_PROFILE_MAP"


# -- inside the profiled program -------------------------------------------------------------------


def _helpers(prepared: Any) -> list[tuple[int, int, str]]:
    """(low, high, name) of functions that belong to no GPU function: those in the main section, and those out of line,
    whose section is found through the first call of one."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.relocation import RelocationSection
    from elftools.elf.sections import SymbolTableSection

    elf = ELFFile(io.BytesIO(prepared._object))
    symbols = elf.get_section_by_name(".symtab")
    numbers = dict(enumerate(elf.iter_sections()))
    if not isinstance(symbols, SymbolTableSection):
        return []
    text = next(k for k, s in numbers.items() if s.name == ".text")
    relocations = elf.get_section_by_name(".rela.text")
    bases: dict[int, int] = {text: prepared.code[0]}
    for entry in relocations.iter_relocations() if isinstance(relocations, RelocationSection) else ():
        symbol = symbols.get_symbol(entry["r_info_sym"])
        section = symbol["st_shndx"]
        if section in bases or section == text or section not in numbers or entry["r_info_type"] not in (2, 4):
            continue
        if not numbers[section].name.startswith(".text"):
            continue
        at = prepared.code[0] + entry["r_offset"]
        target = at + ctypes.c_int32.from_address(at).value - entry["r_addend"]
        bases[section] = target - symbol["st_value"]
    out = []
    for symbol in symbols.iter_symbols():
        base = bases.get(symbol["st_shndx"])
        own = symbol.name.startswith("f_") or symbol.name == "kernel"
        if base is not None and symbol["st_info"]["type"] == "STT_FUNC" and not own:
            low = base + symbol["st_value"]
            out.append((low, low + symbol["st_size"], symbol.name))
    return out


def _child(arguments: list[str]) -> None:
    import softrock.jit

    seen: dict[int, Any] = {}
    original = softrock.jit.prepare

    def prepare(*args: Any, **kwargs: Any) -> Any:
        out = original(*args, **kwargs)
        seen[out.code[0]] = out
        return out

    softrock.jit.prepare = prepare

    def report() -> None:
        kernels = []
        for each in seen.values():
            lines = each._lines
            texts = {a: each.text_at(a) for _, a in lines if a}
            low, high = each.code
            kernels.append(
                {
                    "name": each.kernel.name,
                    "code": [low, high],
                    "lines": lines,
                    "texts": sorted(texts.items()),
                    "helpers": (helpers := _helpers(each)),
                    "bytes": [
                        (a, ctypes.string_at(a, b - a).hex()) for a, b, _ in [(low, high, ""), *helpers] if b > a
                    ],
                }
            )
        Path(os.environ[_OUT]).write_text(json.dumps(kernels))

    atexit.register(report)
    sys.argv = arguments
    sys.path.insert(0, str(Path(arguments[0]).parent))
    runpy.run_path(arguments[0], run_name="__main__")


# -- outside ---------------------------------------------------------------------------------------


def _samples(data: Path) -> collections.Counter[tuple[int, str]]:
    text = subprocess.run(
        ["perf", "script", "-i", str(data), "-F", "ip,sym,dso"], capture_output=True, text=True, check=True
    ).stdout
    out: collections.Counter[tuple[int, str]] = collections.Counter()
    for line in text.splitlines():
        address, _, name = line.strip().partition(" ")
        if address:
            out[int(address, 16), name.strip()] += 1
    return out


def _charge(
    kernels: list[dict[str, Any]], samples: collections.Counter[tuple[int, str]]
) -> tuple[dict[str, collections.Counter[str]], dict[str, collections.Counter[int]]]:
    """Samples by kernel and GPU instruction (what lies outside under the name ""), and by kernel and host address."""
    by: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    spots: dict[str, collections.Counter[int]] = collections.defaultdict(collections.Counter)
    for (ip, symbol), count in samples.items():
        for k in kernels:
            low, high = k["code"]
            helper = next((name for a, b, name in k["helpers"] if a <= ip < b), None)
            if helper is not None:
                by[k["name"]][f"        [{helper}]"] += count
                spots[k["name"]][ip] += count
                break
            if low <= ip < high:
                at = bisect.bisect_right(k["lines"], [ip - low, 1 << 62]) - 1
                address = k["lines"][at][1] if at >= 0 else 0
                by[k["name"]][f"{address:6x}  {dict(k['texts']).get(address, '(no instruction)')}"] += count
                spots[k["name"]][ip] += count
                break
        else:
            by[""][symbol] += count
    return by, spots


def _host(kernel: dict[str, Any], spots: collections.Counter[int], count: int) -> None:
    """Disassembly around the hottest host addresses."""
    lines: list[tuple[int, str]] = []
    done: list[tuple[int, int]] = []
    for base, data in kernel["bytes"]:
        code = bytes.fromhex(data)
        if any(low <= base < high for low, high in done):
            continue
        done.append((base, base + len(code)))
        with tempfile.NamedTemporaryFile(suffix=".bin") as raw:
            raw.write(code)
            raw.flush()
            command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn"]
            command += [f"--adjust-vma={base}", raw.name]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            head, _, rest = line.partition(":\t")
            if rest:
                lines.append((int(head, 16), rest))
    hot = {a for a, _ in spots.most_common(count)}
    shown = {n + d for n, (a, _) in enumerate(lines) if a in hot for d in range(-3, 4)}
    last = -1
    for n in sorted(m for m in shown if 0 <= m < len(lines)):
        if n != last + 1:
            print("    ...")
        last = n
        print(f"    {spots[lines[n][0]]:6} {lines[n][0]:7x}  {lines[n][1]}")


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        _child(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--top", type=int, default=40)
    parser.add_argument("--host", type=int, default=0)
    parser.add_argument("--json", type=Path, help="also write the counts there")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.program or shutil.which("perf") is None:
        parser.error("needs a program, and perf on PATH")
    with tempfile.TemporaryDirectory() as folder:
        data, where = Path(folder, "perf.data"), Path(folder, "map.json")
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", str(data)]
        child = [sys.executable, __file__, "--child", *args.program]
        done = subprocess.run([*command, "--", *child], env=os.environ | {_OUT: str(where)}, check=False)
        if not where.exists():
            return done.returncode or 1
        kernels = json.loads(where.read_text())
        by, spots = _charge(kernels, _samples(data))
    whole = sum(sum(c.values()) for c in by.values())
    for name in sorted(by, key=lambda n: -sum(by[n].values())):
        total = sum(by[name].values())
        print(f"\n{name or '(everything else)'}: {total} samples, {100 * total / whole:.1f} %")
        for text, count in by[name].most_common(args.top if name else 8):
            print(f"  {100 * count / total:5.1f} %  {text}")
        if args.host and name:
            _host(next(k for k in kernels if k["name"] == name), spots[name], args.host)
    if args.json:
        args.json.write_text(json.dumps({n: dict(c) for n, c in by.items()}, indent=1))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
