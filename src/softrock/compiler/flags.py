"""What a hipcc command line asks for: inputs in order, flags of the compiler, flags of the linker.

The tables below hold only what a driver must know *before* clang sees the line: which flags take the next
word, which belong to the linker, and which nvcc or hipcc spellings stand for something else. Everything else
goes to clang's own driver unread, which accepts or rejects it in its usual words.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from softrock.compiler import nvcc
from softrock.core.errors import UnsupportedError, UsageError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TAKES_NEXT = _words("""
    -o -x -I -isystem -iquote -idirafter -include -imacros -iprefix -iwithprefix -iwithprefixbefore -isysroot
    -D -U -L -l -MF -MT -MQ -MJ -Xclang -mllvm -Xlinker -Xassembler -Xpreprocessor -Xarch_host -Xarch_device
    -Xoffload-linker -target -u -T -z -A -include-pch -working-directory --sysroot --param -ccc-gcc-name
    -resource-dir -gcc-toolchain -dumpdir -rpath -Xopenmp-target -Xcuda-ptxas -Xcuda-fatbinary
""")
"""Flags of clang's driver whose value may be the next word."""

_LINK_WITH_VALUE = _words("-L -l -Xlinker -u -T -z")
_LINK_ONLY = _words("""
    -rdynamic -static -static-libstdc++ -static-libgcc -shared-libgcc -static-pie -shared -nostdlib
    -nostartfiles -nodefaultlibs -nolibc -s -r
""")
_LINK_PREFIXES = ("-l", "-L", "-Wl,", "-fuse-ld=", "-T", "-u", "-z")
_BOTH = _words("-pthread -pie -no-pie -nopie -m32 -m64 -fPIE -fPIC -fpic -fpie -pg --coverage")
_SANITIZERS = ("address", "thread", "memory", "leak")
_DROPPED = _words("""
    --hip-link --no-cuda-version-check -flto -flto=thin -flto=full -fno-lto --offload-new-driver
    --no-offload-new-driver -Xoffload-linker
""")
_DROPPED_PREFIXES = tuple(
    _words("""
    --rtlib= -rtlib= --unwindlib= -unwindlib= --rocm-path= --hip-path= --rocm-device-lib-path=
    --hip-device-lib-path= --hip-version= --gcc-toolchain= --cuda-path= --gcc-install-dir=
""")
)

MODES = {
    **dict.fromkeys(("-c", "--compile"), "object"),
    **dict.fromkeys(("-S", "--assemble"), "assembly"),
    **dict.fromkeys(("-E", "--preprocess", "-M", "-MM"), "preprocess"),
    "-fsyntax-only": "syntax",
}
_QUERIES = ("--version", "-dumpversion", "-dumpmachine", "--help", "-help", "-print-", "--print-")

HIP_SUFFIXES = frozenset([".hip", ".cpp", ".cc", ".cxx", ".c++", ".C", ".cp", ".CPP"])
CUDA_SUFFIXES = frozenset([".cu"])
_LINKABLE = frozenset([".o", ".obj", ".a", ".so", ".lo", ".la", ".lib", ".ld", ".lds"])
_LANGUAGES = {
    ".c": "c",
    ".s": "assembler",
    ".S": "assembler-with-cpp",
    ".ll": "ir",
    ".bc": "ir",
    ".i": "cpp-output",
    ".ii": "c++-cpp-output",
    ".hipi": "hip-cpp-output",
}
CUDA_LANGUAGES = frozenset(["cu", "cuda"])


@dataclass(frozen=True, slots=True)
class Input:
    """A file named on the command line; `language` is clang's ``-x`` name, ``object`` for what only links."""

    path: str
    language: str
    cuda: bool = False


@dataclass(slots=True)
class CommandLine:
    """A parsed hipcc command line.

    Attributes:
        mode: ``link``, ``object``, ``assembly``, ``preprocess``, ``syntax``, ``genco`` or ``query``.
        inputs: source files and linkable files in order.
        compile_flags: what clang's driver gets, without inputs, ``-x``, ``-o`` and offload architectures.
        link: arguments of the linker in order; an :class:`Input` stands where its object goes.
        offload_link: arguments of the GPU code's linker, for ``-fgpu-rdc``.
        archs: GPU targets asked for (``gfx942``, ``gfx90a:xnack-``, ``native``), in order.
        notes: remarks for the user about flags that have no meaning here.
    """

    mode: str = "link"
    inputs: list[Input] = field(default_factory=list)
    compile_flags: list[str] = field(default_factory=list)
    link: list[str | Input] = field(default_factory=list)
    archs: list[str] = field(default_factory=list)
    offload_link: list[str] = field(default_factory=list)
    output: str | None = None
    rdc: bool = False
    device_only: bool = False
    host_only: bool = False
    shared: bool = False
    static_library: bool = False
    verbose: bool = False
    dry_run: bool = False
    save_temps: bool = False
    optimised: bool = False
    jobs: int | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[Input]:
        """The inputs that need compiling."""
        return [each for each in self.inputs if each.language != "object"]


def expand_response_files(args: Sequence[str], depth: int = 0) -> list[str]:
    """Replace each ``@FILE`` by the words in that file (shell quoting), as gcc and clang do.

    Raises:
        UsageError: files that name each other endlessly, or unbalanced quotes.
    """
    out: list[str] = []
    for arg in args:
        path = Path(arg[1:])
        if not arg.startswith("@") or not path.is_file():
            out.append(arg)
            continue
        if depth > 16:
            raise UsageError(f"response file {path} includes itself")
        try:
            words = shlex.split(path.read_text(errors="replace"))
        except ValueError as error:
            raise UsageError(f"response file {path}: {error}") from None
        out += expand_response_files(words, depth + 1)
    return out


def is_gpu_only(args: Sequence[str]) -> bool:
    """Whether a command line is for the GPU alone (``-target amdgcn-amd-amdhsa``): assembler, LLVM IR, OpenCL."""
    return any(
        word.startswith("--target=amdgcn") or (word in ("-target", "--target") and value.startswith("amdgcn"))
        for word, value in itertools.pairwise([*args, ""])
    )


class _Parser:
    def __init__(self, args: Sequence[str], cxx_is_hip: bool) -> None:
        self.line = CommandLine()
        self.cxx_is_hip = cxx_is_hip
        self.language: str | None = None
        self.hip_by_suffix: list[Input] = []
        words = nvcc.translate(expand_response_files(args), TAKES_NEXT, self.line.notes.append)
        self.words = iter(list(words))

    def value(self, word: str) -> str:
        value = next(self.words, None)
        if value is None:
            raise UsageError(f"argument to {word!r} is missing (expected 1 value)", status=1)
        return value

    def parse(self) -> CommandLine:
        for word in self.words:
            if word == "-" or not word.startswith("-"):
                self.add_input(word)
            elif not (self.special(word) or self.linker(word)):
                self.compiler(word)
        if any(each.cuda for each in self.line.inputs):
            self.as_nvcc()
        return self.line

    def as_nvcc(self) -> None:
        """Beside a .cu file, C++ sources are what nvcc takes them for: code of the host, which may call CUDA's
        API."""
        line = self.line
        host = {each: Input(each.path, "c++") for each in self.hip_by_suffix}
        line.inputs = [host.get(each, each) for each in line.inputs]
        line.link = [host.get(each, each) if isinstance(each, Input) else each for each in line.link]

    def add_input(self, path: str) -> None:
        item = Input(path, *self.classify(path))
        if self.language is None and item.language == "hip" and not item.cuda and Path(path).suffix != ".hip":
            self.hip_by_suffix.append(item)
        self.line.inputs.append(item)
        self.line.link.append(item)

    def classify(self, path: str) -> tuple[str, bool]:
        suffix = Path(path).suffix
        if self.language is not None:
            if self.language in CUDA_LANGUAGES:
                return "hip", True
            return self.language, self.language == "hip" and suffix in CUDA_SUFFIXES
        if suffix in CUDA_SUFFIXES:
            return "hip", True
        if suffix == ".hip" or (suffix in HIP_SUFFIXES and self.cxx_is_hip):
            return "hip", False
        if suffix in _LINKABLE or ".so." in Path(path).name:
            return "object", False
        if suffix in _LANGUAGES:
            return _LANGUAGES[suffix], False
        return ("c++" if suffix in HIP_SUFFIXES else "object"), False

    def special(self, word: str) -> bool:
        """Flags that steer this driver; True where `word` is used up."""
        line = self.line
        if word in MODES:
            line.mode = MODES[word]
            if word in ("-M", "-MM", "-fsyntax-only"):
                line.compile_flags.append(word)
        elif word == "-o" or (word.startswith("-o") and not word.startswith(("-offload", "-object"))):
            line.output = self.value(word) if word == "-o" else word[2:]
        elif word == "-x" or word.startswith("-x"):
            name = self.value(word) if word == "-x" else word[2:]
            self.language = None if name == "none" else name
        elif word.startswith(("--offload-arch=", "--amdgpu-target=", "--cuda-gpu-arch=")):
            line.archs += [each for each in word.partition("=")[2].split(",") if each]
        elif word.startswith(("--no-offload-arch=", "--no-cuda-gpu-arch=")):
            drop = word.partition("=")[2]
            line.archs = [] if drop == "all" else [each for each in line.archs if each != drop]
        elif word in ("--emit-static-lib", "-lib", "--lib"):
            line.static_library = True
        elif word == "--genco":
            line.mode, line.device_only = "genco", True
            line.compile_flags.append("--cuda-device-only")
        elif word in ("-v", "-###"):
            line.verbose = line.verbose or word == "-v"
            line.dry_run = line.dry_run or word == "-###"
        elif word.startswith(_QUERIES):
            line.mode = "query"
            line.compile_flags.append(word)
        elif word.startswith("-parallel-jobs="):
            line.jobs = self.number(word)
        elif word.startswith("-fsanitize=") and any(each in word for each in _SANITIZERS):
            raise UnsupportedError(
                f"{word} is not supported: the compiler carries no sanitizer runtime", hint="leave it out"
            )
        elif word.startswith("-fopenmp") and word != "-fopenmp=none":
            raise UnsupportedError(
                "OpenMP (-fopenmp) is not supported: the compiler carries no OpenMP runtime",
                hint="leave -fopenmp out (omp pragmas are then ignored), or compile that file with g++",
            )
        else:
            return False
        return True

    def number(self, word: str) -> int:
        text = word.partition("=")[2]
        if not text.isdigit() or int(text) < 1:
            raise UsageError(f"{word}: a positive number is needed")
        return int(text)

    def linker(self, word: str) -> bool:
        """Flags of the linker only; True where `word` is used up."""
        if word in _LINK_WITH_VALUE:
            self.line.link += [word, self.value(word)]
        elif word in _LINK_ONLY or word.startswith(_LINK_PREFIXES):
            self.line.shared = self.line.shared or word == "-shared"
            self.line.link.append(word)
        elif word in _DROPPED or word.startswith(_DROPPED_PREFIXES):
            if word == "-Xoffload-linker":
                self.line.offload_link.append(self.value(word))
        else:
            return False
        return True

    def compiler(self, word: str) -> None:
        """Flags for clang, some for the linker too."""
        line = self.line
        if word in ("-fgpu-rdc", "-fno-gpu-rdc"):
            line.rdc = word == "-fgpu-rdc"
        elif word in ("--cuda-device-only", "--offload-device-only"):
            line.device_only = True
        elif word in ("--cuda-host-only", "--offload-host-only"):
            line.host_only = True
        line.save_temps = line.save_temps or word.startswith(("-save-temps", "--save-temps"))
        line.optimised = line.optimised or word.startswith("-O")
        if word in _BOTH:
            line.link.append(word)
        line.compile_flags.append(word)
        if word in TAKES_NEXT:
            line.compile_flags.append(self.value(word))


def parse(args: Sequence[str], *, cxx_is_hip: bool = True) -> CommandLine:
    """Parse a command line of hipcc, or of ``clang++`` (`cxx_is_hip` False: ``.cpp`` is then plain C++).

    Raises:
        UsageError: a flag lacks its value, or a response file is broken.
        UnsupportedError: OpenMP.
    """
    return _Parser(args, cxx_is_hip).parse()
