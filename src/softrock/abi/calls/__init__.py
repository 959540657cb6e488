"""The C calls, one Python function each under the name of the call, in modules by topic.

A function takes the arguments as numbers (addresses for pointers and for structures passed by value) and returns
nothing, or the result of a call whose result is no status. Errors are raised as
:class:`softrock.hip.errors.HipError`. A call without a function here is not supported and says so.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from softrock.hip import state
from softrock.hip.errors import HipError

_MODULES = (
    "devices", "memory", "launches", "streams", "copies", "images", "modules", "pools", "contexts", "graphs", "nodes",
    "hiprtc", "linking",
)  # fmt: skip
_OWN_STREAM = "_spt"


def find(name: str) -> Callable[..., Any]:
    """The function that carries out a call; for an unknown one a function that refuses."""
    found = _search(name)
    if found is not None:
        return found
    if name.endswith(_OWN_STREAM):
        plain = _search(name.removesuffix(_OWN_STREAM))
        if plain is not None:
            return _with_own_stream(plain)
    return _refusing(name)


def _search(name: str) -> Callable[..., Any] | None:
    for each in _MODULES:
        if each in ("hiprtc", "linking") and not name.startswith(("hiprtc", "hipLink")):
            continue
        module = importlib.import_module(f"softrock.abi.calls.{each}")
        found = getattr(module, name, None)
        if found is not None:
            function: Callable[..., Any] = found
            return function
    return None


def _with_own_stream(plain: Callable[..., Any]) -> Callable[..., Any]:
    """The call with the thread's own stream as its default stream."""

    def call(*args: Any) -> Any:
        before, state.thread.own_default = state.thread.own_default, True
        try:
            return plain(*args)
        finally:
            state.thread.own_default = before

    return call


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> None:
        raise HipError("hipErrorNotSupported", f"{name} is not supported")

    return refuse
