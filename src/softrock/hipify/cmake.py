"""CMake files: languages, packages, targets, variables and options of nvcc.

A name is replaced where the table for CMake has it. What CMake needs besides is added: the packages of libraries whose
targets are named, and ``LANGUAGE HIP`` for .cu files, which CMake does not compile as HIP by their suffix.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from softrock.hipify import table
from softrock.hipify.edits import apply
from softrock.hipify.source import Source
from softrock.hipify.table import Row
from softrock.hipify.translate import Translation, finished
from softrock.hipify.work import Options, Work

_PATTERN = re.compile(
    r"""
      (?P<comment>\#\[(?P<c>=*)\[.*?\](?P=c)\]|\#[^\n]*)
    | (?P<bracket>\[(?P<b>=*)\[.*?\](?P=b)\])
    | (?P<quoted>"(?:\\.|[^"\\])*"?)
    | (?P<paren>[()])
    | (?P<space>[\s;]+)
    | (?P<word>(?:\\.|[^\s()"\#;\\])+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_TARGET = re.compile(r"\b[A-Za-z_]\w*(?:::\w+)+")
_VARIABLE = re.compile(
    r"\$\{(\w+)\}|\b((?:CMAKE_)?CUDA[A-Za-z]*_\w+|CUDAToolkit_\w+|CUDAHOSTCXX|TORCH_CUDA_ARCH_LIST)\b"
)
_LANGUAGE = re.compile(r"(\$<(?:COMPILE|LINK)_(?:LANGUAGE|LANG_AND_ID):)CUDA(?=[,>])")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s\";>]*)?")
_NVCC = re.compile(
    r"-gencode|-Xcompiler|-Xptxas|-Xcudafe|--expt-|--extended-lambda|-arch=|--use_fast_math|-lineinfo|-rdc=|--generate-code"
)
_COMMAND = re.compile(r"(?:find_)?cuda_\w+")
_STANDARD = re.compile(r"cuda_std_\d\d")
_PLAIN = {"cuda": "cuda_driver", "cudadevrt": "cudart", "nvidia-ml": "nvml"}
"""Names of libraries that are not those of FindCUDAToolkit's targets."""
_ABSENT = frozenset("nccl cudnn cutensor nvinfer nvjpeg nppc nppi npps cufile nvshmem".split())
_CONTEXT = re.compile(r"CUDA|NVCC")
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:\.\.\.<?[\d.]+)?")
_NUMBER = re.compile(
    r"\d\d\d?[af]?(?:-(?:real|virtual))?|\d\d?\.\d[af]?(?:\+PTX)?|(?:sm|compute)_\d+[af]?|native|all|all-major"
)
_ARCHITECTURES = frozenset(
    [
        "CMAKE_CUDA_ARCHITECTURES",
        "CUDA_ARCHITECTURES",
        "CUDA_ARCHS",
        "CUDA_ARCH_BIN",
        "CUDA_ARCH_PTX",
        "CUDA_ARCH_LIST",
        "CUDA_ARCH_FLAGS",
        "TORCH_CUDA_ARCH_LIST",
    ]
)
_OF_HIP = frozenset(["CMAKE_HIP_ARCHITECTURES", "HIP_ARCHITECTURES"])
_DECLARES = frozenset(["set", "option", "cmake_dependent_option", "find_path", "find_library", "find_program"])
_HAS_PACKAGE = frozenset(["hip", "roc", "hiprtc", "libhipcxx"])
_BUILDS = frozenset(["add_executable", "add_library", "target_sources", "cuda_add_executable", "cuda_add_library"])


@dataclass(slots=True)
class Argument:
    """A word or string of a command: its text without quotes and where that begins."""

    text: str
    offset: int


@dataclass(slots=True)
class Command:
    """A call of a command.

    Attributes:
        name: as it is written.
        offset: of its name.
        end: behind its closing parenthesis.
        arguments: in order; parentheses within are left out.
    """

    name: str
    offset: int
    end: int
    arguments: list[Argument] = field(default_factory=list)


def commands(text: str) -> Iterator[Command]:
    """The commands of a CMake file; what is none is skipped."""
    current: Command | None = None
    depth = 0
    before: Argument | None = None
    for match in _PATTERN.finditer(text):
        group = match.lastgroup if match.lastgroup not in ("c", "b") else ("comment" if match["comment"] else "bracket")
        if group in ("space", "comment"):
            continue
        if group == "paren":
            if match[0] == "(":
                if current is None and before is not None:
                    current = Command(before.text, before.offset, 0)
                depth += 1
            elif depth:
                depth -= 1
                if depth == 0 and current is not None:
                    current.end = match.end()
                    yield current
                    current = None
            continue
        quoted = group == "quoted"
        inner = match[0][1:].removesuffix('"') if quoted else match[0]
        argument = Argument(inner, match.start() + quoted)
        if current is not None:
            current.arguments.append(argument)
        else:
            before = argument


def translate(source: Source, options: Options) -> Translation:
    """Translate a CMake file."""
    work = Work(source, options)
    found = list(commands(source.text))
    file = _File(work, found)
    for command in found:
        file.command(command)
    file.finish()
    result = finished(work)
    result.mode = "cmake" if result.mode else ""
    return result


class _File:
    def __init__(self, work: Work, found: list[Command]) -> None:
        self.work = work
        self.found = found
        self.rows = table.table("cmake")
        self.own = {each.arguments[0].text for each in found if each.name.lower() in _DECLARES and each.arguments}
        named = [(each.name.lower(), each.arguments[0].text) for each in found if each.arguments]
        self.functions = {word.lower() for name, word in named if name in ("function", "macro")}
        self.targets = {word for name, word in named if name in ("add_library", "add_executable")}
        self.packages: list[str] = []
        self.anchor: Command | None = None
        self.taken: list[tuple[int, int]] = []

    # ---- edits ----

    def replace(self, offset: int, length: int, text: str, row: Row) -> None:
        """Replace what a row is about."""
        self.work.replaced += 1
        self.taken.append((offset, offset + length))
        self.work.replace(offset, length, text, f"cmake: {row.cuda}")

    def need(self, rule: str, offset: int, length: int, message: str, hint: str = "") -> None:
        """Report what needs a hand."""
        self.work.report(offset, length, rule, message, hint)

    def row(self, row: Row, offset: int, length: int) -> bool:
        """Note a row's use; whether it has a counterpart."""
        self.work.uses["cmake", row.status, row.cuda] += 1
        name = row.cuda.removeprefix("package ")
        if not row.hip:
            hint = row.note or "leave it out, or keep it for builds with CUDA"
            self.need("build-needs-hand", offset, length, f"{name} has no counterpart in CMake's support of HIP", hint)
            return False
        if row.status == "partial" and row.cuda not in _ARCHITECTURES:
            self.need("partial-api", offset, length, f"{name} became {row.hip}, which differs", row.note)
        return True

    def counterpart(self, name: str, *kinds: str) -> Row | None:
        """The row of a name if it is of one of these kinds."""
        row = self.rows.get(name)
        return row if row is not None and row.kind in kinds else None

    # ---- commands ----

    def command(self, command: Command) -> None:
        """Handle one command."""
        name = command.name.lower()
        row = self.counterpart(name, "command")
        if row is not None and self.row(row, command.offset, len(command.name)):
            self.replace(command.offset, len(command.name), row.hip, row)
        elif row is None and _COMMAND.fullmatch(name) and name not in self.functions:
            self.work.uses["cmake", "unknown", command.name] += 1
            text = f"{command.name} looks like a command of FindCUDA's and is in no mapping table"
            self.need("unknown-api", command.offset, len(command.name), text, "the language HIP does without it")
        if name in ("project", "enable_language", "check_language"):
            self._languages(command, name)
        elif name == "find_package":
            self._package(command)
        self._properties(command)
        nvcc = bool(_CONTEXT.search(self.work.source.text[command.offset : command.end]))
        for argument in command.arguments:
            self._argument(argument, nvcc, name)
        if name in ("target_link_libraries", "link_libraries"):
            self._libraries(command)
        self._architectures(command)
        self._sources(command, name)

    def _language(self, argument: Argument) -> None:
        row = self.rows["CUDA"]
        self.work.uses["cmake", row.status, row.cuda] += 1
        self.replace(argument.offset, len(argument.text), row.hip, row)

    def _languages(self, command: Command, name: str) -> None:
        for argument in command.arguments[1 if name == "project" else 0 :]:
            if argument.text == "CUDA":
                self._language(argument)

    def _properties(self, command: Command) -> None:
        for one, other in zip(command.arguments, command.arguments[1:], strict=False):
            if one.text in ("LANGUAGE", "LINKER_LANGUAGE") and other.text == "CUDA":
                self._language(other)

    def _package(self, command: Command) -> None:
        if not command.arguments:
            return
        first = command.arguments[0]
        row = self.counterpart(f"package {first.text}", "package") or self.counterpart(first.text, "package")
        if row is None or not self.row(row, first.offset, len(first.text)):
            return
        if row.hip == "hip" and self.anchor is None:
            self.anchor = command
        self.replace(first.offset, len(first.text), row.hip, row)
        rest = command.arguments[1:]
        if rest and _VERSION.fullmatch(rest[0].text):
            start = first.offset + len(first.text)
            self.replace(start, rest[0].offset + len(rest[0].text) - start, "", row)
            text = f"version {rest[0].text} of {first.text} was dropped: ROCm counts otherwise"
            self.need(
                "build-note", rest[0].offset, len(rest[0].text), text, "ask for a version of ROCm where one is needed"
            )
        for each in rest:
            if each.text in ("COMPONENTS", "OPTIONAL_COMPONENTS"):
                text = f"{row.hip} has no components: find a package for each library"
                self.need("build-needs-hand", each.offset, len(each.text), text, "e.g. find_package(hipblas)")

    # ---- arguments ----

    def _argument(self, argument: Argument, nvcc: bool, command: str) -> None:
        if _STANDARD.fullmatch(argument.text):
            self.replace(argument.offset, 4, "hip", self.rows["CUDA"])
        for match in _LANGUAGE.finditer(argument.text):
            row = self.rows["CUDA"]
            self.work.uses["cmake", row.status, row.cuda] += 1
            self.replace(argument.offset + match.end() - 4, 4, row.hip, row)
        for match in _TARGET.finditer("" if command == "message" else argument.text):
            self._target(match[0], argument.offset + match.start())
        for match in _VARIABLE.finditer(argument.text):
            self._variable(match, argument)
        if nvcc or _NVCC.search(argument.text):
            self._flags(argument)

    def _target(self, name: str, offset: int) -> None:
        row = self.counterpart(name, "target")
        if row is None:
            if name.startswith("CUDA::"):
                self.work.uses["cmake", "unknown", name] += 1
                text = f"{name} is a target of CUDA's that is in no mapping table"
                self.need("unknown-api", offset, len(name), text, "link the ROCm library with the same task")
            return
        if self.row(row, offset, len(name)):
            self.replace(offset, len(name), row.hip, row)
            self._needs(row.hip)

    def _libraries(self, command: Command) -> None:
        """Libraries by their plain names: ``cublas``, ``-lcublas``."""
        for argument in command.arguments[1 if command.name.lower() == "target_link_libraries" else 0 :]:
            word = argument.text.removeprefix("-l")
            row = self.counterpart(f"CUDA::{_PLAIN.get(word, word)}", "target")
            if word in self.targets or (row is None and word not in _ABSENT):
                continue
            if row is None:
                self.work.uses["cmake", "unknown", word] += 1
                text = f"{argument.text} is a library of NVIDIA's that is in no mapping table"
                hint = "link the ROCm library with the same task"
                self.need("unknown-api", argument.offset, len(argument.text), text, hint)
            elif self.row(row, argument.offset, len(argument.text)):
                self.replace(argument.offset, len(argument.text), row.hip, row)
                self._needs(row.hip)

    def _needs(self, target: str) -> None:
        space, _, name = target.partition("::")
        if space in _HAS_PACKAGE and name and target != "hip::host" and name not in self.packages:
            self.packages.append(name)

    def _variable(self, match: re.Match[str], argument: Argument) -> None:
        name = match[1] or match[2]
        start = argument.offset + match.start(1 if match[1] else 2)
        if any(first <= start < last for first, last in self.taken):
            return
        row = self.counterpart(name, "variable", "property")
        if row is None or (
            name in self.own
            and not name.startswith("CMAKE_")
            and name not in _ARCHITECTURES
            and "NVCC_FLAGS" not in name
        ):
            if row is None and name.startswith("CMAKE_CUDA_"):
                self.work.uses["cmake", "unknown", name] += 1
                text = f"{name} is a variable of CMake's for CUDA that is in no mapping table"
                self.need("unknown-api", start, len(name), text, "see what CMake has for the language HIP")
            return
        if not self.row(row, start, len(name)):
            return
        if "::" in row.hip:  # a list of libraries became a target
            if match[1]:
                self.replace(start - 2, len(name) + 3, row.hip, row)
                self._needs(row.hip)
            else:
                self.need(
                    "build-needs-hand", start, len(name), f"{name} is the target {row.hip} with HIP", "link the target"
                )
            return
        self.replace(start, len(name), row.hip, row)

    def _flags(self, argument: Argument) -> None:
        for match in _FLAG.finditer(argument.text):
            flag = match[0]
            base = flag.partition("=")[0]
            row = self.counterpart(flag, "option") or self.counterpart(base, "option")
            if row is None:
                continue
            offset = argument.offset + match.start()
            self.work.uses["cmake", row.status, row.cuda] += 1
            if row.status == "full" and row.cuda == flag:
                self.replace(offset, len(flag), row.hip, row)
            else:
                self.need("nvcc-flags", offset, len(flag), f"{flag} is an option of nvcc's", row.note)

    def _architectures(self, command: Command) -> None:
        texts = [each.text for each in command.arguments]
        at = next((number for number, each in enumerate(texts) if each in _ARCHITECTURES | _OF_HIP), None)
        if at is None:
            return
        numbers = []
        for each in command.arguments[at + 1 :]:
            parts = each.text.split(";")
            if not all(_NUMBER.fullmatch(part) for part in parts):
                break
            numbers.append(each)
        if numbers:
            start, end = numbers[0].offset, numbers[-1].offset + len(numbers[-1].text)
            text = f"{' '.join(each.text for each in numbers)}: architectures of NVIDIA's"
            self.need("build-needs-hand", start, end - start, text, "name AMD's, e.g. gfx942;gfx1100")

    # ---- sources ----

    def _sources(self, command: Command, name: str) -> None:
        folder = self.work.source.path.parent
        files = [each for each in command.arguments if each.text.endswith(".cu")]
        if not files:
            return
        if self.work.options.renamed:
            for each in files:
                if os.path.realpath(folder / each.text) in self.work.options.renamed:
                    row = self.rows["CUDA"]
                    self.replace(each.offset + len(each.text) - 3, 3, ".hip", row)
            return
        if name in ("file", "aux_source_directory") and any("*" in each.text for each in files):
            text = "CMake does not compile .cu files as HIP by themselves"
            self.need(
                "build-note",
                files[0].offset,
                len(files[0].text),
                text,
                "set their property LANGUAGE to HIP, or use --rename",
            )
        if name not in _BUILDS:
            return
        told = {arg.text for other in self.found if self._sets_language(other) for arg in other.arguments}
        missing = [each.text for each in files if each.text not in told and "$" not in each.text]
        if missing:
            text = self.work.source.text
            line = text.rfind("\n", 0, command.offset) + 1
            indent = text[line : command.offset]
            lead = self.work.newline + (indent if not indent.strip() else "")
            added = f"{lead}set_source_files_properties({' '.join(missing)} PROPERTIES LANGUAGE HIP)"
            self.work.replace(command.end, 0, added, "cmake: .cu files are HIP by property only")

    def _sets_language(self, command: Command) -> bool:
        texts = [each.text for each in command.arguments]
        return command.name.lower() == "set_source_files_properties" and "LANGUAGE" in texts

    def finish(self) -> None:
        """Add the packages of libraries whose targets are named."""
        found = {
            each.arguments[0].text for each in self.found if each.name.lower() == "find_package" and each.arguments
        }
        translated = apply(self.work.source.text, self.work.edits)
        missing = [
            each
            for each in self.packages
            if each not in found and not re.search(rf"find_package\(\s*{each}\b", translated)
        ]
        if not missing:
            return
        if self.anchor is None:
            text = f"find_package for {', '.join(missing)} is needed where the targets are linked"
            self.need("build-note", 0, 0, text, "add it where CUDA's packages were found")
            return
        text = self.work.source.text
        line = text.rfind("\n", 0, self.anchor.offset) + 1
        indent = text[line : self.anchor.offset]
        lead = self.work.newline + (indent if not indent.strip() else "")
        added = "".join(f"{lead}find_package({each} REQUIRED)" for each in missing)
        self.work.replace(self.anchor.end, 0, added, "cmake: packages of the targets that are linked")
