"""Make softrock's instruction tables from LLVM's facts.

    python tools/make_isa_tables.py FACTS_FOLDER

FACTS_FOLDER holds ``isa-<gfx>.csv`` (mnemonic, format, opcode, size, mask, match, fields, asm_only, record: LLVM's
own encoding tables as a list) and ``vectors/vectors-<gfx>.tsv`` (bytes in hex, assembler text, record; several for each
row, with register fields and modifier bits drawn at random, as a disassembler prints them). The tool
folds rows that differ in addressing bits only into one, drops duplicates, reads the operands' order and widths from
the texts, gives each operation its canonical name, and writes ``src/softrock/isa/data/<gfx>.txt``.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from isa_names import canonical, matrix_name

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
DATA = Path(__file__).parent.parent / "src/softrock/isa/data"
FLATS = ("FLAT", "GLOBAL", "SCRATCH")
BUFFERS = ("MUBUF", "MTBUF")
VARIANT_ROLES = {
    "MUBUF": {"vaddr"},
    "MTBUF": {"vaddr"},
    "GLOBAL": {"saddr"},
    "SCRATCH": {"saddr", "vaddr"},
    "SMEM": {"soffset"},
}
ORDER = {
    "VOP": ("vdst", "sdst", "src0", "src1", "src2", "idx", "scale0", "scale1"),
    "DS": ("vdst", "addr", "data0", "data1"),
    "FLAT": ("vdst", "vaddr", "vdata", "saddr"),
    "MUBUF": ("vdata", "vaddr", "srsrc", "soffset"),
    "SMEM": ("sdst", "sdata", "sbase", "soffset"),
    "SOP": ("sdst", "src0", "src1", "simm16"),
    "EXP": ("target", "src0", "src1", "src2", "src3"),
    "LDSDIR": ("vdst", "attr", "attrchan"),
    "MIMG": ("vdata", "vaddr", "srsrc", "ssamp"),
}
LANE_MASK_SOURCE = re.compile(r"v_(cndmask_b|addc_|subb_|subbrev_|add_co_ci|sub_co_ci|subrev_co_ci)")
REGISTER = re.compile(r"(?:v|s|a|ttmp|acc)\[(\d+):(\d+)\]$")
SCALAR_TEXT = re.compile(r"(s\d|s\[|ttmp|vcc|m0|flat_s|xnack|exec|null)")
WIDE_SCALARS = ("vcc", "exec", "flat_scratch", "xnack_mask")
SCALARS = {
    "m0": 1,
    **dict.fromkeys(WIDE_SCALARS, 2),
    **{f"{name}_{half}": 1 for name in WIDE_SCALARS for half in ("lo", "hi")},
}
IMPLIED_MASKS = ("VOP2", "VOP2_DPP16", "VOP2_DPP8", "VOP2_SDWA", "VOPC", "VOPC_DPP16", "VOPC_DPP8")
IMPLIED_NAMES = ("vcc", "vcc_lo", "exec", "exec_lo")
"""Lane masks stand in texts of these formats, not in their fields."""
HEADER = """\
# Instructions of {gfx}. Columns: format, assembler name, operation, mask and match of the little-endian word,
# operands in assembler order (`>` written; width in dwords, m lane mask, h half register; `=` see OperandSpec.fixed),
# modifiers (`name@field` where the field has another name).
# Made by tools/make_isa_tables.py; facts from LLVM 22's AMDGPU tables, see NOTICE.
"""
PLAIN_MODS = frozenset(
    """clamp omod cbsz abid blgp dst_sel dst_unused src0_sel src1_sel dpp_ctrl bound_ctrl bank_mask row_mask fi dpp8 imm
    offset offset0 offset1 gds dmask dim unorm r128 a16 d16 tfe lwe format en attr attrchan simm16 bitop3""".split()
)
"""Fields that are modifiers and keep their names."""
RENAMED_MODS = {"waitvdst": "wait_vdst", "waitexp": "wait_exp", "waitvsrc": "wait_vsrc", "index_key_8bit": "index_key",
                "index_key_16bit": "index_key"}
RENAMED_ROLES = {"scale_src0": "scale0", "scale_src1": "scale1", "tgt": "target", "vaddr0": "vaddr"}
RAW_NUMBERS = {
    "s_set_gpr_idx_on": "src1",
    "s_atc_probe": "sdata",
    "s_atc_probe_buffer": "sdata",
    "s_prefetch_inst": "sdata",
    "s_prefetch_inst_pc_rel": "sdata",
    "s_prefetch_data": "sdata",
    "s_prefetch_data_pc_rel": "sdata",
    "s_buffer_prefetch_data": "sdata",
    "s_sendmsg_rtn_b32": "src0",
    "s_sendmsg_rtn_b64": "src0",
}
"""Operands whose field holds a number, not a register or constant code."""
BRANCHES = re.compile(r"s_(branch|cbranch_(?!g_fork|join)|call_b64|subvector_loop)")


@dataclass
class Row:
    mnemonic: str
    format: str
    size: int
    mask: int
    match: int
    roles: set[str]
    mods: set[str]
    records: list[str]
    gfx: str
    texts: list[tuple[int, str]] = field(default_factory=list)
    operands: list[tuple[str, str, bool]] = field(default_factory=list)
    asm: str = ""
    opcode: str = ""

    @property
    def family(self) -> str:
        """The key of ORDER."""
        for prefix in ("VOP", "VINTERP"):
            if self.format.startswith(prefix):
                return "VOP"
        if self.format in FLATS:
            return "FLAT"
        if self.format in BUFFERS:
            return "MUBUF"
        return "SOP" if self.format.startswith("SOP") else self.format


def parse_fields(row: dict[str, str]) -> tuple[set[str], set[str]]:
    """Roles and modifier names of a fact row."""
    roles, mods = set(), set()
    for item in row["fields"].split():
        name, low = re.match(r"(\w+)\[\d+:(\d+)\]", item).groups()  # type: ignore[union-attr]
        if name.endswith("_modifiers"):
            packed = row["format"].startswith("VOP3P") or "MIX" in row["record"]
            sdwa = "SDWA" in row["format"]
            if sdwa and low == "4":
                mods.add("sext")
            elif row["format"].startswith(("VOP1_DPP", "VOP2_DPP", "VOPC_DPP")) or sdwa:
                mods |= {"neg", "abs"}
            elif packed:
                mix = "MIX" in row["record"]
                high = int(re.match(r"\w+\[(\d+):", item).group(1))  # type: ignore[union-attr]
                for bit in range(int(low), high + 1):
                    mods.add((("neg", "abs") if mix else ("neg_lo", "neg_hi"))[bit] if bit < 2
                             else ("op_sel", "op_sel_hi")[bit - 2])
            else:
                mods.add(("neg", "abs", "op_sel", "op_sel")[int(low)])
        elif name in PLAIN_MODS:
            mods.add(name)
        elif name in RENAMED_MODS:
            mods.add(RENAMED_MODS[name])
        elif name == "byte_sel":
            mods.add("byte_sel@byte_sel_sr" if "_SR_" in row["record"] else "byte_sel")
        elif name in ("cpol", "SOffsetEn", "Offset"):
            pass
        else:
            roles.add(RENAMED_ROLES.get(name, name))
    return roles, mods


def load_rows(folder: Path, gfx: str) -> list[Row]:
    """Fact rows folded into table rows."""
    groups: dict[tuple[str, str, str, tuple[str, ...]], list[dict[str, str]]] = defaultdict(list)
    true16 = gfx in ("gfx1100", "gfx1201")
    with (folder / f"isa-{gfx}.csv").open() as file:
        for fact in csv.DictReader(file):
            if fact["asm_only"] == "1" or fact["format"] == "VOPD":
                continue
            if "_alt_gfx9" in fact["record"] or (fact["format"] == "MIMG" and gfx == "gfx90a"):
                continue
            if fact["format"] == "MIMG":
                fact["opcode"] = str(int(fact["opcode"]) & 127)
            mnemonic = re.sub(r"_(e32|e64|dpp|sdwa)$", "", fact["mnemonic"])
            roles, _ = parse_fields(fact)
            half = true16 and "fake16" not in fact["record"] and "t16" in fact["record"]
            shape = tuple(sorted(roles - VARIANT_ROLES.get(fact["format"], set())))
            key = (mnemonic, fact["format"], fact["size"], shape)
            groups[key].append({**fact, "half": "1" if half else ""})
    rows = []
    for (mnemonic, _, _, _), facts in groups.items():
        halves = [f for f in facts if f["half"]]
        rows += fold(mnemonic, halves or facts, gfx)
    return rows


def fold(mnemonic: str, facts: list[dict[str, str]], gfx: str) -> list[Row]:
    """One row for facts of the same operands (several where their opcodes differ)."""
    by_opcode: dict[str, list[dict[str, str]]] = defaultdict(list)
    for fact in facts:
        by_opcode[fact["opcode"]].append(fact)
    rows = []
    for opcode, group in by_opcode.items():
        mask, match = int(group[0]["mask"], 16), int(group[0]["match"], 16)
        roles: set[str] = set()
        mods: set[str] = set()
        for fact in group:
            other_mask, other_match = int(fact["mask"], 16), int(fact["match"], 16)
            mask &= other_mask & ~((match ^ other_match) & mask & other_mask)
            match &= mask
            extra_roles, extra_mods = parse_fields(fact)
            roles |= extra_roles
            mods |= extra_mods
        if "DPP8" in group[0]["format"]:
            bit = 32 if group[0]["format"].startswith("VOP3") else 0
            mask |= 0x1FC << bit
            match |= 0xE8 << bit
        rows.append(Row(mnemonic, group[0]["format"], int(group[0]["size"]), mask, match, roles, mods,
                        [f["record"] for f in group], gfx, opcode=opcode))
    return rows


def load_dual(folder: Path, gfx: str) -> list[Row]:
    """The halves of VOPD instructions, which the facts list as pairs."""
    halves: dict[tuple[str, str], Row] = {}
    with (folder / f"isa-{gfx}.csv").open() as file:
        for fact in csv.DictReader(file):
            if fact["format"] != "VOPD":
                continue
            for side, name, opcode in zip("XY", fact["mnemonic"].split(" :: "), fact["opcode"].split(":"), strict=True):
                low, bits = (22, 4) if side == "X" else (17, 5)
                row = Row(name, f"VOPD{side}", 4, ((1 << bits) - 1) << low, int(opcode) << low, set(), set(), [], gfx)
                row.operands = [("vdst", "1", True), ("src0", "1", False), ("src1", "1", False)]
                if name.startswith("v_dual_mov"):
                    row.operands.pop()
                elif name.startswith("v_dual_cndmask"):
                    row.operands.append(("src2", "m=vcc", False))
                elif name.startswith(("v_dual_fmamk", "v_dual_fmaak")):
                    row.operands.insert(2 if "amk" in name else 3, ("imm", "1", False))
                halves[row.format, name] = row
    return list(halves.values())


def split_text(text: str) -> tuple[str, list[str]]:
    """Mnemonic and operands of an assembler line; modifiers after the last operand are dropped."""
    mnemonic, _, rest = text.partition(" ")
    operands, depth, current = [], 0, ""
    for char in rest:
        depth += (char in "[(") - (char in ")]")
        if char == "," and depth == 0:
            operands.append(current.strip())
            current = ""
        else:
            current += char
    current = current.strip()
    if current:
        depth, end = 0, len(current)
        for place, char in enumerate(current):
            depth += (char in "[(") - (char in ")]")
            if char == " " and depth == 0:
                end = place
                break
        operands.append(current[:end])
    return mnemonic, operands


def width(text: str) -> str:
    """Dwords of an operand text: a number, 'h' for a half register, '' where the text does not tell."""
    text = re.sub(r"^(-|neg\(|sext\(|\||abs\()+", "", text).rstrip("|)")
    if found := REGISTER.match(text):
        return str(int(found[2]) - int(found[1]) + 1)
    if re.match(r"v\d+\.[lh]$", text):
        return "h"
    if text in SCALARS:
        return str(SCALARS[text])
    return "1" if re.match(r"(v|s|a|ttmp)\d+$", text) else ""


def add_texts(rows: list[Row], folder: Path, gfx: str) -> None:
    """Hand each vector's text to the most specific row that accepts its bytes."""
    by_top: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        for top in range(128):
            if not ((top << 25) ^ row.match) & row.mask & (0x7F << 25):
                by_top[top].append(row)
    for line in (folder / f"vectors/vectors-{gfx}.tsv").read_text().splitlines():
        data, text, _record = line.split("\t")
        raw = bytes.fromhex(data)
        word = int.from_bytes(raw, "little")
        found = [r for r in by_top[word >> 25 & 127] if r.size <= len(raw) and word & r.mask == r.match]
        if found:
            max(found, key=lambda r: r.mask.bit_count()).texts.append((word, text))
        elif not text.startswith("v_dual"):
            print(gfx, "no row for", line)


def is_destination(row: Row, role: str) -> bool:
    """Whether the instruction writes this operand."""
    name = row.mnemonic
    if role in ("vdst", "sdst"):
        return not re.match(r"s_cmpk|s_setreg|s_cbranch_i_fork|s_waitcnt_|s_cbranch_g_fork", name)
    if role == "vdata":
        return row.family == "MUBUF" and "load" in name
    return role == "sdata" and "RTN" in row.records[0]


def set_operands(row: Row) -> None:
    """Fill `operands` (role, width, destination) in the assembler's order."""
    order = [r for r in ORDER[row.family] if r in row.roles]
    if row.mnemonic.startswith(("v_readlane", "v_readfirstlane")):
        row.roles = row.roles - {"vdst"} | {"sdst"}
        order[0] = "sdst"
    unknown = row.roles - set(order)
    if unknown:
        print("no order for", row.records, unknown)
    if "imm" in row.mods and row.mnemonic.startswith(("v_", "s_fma")):
        order.insert(2 if "k_f" in row.mnemonic and "ak_f" not in row.mnemonic else 3, "imm")
    widths: dict[str, str] = {}
    texts = [split_text(t) for _, t in row.texts if " tfe" not in t]
    for mnemonic, parts in texts:
        row.asm = mnemonic
        if row.format in IMPLIED_MASKS:
            parts = [p for p in parts if p not in IMPLIED_NAMES]
        if row.family == "VOP":
            parts = [p for p in parts if p != "off"]
        for role, part in zip(order, parts, strict=False):
            found = width(part)
            if found and (role not in widths or (widths[role] != "h" and found > widths[role])):
                widths[role] = found
        if order[:1] == ["vdst"] and parts and SCALAR_TEXT.match(parts[0]):
            row.roles = row.roles - {"vdst"} | {"sdst"}
            order[0] = "sdst"
            if "vdst" in widths:
                widths["sdst"] = widths.pop("vdst")
    for role in order:
        row.operands.append((role, widths.get(role, "?"), is_destination(row, role)))


def drop_unused_modifiers(row: Row) -> None:
    """Integer sources have no neg and abs though the facts list the bits: texts never show them. Demand zeros."""
    places = {"VOP3": ((61, 62, 63), (8, 9, 10)), "SDWA": ((52, 60), (53, 61)), "DPP16": ((52, 54), (53, 55))}
    kind = "VOP3" if row.format.startswith("VOP3") else row.format.partition("_")[2]
    if kind not in places:
        return
    sources = [r for r, _, _ in row.operands if r.startswith("src")]
    first = [r for r, _, _ in row.operands].index("src0") if sources else 0
    for name, sign, bits in (("neg", "-", places[kind][0]), ("abs", "|", places[kind][1])):
        if name not in row.mods:
            continue
        used = False
        for number, bit in enumerate(bits[: len(sources)]):
            seen = [split_text(t)[1] for word, t in row.texts if word >> bit & 1]
            if row.format in IMPLIED_MASKS:
                seen = [[p for p in parts if p not in IMPLIED_NAMES] for parts in seen]
            texts = [parts[first + number] for parts in seen if len(parts) > first + number]
            shown = any(sign in text or (sign == "-" and "neg(" in text) for text in texts)
            if len(seen) >= 2 and not shown:
                row.mask |= 1 << bit
            used |= shown or len(seen) < 2
        if not used:
            row.mods.discard(name)


def implied(row: Row) -> None:
    """Lane masks, AGPRs and branch targets: mark them, and add the ones that the encoding leaves out."""
    name = row.mnemonic
    if row.format == "SMEM" and "sbase" not in row.roles and "prefetch" not in name:
        row.operands = [o for o in row.operands if o[0] != "soffset"]
        row.mods.discard("offset")
    if row.format == "EXP":
        row.operands = [o for o in row.operands if o[0] != "target"]
        row.mods |= {"target", "done", "row_en"}
    if name.startswith("ds_gws_"):
        row.operands = [(r, "1=@addr", d) for r, _, d in row.operands]
        row.mods.discard("gds")
    if name.startswith("v_swmmac"):
        row.operands = [("idx", f"{w}=@src2", d) if r == "src2" else (r, w, d) for r, w, d in row.operands]
    raw = RAW_NUMBERS.get(name)
    row.operands = [(r, "1=imm" if r == raw else w, d) for r, w, d in row.operands]
    if row.format.startswith("VOP3") and "sdst" in row.roles and "vdst" not in row.roles:
        row.mask |= 0x80
    if name.startswith("v_accvgpr"):
        agprs = {"read": ("src0",), "write": ("vdst",), "mov": ("vdst", "src0")}[name.split("_")[2]]
        row.operands = [(r, "1=acc" if r in agprs else "1", d) for r, _, d in row.operands]
    if row.format in ("SOPP", "SOPK") and BRANCHES.match(name):
        row.mods.discard("simm16")
        row.operands.append(("target", "1", False))
    if name.startswith(("s_barrier_", "s_get_barrier")) and row.format == "SOP1" and "src0" not in row.roles:
        row.operands.append(("src0", "1=m0", False))
    if name == "s_setreg_imm32_b32":
        row.operands.append(("imm", "1", False))
    mask_of = []
    if row.format == "VOP3" or row.format.startswith("VOP3_"):
        if name.startswith("v_cmp") or {"vdst", "sdst"} <= row.roles:
            mask_of.append("sdst")
        if LANE_MASK_SOURCE.match(name):
            mask_of.append("src2")
    if row.format == "VOPC_SDWA":
        mask_of.append("sdst")
    row.operands = [(r, "m" if r in mask_of else w, d) for r, w, d in row.operands]
    if row.format in ("VOPC", "VOPC_DPP16", "VOPC_DPP8"):
        row.operands.insert(0, ("sdst", "m=vcc", True))
    elif row.format.startswith("VOP2"):
        if "_co_" in name:
            row.operands.insert(1, ("sdst", "m=vcc", True))
        if LANE_MASK_SOURCE.match(name):
            row.operands.append(("src2", "m=vcc", False))
    if name.startswith("v_cmpx") and row.gfx.startswith(("gfx11", "gfx12")):
        row.operands = [("sdst", "m=exec", True)] + [o for o in row.operands if o[0] != "sdst"]
        if row.format.startswith("VOP3"):
            row.mask |= 0xFF
            row.match |= 0x7E


def set_image_operands(row: Row) -> None:
    """Image instructions: the decoder works out data and address registers, the table says what there is."""
    is_ray = "bvh" in row.mnemonic
    writes = not re.search("store|atomic", row.mnemonic)
    data = "10" if re.search("bvh8|dual", row.mnemonic) else "4" if is_ray else "1"
    row.operands = [("vdata", data, writes), ("vaddr", "1", False), ("srsrc", "4" if is_ray else "8", False)]
    if row.roles & {"ssamp", "samp"}:
        row.operands.append(("ssamp", "4", False))
    row.mods.clear()


def guess_widths(rows: list[Row]) -> None:
    """Fill what no text told, from the same operation's other rows and then from the type in its name."""
    known: dict[tuple[str, str], str] = {}
    for row in rows:
        for role, size, _ in row.operands:
            if size not in ("?",):
                known.setdefault((row.mnemonic, role), size)
    for row in rows:
        filled = []
        for role, size, dest in row.operands:
            if size == "?":
                size = known.get((row.mnemonic, role), "?")
            if size == "?" and role in ("imm", "target", "attr", "attrchan", "simm16", "soffset", "idx"):
                size = "1"
            if role == "sbase":
                size = "4" if "_buffer_" in row.mnemonic or row.mnemonic.endswith("_buffer") else "2"
            if size == "?" and row.format.startswith("SOP"):
                size = "2" if re.search(r"64$", row.mnemonic) else "1"
            if size == "?":
                print(row.gfx, "width?", row.mnemonic, row.format, role, row.texts[:2])
                size = "1"
            filled.append((role, size, dest))
        row.operands = filled


def operation(row: Row) -> str:
    """The row's canonical operation name."""
    if row.mnemonic.startswith("v_mfma"):
        return matrix_name(row.mnemonic, int(row.operands[0][1]))
    return canonical(row.mnemonic.replace("v_dual_", "v_"), "_LDS_" in "".join(row.records[:1]))


def write_table(rows: list[Row], gfx: str) -> None:
    lines = []
    for row in rows:
        asm = row.asm or row.mnemonic
        digits = row.size * 2
        operands = " ".join(f"{'>' if d else ''}{r}:{w}" for r, w, d in row.operands) or "-"
        mods = " ".join(sorted(row.mods - {"imm"})) or "-"
        lines.append((row.format, asm, operation(row), f"{row.mask:0{digits}x}",
                      f"{row.match:0{digits}x}", operands, mods))
    lines.sort(key=lambda line: (line[0], int(line[4], 16) & 0xFFFFFFFF, int(line[4], 16)))
    by_format: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for line in lines:
        by_format[line[0]].append(line)
    with (DATA / f"{gfx}.txt").open("w") as out:
        out.write(HEADER.format(gfx=gfx))
        for block in by_format.values():
            out.write("\n")
            widths = [max(len(line[i]) for line in block) for i in range(6)]
            for entry in block:
                cells = [f"{cell:{width}}" for cell, width in zip(entry, widths, strict=False)]
                out.write(f"{' '.join(cells[:5])} | {cells[5]} | {entry[6]}\n")


def main(folder: Path) -> None:
    for gfx in TARGETS:
        rows = load_rows(folder, gfx)
        add_texts(rows, folder, gfx)
        for row in rows:
            if row.format in ("MIMG", "VIMAGE", "VSAMPLE"):
                set_image_operands(row)
                row.asm = row.mnemonic
                continue
            set_operands(row)
            drop_unused_modifiers(row)
            implied(row)
        guess_widths(rows)
        rows += load_dual(folder, gfx)
        write_table(rows, gfx)
        print(gfx, len(rows), "rows,", sum(not r.texts for r in rows), "without a text")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
