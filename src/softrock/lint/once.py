"""What many rules ask about the same thing is worked out once, and kept with that thing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar, cast

Holder = TypeVar("Holder")
T = TypeVar("T")


def once(make: Callable[[Holder], T]) -> Callable[[Holder], T]:
    """A function of a file, an outline or a function, which is carried out once for each and gives the same object
    ever after; it must not be changed."""
    key = f"_{make.__module__}.{make.__qualname__}"

    @functools.wraps(make)
    def kept(holder: Holder) -> T:
        known = vars(holder)
        if key not in known:
            known[key] = make(holder)
        return cast(T, known[key])

    return kept
