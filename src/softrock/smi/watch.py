"""The live view in a terminal."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from softrock.gpu.status import started
from softrock.smi import render
from softrock.smi.snapshot import Snapshot
from softrock.smi.view import View


def send(pid: int, name: str) -> str:
    """Send a signal to a process; what came of it. A process that took the number meanwhile is left alone."""
    born = started(pid)
    try:
        handle = os.pidfd_open(pid)
    except OSError as error:
        return f"process {pid}: {error.strerror}"
    try:
        if born is None or started(pid) != born:
            return f"process {pid} has ended"
        signal.pidfd_send_signal(handle, signal.Signals[f"SIG{name}"])
        return f"sent {name} to process {pid}"
    except OSError as error:
        return f"process {pid}: {error.strerror}"
    finally:
        os.close(handle)


def draw(view: View, width: int) -> RenderableType:
    """The view as rich draws it."""
    gpus = view.gpus(view.now.gpus)
    if not gpus:
        return Group(Text("No AMD GPU found, and no process of yours runs a software GPU."), Text(view.prompt(), "dim"))
    room = max(10, min(60, (width - 30) // 3))
    graphs = Table(box=None, pad_edge=False)
    for name in ("GPU", "USE", "MEMORY", "POWER"):
        graphs.add_column(name, no_wrap=True)
    for gpu in gpus:
        power = gpu.number("power_watts")
        cells = (
            (view.graph(gpu, "use", room), render.whole(gpu.number("gfx_use_percent"), " %"), "green"),
            (view.graph(gpu, "mem", room), render.gib(gpu.number("vram_used_bytes")) + " GiB", "cyan"),
            (view.graph(gpu, "power", room), render.whole(power, " W"), "yellow"),
        )
        graphs.add_row(str(gpu.index), *(Text(f"{graph} {told}", style) for graph, told, style in cells))
    order = f"by {view.sort}{', reversed' if view.reverse else ''}{f', user {view.user}' if view.user else ''}"
    return Group(
        _table([list(render.HEAD), *(render.row(each) for each in gpus)]),
        Text(),
        graphs,
        Text(f"\nProcesses {order}", "bold"),
        _table(view.process_rows()),
        Text(view.prompt(), "reverse" if view.asking else "dim"),
    )


def _table(rows: Sequence[Sequence[str]]) -> Table:
    made = Table(box=None, pad_edge=False)
    for name in rows[0]:
        made.add_column(name, no_wrap=True)
    for row in rows[1:]:
        made.add_row(*(Text(cell) for cell in row))
    return made


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """Keys as they are pressed: a function that waits so many seconds for one, "" for none."""
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle)

    def wait(seconds: float) -> str:
        ready, _, _ = select.select([handle], [], [], max(seconds, 0.0))
        return os.read(handle, 32).decode("utf-8", "replace") if ready else ""

    try:
        yield wait
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def run(view: View, look: Callable[[Snapshot], Snapshot], interval: float, rounds: int | None) -> None:
    """Show the view until the user leaves it, or for so many rounds."""
    console = Console()
    with _keys() as wait, Live(console=console, screen=True, auto_refresh=False) as live:
        left = rounds
        while not view.done and (left is None or left > 0):
            view.update(look(view.now))
            left = None if left is None else left - 1
            until = time.monotonic() + interval
            while not view.done:
                live.update(draw(view, console.width), refresh=True)
                pressed = wait(until - time.monotonic())
                for key in [pressed] if pressed.startswith("\x1b") else pressed:  # an arrow is one key of several bytes
                    view.key(key if len(key) == 1 else "")
                if time.monotonic() >= until:
                    break
