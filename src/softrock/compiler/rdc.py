"""Link GPU code across source files (``-fgpu-rdc``).

Each object compiled so holds LLVM bitcode for every target in sections of its own, and asks for its bundle by
two symbols that end in a number of its own. Here the bitcode of all objects is linked to one code object for
each target, the bundle of those becomes one more object file, and every such symbol is defined in it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softrock.codeobj import bundle, elf, targets
from softrock.compiler import toolchain
from softrock.compiler.flags import CommandLine, parse
from softrock.core.errors import CodeObjectError, CompileError

_FATBIN, _HANDLE = "__hip_fatbin_", "__hip_gpubin_handle_"


@dataclass(slots=True)
class _Found:
    """What the objects of a link hold.

    Attributes:
        bitcode: for each target, (bitcode, comes from an archive) in link order.
        wanted, defined: symbols about fat binaries.
    """

    bitcode: dict[str, list[tuple[bytes, bool]]] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)


def _archives(link: Sequence[object]) -> list[Path]:
    """The archives that ``-l`` means, as far as they are in a ``-L`` folder of the command line."""
    words = [each for each in link if isinstance(each, str)]
    folders: list[Path] = []
    names: list[str] = []
    for index, word in enumerate(words):
        if word.startswith(("-L", "-l")):
            value = word[2:] or (words[index + 1] if index + 1 < len(words) else "")
            (folders.append(Path(value)) if word[1] == "L" else names.append(value))
    found: list[Path] = []
    for name in names:
        file = name[1:] if name.startswith(":") else f"lib{name}.a"
        found += [folder / file for folder in folders if (folder / file).is_file()][:1]
    return found


def _symbols(data: bytes, name: str, found: _Found) -> None:
    file = elf.Elf(data, name)
    if file.machine == elf.EM_AMDGPU:
        return
    for symbol in file.symbols(elf.SHT_SYMTAB):
        if symbol.name.startswith("__hip_"):
            (found.wanted if symbol.section == elf.SHN_UNDEF else found.defined).add(symbol.name)


def _scan(path: Path, found: _Found) -> None:
    """Note the bitcode and the fat binary symbols of one object or archive; other files hold none."""
    try:
        data = path.read_bytes()
    except OSError:
        return  # the linker reports it in its own words
    archive = data.startswith(bundle.ARCHIVE_MAGIC)
    if not archive and not data.startswith(elf.MAGIC):
        return
    members = bundle.members(data, str(path)) if archive else [(path.name, data)]
    for member, content in members:
        if content.startswith(elf.MAGIC) and elf.Elf(content, member).kind == elf.ET_REL:
            _symbols(content, f"{path}({member})", found)
            for each in bundle.find_bundles(content, str(path)):
                for entry in each.gpu:
                    if entry.is_bitcode:
                        found.bitcode.setdefault(str(entry.target), []).append((entry.data, archive))


def _device_link(target: str, parts: Sequence[tuple[bytes, bool]], line: CommandLine, folder: Path) -> Path:
    """Link the bitcode of one target into a code object."""
    known = targets.parse(target)
    level = next((each for each in reversed(line.compile_flags) if each.startswith("-O")), "-O3")
    level = level if level in ("-O0", "-O1", "-O2", "-O3") else "-O3"
    args = ["ld.lld", "-m", "elf64_amdgpu", "--no-undefined", "-shared"]
    args += ["-plugin-opt=-amdgpu-internalize-symbols", f"-plugin-opt=mcpu={known.processor}"]
    args += [f"-plugin-opt={level[1:]}", f"--lto-CG{level[1:]}", *line.offload_link]
    args += [f"-plugin-opt=-mattr={'+' if on else '-'}{name}" for name, on in known.features.items()]
    for index, (data, archive) in enumerate(parts):
        path = folder / f"rdc-{target.replace(':', '_')}-{index}.bc"
        path.write_bytes(data)
        args += ["--start-lib", str(path), "--end-lib"] if archive else [str(path)]
    output = folder / f"rdc-{target.replace(':', '_')}.co"
    done = toolchain.run([*args, "-o", str(output)])
    if done.returncode:
        raise CompileError(f"{done.stderr}error: linking the GPU code for {target} failed")
    return output


def link_bitcode(target: str, parts: Sequence[bytes]) -> bytes:
    """Link the bitcode of several sources into a code object for one target.

    Args:
        target: a target ID, e.g. ``gfx942``.
        parts: LLVM bitcode, as ``-fgpu-rdc`` makes it.

    Raises:
        CompileError: in the linker's own words, e.g. where a function is defined nowhere.
    """
    with tempfile.TemporaryDirectory(prefix="softrock-") as folder:
        return _device_link(target, [(each, False) for each in parts], parse([]), Path(folder)).read_bytes()


def _carrier(found: _Found, bundled: Path, folder: Path) -> Path:
    """An object file that holds the bundle and defines what the objects ask for."""
    names = sorted(each for each in found.wanted if each.startswith((_FATBIN, _HANDLE)))
    lines = ['.section .hip_fatbin,"a",@progbits', ".p2align 12"]
    for name in (each for each in names if each.startswith(_FATBIN)):
        lines += [f".globl {name}", f".type {name},@object", f"{name}:"]
    lines += [f'.incbin "{bundled}"', '.section .bss.hip_gpubin_handle,"aw",@nobits', ".p2align 3"]
    # One handle under all names: whichever object starts first registers the bundle for all of them, so that a variable
    # exists once. Each object's own would load the code, and the variables, once more.
    for name in (each for each in names if each.startswith(_HANDLE)):
        lines += [f".globl {name}", f".type {name},@object", f".size {name}, 8", f"{name}:"]
    lines += [".zero 8"]
    lines.append('.section .note.GNU-stack,"",@progbits')
    source, output = folder / "rdc.s", folder / "rdc.o"
    source.write_text("\n".join(lines) + "\n")
    triple = toolchain.host_triple()
    args = ["clang", "-cc1as", "-triple", triple, "-filetype", "obj", "-o", str(output), str(source)]
    done = toolchain.run(args)
    if done.returncode:
        raise CompileError(f"{done.stderr}error: the object with the GPU code does not assemble")
    return output


def extra_arguments(line: CommandLine, objects: Sequence[str], folder: Path) -> list[str]:
    """What the linker needs besides the objects themselves.

    Args:
        line: the command line that links.
        objects: objects, archives and shared libraries in link order.
        folder: for temporary files.

    Returns:
        An object file with the linked GPU code, or definitions of symbols, as the objects ask for them.

    Raises:
        CompileError: GPU code does not link.
    """
    found = _Found()
    for path in (*map(Path, objects), *_archives(line.link)):
        if ".so" not in path.name:
            try:
                _scan(path, found)
            except CodeObjectError:
                continue  # not ours to judge: the linker reads it next
    wanted = found.wanted - found.defined
    if found.bitcode:
        codes = [(name, _device_link(name, parts, line, folder)) for name, parts in found.bitcode.items()]
        entries = [(f"host-{toolchain.host_triple()}-", b"")]
        entries += [(bundle.entry_id(name), path.read_bytes()) for name, path in codes]
        bundled = folder / "rdc.hipfb"
        bundled.write_bytes(bundle.write(entries))
        return [str(_carrier(found, bundled, folder))]
    if "__hip_fatbin" in found.defined:  # a bundle that the user assembled by hand stands for every object's own
        return [f"-Wl,--defsym={each}=__hip_fatbin" for each in sorted(wanted) if each.startswith(_FATBIN)]
    return []
