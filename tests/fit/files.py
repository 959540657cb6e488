"""Writers of small GGUF and .safetensors files, apart from the code that reads them."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from softrock.core.errors import SoftrockError
from softrock.fit import cards, prices, render, report
from softrock.fit.model import Model
from softrock.fit.placement import Load

TYPES = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144),
    "Q6_K": (14, 256, 210), "MXFP4": (39, 32, 17),
}  # fmt: skip


def _text(value: str | bytes) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str | bytes):
        return struct.pack("<I", 8) + _text(value)
    inner = [_value(each) for each in value] or [struct.pack("<I", 4)]
    return struct.pack("<I", 9) + inner[0][:4] + struct.pack("<Q", len(value)) + b"".join(e[4:] for e in inner if value)


def gguf(
    metadata: Mapping[str, Any], tensors: Sequence[tuple[str, Sequence[int], str]], version: int = 3, data: bool = True
) -> bytes:
    """A file with tensors of zeros; shapes with the fastest dimension first."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    head += b"".join(_text(key) + _value(value) for key, value in metadata.items())
    offset = 0
    for name, shape, kind in tensors:
        number, block, width = TYPES[kind]
        elements = 1
        for each in shape:
            elements *= each
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, number, offset)
        offset += -(-(elements // block * width) // 32) * 32
    head += b"\0" * (-len(head) % 32)
    return head + b"\0" * (offset if data else 0)


LLAMA = {
    "general.architecture": "llama", "general.name": "tiny", "llama.block_count": 2, "llama.embedding_length": 256,
    "llama.feed_forward_length": 512, "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2,
    "llama.context_length": 2048, "tokenizer.ggml.tokens": ["a", "b", "c"], "general.file_type": 15,
}  # fmt: skip


def tiny() -> list[tuple[str, Sequence[int], str]]:
    """Tensors of a model of two layers."""
    found: list[tuple[str, Sequence[int], str]] = [("token_embd.weight", (256, 1000), "Q6_K")]
    for layer in range(2):
        found += [
            (f"blk.{layer}.attn_norm.weight", (256,), "F32"),
            (f"blk.{layer}.attn_q.weight", (256, 256), "Q4_K"),
            (f"blk.{layer}.attn_k.weight", (256, 128), "Q4_K"),
            (f"blk.{layer}.attn_v.weight", (256, 128), "Q6_K"),
            (f"blk.{layer}.ffn_down.weight", (512, 256), "Q8_0"),
        ]
    return found


def safetensors(tensors: Mapping[str, tuple[str, Sequence[int], int]], **changes: Any) -> bytes:
    """A file of zeros: name -> type, shape, bits an element."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, (kind, shape, bits) in tensors.items():
        size = bits
        for each in shape:
            size *= each
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [end, end + size // 8]}
        end += size // 8
    header.update(changes)
    raw = json.dumps(header).encode()
    raw += b" " * (-len(raw) % 8)
    return struct.pack("<Q", len(raw)) + raw + b"\0" * end


def told(error: SoftrockError) -> None:
    """An error must be one message that a terminal can show, and say how to mend it."""
    assert error.hint
    assert error.message
    assert all(each.isprintable() for each in error.message)


def shown(model: Model) -> None:
    """Every way to print an answer must work for any model that was read."""
    for precision in ("stored", "int4", "Q4_K_M"):
        load = Load(precision, context=100_000, batch=3)
        found = report.answer(model, load, [cards.all_cards()[each] for each in ("MI300X", "RX7600", "STRIX-HALO")])
        found = report.Answer(
            model, load, found.placements, tuple(prices.costs(found.placements, prices.load("example")))
        )
        json.dumps(report.document(found), allow_nan=False)
        text = render.text(found) + render.bars(found) + report.table(found)
        assert all(each.isprintable() or each == "\n" for each in text)


def write(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path
