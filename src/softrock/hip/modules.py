"""Modules: code objects loaded on devices, and what compiled programs register.

A fat binary holds code for several targets. Nothing of it is read before a kernel or variable of it is used on a
device; then the code object that suits the device is loaded there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from softrock.core.errors import CodeObjectError, UnsupportedError
from softrock.gpu import device as gpu
from softrock.hip import memory, raw, state
from softrock.hip.errors import HipError

if TYPE_CHECKING:
    from softrock.codeobj import Kernel

WRAPPER_MAGIC = 0x48495046
"""``HIPF``: the magic number of the wrapper that clang puts around a bundle."""


class Function:
    """A kernel of a module on a device.

    Attributes:
        module: where it comes from.
        native: the device's kernel.
        handle: what the program holds.
        shared_limit: most bytes of dynamic LDS that were asked for with hipFuncSetAttribute, or None.
    """

    def __init__(self, module: Module, native: gpu.Function) -> None:
        self.module = module
        self.native = native
        self.name = native.name
        self.home = module.home
        self.shared_limit: int | None = None
        self.carveout = 0
        self.arguments = [(arg.offset, arg.size) for arg in native.kernel.args]
        self.argument_bytes = max((offset + size for offset, size in self.arguments), default=0)
        self.handle = state.runtime().add(self)

    @property
    def kernel(self) -> Kernel:
        """What the code object says of it."""
        return self.native.kernel


class Module:
    """A code object on a device."""

    def __init__(self, home: state.DeviceState, image: bytes, name: str) -> None:
        self.home = home
        self.name = name
        self.native = home.device.load(image, name)
        self._functions: dict[str, Function] = {}
        self.handle = state.runtime().add(self)
        self._noted: list[int] = []

    def function(self, name: str) -> Function | None:
        """A kernel by name; always the same object."""
        found = self._functions.get(name)
        if found is None:
            native = self.native.function(name)
            if native is None:
                return None
            found = self._functions[name] = Function(self, native)
        return found

    def names(self) -> list[str]:
        """Names of its kernels."""
        return list(self.native.names)

    def variable(self, name: str) -> tuple[int, int] | None:
        """Address and size in bytes of a global variable."""
        found = self.native.variable(name)
        if found is not None and found[1] and state.runtime().allocations.at(found[0]) is None:
            allocation = memory.Allocation(found[0], found[1], memory.DEVICE, self.home.index, foreign=True)
            state.runtime().allocations.add(allocation)
            self._noted.append(found[0])
        return found

    def unload(self) -> None:
        """Free it after the device's work."""
        memory.drain(self.home.index)
        runtime = state.runtime()
        for base in self._noted:
            runtime.allocations.remove(base)
        for function in self._functions.values():
            runtime.drop(function.handle)
        runtime.drop(self.handle)
        self.native.unload()


@dataclass(slots=True)
class Binary:
    """A registered fat binary: where it stands, and its modules by device index."""

    wrapper: int
    data: bytes | None = None
    modules: dict[int, Module] = field(default_factory=dict)


@dataclass(slots=True)
class Registered:
    """A kernel or variable that a program registered.

    Attributes:
        kind: function, variable, managed, texture or surface.
        size: bytes, of variables.
        managed: address of a managed variable's memory.
    """

    kind: str
    binary: Binary
    name: str
    size: int = 0
    managed: int = 0


class Registry:
    """What compiled programs registered, by the host address that stands for it."""

    def __init__(self) -> None:
        self.things: dict[int, Registered] = {}
        self.functions: dict[tuple[int, int], Function] = {}
        self.pull: list[Callable[[], None]] = []
        """Called before each look-up: entry points deliver late."""

    def add(self, host: int, thing: Registered) -> None:
        """Register a thing under its host address."""
        self.things[host] = thing

    def drop(self, binary: Binary) -> None:
        """Unregister a fat binary with all that belongs to it."""
        gone = [host for host, thing in self.things.items() if thing.binary is binary]
        for host in gone:
            del self.things[host]
        self.functions = {key: value for key, value in self.functions.items() if key[0] not in gone}
        for module in binary.modules.values():
            module.unload()
        binary.modules.clear()

    def find(self, host: int) -> Registered | None:
        """What stands under a host address."""
        self._pull()
        return self.things.get(host)

    def _pull(self) -> None:
        """Take over what was registered or taken away since the last look-up: addresses may mean other things now."""
        for each in self.pull:
            each()

    def function(self, host: int, home: state.DeviceState) -> Function:
        """The kernel that a host function stands for.

        Raises:
            HipError: hipErrorInvalidDeviceFunction, hipErrorNoBinaryForGpu.
        """
        self._pull()
        known = self.functions.get((host, home.index))
        if known is not None:
            return known
        thing = self.things.get(host)
        if thing is None or thing.kind != "function":
            raise HipError("hipErrorInvalidDeviceFunction", f"no kernel is registered for {host:#x}")
        function = self.module(thing.binary, home).function(thing.name)
        if function is None:
            raise HipError("hipErrorInvalidDeviceFunction", _missing(thing, home))
        self.functions[host, home.index] = function
        return function

    def variable(self, host: int, home: state.DeviceState) -> tuple[int, int]:
        """Address and size of the variable that a host symbol stands for.

        Raises:
            HipError: hipErrorInvalidSymbol.
        """
        thing = self.find(host)
        if thing is None or thing.kind not in ("variable", "managed", "texture"):
            raise HipError("hipErrorInvalidSymbol", f"no variable is registered for {host:#x}")
        module = self.module(thing.binary, home)
        if thing.kind == "managed":
            return thing.managed, thing.size
        found = module.variable(thing.name)
        if found is None:
            raise HipError("hipErrorInvalidSymbol", _missing(thing, home))
        return found

    def module(self, binary: Binary, home: state.DeviceState) -> Module:
        """A fat binary's module on a device, loaded at first use."""
        module = binary.modules.get(home.index)
        if module is None:
            with state.runtime().lock:
                module = binary.modules.get(home.index)
                if module is None:
                    module = binary.modules[home.index] = self._load(binary, home)
        return module

    def _load(self, binary: Binary, home: state.DeviceState) -> Module:
        if binary.data is None:
            binary.data = bundle_at(binary.wrapper)
        module = load_image(binary.data, home, "this program")
        for thing in self.things.values():
            if thing.binary is binary and thing.kind == "managed":
                place = module.variable(thing.name)
                if place is not None:  # the device's variable of that name holds the address
                    raw.put(place[0], "Q", thing.managed)
        return module


def _missing(thing: Registered, home: state.DeviceState) -> str:
    return f"the program's code for {home.device.facts.target} has no {thing.name}"


def bundle_at(wrapper: int) -> bytes:
    """The bundle that a registered wrapper points to.

    Raises:
        HipError: hipErrorInvalidImage.
    """
    if raw.get(wrapper, "I") != WRAPPER_MAGIC:
        raise HipError("hipErrorInvalidImage", "the program registered something that is no fat binary")
    return image_at(raw.get(wrapper + 8, "Q"))


def image_at(address: int) -> bytes:
    """Bytes of the bundle or code object that begins at an address; its headers tell its size.

    Raises:
        HipError: hipErrorInvalidImage.
    """
    from softrock.codeobj import bundle

    if not address:
        raise HipError("hipErrorInvalidImage", "no image is given")
    try:
        size = bundle.measure(lambda offset, count: raw.read(address + offset, count), "the image")
    except CodeObjectError as error:
        raise HipError("hipErrorInvalidImage", error.message, hint=error.hint) from None
    return raw.read(address, size)


def load_image(data: bytes, home: state.DeviceState, name: str) -> Module:
    """Load the code object of a bundle (or a bare one) that suits a device.

    Raises:
        HipError: hipErrorNoBinaryForGpu, hipErrorInvalidImage, hipErrorSharedObjectInitFailed.
    """
    from softrock.codeobj import bundle

    target = home.device.facts.target
    try:
        image = bundle.select(data, target, name)
    except CodeObjectError as error:
        missing = data[:4] == b"\x7fELF" or bundle.is_bundle(data)
        code = "hipErrorNoBinaryForGpu" if missing and "holds" in error.message else "hipErrorInvalidImage"
        raise HipError(code, error.message, hint=error.hint) from None
    try:
        return Module(home, image, name)
    except CodeObjectError as error:
        raise HipError("hipErrorInvalidImage", error.message, hint=error.hint) from None
    except UnsupportedError as error:
        raise HipError("hipErrorNotSupported", error.message, hint=error.hint) from None


def load_data(data: bytes, name: str = "the image") -> Module:
    """Load a code object or bundle on the current device; see :func:`load_image`."""
    return load_image(data, state.current(), name)


def load_file(path: str) -> Module:
    """Load a file on the current device.

    Raises:
        HipError: hipErrorFileNotFound, and what :func:`load_image` raises.
    """
    from pathlib import Path

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise HipError("hipErrorFileNotFound", f"{path}: {error.strerror}") from None
    return load_image(data, state.current(), path)


def of(handle: int) -> Module:
    """The module behind a handle."""
    return state.runtime().get(handle, Module)


def function_of(handle: int) -> Function:
    """The kernel behind a handle."""
    return state.runtime().get(handle, Function)
