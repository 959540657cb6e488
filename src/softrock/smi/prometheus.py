"""The endpoint for Prometheus: its text format (version 0.0.4), served on this machine by the standard library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from softrock.core.text import printable
from softrock.smi.fields import Gpu, table
from softrock.smi.snapshot import Snapshot

TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _label(text: str) -> str:
    return "".join("\\" + each if each in '"\\' else each for each in printable(text))


def _labels(gpu: Gpu) -> str:
    pairs = [("gpu", str(gpu.index))]
    pairs += [(name, str(gpu.get(name))) for name in ("kind", "gfx", "bdf", "process_id") if gpu.get(name) is not None]
    return ",".join(f'{name}="{_label(value)}"' for name, value in pairs)


def text(now: Snapshot) -> str:
    """All numbers of all GPUs. What cannot be had has no line."""
    return "\n".join(_lines(now)) + "\n"


def _lines(now: Snapshot) -> Iterator[str]:
    yield "# HELP softrock_gpu_info Words about a GPU."
    yield "# TYPE softrock_gpu_info gauge"
    for gpu in now.gpus:
        words = [(name, gpu.get(name)) for name in ("name", "device_id", "unique_id", "driver", "vbios_version")]
        more = "".join(f',{name}="{_label(str(value))}"' for name, value in words if value is not None)
        yield f"softrock_gpu_info{{{_labels(gpu)}{more}}} 1"
    for field in table().values():
        known = [(gpu, gpu.number(field.name)) for gpu in now.gpus if gpu.number(field.name) is not None]
        if field.kind == "info" or not known:
            continue
        name = f"softrock_gpu_{field.name}" + ("_total" if field.kind == "counter" else "")
        yield f"# HELP {name} {field.about}"
        yield f"# TYPE {name} {field.kind}"
        for gpu, value in known:
            yield f"{name}{{{_labels(gpu)}}} {value!r}"
    yield "# HELP softrock_gpu_process_vram_bytes Memory of a GPU that a process holds."
    yield "# TYPE softrock_gpu_process_vram_bytes gauge"
    for each in now.processes:
        if each.vram_bytes is not None:
            labels = f'gpu="{each.gpu}",pid="{each.pid}",name="{_label(each.name)}"'
            yield f"softrock_gpu_process_vram_bytes{{{labels}}} {each.vram_bytes}"


def server(port: int, look: Callable[[], Snapshot]) -> ThreadingHTTPServer:
    """A server on 127.0.0.1 that answers ``GET /metrics`` with what `look` sees at that moment; port 0 takes any free.

    Raises:
        OSError: the port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 10
        server_version = "softrock"
        sys_version = ""

        def do_GET(self) -> None:  # the name that http.server calls
            # A page of a browser may send requests here: only those that name this host are answered.
            host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in ("127.0.0.1", "localhost", "[::1]", ""):
                self._answer(403, "text/plain", "only requests to localhost are answered\n")
            elif self.path.partition("?")[0] in ("/metrics", "/"):
                self._answer(200, TYPE, text(look()))
            else:
                self._answer(404, "text/plain", "see /metrics\n")

        def _answer(self, status: int, kind: str, body: str) -> None:
            data = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Be quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    return Server(("127.0.0.1", port), Handler)
