"""What `softrock smi --watch` shows, and what its keys do: the state, without the terminal (that is in `watch`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from softrock.core.text import printable
from softrock.smi import render
from softrock.smi.fields import Gpu
from softrock.smi.processes import Process
from softrock.smi.snapshot import Snapshot

_BARS = " ▁▂▃▄▅▆▇█"
HISTORY = 240
"""Looks that are kept for the graphs."""
_SORTS: dict[str, Callable[[Process], tuple[object, ...]]] = {
    "memory": lambda p: (-(p.vram_bytes or 0), p.pid),
    "use": lambda p: (-(p.use_percent or 0.0), p.pid),
    "pid": lambda p: (p.pid,),
    "user": lambda p: (p.uid if p.uid is not None else -1, p.pid),
    "gpu": lambda p: (p.gpu, p.pid),
    "name": lambda p: (p.name, p.pid),
}
SORTS = tuple(_SORTS)
SIGNALS = {"t": "TERM", "i": "INT", "k": "KILL"}
_GRAPHS = (
    ("use", "gfx_use_percent", None),
    ("mem", "vram_used_bytes", "vram_total_bytes"),
    ("power", "power_watts", "power_limit_watts"),
)
"""Name, field, and the field that is 100 % (None: 100)."""

HELP = "q quit  s sort  r reverse  u user  t tree  k signal"


def spark(values: Sequence[float | None], width: int) -> str:
    """The newest values, 0 to 1, as bars; a dot where there is none."""
    shown = list(values)[-width:]
    bars = ["·" if v is None else _BARS[round(min(max(v, 0.0), 1.0) * (len(_BARS) - 1))] for v in shown]
    return " " * (width - len(bars)) + "".join(bars)


def tree(processes: Sequence[Process]) -> list[tuple[int, Process]]:
    """Processes below those that started them, with their depth; the order among siblings is kept."""
    pids = {each.pid for each in processes}
    roots = [each for each in processes if each.parent not in pids or each.parent == each.pid]
    out: list[tuple[int, Process]] = []
    seen: set[int] = set()

    def add(each: Process, depth: int) -> None:
        out.append((depth, each))
        if each.pid in seen:  # one process on several GPUs, or a ring of parents in what was read
            return
        seen.add(each.pid)
        for child in processes:
            if child.parent == each.pid and child.pid != each.pid and depth < 32:
                add(child, depth + 1)

    for each in roots:
        add(each, 0)
    shown = {id(each) for _, each in out}
    return out + [(0, each) for each in processes if id(each) not in shown]


@dataclass
class View:
    """The state of the view.

    Attributes:
        owner: gives the name of a user.
        send: sends a signal to a process after it was asked for: (number, name of the signal) -> what came of it.
        gpus: shows only these GPUs: (all) -> those.
        sort, reverse, user, as_tree: how processes are shown.
        asking: what is typed in, "" for nothing, "user", "pid" or "signal".
        typed: what was typed so far.
        message: what the last key did.
        done: the user wants to leave.
    """

    owner: Callable[[int | None], str]
    send: Callable[[int, str], str]
    gpus: Callable[[Sequence[Gpu]], list[Gpu]] = list
    sort: str = "memory"
    reverse: bool = False
    user: str = ""
    as_tree: bool = False
    asking: str = ""
    typed: str = ""
    message: str = ""
    done: bool = False
    now: Snapshot = field(default_factory=lambda: Snapshot([]))
    history: dict[tuple[object, str], deque[float | None]] = field(default_factory=dict)

    def update(self, now: Snapshot) -> None:
        """Take in a new look."""
        self.now = now
        for gpu in now.gpus:
            for name, value, most in _GRAPHS:
                have, full = gpu.number(value), 100.0 if most is None else gpu.number(most)
                part = None if have is None or not full else have / full
                self.history.setdefault((_key(gpu), name), deque(maxlen=HISTORY)).append(part)
        alive = {_key(gpu) for gpu in now.gpus}
        for gone in [key for key in self.history if key[0] not in alive]:
            del self.history[gone]

    def key(self, key: str) -> None:
        """A key was pressed."""
        if self.asking:
            self._answer(key)
        elif key in ("q", "\x03", "\x1b"):
            self.done = True
        elif key == "s":
            self.sort = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)]
            self.message = ""
        elif key == "r":
            self.reverse = not self.reverse
        elif key == "t":
            self.as_tree = not self.as_tree
        elif key in ("u", "k"):
            self.asking, self.typed, self.message = ("user" if key == "u" else "pid"), "", ""

    def _answer(self, key: str) -> None:
        if key in ("\x1b", "\x03"):
            self.asking, self.message = "", "left as it was"
        elif self.asking == "signal":
            name = SIGNALS.get(key)
            self.message = self.send(int(self.typed), name) if name else "no signal sent"
            self.asking = ""
        elif key in ("\x7f", "\b"):
            self.typed = self.typed[:-1]
        elif key not in ("\r", "\n"):
            self.typed += key if key.isprintable() and len(self.typed) < 32 else ""
        elif self.asking == "user":
            self.user, self.asking = self.typed, ""
        else:
            known = self.typed.isdecimal() and any(each.pid == int(self.typed) for each in self.processes())
            self.message = "" if known else f"{printable(self.typed)}: none of these processes"
            self.asking = "signal" if known else ""

    def prompt(self) -> str:
        """The line below the tables: what is asked, else what the last key did, else the keys."""
        if self.asking == "user":
            return f"only processes of user (empty: all): {self.typed}_"
        if self.asking == "pid":
            return f"number of the process to signal: {self.typed}_"
        if self.asking == "signal":
            each = next((p for p in self.processes() if p.pid == int(self.typed)), None)
            name = f"{printable(each.name)} of {self.owner(each.uid)}" if each else "which has gone"
            return f"process {self.typed} ({name}): t sends TERM, i INT, k KILL; any other key nothing"
        return self.message or HELP

    def processes(self) -> list[Process]:
        """The processes that are shown, in order."""
        mine = {each.index for each in self.gpus(self.now.gpus)}
        found = [each for each in self.now.processes if each.gpu in mine]
        if self.user:
            found = [each for each in found if self.user in (self.owner(each.uid), str(each.uid))]
        return sorted(found, key=_SORTS[self.sort], reverse=self.reverse)

    def graph(self, gpu: Gpu, name: str, width: int) -> str:
        """The history of one measure of a GPU."""
        return spark(self.history.get((_key(gpu), name), ()), width)

    def process_rows(self) -> list[list[str]]:
        """The table of processes."""
        shown = self.processes()
        owners = {each.uid: self.owner(each.uid) for each in shown}
        order = tree(shown) if self.as_tree else [(0, each) for each in shown]
        rows = render.process_rows([each for _, each in order], owners)
        for row, (depth, _) in zip(rows[1:], order, strict=True):
            row[-1] = "  " * (depth - 1) + ("└ " if depth else "") + row[-1]
        return rows


def _key(gpu: Gpu) -> object:
    """What stays the same of a GPU from look to look, whatever its number then."""
    return gpu.get("bdf") or (gpu.get("process_id"), gpu.get("name"), gpu.index)
