"""GPU code in Python: Triton, CuPy, Numba, PyTorch. (C++ kernels in strings are given to the other rules.)"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.hipify.lexer import Kind, Token
from softrock.lint.file import File
from softrock.lint.inline_ptx import asm_statements
from softrock.lint.lanes import WARP_SIZE_NAME
from softrock.lint.python import Module, module, number
from softrock.lint.registry import Language, rule
from softrock.lint.rules.ptx import idiom_of

_MOST_THREADS = 1024
_WARPS = re.compile(r"(?:\w*_)?(?:n|num_?)?(?:warps|waves)(?:_per_(?:block|cta|sm))?", re.IGNORECASE)
_WARP_NUMBERS = {ast.Mod: 32, ast.FloorDiv: 32, ast.Div: 32, ast.BitAnd: 31, ast.RShift: 5}
_LANE = re.compile(
    r"(?i)\w*(?:tid|tx|lane|thread_?id\w*|threadidx|thread)\b.*|cuda\.(?:threadIdx|laneid).*|.*threadIdx.*"
)

# Modules that are only there for NVIDIA: what to use instead.
_MODULES = {
    "numba.cuda": "numba-hip is the port; or write the kernel in Triton, or in HIP with cupy.RawKernel",
    "pycuda": "use cupy.RawKernel or hip-python",
    "cuda": "cuda-python is NVIDIA's: use hip-python (hip.hip, hip.hiprtc)",
    "pynvml": "use amdsmi",
    "py3nvml": "use amdsmi",
    "nvidia_smi": "use amdsmi",
    "cutlass": "use Composable Kernel, or Triton",
    "tensorrt": "use MIGraphX, or ONNX Runtime with its ROCm provider",
    "cudf": "hipDF is the port",
    "cuml": "there is no port: use scikit-learn",
    "transformer_engine": "AMD has a port of it under the same name: install that one",
}
_FP8 = {
    "float8_e4m3fn": "ocp",
    "float8e4nv": "ocp",
    "float8_e4m3fnuz": "fnuz",
    "float8e4b8": "fnuz",
    "float8_e5m2": "ocp",
    "float8e5": "ocp",
    "float8_e5m2fnuz": "fnuz",
    "float8e5b16": "fnuz",
}


def _keywords(found: Module, *names: str) -> Iterator[tuple[str, ast.expr, ast.expr | ast.keyword]]:
    """(name, value, where) of options given as a keyword, in a dictionary, or as a parameter's default."""
    for node in found.nodes:
        if isinstance(node, ast.keyword) and node.arg in names:
            yield node.arg, node.value, node
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in names:
                    yield str(key.value), value, value
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id in names:
                yield target.id, node.value, node.value


def _mentions_triton(file: File) -> bool:
    return re.search(r"\btriton\b", file.source.text) is not None


@rule("triton-num-warps", Severity.ERROR, Language.PYTHON)
def triton_num_warps(file: File) -> Iterator[Finding]:
    """More warps than a workgroup of this GPU holds.

    Why:
        Triton's num_warps counts waves. A workgroup has at most 1024 threads: 32 warps of CUDA, but 16 waves of 64
        lanes. ``num_warps=32`` asks for 2048 threads on gfx942, and the launch (or the compilation) fails. Half the
        number is usually right on wave64, too, because each wave does twice the work.

    Example:
        import triton
        config = triton.Config({"BLOCK": 1024}, num_warps=32)

    Fix:
        import triton
        config = triton.Config({"BLOCK": 1024}, num_warps=16)
    """
    if not _mentions_triton(file):
        return
    found = module(file)
    for _, value, where in _keywords(found, "num_warps"):
        for literal in _integers(value):
            over = [each for each in file.targets if (number(literal) or 0) * each.wave > _MOST_THREADS]
            if over:
                count = number(literal) or 0
                target = over[0]
                yield file.finding(
                    "triton-num-warps",
                    *found.span(where if literal is value else literal),
                    f"{count} waves of {target.wave} lanes are {count * target.wave} threads on "
                    f"{', '.join(each.gfx for each in over)}; a workgroup has at most {_MOST_THREADS}",
                    f"at most {_MOST_THREADS // target.wave}: divide by torch.cuda.get_device_properties().warp_size",
                )


def _integers(node: ast.expr) -> Iterator[ast.expr]:
    """The integer literals that an option may be: itself, those of a choice or of a list."""
    if number(node) is not None:
        yield node
    elif isinstance(node, ast.IfExp):
        yield from _integers(node.body)
        yield from _integers(node.orelse)
    elif isinstance(node, ast.List | ast.Tuple):
        for each in node.elts:
            yield from _integers(each)


@rule("triton-nvidia-option", Severity.WARNING, Language.PYTHON)
def triton_nvidia_option(file: File) -> Iterator[Finding]:
    """An option that only NVIDIA's backend of Triton knows.

    Why:
        num_ctas above 1 means thread block clusters, maxnreg is handed to NVIDIA's assembler, and warp specialization
        needs Hopper's barriers. The AMD backend ignores or rejects them; it has options of its own (waves_per_eu,
        matrix_instr_nonkdim, kpack).

    Example:
        import triton
        config = triton.Config({"BLOCK": 128}, num_warps=4, num_ctas=2)

    Fix:
        import triton
        config = triton.Config({"BLOCK": 128}, num_warps=4)
    """
    if not _mentions_triton(file):
        return
    found = module(file)
    for node in found.nodes:
        if not isinstance(node, ast.keyword):
            continue
        clusters = node.arg == "num_ctas" and (number(node.value) or 0) > 1
        other = node.arg in ("maxnreg", "num_consumer_groups", "num_buffers_warp_spec", "enable_warp_specialization")
        constant = isinstance(node.value, ast.Constant) and node.value.value in (None, False, 0)
        if (clusters or other) and not constant:
            yield file.finding(
                "triton-nvidia-option",
                *found.span(node),
                f"{node.arg} is an option of NVIDIA's backend",
                "leave it out on AMD; waves_per_eu and matrix_instr_nonkdim are its options",
            )


@rule("triton-inline-asm", Severity.ERROR, Language.PYTHON)
def triton_inline_asm(file: File) -> Iterator[Finding]:
    """PTX in inline_asm_elementwise.

    Why:
        tl.inline_asm_elementwise hands its text to the GPU's assembler. PTX means nothing to AMD's; nor do its
        constraints ("=r" and "r" are "=v" and "v" for vector registers). Triton's own functions, or
        tl.extra.libdevice, do what most of these texts do.

    Example:
        import triton.language as tl
        def ones(x):
            return tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

    Fix:
        import triton.language as tl
        def ones(x):
            return tl.extra.libdevice.popc(x)
    """
    found = module(file)
    for node in found.nodes:
        if not isinstance(node, ast.Call) or not found.dotted(node.func).endswith("inline_asm_elementwise"):
            continue
        given = [each.value for each in node.keywords if each.arg == "asm"] or node.args[:1]
        texts = [each for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        for text in texts:
            name = _ptx_in(str(text.value))
            if name:
                yield file.finding(
                    "triton-inline-asm",
                    *found.span(text),
                    f"{name[0]} is PTX",
                    name[1] or "use Triton's functions, or another text where the backend is hip",
                )


def _ptx_in(text: str) -> tuple[str, str] | None:
    """(first telling instruction, HIP's counterpart) of an assembly text in PTX; None where it is none."""
    quoted = '"' + text.replace("\\", " ").replace('"', " ").replace("\n", "\\n").replace("$", "%") + '"'
    tokens = [Token(Kind.NAME, "asm", 0), Token(Kind.PUNCT, "(", 3), Token(Kind.STRING, quoted, 4)]
    tokens.append(Token(Kind.PUNCT, ")", tokens[-1].end))
    for asm in asm_statements(tokens, ""):
        known = [(each, idiom_of(each)) for each in asm.instructions]
        telling = [(each, idiom) for each, idiom in known if idiom and "." in each.name]
        telling.sort(key=lambda pair: pair[1].status == "glue")
        for instruction, idiom in telling[:1]:
            return instruction.name, f"in HIP it is {idiom.hip}" if idiom.hip and idiom.status != "glue" else ""
    return None


@rule("triton-cuda-extra", Severity.WARNING, Language.PYTHON)
def triton_cuda_extra(file: File) -> Iterator[Finding]:
    """Functions of Triton's CUDA backend.

    Why:
        tl.extra.cuda holds what only NVIDIA's backend can do: its libdevice, globaltimer, smid, programmatic dependent
        launch. tl.extra.libdevice chooses the backend's own; tl.extra.hip is AMD's.

    Example:
        import triton.language as tl
        def root(x):
            return tl.extra.cuda.libdevice.rsqrt(x)

    Fix:
        import triton.language as tl
        def root(x):
            return tl.extra.libdevice.rsqrt(x)
    """
    found = module(file)
    for node in found.nodes:
        text = found.dotted(node) if isinstance(node, ast.Attribute) else ""
        if text.endswith((".extra.cuda", "tl.math.libdevice")) or text == "triton.language.extra.cuda":
            assert isinstance(node, ast.Attribute)
            yield file.finding(
                "triton-cuda-extra", *found.span(node), f"{text} is NVIDIA's", "use triton.language.extra.libdevice"
            )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("triton.language.extra.cuda"):
            yield file.finding(
                "triton-cuda-extra",
                *found.span(node),
                f"{node.module} is NVIDIA's",
                "use triton.language.extra.libdevice",
            )


@rule("python-warp-size", Severity.WARNING, Language.PYTHON)
def python_warp_size(file: File) -> Iterator[Finding]:
    """The warp size is written as 32.

    Why:
        A wave has 64 lanes on CDNA GPUs, 32 on RDNA. Host code that computes a launch's geometry from 32, and kernels
        that split thread numbers at 32, cover half of the work or count lanes wrongly.
        torch.cuda.get_device_properties has warp_size, CuPy's device attributes have WarpSize.

    Example:
        WARP_SIZE = 32

    Fix:
        import torch
        WARP_SIZE = torch.cuda.get_device_properties(0).warp_size
    """
    on = [each.gfx for each in file.targets if each.wave == 64]
    if not on:
        return
    found = module(file)
    for node in found.nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and number(node.value) == 32:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            name = found.dotted(targets[0])
            if WARP_SIZE_NAME.fullmatch(name.rpartition(".")[2]) and node.value is not None:
                yield file.finding(
                    "python-warp-size",
                    *found.span(node.value),
                    f"{name} is 32; a wave has 64 lanes on {', '.join(on)}",
                    "ask the device: torch.cuda.get_device_properties(0).warp_size",
                )
        elif isinstance(node, ast.BinOp) and number(node.right) == _WARP_NUMBERS.get(type(node.op), -1):
            left = found.dotted(node.left) or ast.unparse(node.left)
            if _in_kernel(found, node) and _LANE.fullmatch(left):
                yield file.finding(
                    "python-warp-size",
                    *found.span(node.right),
                    f"{ast.unparse(node)} takes a warp for 32 lanes; a wave has 64 on {', '.join(on)}",
                    "compute with the warp size",
                )
        elif isinstance(node, ast.Compare) and _last_lane(found, node) and _in_kernel(found, node):
            yield file.finding(
                "python-warp-size",
                *found.span(node),
                f"`{ast.unparse(node)}` is about a warp of 32; a wave has 64 lanes on {', '.join(on)}",
                "compare with the warp size",
            )
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if number(other) == 32 and _WARPS.fullmatch(found.dotted(one).rpartition(".")[2]):
                    yield file.finding(
                        "python-warp-size",
                        *found.span(node),
                        f"`{ast.unparse(node)}`: so many threads of warps of 32; a wave has 64 on {', '.join(on)}",
                        "multiply by the warp size",
                    )


def _last_lane(found: Module, node: ast.Compare) -> bool:
    """A comparison of a lane's number with 31, or ``lane < 32``."""
    if len(node.ops) != 1 or found.dotted(node.left).rpartition(".")[2] not in ("lane", "laneid", "lane_id"):
        return False
    bound = number(node.comparators[0])
    return bound == 31 or (bound == 32 and isinstance(node.ops[0], ast.Lt | ast.GtE))


def _in_kernel(found: Module, node: ast.AST) -> bool:
    """Whether a place is in a function that a decorator makes a kernel."""
    for each in found.around(node):
        if isinstance(each, ast.FunctionDef):
            names = [found.dotted(decorator) for decorator in each.decorator_list]
            if any(re.search(r"(?:^|\.)(?:jit|rawkernel|kernel)$", name) for name in names):
                return True
    return False


@rule("python-cuda-module", Severity.WARNING, Language.PYTHON)
def python_cuda_module(file: File) -> Iterator[Finding]:
    """A module that works with NVIDIA's GPUs only.

    Why:
        PyTorch, CuPy, JAX and Triton run on ROCm under their own names. numba.cuda, PyCUDA, cuda-python, pynvml and
        TensorRT do not: they need NVIDIA's driver. Programs that call nvidia-smi find no GPU.

    Example:
        from numba import cuda

    Fix:
        import triton
    """
    found = module(file)
    for node in found.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _imported(file, found, alias, alias.name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if _listed(node.module):
                yield from _imported(file, found, node, node.module)
            else:
                for alias in node.names:
                    yield from _imported(file, found, alias, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _runs(found, node):
            yield file.finding(
                "python-cuda-module", *found.span(node), "nvidia-smi knows NVIDIA's GPUs only", "use amd-smi, or amdsmi"
            )


def _listed(name: str) -> str | None:
    return next((each for each in _MODULES if name == each or name.startswith(each + ".")), None)


def _imported(file: File, found: Module, node: ast.alias | ast.stmt, name: str) -> Iterator[Finding]:
    listed = _listed(name)
    if listed:
        yield file.finding("python-cuda-module", *found.span(node), f"{name} is not for AMD GPUs", _MODULES[listed])


def _runs(found: Module, node: ast.Constant) -> bool:
    """Whether a string is the command line of a call and names nvidia-smi."""
    if not re.match(r"(?:/usr/bin/)?nvidia-smi\b", str(node.value)):
        return False
    calls = [each for each in found.around(node) if isinstance(each, ast.Call)]
    return (
        bool(calls) and re.search(r"run|call|Popen|system|check_output|which", found.dotted(calls[0].func)) is not None
    )


@rule("torch-version-cuda", Severity.WARNING, Language.PYTHON)
def torch_version_cuda(file: File) -> Iterator[Finding]:
    """A decision by torch.version.cuda.

    Why:
        PyTorch for ROCm is driven through torch.cuda, and torch.cuda.is_available() holds; but torch.version.cuda is
        None and torch.version.hip has the version. Code that takes None for "no GPU", or compares it, takes the wrong
        way.

    Example:
        import torch
        has_gpu = torch.version.cuda is not None

    Fix:
        import torch
        has_gpu = torch.cuda.is_available()
    """
    found = module(file)
    names = {found.dotted(node) for node in found.nodes if isinstance(node, ast.Attribute)}
    if "torch.version.hip" in names or "version.hip" in names:
        return
    for node in found.nodes:
        if isinstance(node, ast.Attribute) and found.dotted(node) == "torch.version.cuda":
            yield file.finding(
                "torch-version-cuda",
                *found.span(node),
                "torch.version.cuda is None on ROCm",
                "ask torch.cuda.is_available(), and torch.version.hip where the vendor matters",
            )


@rule("python-device-capability", Severity.WARNING, Language.PYTHON)
def python_device_capability(file: File) -> Iterator[Finding]:
    """A decision by compute capability.

    Why:
        On ROCm get_device_capability() gives the gfx target's numbers: (9, 4) for gfx942, (9, 0) for gfx90a, (11, 0)
        for gfx1100. ``>= (8, 0)`` or ``[0] >= 9`` holds for all of these and says nothing of bf16, FP8 or asynchronous
        copies. get_device_properties().gcnArchName is the target; torch.cuda.is_bf16_supported() and its kin are
        features.

    Example:
        import torch
        fast = torch.cuda.get_device_capability()[0] >= 8

    Fix:
        import torch
        fast = torch.cuda.is_bf16_supported()
    """
    if "torch.version.hip" in file.source.text or "gcnArchName" in file.source.text:
        return
    found = module(file)
    holders = {
        target.id
        for node in found.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call | ast.Subscript | ast.Attribute)
        and _capability(found, node.value)
        for each in node.targets
        for target in (each.elts if isinstance(each, ast.Tuple) else [each])
        if isinstance(target, ast.Name)
    }
    for node in found.nodes:
        if not isinstance(node, ast.Compare) or any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
            continue
        if all(_capability(found, side) for side in (node.left, *node.comparators)):
            continue  # one device and another
        for side in (node.left, *node.comparators):
            held = [each for each in ast.walk(side) if isinstance(each, ast.Name) and each.id in holders]
            if _capability(found, side) or held:
                yield file.finding(
                    "python-device-capability",
                    *found.span(node),
                    f"`{ast.unparse(node)}` decides by compute capability: on ROCm that is the gfx target's number",
                    "ask for the feature, or for get_device_properties().gcnArchName",
                )
                break


def _capability(found: Module, node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("get_device_capability", "compute_capability")
        for each in ast.walk(node)
    )


@rule("python-fp8-format", Severity.WARNING, Language.PYTHON)
def python_fp8_format(file: File) -> Iterator[Finding]:
    """An FP8 type that this GPU does not compute with.

    Why:
        gfx942 takes FNUZ formats (torch.float8_e4m3fnuz, tl.float8e4b8; E4M3 ends at 240), gfx950 and gfx1201 OCP's
        (torch.float8_e4m3fn, tl.float8e4nv; E4M3 ends at 448). torch._scaled_mm rejects the other one, and bytes that
        are reinterpreted are off by a factor of two.

    Example:
        import torch
        def narrow(x):
            return x.to(torch.float8_e4m3fn)

    Fix:
        import torch
        FNUZ = "gfx94" in torch.cuda.get_device_properties(0).gcnArchName
        def narrow(x):
            return x.to(torch.float8_e4m3fnuz if FNUZ else torch.float8_e4m3fn)
    """
    found = module(file)
    used = [node for node in found.nodes if isinstance(node, ast.Attribute) and node.attr in _FP8]
    if len({_FP8[node.attr] for node in used}) != 1:
        return
    kind = _FP8[used[0].attr]
    other = [each.gfx for each in file.targets if each.fp8 and each.fp8 != kind]
    if other:
        yield file.finding(
            "python-fp8-format",
            *found.span(used[0]),
            f"{used[0].attr} is {'an OCP' if kind == 'ocp' else 'a FNUZ'} format; {', '.join(other)} computes with "
            f"{'FNUZ' if kind == 'ocp' else 'OCP'}",
            "choose the type by gcnArchName",
        )


@rule("raw-kernel-options", Severity.WARNING, Language.PYTHON)
def raw_kernel_options(file: File) -> Iterator[Finding]:
    """Options of nvcc or NVRTC for a kernel in a string.

    Why:
        CuPy hands the options of a RawKernel or RawModule to hipRTC (or hipcc) on ROCm. ``-arch=sm_80``,
        ``--gpu-architecture``, ``-Xptxas``, ``--maxrregcount`` and ``--use_fast_math`` are unknown there; hipcc's are
        ``--offload-arch`` and ``-ffast-math``.

    Example:
        import cupy
        kernel = cupy.RawKernel("...", "step", options=("-arch=sm_80",))

    Fix:
        import cupy
        kernel = cupy.RawKernel("...", "step", options=("-std=c++17",))
    """
    found = module(file)
    pattern = re.compile(
        r"-{1,2}(?:arch|gpu-architecture|gencode)\b.*|-Xptxas.*|--?maxrregcount.*|--?use_fast_math|--?expt-\S+"
    )
    for node in found.nodes:
        if not isinstance(node, ast.keyword) or node.arg not in ("options", "extra_cuda_cflags"):
            continue
        call = found.parents.get(node)
        of = r"Raw(?:Kernel|Module)$|SourceModule$" if node.arg == "options" else r"(?:^|\.)load(?:_inline)?$"
        if not isinstance(call, ast.Call) or not re.search(of, found.dotted(call.func)):
            continue
        for each in ast.walk(node.value):
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and pattern.match(each.value):
                yield file.finding(
                    "raw-kernel-options",
                    *found.span(each),
                    f"{each.value} is an option of nvcc",
                    "leave it out on ROCm (--offload-arch, -ffast-math are hipcc's)",
                )
