"""Free ranges of an address space: best fit, merged with their neighbours when they come back."""

from __future__ import annotations

from bisect import bisect_left, insort


class Ranges:
    """A set of free ranges of whole units. Not thread-safe; the caller locks.

    Taking and giving back cost O(log n) steps (and moving list entries, which is fast for any n that occurs).
    """

    def __init__(self) -> None:
        self._by_size: list[tuple[int, int]] = []
        self._size: dict[int, int] = {}
        self._start: dict[int, int] = {}

    def _insert(self, start: int, size: int) -> None:
        insort(self._by_size, (size, start))
        self._size[start] = size
        self._start[start + size] = start

    def _remove(self, start: int) -> int:
        size = self._size.pop(start)
        del self._start[start + size]
        del self._by_size[bisect_left(self._by_size, (size, start))]
        return size

    def add(self, start: int, size: int) -> tuple[int, int]:
        """Make a range free; returns the free range it is part of now (start, size)."""
        before = self._start.get(start)
        if before is not None:
            size += self._remove(before)
            start = before
        if start + size in self._size:
            size += self._remove(start + size)
        self._insert(start, size)
        return start, size

    def take(self, size: int, align: int) -> int | None:
        """The start of a range of `size` at a multiple of `align`, free no longer; None if there is none.

        Of the ranges that fit, one of the smallest; at its low end.
        """
        for index in range(bisect_left(self._by_size, (size, 0)), len(self._by_size)):
            room, start = self._by_size[index]
            place = -(-start // align) * align
            if place + size <= start + room:
                self._remove(start)
                if place > start:
                    self._insert(start, place - start)
                if place + size < start + room:
                    self._insert(place + size, start + room - place - size)
                return place
        return None

    def withdraw(self, start: int) -> None:
        """Take out the whole free range that begins at `start`."""
        self._remove(start)

    @property
    def total(self) -> int:
        """Sum of all free ranges."""
        return sum(self._size.values())
