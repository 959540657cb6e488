"""What one sends along with a bug report: a record of the machine to be replayed, and the findings, all masked."""

from __future__ import annotations

import io
import json
import tarfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from softrock import __version__
from softrock.core.errors import SoftrockError, UsageError
from softrock.doctor import report
from softrock.doctor.masking import Masker
from softrock.doctor.registry import Machine, Result
from softrock.doctor.summary import Summary
from softrock.system.recorder import Recorder
from softrock.system.writing import toml

_NOTE = """\
What "softrock doctor --bundle" saw of a machine, for a bug report.

report.txt   the findings
report.json  the same as a document
tree.toml    the files, links, commands and variables that the checks read; replay them with
             softrock doctor --tree tree.toml

Masked, the same each time: user and host names, what lies below home folders, serial numbers, unique ids of GPUs,
UUIDs, MAC and IP addresses. Left out: variables and lines of the kernel's log that have nothing to do with GPUs.
Look through it before you send it.
"""


def record(recorder: Recorder) -> tuple[str, Masker]:
    """A recorded machine as a tree in TOML, and its masks."""
    masker = Masker(recorder.system)
    table: dict[str, Any] = {"about": f"recorded by softrock {__version__}", **masker.tree(recorder.table())}
    return toml(table), masker


def write_record(recorder: Recorder, path: Path) -> None:
    """Write a recorded machine into a new file.

    Raises:
        SoftrockError: there is such a file, or it cannot be written.
    """
    _write(path, record(recorder)[0].encode("utf-8", "replace"))


def write_bundle(
    recorder: Recorder, machine: Machine, results: Sequence[Result], summary: Summary, path: Path
) -> None:
    """Write an archive into a new file, ``.tar.gz``, ``.tgz`` or ``.zip``.

    Raises:
        UsageError: another ending.
        SoftrockError: there is such a file, or it cannot be written.
    """
    if not path.name.endswith((".tar.gz", ".tgz", ".zip")):
        raise UsageError(f"--bundle {path}: no kind of archive", hint="name it .tar.gz, .tgz or .zip")
    tree, masker = record(recorder)
    document = json.dumps(report.document(machine, results, summary), indent=2)
    members = {
        "README.txt": _NOTE,
        "report.txt": masker.text(report.text(machine, results, summary, whole=True)) + "\n",
        "report.json": masker.text(document) + "\n",
        "tree.toml": tree,
    }
    folder = path.name.split(".")[0] or "softrock-doctor"
    data = {f"{folder}/{name}": told.encode("utf-8", "replace") for name, told in members.items()}
    _write(path, _zip(data) if path.name.endswith(".zip") else _tar(data))


def _tar(data: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, content in data.items():
            entry = tarfile.TarInfo(name)  # without the names of who wrote it
            entry.size, entry.mtime, entry.mode = len(content), int(time.time()), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def _zip(data: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in data.items():
            archive.writestr(name, content)
    return made.getvalue()


def _write(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise SoftrockError(f"{path} is there already", hint="give another name, or remove it") from None
    except OSError as error:
        raise SoftrockError(f"{path}: {error.strerror or error}") from None
