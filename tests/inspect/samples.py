"""Small writers of every kind of file that holds GPU code."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

import msgpack
import zstandard

from softrock.codeobj import bundle

HOST = ("host-x86_64-unknown-linux-gnu-", b"")
SOURCE = """\
extern "C" __global__ void axpy(float *y, const float *x, float a, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] += a * x[i];
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void turn(int *p, int n) {
  __shared__ int s[1024];
  volatile int a[40];
  int i = __builtin_amdgcn_workitem_id_x();
  for (int k = 0; k < 40; k++) a[k] = p[k];
  s[i] = a[n];
  __builtin_amdgcn_s_barrier();
  p[i] = s[i ^ 1];
}
"""
KERNELS = ["axpy", "turn"]


def bundle_of(codes: dict[str, bytes], alignment: int = 4096) -> bytes:
    return bundle.write([HOST, *((bundle.entry_id(name), code) for name, code in codes.items())], alignment)


def compressed(plain: bytes, version: int = 3, method: str = "zstd") -> bytes:
    body = zlib.compress(plain) if method == "zlib" else zstandard.ZstdCompressor().compress(plain)
    digest = hashlib.md5(plain).digest()[:8]
    start = struct.pack("<4sHH", b"CCOB", version, ("zlib", "zstd").index(method))
    if version == 1:
        return start + struct.pack("<I", len(plain)) + digest + body
    layout = "<II" if version == 2 else "<QQ"
    total = len(start) + struct.calcsize(layout) + 8 + len(body)
    return start + struct.pack(layout, total, len(plain)) + digest + body


def host_elf(sections: dict[str, bytes], machine: int = 62) -> bytes:
    """A little shared library of these sections; ``.note.gnu.build-id`` is marked as a note."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in [*sections, ".shstrtab"])
    rows = [bytes(64)]
    body = bytearray(64)
    at = 1
    for name, content in [*sections.items(), (".shstrtab", names)]:
        body += bytes(-len(body) % 16)
        kind = 7 if "note" in name else 3 if name == ".shstrtab" else 1
        rows.append(struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, len(body), len(content), 0, 0, 16, 0))
        body += content
        at += len(name) + 1
    body += bytes(-len(body) % 16)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, machine, 1, 0, 0, len(body), 0, 64, 0, 0, 64, len(rows), len(rows) - 1
    )
    return head + bytes(body[64:]) + b"".join(rows)


def library(codes: dict[str, bytes], *, pack: bool = False) -> bytes:
    """A host library with a bundle, a build ID and a compiler."""
    fat = bundle_of(codes)
    note = struct.pack("<III", 4, 8, 3) + b"GNU\0" + bytes.fromhex("0123456789abcdef")
    return host_elf(
        {
            ".hip_fatbin": compressed(fat) if pack else fat,
            ".comment": b"GCC: (Debian 12.2.0) 12.2.0\0",
            ".note.gnu.build-id": note,
        }
    )


def kpack(codes: dict[str, bytes], binary: str = "lib/libx.so#0", *, zstd: bool = True) -> bytes:
    """An archive with the code objects of one library."""
    body = bytearray(64)
    table: dict[str, object] = {"format_version": 1, "group_name": "x_lib", "gfx_arch_family": "x"}
    table |= {"gfx_arches": list(codes), "compression_scheme": "zstd-per-kernel" if zstd else "none"}
    if zstd:
        region = struct.pack("<I", len(codes))
        for code in codes.values():
            frame = zstandard.ZstdCompressor().compress(code)
            region += struct.pack("<I", len(frame)) + frame
        table |= {"zstd_offset": 64, "zstd_size": len(region)}
        body += region
    else:
        blobs = []
        for code in codes.values():
            body += bytes(-len(body) % 64)
            blobs.append({"offset": len(body), "size": len(code)})
            body += code
        table["blobs"] = blobs
    rows = {
        name: {"type": "hsaco", "ordinal": number, "original_size": len(code)}
        for number, (name, code) in enumerate(codes.items())
    }
    table["toc"] = {binary: rows}
    body[:16] = struct.pack("<4sIQ", b"KPAK", 1, len(body))
    return bytes(body) + bytes(msgpack.packb(table))


def ar(files: dict[str, bytes], *, bsd: bool = False) -> bytes:
    out = bytearray(b"!<arch>\n")
    long_names = b"".join(name.encode() + b"/\n" for name in files)
    if not bsd:
        out += f"{'//':<48}{len(long_names):<10}`\n".encode() + long_names + b"\n" * (len(long_names) % 2)
    at = 0
    for name, content in files.items():
        if bsd:
            label, content = f"#1/{len(name)}", name.encode() + content
        else:
            label = f"/{at}"
            at += len(name) + 2
        out += f"{label:<48}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    return bytes(out)


def wheel(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("x/__init__.py", "raise SystemExit('imported')\n")
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tar(files: dict[str, bytes], packing: str = "", form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, content in {"readme.txt": b"nothing " * 200, **files}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    packs: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": zstandard.compress,
    }
    return packs[packing](out.getvalue())
