"""The metadata note of a code object: kernel arguments and resource use, as MessagePack.

Every value is checked for its type before it is used; absent ones get a default.

Source: "User Guide for AMDGPU Backend", section Code Object Metadata (versions 3 to 6).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softrock.codeobj.elf import Elf

_NT_AMDGPU_METADATA = 32
_MAX = 1 << 63
_TALLIED = (".vgpr_spill_count", ".sgpr_spill_count", ".agpr_count")


class Arg(NamedTuple):
    """A kernel argument.

    Attributes:
        offset, size: bytes, in the kernel's argument block.
        value_kind: by_value, global_buffer, dynamic_shared_pointer, image, sampler, pipe, queue, or hidden_*.
        value_type: old metadata only (f32, i64 …), else empty.
        address_space: private, global, constant, local, generic, region, or empty.
        name, type_name: as in the source, where the compiler kept them.
        access: read_only, write_only, read_write, or empty.
    """

    offset: int
    size: int
    value_kind: str
    value_type: str = ""
    address_space: str = ""
    name: str = ""
    type_name: str = ""
    access: str = ""

    @property
    def hidden(self) -> bool:
        """Whether the runtime supplies it (block counts, printf buffer …) instead of the caller."""
        return self.value_kind.startswith("hidden_")


class KernelMetadata(NamedTuple):
    """What the compiler noted about a kernel: sizes and alignments in bytes, registers per lane or wave."""

    name: str
    symbol: str
    language: str
    args: tuple[Arg, ...]
    kernarg_segment_size: int
    kernarg_segment_align: int
    group_segment_fixed_size: int
    private_segment_fixed_size: int
    wavefront_size: int
    max_flat_workgroup_size: int
    reqd_workgroup_size: tuple[int, ...]
    uniform_work_group_size: bool
    uses_dynamic_stack: bool
    sgpr_count: int
    vgpr_count: int
    agpr_count: int
    sgpr_spill_count: int
    vgpr_spill_count: int
    kind: str


class Metadata(NamedTuple):
    """The whole note: version, target ID, printf format strings (``id:count:size…:format``), kernels."""

    version: tuple[int, ...]
    target: str
    printf: tuple[str, ...]
    kernels: tuple[KernelMetadata, ...]


class _Reader:
    """Typed access to a decoded MessagePack map, with errors that say where."""

    def __init__(self, elf: Elf, where: str, values: object) -> None:
        self.elf = elf
        self.where = where
        if not isinstance(values, dict):
            raise elf.error(f"has corrupt metadata: {where} is no map")
        self.values: dict[Any, Any] = values

    def _wrong(self, key: str, wanted: str) -> Exception:
        return self.elf.error(f"has corrupt metadata: {key} of {self.where} is no {wanted}")

    def integer(self, key: str, default: int = 0) -> int:
        value = self.values.get(key, default)
        if not isinstance(value, int) or not 0 <= value < _MAX:
            raise self._wrong(key, "unsigned number")
        return int(value)

    def text(self, key: str, default: str = "") -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return value

    def items(self, key: str, kind: type) -> list[Any]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, kind) for each in value):
            raise self._wrong(key, f"list of {kind.__name__}")
        return value


def _note(elf: Elf) -> bytes | None:
    return next(
        (each.desc for each in elf.notes() if each.kind == _NT_AMDGPU_METADATA and each.owner == b"AMDGPU"), None
    )


def _bad() -> tuple[type[Exception], ...]:
    """What decoding something that is no MessagePack document raises."""
    import msgpack

    return ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException


def tally(elf: Elf) -> tuple[int, int, int]:
    """How many kernels the note describes, how many of them spill registers, how many use AGPRs (0, 0, 0 without one).
    The rest of the note is passed over.

    Raises:
        CodeObjectError: the note is corrupt.
    """
    note = _note(elf)
    if note is None:
        return 0, 0, 0
    import msgpack

    source = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=len(note) or 1)
    kernels = spilling = agprs = 0
    try:
        source.feed(note)
        for _ in range(source.read_map_header()):
            if source.unpack() != "amdhsa.kernels":
                source.skip()
                continue
            for _ in range(source.read_array_header()):
                found = {}
                for _ in range(source.read_map_header()):
                    key = source.unpack()
                    if key in _TALLIED:
                        found[key] = source.unpack()
                    else:
                        source.skip()
                kernels += 1
                spilling += bool(found.get(".vgpr_spill_count") or found.get(".sgpr_spill_count"))
                agprs += bool(found.get(".agpr_count"))
    except _bad() as error:
        raise elf.error(f"has corrupt metadata: it is no MessagePack document of kernels ({error})") from None
    return kernels, spilling, agprs


def read(elf: Elf, with_args: bool = True) -> Metadata | None:
    """Decode the metadata note of a code object, or None where there is none.

    Args:
        with_args: read the kernels' arguments too; without them it takes a fifth of the time.

    Raises:
        CodeObjectError: the note is corrupt.
    """
    note = _note(elf)
    if note is None:
        return None
    import msgpack

    try:
        values = msgpack.unpackb(note, raw=False, strict_map_key=False, use_list=True)
    except _bad() as error:
        raise elf.error(f"has corrupt metadata: it is no MessagePack document ({error})") from None
    top = _Reader(elf, "the document", values)
    return Metadata(
        version=tuple(top.items("amdhsa.version", int)),
        target=top.text("amdhsa.target"),
        printf=tuple(top.items("amdhsa.printf", str)),
        kernels=tuple(_kernel(elf, each, with_args) for each in top.items("amdhsa.kernels", dict)),
    )


def _kernel(elf: Elf, values: dict[Any, Any], with_args: bool) -> KernelMetadata:
    name = values.get(".name", "?")
    read_ = _Reader(elf, f"kernel {name}", values)
    args = read_.items(".args", dict) if with_args else []
    return KernelMetadata(
        name=read_.text(".name"),
        symbol=read_.text(".symbol"),
        language=read_.text(".language"),
        args=tuple(_arg(elf, f"argument {i} of kernel {name}", each) for i, each in enumerate(args)),
        kernarg_segment_size=read_.integer(".kernarg_segment_size"),
        kernarg_segment_align=read_.integer(".kernarg_segment_align", 8),
        group_segment_fixed_size=read_.integer(".group_segment_fixed_size"),
        private_segment_fixed_size=read_.integer(".private_segment_fixed_size"),
        wavefront_size=read_.integer(".wavefront_size"),
        max_flat_workgroup_size=read_.integer(".max_flat_workgroup_size"),
        reqd_workgroup_size=tuple(read_.items(".reqd_workgroup_size", int)),
        uniform_work_group_size=bool(read_.integer(".uniform_work_group_size")),
        uses_dynamic_stack=bool(read_.integer(".uses_dynamic_stack")),
        sgpr_count=read_.integer(".sgpr_count"),
        vgpr_count=read_.integer(".vgpr_count"),
        agpr_count=read_.integer(".agpr_count"),
        sgpr_spill_count=read_.integer(".sgpr_spill_count"),
        vgpr_spill_count=read_.integer(".vgpr_spill_count"),
        kind=read_.text(".kind", "normal"),
    )


def _arg(elf: Elf, where: str, values: dict[Any, Any]) -> Arg:
    read_ = _Reader(elf, where, values)
    return Arg(
        offset=read_.integer(".offset"),
        size=read_.integer(".size"),
        value_kind=read_.text(".value_kind"),
        value_type=read_.text(".value_type"),
        address_space=read_.text(".address_space"),
        name=read_.text(".name"),
        type_name=read_.text(".type_name"),
        access=read_.text(".actual_access") or read_.text(".access"),
    )
