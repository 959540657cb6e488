"""Installed Python packages by name: where their files stand, found without importing them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path
from typing import NamedTuple

from softrock.inspect.limits import clean

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_GLOBS = ("lib/python3*/site-packages", "lib64/python3*/site-packages", "Lib/site-packages")


class Package(NamedTuple):
    """An installed package: what it is called, its version (empty if unknown), and its files or folder."""

    name: str
    version: str
    files: tuple[Path, ...]
    folder: Path | None


def _places() -> list[str]:
    """Where packages may stand: of this Python, and of the virtual or conda environment that is active."""
    found = [each for each in sys.path if each]
    found += os.environ.get("PYTHONPATH", "").split(os.pathsep)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        base = os.environ.get(variable)
        if base:
            found += [str(each) for glob in _GLOBS for each in sorted(Path(base).glob(glob))]
    return [each for each in dict.fromkeys(found) if each and Path(each).is_dir()]


def find(name: str) -> Package | None:
    """The installed package of that name: as pip knows it (``jax-rocm10-pjrt``), or as it is imported (``torch``)."""
    if not _NAME.fullmatch(name):
        return None
    places = _places()
    candidates = (Path(place, name) for place in places)
    folder = next((each for each in candidates if name.isidentifier() and each.is_dir()), None)
    for each in MetadataPathFinder.find_distributions(DistributionFinder.Context(name=name, path=places)):
        return Package(clean(name), _version(each), tuple(_files(each)), folder)
    return Package(name, "", (), folder) if folder else None


def _files(distribution: Distribution) -> Iterator[Path]:
    for each in distribution.files or ():
        path = Path(str(distribution.locate_file(each)))
        if path.suffix not in (".py", ".pyc", ".pyi", ".h", ".hpp", ".txt"):
            yield path


def _version(distribution: Distribution) -> str:
    try:
        return clean(distribution.version, 80)
    except (KeyError, TypeError, ValueError):
        return ""
