"""The HIP runtime in Python: the semantics that the C library and the Python API share.

Modules by topic: :mod:`devices`, :mod:`memory`, :mod:`pools`, :mod:`streams`, :mod:`events`, :mod:`modules`,
:mod:`launch`, :mod:`occupancy`, :mod:`graphs`. The functions used most are here under short names
(``hip.malloc``, ``hip.memcpy``, ``hip.module_load``, ``hip.launch_kernel`` ...). Handles of streams and events are
integers as in C; addresses are integers too. Errors are :class:`HipError`. Python's own interface, with arrays and
kernels as objects, is :mod:`softrock.hip.python`.
"""

from __future__ import annotations

import importlib
from typing import Any

_SHORT = {
    "HipError": "errors.HipError",
    "malloc": "memory.malloc",
    "free": "memory.free",
    "host_malloc": "memory.host_malloc",
    "host_free": "memory.host_free",
    "malloc_managed": "memory.malloc_managed",
    "malloc_async": "pools.malloc_async",
    "free_async": "pools.free_async",
    "memcpy": "memory.memcpy",
    "memcpy_async": "memory.memcpy_async",
    "memset": "memory.memset",
    "mem_info": "memory.info",
    "device_count": "devices.count",
    "device_properties": "devices.properties",
    "device_attribute": "devices.attribute",
    "set_device": "state.set_device",
    "device_synchronize": "streams.synchronize_device",
    "stream_create": "streams.create",
    "stream_destroy": "streams.destroy",
    "stream_synchronize": "streams.synchronize",
    "stream_query": "streams.query",
    "event_create": "events.create",
    "event_destroy": "events.destroy",
    "event_record": "events.record",
    "event_synchronize": "events.synchronize",
    "event_query": "events.query",
    "event_elapsed": "events.elapsed",
    "module_load": "modules.load_data",
    "module_load_file": "modules.load_file",
    "launch_kernel": "launch.launch",
}

__all__ = tuple(_SHORT)


def __getattr__(name: str) -> Any:
    place = _SHORT.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = place.partition(".")
    value = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
    globals()[name] = value
    return value
