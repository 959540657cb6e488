"""What decoded instructions hold: the contract with the layers above, one encoding at a time."""

from __future__ import annotations

import pytest

from softrock import isa
from softrock.core.errors import DecodeError
from softrock.decode import Instruction, Kind, Operand, decode, format_instruction


def one(target: str, words: str, address: int = 0) -> Instruction:
    """The instruction of these little-endian bytes; checks that nothing is left over."""
    raw = bytes.fromhex(words)
    instruction = decode(target, raw, 0, address)
    assert instruction.size == len(raw)
    return instruction


def brief(operands: tuple[Operand, ...]) -> list[tuple[str, Kind, int, int]]:
    return [(o.role, o.kind, o.index, o.dwords) for o in operands]


def test_short_compare_writes_vcc() -> None:
    found = one("gfx942", "ae54507c")
    assert (found.mnemonic, found.op, found.format) == ("v_cmp_u_f16", "v_cmp_u_f16", "VOPC")
    assert brief(found.dst) == [("sdst", Kind.SGPR, 106, 2)]
    assert found.src[0].kind is Kind.INT
    assert found.src[0].value == 46
    assert brief(found.src[1:]) == [("src1", Kind.VGPR, 42, 1)]


def test_lane_masks_are_as_wide_as_the_wave() -> None:
    raw = bytes.fromhex("8eb13d7c")
    narrow, wide = isa.target("gfx1100"), isa.target("gfx1100").with_wave_size(64)
    assert decode(narrow, raw).dst[0].dwords == 1
    assert decode(wide, raw).dst[0].dwords == 2
    assert format_instruction(decode(wide, raw), wide) == "v_cmp_nlt_f32_e32 vcc, v142, v216"


def test_cmpx_writes_exec() -> None:
    new = one("gfx1100", "d8a52a7d")
    assert brief(new.dst) == [("sdst", Kind.EXEC, 126, 1)]
    old = one("gfx942", "7e0035d002040000")
    assert brief(old.dst) == [("sdst", Kind.EXEC, 126, 2)]


def test_carry_in_and_out() -> None:
    found = one("gfx942", "103d0839")
    assert found.op == "v_add_co_ci_u32"
    assert [(o.role, o.index) for o in found.dst] == [("vdst", 132), ("sdst", 106)]
    assert [(o.role, o.index) for o in found.src] == [("src0", 16), ("src1", 30), ("src2", 106)]
    select = one("gfx942", "06a1f800")
    assert (select.op, select.src[-1].role, select.src[-1].index) == ("v_cndmask_b32", "src2", 106)


def test_literals_follow_the_word() -> None:
    found = one("gfx942", "ff048c8178563412")
    assert (found.op, found.src[0].kind, found.src[0].value) == ("s_sub_i32", Kind.LITERAL, 0x12345678)
    new = one("gfx1100", "020013d6ff04120478563412")
    assert format_instruction(new, "gfx1100") == "v_fma_f32 v2, 0x12345678, v2, v4"
    assert new.src[0].value == 0x12345678


def test_vop3_has_no_literals_on_gfx9() -> None:
    with pytest.raises(DecodeError, match="cannot be a literal"):
        decode("gfx942", bytes.fromhex("000001d1ff02020078563412"))


def test_multiply_add_with_constant() -> None:
    found = one("gfx1100", "0204045802000040")
    assert found.op == "v_fmamk_f32"
    assert [o.role for o in found.src] == ["src0", "imm", "src1"]
    assert (found.src[1].kind, found.src[1].value) == (Kind.LITERAL, 0x40000002)


def test_inline_constants() -> None:
    found = one("gfx942", "f2028081")
    assert (found.src[0].kind, found.src[0].number) == (Kind.FLOAT, 1.0)
    found = one("gfx942", "c1028081")
    assert (found.src[0].kind, found.src[0].value) == (Kind.INT, -1)


def test_source_modifiers() -> None:
    found = one("gfx942", "4e020bd126500338")
    assert format_instruction(found, "gfx942") == "v_max_f32_e64 v78, -s38, |v168| div:2"
    assert (found.src[0].neg, found.src[0].abs, found.src[1].neg, found.src[1].abs) == (True, False, False, True)
    assert dict(found.mods) == {"omod": 3}


def test_packed_modifiers_are_bit_masks() -> None:
    found = one("gfx1100", "0afd0ecca8f9d808")
    assert (found.op, found.format) == ("v_pk_fma_f16", "VOP3P")
    assert dict(found.mods) == {"op_sel": 7, "op_sel_hi": 5, "neg_hi": 5, "clamp": 1}
    assert not any(operand.neg or operand.abs for operand in found.src)


def test_true16_halves() -> None:
    found = one("gfx1100", "66fdb869")
    assert format_instruction(found, "gfx1100") == "v_subrev_f16_e32 v92.h, v102.l, v126.l"
    assert [(o.index, o.half) for o in found.dst + found.src] == [(92, 1), (102, 0), (126, 0)]
    long_form = one("gfx1100", "500907d4be6d0360")
    assert [(o.index, o.half) for o in long_form.src] == [(190, 1), (182, 0)]
    assert long_form.mod("op_sel") == 1


def test_accumulation_registers() -> None:
    found = one("gfx942", "2213f1d31079db6e")
    assert found.op == "v_mfma_f32_16x16x32_bf8_fp8"
    assert brief(found.dst + found.src) == [
        ("vdst", Kind.VGPR, 34, 4),
        ("src0", Kind.AGPR, 16, 2),
        ("src1", Kind.VGPR, 188, 2),
        ("src2", Kind.VGPR, 182, 4),
    ]
    assert dict(found.mods) == {"cbsz": 3, "abid": 2, "blgp": 3}
    move = one("gfx942", "0640d9d31c010018")
    assert (move.op, move.dst[0].kind, move.src[0].kind) == ("v_accvgpr_write_b32", Kind.AGPR, Kind.VGPR)


def test_dpp16_and_dpp8() -> None:
    found = one("gfx1100", "fa1ca113b40e0d2a")
    assert found.format == "VOP2"
    assert dict(found.mods) == {"dpp_ctrl": 0x10E, "row_mask": 2, "bank_mask": 10, "bound_ctrl": 1, "fi": 1}
    lanes = one("gfx1100", "ea02187e2c2f44d6")
    assert lanes.mod("fi") == 1
    assert [lanes.mods["dpp8"] >> 3 * lane & 7 for lane in range(8)] == [7, 5, 0, 2, 4, 4, 5, 6]
    with pytest.raises(DecodeError, match="DPP control"):
        decode("gfx1100", bytes.fromhex("fa1ca113b4420d2a"))


def test_long_form_with_dpp() -> None:
    found = one("gfx1100", "100211d4ea7003405411648f")
    assert (found.op, found.format) == ("v_cmp_lt_f32", "VOP3")
    assert [(o.index, o.neg, o.abs) for o in found.src] == [(84, False, False), (184, True, True)]
    assert set(found.mods) == {"dpp8", "fi"}


def test_sdwa() -> None:
    found = one("gfx942", "f9ac237cc8d41008")
    assert format_instruction(found, "gfx942") == (
        "v_cmpx_class_f32_sdwa s[84:85], -v200, sext(v214) src0_sel:BYTE_0 src1_sel:BYTE_0"
    )
    assert [o.sel for o in found.src] == ["BYTE_0", "BYTE_0"]
    assert (found.src[0].neg, found.src[1].sext) == (True, True)
    convert = one("gfx942", "f9141c7e56c28300")
    assert {"dst_sel", "dst_unused"} <= set(convert.mods)
    assert convert.src[0].kind is Kind.SGPR


def test_dual_issue() -> None:
    found = one("gfx1100", "fc3980c8928c096ecc12151c")
    assert (found.format, found.op, len(found.parts)) == ("VOPD", "v_dual", 2)
    first, second = found.parts
    assert (first.op, second.op) == ("v_fmamk_f32", "v_fmac_f32")
    assert first.src[1].value == 0x1C1512CC
    assert (first.dst[0].index, second.dst[0].index) == (110, 9)
    assert (second.src[0].kind, second.src[0].value) == (Kind.INT, 18)


@pytest.mark.parametrize(
    ("words", "roles", "mods"),
    [
        ("040600c000000000", ["sbase", "soffset"], {}),
        ("004302c051430518", ["sbase", "soffset"], {"offset": 0x54351}),
        ("820002c0f8ff1f00", ["sbase"], {"offset": -8}),
    ],
)
def test_scalar_loads_of_gfx9(words: str, roles: list[str], mods: dict[str, int]) -> None:
    found = decode("gfx942", bytes.fromhex(words))
    assert found.op == "s_load_b32"
    assert [o.role for o in found.src] == roles
    assert {k: v for k, v in found.mods.items() if v} == mods


def test_global_addresses() -> None:
    flat = one("gfx1100", "0240d8dc02027c02")
    assert [(o.role, o.dwords) for o in flat.src] == [("vaddr", 2), ("vdata", 1)]
    based = one("gfx942", "028029dd02028202")
    assert [(o.role, o.kind, o.dwords) for o in based.dst + based.src] == [
        ("vdst", Kind.AGPR, 1), ("vaddr", Kind.VGPR, 1), ("vdata", Kind.AGPR, 1), ("saddr", Kind.SGPR, 2),
    ]
    assert dict(based.mods) == {"offset": 2, "sc0": 1}
    private = one("gfx942", "9c54aadc00002e00")
    assert [o.role for o in private.src] == ["saddr"]
    assert private.mod("offset") == -2916
    with pytest.raises(DecodeError, match="FLAT offset"):
        decode("gfx942", bytes.fromhex("001531dd50b88064"))


def test_buffer_atomic_that_returns_has_its_data_twice() -> None:
    found = one("gfx942", "027004e102020002")
    assert found.op == "buffer_atomic_cmpswap_b32"
    assert brief(found.dst) == [("vdata", Kind.VGPR, 2, 1)]
    assert brief(found.src) == [
        ("vdata", Kind.VGPR, 2, 2),
        ("vaddr", Kind.VGPR, 2, 2),
        ("srsrc", Kind.SGPR, 0, 4),
        ("soffset", Kind.SGPR, 2, 1),
    ]


def test_lds_with_two_offsets() -> None:
    found = one("gfx1100", "02023cd802020200")
    assert found.op == "ds_store_2addr_stride64_b32"
    assert (found.mod("offset0"), found.mod("offset1"), found.mod("offset")) == (2, 2, 0)


@pytest.mark.parametrize(("words", "target"), [("fdff82bf", 0xFF8), ("020082bf", 0x100C)])
def test_branch_targets_are_absolute(words: str, target: int) -> None:
    found = one("gfx942", words, 0x1000)
    assert (found.src[0].kind, found.src[0].value) == (Kind.LABEL, target)


def test_call_has_a_link_register_and_a_target() -> None:
    found = one("gfx1100", "10001eba", 0x200)
    assert found.op == "s_call_b64"
    assert brief(found.dst) == [("sdst", Kind.SGPR, 30, 2)]
    assert found.src[0].value == 0x244


def test_null_and_m0_are_what_the_target_says() -> None:
    assert one("gfx942", "7c000080").src[0].kind is Kind.M0
    assert one("gfx1100", "7c000080").src[0].kind is Kind.NULL
    assert one("gfx1100", "7d000080").src[0].kind is Kind.M0


def test_read_only_sources_have_names() -> None:
    found = one("gfx942", "eb0180be")
    assert (found.op, found.src[0].kind, found.src[0].name, found.src[0].dwords) == (
        "s_mov_b64", Kind.SPECIAL, "src_shared_base", 2,
    )


def test_fmac_lists_its_destination_once() -> None:
    found = one("gfx1100", "02040456")
    assert found.op == "v_fmac_f32"
    assert [o.role for o in found.dst + found.src] == ["vdst", "src0", "src1"]


def test_matrix_operands_of_wide_waves() -> None:
    raw = bytes.fromhex("0e4041cc822dbb1e")
    narrow, wide = isa.target("gfx1100"), isa.target("gfx1100").with_wave_size(64)
    assert [o.dwords for o in decode(narrow, raw).src] == [8, 8, 8]
    assert [o.dwords for o in decode(wide, raw).src] == [8, 8, 4]


def test_immediates_are_raw() -> None:
    assert one("gfx942", "f0ff02b0").mod("simm16") == 0xFFF0
    wait = one("gfx942", "700f8cbf")
    assert format_instruction(wait, "gfx942") == "s_waitcnt vmcnt(0)"
