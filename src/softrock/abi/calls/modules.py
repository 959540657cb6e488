"""Modules, functions, their attributes; libraries."""

from __future__ import annotations

from softrock.abi import structs
from softrock.abi.calls.devices import require
from softrock.hip import modules, raw, state
from softrock.hip.errors import HipError


def hipModuleLoad(out: int, path: int) -> None:
    require(out, path)
    raw.put(out, "Q", modules.load_file(raw.text(path)).handle)


def hipModuleLoadData(out: int, image: int) -> None:
    require(out, image)
    data = modules.image_at(image)
    raw.put(out, "Q", modules.load_image(data, state.current(), "the image").handle)


def hipModuleLoadDataEx(out: int, image: int, count: int, options: int, values: int) -> None:
    """The options speak to a compiler of intermediate code; an AMD code object is compiled already."""
    hipModuleLoadData(out, image)


def hipModuleLoadFatBinary(out: int, image: int) -> None:
    require(out, image)
    wrapped = raw.get(image, "I") == modules.WRAPPER_MAGIC
    hipModuleLoadData(out, raw.get(image + 8, "Q") if wrapped else image)


def hipModuleUnload(module: int) -> None:
    modules.of(module).unload()


def hipModuleGetFunction(out: int, module: int, name: int) -> None:
    require(out, name)
    text = raw.text(name)
    if not text:
        raise HipError("hipErrorInvalidValue", "the name is empty")
    function = modules.of(module).function(text)
    if function is None:
        raise HipError("hipErrorNotFound", f"{modules.of(module).name} has no kernel {text}")
    raw.put(out, "Q", function.handle)


def hipModuleGetFunctionCount(out: int, module: int) -> None:
    require(out)
    raw.put(out, "I", len(modules.of(module).names()))


def hipModuleGetGlobal(address: int, size: int, module: int, name: int) -> None:
    require(name)
    if not address and not size:
        raise HipError("hipErrorInvalidValue", "nothing is asked for")
    found = modules.of(module).variable(raw.text(name))
    if found is None:
        raise HipError("hipErrorNotFound", f"{modules.of(module).name} has no variable {raw.text(name)}")
    for out, value in zip((address, size), found, strict=True):
        if out:
            raw.put(out, "Q", value)


def hipGetFuncBySymbol(out: int, host: int) -> None:
    require(out)
    raw.put(out, "Q", state.runtime().registry.function(host, state.current()).handle)


# ---- attributes ----


def _dynamic_limit(function: modules.Function) -> int:
    facts = function.home.device.facts.properties
    return max(int(facts["sharedMemPerBlock"]) - function.kernel.group_segment_size, 0)


def _attribute(function: modules.Function, which: int) -> int:
    kernel = function.kernel
    values: dict[int, int] = {
        0: kernel.max_flat_workgroup_size,
        1: kernel.group_segment_size,
        2: 0,
        3: kernel.private_segment_size,
        4: (kernel.metadata.vgpr_count if kernel.metadata else 0) or kernel.vgprs,
        5: kernel.target.generation * 10,
        6: kernel.target.generation * 10,
        7: 0,
        8: _dynamic_limit(function) if function.shared_limit is None else function.shared_limit,
        9: function.carveout,
    }
    if which not in values:
        raise HipError("hipErrorInvalidValue", f"function attribute {which}")
    return int(values[which])


def hipFuncGetAttribute(out: int, which: int, function: int) -> None:
    require(out)
    raw.put(out, "i", _attribute(modules.function_of(function), which))


def hipFuncGetAttributes(out: int, host: int) -> None:
    require(out)
    function = state.runtime().registry.function(host, state.current())
    layout = structs.of("hipFuncAttributes")
    layout.clear(out)
    layout.set(
        out,
        binaryVersion=_attribute(function, 6),
        localSizeBytes=_attribute(function, 3),
        maxDynamicSharedSizeBytes=_attribute(function, 8),
        maxThreadsPerBlock=_attribute(function, 0),
        numRegs=_attribute(function, 4),
        preferredShmemCarveout=function.carveout,
        ptxVersion=_attribute(function, 5),
        sharedSizeBytes=_attribute(function, 1),
    )


def hipFuncSetAttribute(host: int, which: int, value: int) -> None:
    if not host:
        raise HipError("hipErrorInvalidDeviceFunction")
    function = state.runtime().registry.function(host, state.current())
    _set_attribute(function, which, value)


def _set_attribute(function: modules.Function, which: int, value: int) -> None:
    if which == 8 and 0 <= value <= _dynamic_limit(function):
        function.shared_limit = value
    elif which == 9 and -1 <= value <= 100:
        function.carveout = value
    elif not 8 <= which <= 16 or which in (8, 9):
        raise HipError("hipErrorInvalidValue", f"function attribute {which} cannot be {value}")


def hipFuncSetCacheConfig(host: int, config: int) -> None:
    """AMD GPUs have nothing to configure here; values are checked."""
    _known_function(host)
    if config > 3:
        raise HipError("hipErrorInvalidValue", f"cache configuration {config}")


def hipFuncSetSharedMemConfig(host: int, config: int) -> None:
    """See :func:`hipFuncSetCacheConfig`."""
    _known_function(host)
    if config > 2:
        raise HipError("hipErrorInvalidValue", f"bank configuration {config}")


def _known_function(host: int) -> None:
    if not host:
        raise HipError("hipErrorInvalidDeviceFunction")


_names: dict[str, raw.Held] = {}


def _stable(text: str) -> int:
    """Address of a C string that stays."""
    if text not in _names:
        _names[text] = raw.Held(text.encode() + b"\0")
    return _names[text].address


def hipKernelNameRef(function: int) -> int:
    return _stable(modules.function_of(function).name)


def hipKernelNameRefByPtr(host: int, stream: int) -> int:
    thing = state.runtime().registry.find(host)
    return _stable(thing.name) if thing is not None else 0


# ---- libraries: modules under another name, with kernels in place of functions ----


def hipLibraryLoadData(
    out: int, image: int, options: int, values: int, count: int, library_options: int, library_values: int, number: int
) -> None:
    hipModuleLoadData(out, image)


def hipLibraryLoadFromFile(
    out: int, path: int, options: int, values: int, count: int, library_options: int, library_values: int, number: int
) -> None:
    hipModuleLoad(out, path)


def hipLibraryUnload(library: int) -> None:
    hipModuleUnload(library)


def hipLibraryGetKernel(out: int, library: int, name: int) -> None:
    hipModuleGetFunction(out, library, name)


def hipLibraryGetKernelCount(out: int, library: int) -> None:
    hipModuleGetFunctionCount(out, library)


def hipLibraryGetGlobal(address: int, size: int, library: int, name: int) -> None:
    hipModuleGetGlobal(address, size, library, name)


def hipLibraryEnumerateKernels(out: int, room: int, library: int) -> None:
    require(out)
    module = modules.of(library)
    for i, name in enumerate(module.names()[:room]):
        function = module.function(name)
        if function is not None:
            raw.put(out + 8 * i, "Q", function.handle)


def hipKernelGetLibrary(out: int, kernel: int) -> None:
    require(out)
    raw.put(out, "Q", modules.function_of(kernel).module.handle)


def hipKernelGetName(out: int, kernel: int) -> None:
    require(out)
    raw.put(out, "Q", hipKernelNameRef(kernel))


def hipKernelGetFunction(out: int, kernel: int) -> None:
    require(out)
    raw.put(out, "Q", modules.function_of(kernel).handle)


def hipKernelGetAttribute(out: int, which: int, kernel: int, device: int) -> None:
    hipFuncGetAttribute(out, which, kernel)


def hipKernelSetAttribute(which: int, value: int, kernel: int, device: int) -> None:
    _set_attribute(modules.function_of(kernel), which, value)


def hipKernelGetParamInfo(kernel: int, index: int, offset: int, size: int) -> None:
    arguments = modules.function_of(kernel).arguments
    if index >= len(arguments):
        raise HipError("hipErrorInvalidValue", f"the kernel has {len(arguments)} arguments")
    for out, value in zip((offset, size), arguments[index], strict=True):
        if out:
            raw.put(out, "Q", value)
