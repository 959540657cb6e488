"""Text of memory instructions."""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.images import DIMENSIONS
from softrock.decode.instruction import Instruction
from softrock.decode.text_cache import cache_policy
from softrock.decode.text_operands import operand_text
from softrock.isa import Target
from softrock.isa.tables import number_names

CACHE_FLAGS = ("glc", "sc0", "slc", "nt", "dlc", "scc", "sc1")
CACHE_CONTROL = frozenset({"global_inv", "global_wb", "global_wbinv"})
ALWAYS_GDS = ("ds_gws_", "ds_ordered_count", "ds_add_gs_reg", "ds_sub_gs_reg")
EXPORT_TARGETS = {8: "mrtz", 9: "null", 20: "prim", 21: "dual_src_blend0", 22: "dual_src_blend1"}


def _texts(instruction: Instruction, target: Target, roles: tuple[str, ...]) -> list[str]:
    """Operands by role; a missing one reads ``off``."""
    found = []
    for role in roles:
        given = [operand for operand in instruction.src if operand.role == role]
        operand = given[0] if given else instruction.get(role)
        found.append(operand_text(operand, target) if operand else "off")
    return found


def _cache(instruction: Instruction, target: Target) -> str:
    if target.major == 12:
        return cache_policy(instruction)
    return "".join(f" {name}" for name in CACHE_FLAGS if instruction.mod(name))


def _offset(instruction: Instruction) -> str:
    offset = instruction.mod("offset")
    return f" offset:{offset}" if offset else ""


def _flat(instruction: Instruction, target: Target) -> str:
    if instruction.op in CACHE_CONTROL:
        return _cache(instruction, target).strip()
    roles = ["vaddr"]
    if instruction.get("vdst"):
        roles.insert(0, "vdst")
    if instruction.get("vdata"):
        roles.append("vdata")
    if instruction.format != "FLAT":
        roles.append("saddr")
    if "addtid" in instruction.op:
        roles.remove("vaddr")
    text = ", ".join(_texts(instruction, target, tuple(roles))) + _offset(instruction) + _cache(instruction, target)
    return text + (" lds" if target.name == "gfx90a" and "_load_lds_" in instruction.op else "")


def _lds(instruction: Instruction, target: Target) -> str:
    text = ", ".join(operand_text(o, target) for o in instruction.dst + instruction.src)
    for name in ("offset0", "offset1"):
        if instruction.mod(name):
            text += f" {name}:{instruction.mod(name)}"
    if instruction.op == "ds_swizzle_b32":
        text += _swizzle(instruction.mod("offset"))
    else:
        text += _offset(instruction)
    is_global = instruction.mod("gds") or instruction.op.startswith(ALWAYS_GDS)
    return (text + (" gds" if is_global else "")).strip()


def _swizzle(offset: int) -> str:
    """The pattern of ds_swizzle_b32, in words where it has some."""
    if not offset:
        return ""
    return f" offset:{_swizzle_pattern(offset) or offset}"


def _swizzle_pattern(offset: int) -> str:
    if offset >= 0xE000:
        return f"swizzle(FFT,{offset & 31})" if offset < 0xE020 else ""
    if offset >= 0xC000:
        rotates = not offset & ~0xC7E0
        return f"swizzle(ROTATE,{offset >> 10 & 1},{offset >> 5 & 31})" if rotates else ""
    if offset >= 0x8000:
        return f"swizzle(QUAD_PERM,{','.join(str(offset >> 2 * i & 3) for i in range(4))})" if offset < 0x8100 else ""
    keep, force, flip = offset & 31, offset >> 5 & 31, offset >> 10
    if keep == 31 and not force and flip:
        if flip & (flip - 1) == 0:
            return f"swizzle(SWAP,{flip})"
        if flip & (flip + 1) == 0:
            return f"swizzle(REVERSE,{flip + 1})"
    group = 32 - keep
    if group > 1 and group & (group - 1) == 0 and force < group and not flip:
        return f"swizzle(BROADCAST,{group},{force})"
    zeros, ones = force ^ flip, (keep | force) ^ flip
    letters = "".join(
        ("01" if zeros >> bit & 1 == ones >> bit & 1 else "pi")[zeros >> bit & 1] for bit in range(4, -1, -1)
    )
    return f'swizzle(BITMASK_PERM,"{letters}")'


def _buffer(instruction: Instruction, target: Target) -> str:
    roles: tuple[str, ...] = ("vaddr", "srsrc", "soffset")
    if instruction.get("vdata"):
        roles = ("vdata", *roles)
    if instruction.get("srsrc") is None:
        return "" if target.name == "gfx90a" else _cache(instruction, target).strip()
    if instruction.op == "buffer_store_lds_dword":
        roles = ("srsrc", "soffset")
    text = ", ".join(_texts(instruction, target, roles))
    if instruction.format == "MTBUF":
        text += _data_format(instruction.mod("format"), target)
    for name in ("idxen", "offen"):
        if instruction.mod(name):
            text += f" {name}"
    flags = [_cache(instruction, target), *(f" {name}" for name in ("tfe", "lds") if instruction.mod(name))]
    if instruction.op == "buffer_store_lds_dword":
        flags.reverse()
    return text + _offset(instruction) + "".join(flags)


def _image(instruction: Instruction, target: Target) -> str:
    mod = instruction.mod
    addresses = [operand_text(o, target) for o in instruction.src if o.role.startswith("vaddr")]
    operands = _texts(instruction, target, ("vdata",))
    operands.append(f"[{', '.join(addresses)}]" if len(addresses) > 1 else addresses[0])
    operands += [operand_text(o, target) for o in instruction.src if o.role in ("srsrc", "ssamp")]
    text = ", ".join(operands)
    if "bvh" in instruction.op:
        return text + (" a16" if mod("a16") else "")
    if mod("dmask"):
        text += f" dmask:{mod('dmask'):#x}"
    text += f" dim:SQ_RSRC_IMG_{DIMENSIONS[mod('dim')].name}"
    text += " unorm" if mod("unorm") else ""
    text += _cache(instruction, target)
    return text + "".join(f" {name}" for name in ("r128", "a16", "tfe", "lwe", "d16") if mod(name))


def _data_format(value: int, target: Target) -> str:
    if target.major == 9:
        parts = []
        data, kind = value & 15, value >> 4
        if data != 1:
            parts.append("BUF_DATA_FORMAT_" + number_names("data_format", target.name)[data])
        if kind:
            parts.append("BUF_NUM_FORMAT_" + number_names("number_format", target.name)[kind])
        return f" format:[{','.join(parts)}]" if parts else ""
    if value == 1:
        return ""
    name = number_names("format", target.name).get(value)
    return f" format:[BUF_FMT_{name}]" if name else f" format:{value}"


def _export(instruction: Instruction, target: Target) -> str:
    number = instruction.mod("target")
    if number < 8:
        name = f"mrt{number}"
    elif 12 <= number <= 16:
        name = f"pos{number - 12}"
    else:
        name = EXPORT_TARGETS.get(number, f"invalid_target_{number}")
    sources = [operand_text(o, target) if instruction.mod("en") >> i & 1 else "off"
               for i, o in enumerate(instruction.src)]
    flags = "".join(f" {flag}" for flag in ("done", "row_en") if instruction.mod(flag))
    return f"{name} {', '.join(sources)}{flags}"


def _lds_direct(instruction: Instruction, target: Target) -> str:
    text = operand_text(instruction.dst[0], target)
    if "param" in instruction.op:
        text += f", attr{instruction.mod('attr')}.{'xyzw'[instruction.mod('attrchan')]}"
    if target.major == 12:
        return f"{text} wait_va_vdst:{instruction.mod('wait_vdst')} wait_vm_vsrc:{instruction.mod('wait_vsrc')}"
    return f"{text} wait_vdst:{instruction.mod('wait_vdst')}"


MEMORY_TEXT: dict[str, Callable[[Instruction, Target], str]] = {
    "FLAT": _flat,
    "GLOBAL": _flat,
    "SCRATCH": _flat,
    "DS": _lds,
    "EXP": _export,
    **dict.fromkeys(("MIMG", "VIMAGE", "VSAMPLE"), _image),
    "LDSDIR": _lds_direct,
}
BUFFER_TEXT: dict[str, Callable[[Instruction, Target], str]] = {"MUBUF": _buffer, "MTBUF": _buffer}
