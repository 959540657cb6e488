"""HIPRTC: compiling from source text while a program runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from softrock.core.errors import CompileError, SoftrockError, UsageError
from softrock.hip import devices, raw, state

(
    OUT_OF_MEMORY, CREATION_FAILURE, INVALID_INPUT, INVALID_PROGRAM, INVALID_OPTION, COMPILATION, BUILTIN_FAILURE,
    NO_NAMES_AFTER_COMPILATION, NO_LOWERED_BEFORE_COMPILATION, NAME_NOT_VALID, INTERNAL,
) = range(1, 12)  # fmt: skip
LINKING = 100

_ARCH_OPTIONS = ("--offload-arch=", "--gpu-architecture=", "-arch=")
_PROBE = "__softrock_name_"


class RtcError(SoftrockError):
    """A HIPRTC call failed; `code` is its hiprtcResult."""

    def __init__(self, code: int, reason: str, *, hint: str | None = None) -> None:
        super().__init__(reason, hint=hint)
        self.code = code


class Program:
    """A source to be compiled.

    Attributes:
        source, name, headers: as given; headers by the name they are included under.
        names: name expression -> lowered name, empty until the program is compiled.
    """

    def __init__(self, source: str, name: str, headers: dict[str, str]) -> None:
        self.source = source
        self.name = name
        self.headers = headers
        self.names: dict[str, str] = {}
        self.code = b""
        self.bitcode = b""
        self.log = ""
        self.held: dict[str, raw.Held] = {}

    def compile(self, options: list[str]) -> None:
        """Compile it.

        Raises:
            RtcError: COMPILATION, NAME_NOT_VALID; the log then holds the compiler's words.
        """
        from softrock.compiler.device import compile_device

        target, flags = _target(options)
        whole = self.source
        for i, each in enumerate(self.names):
            variable = f"{_PROBE}{i}"
            whole += (
                f'\nextern "C" __device__ __attribute__((used)) const void *{variable} = (const void *)(&({each}));\n'
            )
        name = self.name if self.name.endswith((".cu", ".hip", ".cpp", ".cc")) else f"{self.name}.hip"
        base = ["-include", "hip/hip_runtime.h", "-D__HIPCC_RTC__", "-D__HIP_HIPCC_RTC__", "-w"]
        rdc = any(each in ("-fgpu-rdc", "--gpu-rdc") for each in flags)
        flags = [each for each in flags if each not in ("-fgpu-rdc", "--gpu-rdc")]
        try:
            made = compile_device(whole, target, [*base, *flags], name=name, headers=self.headers, bitcode=rdc)
        except CompileError as error:
            self.log = error.message + "\n"
            raise RtcError(COMPILATION, error.message) from None
        except UsageError as error:
            self.log = error.message + "\n"
            raise RtcError(INVALID_OPTION, error.message, hint=error.hint) from None
        self.log = made.log
        if rdc:
            self.bitcode = made.code
        else:
            self.code = made.code
            self._find_names()

    def _find_names(self) -> None:
        """Where each probe variable points is what its expression names."""
        from softrock.codeobj import load

        if not self.names:
            return
        code = load(self.code, self.name)
        by_address = {each.address: each.name for each in code.functions}
        by_address |= {each.address: name for name, each in code.variables.items() if not name.startswith(_PROBE)}
        pointing = {each.address: (each.value or 0) + each.addend for each in code.relocations}
        for i, expression in enumerate(self.names):
            probe = code.variables.get(f"{_PROBE}{i}")
            lowered = by_address.get(pointing.get(probe.address, -1)) if probe else None
            if lowered is None:
                raise RtcError(NAME_NOT_VALID, f"{expression} names nothing that was compiled")
            self.names[expression] = lowered


def _target(options: list[str]) -> tuple[str, list[str]]:
    """The target that the options ask for (else the current device's), and the options that are left."""
    target, left = "", []
    for each in options:
        prefix = next((p for p in _ARCH_OPTIONS if each.startswith(p)), None)
        if prefix is None:
            left.append(each)
        elif "gfx" in each:
            target = each.removeprefix(prefix)
    return target or state.current().device.facts.target, left


def _program(handle: int) -> Program:
    found = state.runtime().find(handle, Program)
    if found is None:
        raise RtcError(INVALID_PROGRAM, f"{handle:#x} is no program")
    return found


def _text(address: int) -> str:
    if not address:
        raise RtcError(INVALID_INPUT, "a text is null")
    return raw.text(address)


def _require(*pointers: int) -> None:
    if not all(pointers):
        raise RtcError(INVALID_INPUT, "a pointer is null")


def _guarded(call: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what is no HIPRTC error into HIPRTC_ERROR_INTERNAL_ERROR."""

    @functools.wraps(call)
    def guarded(*args: int) -> Any:
        try:
            return call(*args)
        except RtcError:
            raise
        except SoftrockError as error:
            raise RtcError(INTERNAL, error.message, hint=error.hint) from None

    return guarded


@_guarded
def hiprtcVersion(major: int, minor: int) -> None:
    _require(major, minor)
    raw.put(major, "i", devices.RUNTIME_VERSION // 10_000_000)
    raw.put(minor, "i", devices.RUNTIME_VERSION // 100_000 % 100)


@_guarded
def hiprtcCreateProgram(out: int, source: int, name: int, count: int, headers: int, names: int) -> None:
    _require(out)
    if count < 0 or (count and not (headers and names)):
        raise RtcError(INVALID_INPUT, f"{count} headers are announced and not given")
    texts = {
        _text(key): _text(value) for key, value in zip(raw.words(names, count), raw.words(headers, count), strict=True)
    }
    program = Program(_text(source), raw.text(name) if name else "CompileSource", texts)
    raw.put(out, "Q", state.runtime().add(program))


@_guarded
def hiprtcDestroyProgram(handle: int) -> None:
    _require(handle)
    _program(raw.get(handle, "Q"))
    state.runtime().drop(raw.get(handle, "Q"))
    raw.put(handle, "Q", 0)


@_guarded
def hiprtcAddNameExpression(handle: int, expression: int) -> None:
    program = _program(handle)
    if program.code or program.bitcode:
        raise RtcError(NO_NAMES_AFTER_COMPILATION, "the program is compiled already")
    program.names[_text(expression).removeprefix("&")] = ""


@_guarded
def hiprtcCompileProgram(handle: int, count: int, options: int) -> None:
    program = _program(handle)
    if count < 0 or (count and not options):
        raise RtcError(INVALID_OPTION, f"{count} options are announced and not given")
    program.compile([part for each in raw.words(options, count) for part in _split(_text(each))])


def _split(option: str) -> list[str]:
    """Options may come several in one text, as ``-I folder``."""
    import shlex

    return shlex.split(option) if " " in option.strip() else [option.strip()] if option.strip() else []


@_guarded
def hiprtcGetLoweredName(handle: int, expression: int, out: int) -> None:
    _require(out)
    program, text = _program(handle), _text(expression).removeprefix("&")
    if not program.code:
        raise RtcError(NO_LOWERED_BEFORE_COMPILATION, "the program is not compiled")
    lowered = program.names.get(text)
    if not lowered:
        raise RtcError(NAME_NOT_VALID, f"{text} was not added before the program was compiled")
    raw.put(out, "Q", program.held.setdefault(text, raw.Held(lowered.encode() + b"\0")).address)


@_guarded
def hiprtcGetProgramLogSize(handle: int, out: int) -> None:
    _require(out)
    raw.put(out, "Q", len(_program(handle).log.encode()) + 1)


@_guarded
def hiprtcGetProgramLog(handle: int, out: int) -> None:
    _require(out)
    raw.write(out, _program(handle).log.encode() + b"\0")


@_guarded
def hiprtcGetCodeSize(handle: int, out: int) -> None:
    _require(out)
    raw.put(out, "Q", len(_compiled(handle)))


@_guarded
def hiprtcGetCode(handle: int, out: int) -> None:
    _require(out)
    raw.write(out, _compiled(handle))


def _compiled(handle: int) -> bytes:
    code = _program(handle).code
    if not code:
        raise RtcError(INVALID_PROGRAM, "the program is not compiled to a code object")
    return code


@_guarded
def hiprtcGetBitcodeSize(handle: int, out: int) -> None:
    _require(out)
    raw.put(out, "Q", len(_bitcode(handle)))


@_guarded
def hiprtcGetBitcode(handle: int, out: int) -> None:
    _require(out)
    raw.write(out, _bitcode(handle))


def _bitcode(handle: int) -> bytes:
    found = _program(handle).bitcode
    if not found:
        raise RtcError(INVALID_PROGRAM, "the program is not compiled to bitcode", hint="compile it with -fgpu-rdc")
    return found
