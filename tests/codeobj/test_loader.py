"""Loading code objects: targets, symbols, kernels, images, relocations, lines."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from softrock import codeobj
from softrock.core.errors import CodeObjectError

CodeOf = Callable[[str], bytes]
Compile = Callable[..., bytes]

TARGETS = ("gfx942", "gfx90a:xnack-", "gfx950", "gfx1100", "gfx1201", "gfx942:sramecc+:xnack+")


@pytest.mark.parametrize("target", TARGETS)
def test_target_is_read_back(code_of: CodeOf, target: str) -> None:
    code = codeobj.load(code_of(target), "k.co")
    assert str(code.target_id) == target
    assert code.target == target.split(":")[0]
    assert list(code.kernels) == ["first", "second"]


@pytest.mark.parametrize("version", [3, 4, 5, 6])
def test_code_object_versions(compile_device: Compile, version: int) -> None:
    source = 'extern "C" __global__ void k(int *p, int n) { p[__builtin_amdgcn_workitem_id_x()] = n; }'
    if version == 3:  # today's compilers start at 4; the ABI version byte is all that differs for this kernel
        data = bytearray(compile_device(source, "gfx1100", ("-mcode-object-version=4",)))
        data[8] = 1
        code = codeobj.load(bytes(data), "k.co")
    else:
        code = codeobj.load(compile_device(source, "gfx1100", (f"-mcode-object-version={version}",)), "k.co")
    assert code.version == version
    assert [each.size for each in code.kernels["k"].args] == [8, 4]


def test_arguments_and_resources(code_of: CodeOf) -> None:
    kernel = codeobj.load(code_of("gfx942"), "k.co").kernels["first"]
    assert [(a.offset, a.size, a.value_kind) for a in kernel.args] == [
        (0, 8, "global_buffer"),
        (8, 4, "by_value"),
        (16, 8, "by_value"),
    ]
    assert kernel.args[1].name == "n"
    assert kernel.kernarg_size == 24
    assert kernel.group_segment_size == 256
    assert kernel.wavefront_size == 64
    assert kernel.metadata is not None
    assert kernel.metadata.vgpr_count <= kernel.vgprs
    assert kernel.metadata.sgpr_count <= kernel.sgprs
    assert kernel.accum_offset is not None
    assert kernel.accum_offset % 4 == 0


def test_hidden_arguments(compile_device: Compile) -> None:
    source = """extern "C" __global__ void k(int *p) {
      const unsigned short *sizes = (const unsigned short *)__builtin_amdgcn_implicitarg_ptr();
      p[__builtin_amdgcn_workitem_id_x()] = sizes[6]; }"""
    kernel = codeobj.load(compile_device(source, "gfx942", ("-mcode-object-version=5",)), "k.co").kernels["k"]
    hidden = kernel.hidden_args
    assert hidden["hidden_block_count_x"].size == 4
    assert hidden["hidden_group_size_x"].offset == hidden["hidden_block_count_x"].offset + 12
    assert kernel.kernarg_size >= 8 + 256


@pytest.mark.parametrize(
    ("target", "first", "second"),
    [
        ("gfx942", [("kernarg_segment_ptr", 0, 2), ("workgroup_id_x", 2, 1)], ["x", "z"]),
        (
            "gfx90a",
            [("private_segment_buffer", 0, 4), ("kernarg_segment_ptr", 4, 2), ("workgroup_id_x", 6, 1)],
            ["x", "z"],
        ),
        ("gfx1100", [("kernarg_segment_ptr", 0, 2), ("workgroup_id_x", 15, 1)], ["x", "z"]),
        ("gfx1201", [("kernarg_segment_ptr", 0, 2)], []),
    ],
)
def test_initial_scalar_registers(
    code_of: CodeOf, target: str, first: list[tuple[str, int, int]], second: list[str]
) -> None:
    kernels = codeobj.load(code_of(target), "k.co").kernels
    assert [tuple(each) for each in kernels["first"].initial_sgprs()] == first
    names = [each.name for each in kernels["second"].initial_sgprs()]
    assert [name[-1] for name in names if name.startswith("workgroup_id")] == second
    assert kernels["second"].workitem_id_count == 2
    assert kernels["first"].workitem_id_count == 1


@pytest.mark.parametrize(("target", "offset"), [("gfx90a", True), ("gfx942", False), ("gfx1100", False)])
def test_scratch_offset_register(compile_device: Compile, target: str, offset: bool) -> None:
    """Only targets without architected flat scratch pass the wave's scratch offset in a scalar register."""
    source = """extern "C" __global__ void k(int *p, int n) {
      volatile int a[40]; for (int i = 0; i < 40; i++) a[i] = p[i]; p[0] = a[n]; }"""
    kernel = codeobj.load(compile_device(source, target), "k.co").kernels["k"]
    assert kernel.private_segment_size >= 160
    names = [each.name for each in kernel.initial_sgprs()]
    assert ("private_segment_wavefront_offset" in names) is offset
    if offset:
        assert names[-1] == "private_segment_wavefront_offset"
        assert "flat_scratch_init" in names


def test_preloaded_arguments_move_the_entry(compile_device: Compile) -> None:
    source = 'extern "C" __global__ void k(int *p, int n) { p[__builtin_amdgcn_workitem_id_x()] = n; }'
    flags = ("-mllvm", "-amdgpu-kernarg-preload-count=2")
    kernel = codeobj.load(compile_device(source, "gfx942", flags), "k.co").kernels["k"]
    assert kernel.preload == (3, 0)
    assert kernel.entry == kernel.code_address + 256
    assert [tuple(each) for each in kernel.initial_sgprs()][:2] == [
        ("kernarg_segment_ptr", 0, 2),
        ("kernarg_preload", 2, 3),
    ]
    plain = codeobj.load(compile_device(source, "gfx942"), "k.co").kernels["k"]
    assert plain.entry == plain.code_address


def test_wave64_on_rdna(compile_device: Compile) -> None:
    source = 'extern "C" __global__ void k(int *p) { p[__builtin_amdgcn_workitem_id_x()] = 1; }'
    flags = ("-target-feature", "+wavefrontsize64")
    assert codeobj.load(compile_device(source, "gfx1100", flags), "k.co").kernels["k"].wavefront_size == 64
    assert codeobj.load(compile_device(source, "gfx1100"), "k.co").kernels["k"].wavefront_size == 32


def test_mode_register(compile_device: Compile) -> None:
    source = 'extern "C" __global__ void k(float *p) { p[0] *= 3; }'
    kernel = codeobj.load(compile_device(source, "gfx942"), "k.co").kernels["k"]
    assert kernel.mode == 0x3F0  # round to nearest, denormals kept, DX10_CLAMP and IEEE on
    flushed = codeobj.load(
        compile_device(source, "gfx942", ("-fdenormal-fp-math-f32=preserve-sign",)), "k.co"
    )
    assert flushed.kernels["k"].mode == 0x3C0


def test_variables(code_of: CodeOf) -> None:
    code = codeobj.load(code_of("gfx942"), "k.co")
    assert code.variables["counter"].size == 4
    assert not code.variables["counter"].is_const
    assert code.variables["table"].size == 64
    assert code.variables["table"].is_const
    assert "first.kd" not in code.variables


def test_image_holds_relocated_data(code_of: CodeOf) -> None:
    code = codeobj.load(code_of("gfx1100"), "k.co")
    base = 0x7F12_3456_0000
    image = code.image(base)
    assert len(image) == code.size
    pointer, counter, table = (code.variables[each].address for each in ("pointer", "counter", "table"))
    assert struct.unpack_from("<Q", image, pointer)[0] == base + counter
    assert struct.unpack_from("<i", image, counter)[0] == 7
    assert struct.unpack_from("<3f", image, table) == (1.0, 2.0, 3.0)
    kernel = code.kernels["first"]
    assert bytes(image[kernel.entry : kernel.entry + 64]) == code.code(kernel.entry, 64)


def test_undefined_symbols_are_resolved_or_refused(compile_device: Compile) -> None:
    source = """extern __device__ __attribute__((visibility("default"))) int elsewhere;
    __device__ int *p = &elsewhere;
    extern "C" __global__ void k(int *out) { *out = *p; }"""
    flags = ("-fvisibility=default", "-fgpu-rdc")
    code = codeobj.load(compile_device(source, "gfx942", flags), "k.co")
    assert "elsewhere" in code.undefined
    with pytest.raises(CodeObjectError, match="elsewhere"):
        code.image(0)
    image = code.image(0x10000, lambda name: 0xABCD00 if name == "elsewhere" else None)
    assert struct.unpack_from("<Q", image, code.variables["p"].address)[0] == 0xABCD00


def test_functions_and_lines(code_of: CodeOf) -> None:
    code = codeobj.load(code_of("gfx942"), "k.co")
    kernel = code.kernels["first"]
    function = code.function_at(kernel.entry + 8)
    assert function is not None
    assert function.name == "first"
    helper = next(each for each in code.functions if "helper" in each.name)
    place = code.source_of(helper.address)
    assert place is not None
    assert place[0].endswith("/k.hip")
    assert place[1] == 5
    lines = {code.source_of(a) for a in range(kernel.entry, kernel.entry + kernel.code_size, 4)}
    assert {each[1] for each in lines if each} >= {9, 11}
    assert code.source_of(0) is None
    assert code.source_of(1 << 40) is None


def test_no_lines_without_debug_information(compile_device: Compile) -> None:
    source = 'extern "C" __global__ void k(float *p) { p[0] *= 3; }'
    code = codeobj.load(compile_device(source, "gfx942"), "k.co")
    assert code.source_of(code.kernels["k"].entry) is None


@pytest.mark.parametrize("version", [4, 5])
def test_lines_of_both_dwarf_versions(compile_device: Compile, version: int) -> None:
    source = 'extern "C" __global__ void k(float *p) {\n  p[0] *= 3;\n}'
    flags = ("-debug-info-kind=limited", f"-dwarf-version={version}")
    code = codeobj.load(compile_device(source, "gfx1100", flags), "k.co")
    kernel = code.kernels["k"]
    places = {code.source_of(a) for a in range(kernel.entry, kernel.entry + kernel.code_size, 4)}
    assert {each[1] for each in places if each} & {2, 3}
    assert all(each[0].endswith("/k.hip") for each in places if each)


def test_unknown_kernel_lists_the_known(code_of: CodeOf) -> None:
    with pytest.raises(CodeObjectError, match="first, second"):
        codeobj.load(code_of("gfx942"), "k.co").kernel("third")


def test_relocatable_can_be_looked_at_but_not_loaded(compile_device: Compile) -> None:
    source = 'extern "C" __global__ void k(float *p) { p[0] *= 3; }'
    code = codeobj.load(compile_device(source, "gfx942", link=False), "k.o")
    assert code.kernels["k"].wavefront_size == 64
    assert code.kernels["k"].args
    with pytest.raises(CodeObjectError, match="relocatable"):
        code.image(0)


def test_stripped_of_sections_still_loads(code_of: CodeOf) -> None:
    data = bytearray(code_of("gfx942"))
    data[40:48] = bytes(8)  # e_shoff
    data[60:64] = bytes(4)  # e_shnum, e_shstrndx
    code = codeobj.load(bytes(data), "k.co")
    assert set(code.kernels) == {"first", "second"}
    assert code.image(0x1000)
    assert code.text


def test_without_metadata(code_of: CodeOf) -> None:
    data = code_of("gfx942").replace(b"AMDGPU\0\0", b"OTHERS\0\0")
    kernel = codeobj.load(data, "k.co").kernels["first"]
    assert kernel.metadata is None
    assert kernel.args == ()
    assert kernel.group_segment_size == 256
    assert kernel.max_flat_workgroup_size == 1024


def test_an_empty_kernel_at_the_very_end(compile_device: Compile) -> None:
    """clang leaves nothing of a kernel whose body is unreachable (rocPRIM has hundreds): it begins where code ends."""
    source = """
    .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
    .text
    other:
      s_endpgm
    .globl empty
    .p2align 8
    .type empty,@function
    empty:
    .size empty, 0
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel empty
      .amdhsa_next_free_vgpr 1
      .amdhsa_next_free_sgpr 1
      .amdhsa_accum_offset 4
    .end_amdhsa_kernel
    """
    code = codeobj.load(compile_device(source, "gfx942", language="asm"), "k.co")
    kernel = code.kernels["empty"]
    [(start, text)] = code.text
    assert kernel.code_address == start + len(text)
    assert kernel.code_size == 0
