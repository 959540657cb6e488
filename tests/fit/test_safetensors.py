"""Headers of .safetensors files and their indexes: exact sizes, and files that lie."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fit import files

from softrock.core.errors import SoftrockError
from softrock.fit import jsonfile, precisions, safetensors, sources

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1,
    "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "torch_dtype": "bfloat16",
}  # fmt: skip
TENSORS = {
    "model.embed_tokens.weight": ("BF16", (100, 64), 16),
    "lm_head.weight": ("BF16", (100, 64), 16),
    "model.layers.0.self_attn.q_proj.weight": ("BF16", (64, 64), 16),
    "model.layers.0.self_attn.k_proj.weight": ("BF16", (32, 64), 16),
    "model.layers.0.self_attn.v_proj.weight": ("BF16", (32, 64), 16),
    "model.layers.0.self_attn.o_proj.weight": ("BF16", (64, 64), 16),
    "model.layers.0.mlp.gate_proj.weight": ("BF16", (128, 64), 16),
    "model.layers.0.mlp.up_proj.weight": ("BF16", (128, 64), 16),
    "model.layers.0.mlp.down_proj.weight": ("BF16", (64, 128), 16),
    "model.layers.0.input_layernorm.weight": ("BF16", (64,), 16),
    "model.layers.0.post_attention_layernorm.weight": ("BF16", (64,), 16),
    "model.norm.weight": ("BF16", (64,), 16),
}  # fmt: skip
PARAMS = 2 * 6400 + 2 * 4096 + 2 * 2048 + 3 * 8192 + 3 * 64


def folder(path: Path, config: dict[str, Any] | None = None) -> Path:
    """A model in two files with an index and a configuration."""
    names = list(TENSORS)
    halves = {"model-00001-of-00002.safetensors": names[:5], "model-00002-of-00002.safetensors": names[5:]}
    for name, held in halves.items():
        files.write(path / name, files.safetensors({each: TENSORS[each] for each in held}))
    index = {"metadata": {"total_size": 2 * PARAMS}, "weight_map": {e: n for n, held in halves.items() for e in held}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return path


def test_a_folder_is_counted_from_headers_and_agrees_with_its_configuration(tmp_path: Path) -> None:
    model = sources.load(folder(tmp_path, CONFIG))
    assert model.stored is not None
    assert model.stored.bytes == 2 * PARAMS == precisions.weights(model, "stored") == precisions.weights(model, "bf16")
    assert (model.params, model.stored.files, model.stored.tensors) == (PARAMS, 2, 12)
    assert model.notes == ()
    assert sources.load(tmp_path / "model.safetensors.index.json").stored == model.stored


def test_files_that_hold_more_than_the_configuration_says_are_told(tmp_path: Path) -> None:
    more = {**TENSORS, "vision.weight": ("BF16", (10, 10), 16)}
    files.write(tmp_path / "model.safetensors", files.safetensors(more))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    model = sources.load(tmp_path / "model.safetensors")
    assert "the files hold 100 elements more than the configuration describes" in model.notes
    assert precisions.weights(model, "stored") == 2 * (PARAMS + 100)


def test_files_alone_and_unknown_architectures_are_counted_by_tensors(tmp_path: Path) -> None:
    model = sources.load(folder(tmp_path))
    assert model.params == PARAMS
    assert model.caches == ()
    assert "the cache is not known" in model.notes[0]
    model = sources.load(folder(tmp_path, {**CONFIG, "model_type": "novel"}))
    assert "'novel' is unknown" in model.notes[0]
    assert [(e.layers, e.heads, e.width) for e in model.caches] == [(1, 2, 32)]
    assert precisions.weights(model, "int8") < precisions.weights(model, "stored")


def test_an_index_without_its_files_gives_the_sum(tmp_path: Path) -> None:
    found = {"metadata": {"total_size": 141107412992}, "weight_map": {"a": "m-1.safetensors", "b": "m-2.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(found))
    model = sources.load(tmp_path / "model.safetensors.index.json")
    assert precisions.weights(model, "stored") == 141_107_412_992
    assert "the sum that the index gives" in model.notes[0]
    files.shown(model)
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    model = sources.load(tmp_path)
    assert (model.params, precisions.weights(model, "stored")) == (PARAMS, 141_107_412_992)
    files.write(tmp_path / "m-1.safetensors", files.safetensors({}))
    with pytest.raises(SoftrockError, match=r"1 of its 2 files are not there"):
        sources.load(tmp_path)
    for total in (-1, "5", None, True, 1 << 70):
        found["metadata"] = {"total_size": total}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(found))
        (tmp_path / "m-1.safetensors").unlink(missing_ok=True)
        with pytest.raises(SoftrockError, match=r"2 of its 2 files are not there"):
            sources.load(tmp_path)


def test_names_in_the_cache_of_hugging_face(tmp_path: Path) -> None:
    folder = tmp_path / "models--meta-llama--Meta-Llama-3-70B" / "snapshots" / "0123abcd"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    assert sources.load(folder).name == "meta-llama/Meta-Llama-3-70B"


def test_odd_shapes_are_printed(tmp_path: Path) -> None:
    odd = {
        "a": ("F32", (), 32),
        "b": ("F32", (0, 7), 32),
        "c.experts.w": ("BF16", (3, 4, 5), 16),
        "d": ("BOOL", (9,), 8),
    }
    files.shown(sources.load(files.write(tmp_path / "m.safetensors", files.safetensors(odd))))
    files.shown(sources.load(files.write(tmp_path / "m.safetensors", files.safetensors({}))))
    files.shown(sources.load(files.write(tmp_path / "m.gguf", files.gguf(files.LLAMA, []))))
    bare = {"general.architecture": "odd", "odd.block_count": 1}
    files.shown(
        sources.load(files.write(tmp_path / "m.gguf", files.gguf(bare, [("t", (), "F32"), ("u", (0,), "F32")])))
    )


def test_packed_weights_have_the_bytes_that_they_have(tmp_path: Path) -> None:
    packed = {"l.qweight": ("I32", (8, 64), 32), "l.scales": ("F16", (1, 64), 16), "fp4": ("F4", (3, 2), 4)}
    path = files.write(tmp_path / "m.safetensors", files.safetensors(packed))
    stored = sources.load(path).stored
    assert stored is not None
    assert stored.bytes == 8 * 64 * 4 + 64 * 2 + 3
    assert stored.by_type["I32"] == (1, 512, 2048)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"dtype": "Q9", "shape": [1], "data_offsets": [0, 1]}, "of type Q9"),
        ({"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}, "the shape \\[-1\\]"),
        ({"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]}, "the shape"),
        ({"dtype": "F32", "shape": "x", "data_offsets": [0, 4]}, "the shape x"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}, "lies at"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [0]}, "lies at"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}, "cannot have 4 bytes"),
        ({"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}, "begins at 8 where 0"),
        ({"dtype": "F32", "shape": [2**61, 2**61], "data_offsets": [0, 4]}, "cannot have"),
        ({"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]}, "of type"),
        (7, "has no description"),
    ],
)
def test_headers_that_lie_are_told(entry: Any, message: str, tmp_path: Path) -> None:
    path = files.write(tmp_path / "m.safetensors", files.safetensors({}, t=entry))
    with pytest.raises(SoftrockError, match=message):
        safetensors.header(path)


def test_broken_files_are_told(tmp_path: Path) -> None:
    whole = files.safetensors(TENSORS)
    for length, message in [
        (0, "too few"),
        (7, "too few"),
        (8, "only 0 are there"),
        (len(whole) - 1, "follow the header"),
    ]:
        with pytest.raises(SoftrockError, match=message):
            safetensors.header(files.write(tmp_path / "m.safetensors", whole[:length]))
    for raw, message in [
        (struct.pack("<Q", 2**63) + b"{}", "its header would have 9,223"),
        (struct.pack("<Q", 2) + b"[]", "no JSON object"),
        (struct.pack("<Q", 3) + b"\xff{}", "no UTF-8"),
        (struct.pack("<Q", 4) + b"{nul", "no JSON"),
    ]:
        with pytest.raises(SoftrockError, match=message):
            safetensors.header(files.write(tmp_path / "m.safetensors", raw))


def test_an_index_names_files_beside_it_alone(tmp_path: Path) -> None:
    for name in ("../secret.safetensors", "/etc/passwd", "a/b.safetensors", "..", "a\\b", ""):
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"t": name}}))
        with pytest.raises(SoftrockError, match="is not beside it"):
            sources.load(tmp_path / "model.safetensors.index.json")
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"t": "gone.safetensors"}}))
    with pytest.raises(SoftrockError, match=r"1 of its 1 files are not there, the first gone\.safetensors"):
        sources.load(tmp_path / "model.safetensors.index.json")
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"t": 3}}))
    with pytest.raises(SoftrockError, match="no table of files"):
        sources.load(tmp_path / "model.safetensors.index.json")


# ---- JSON and paths ----


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested deeper than 64"),
        ('{"a":' * 100_000, "nested deeper than 64"),
        ('{"a": NaN}', "it holds NaN"),
        ('{"a": Infinity}', "it holds Infinity"),
        ('{"a": 1, "a": 2}', "names 'a' twice"),
        ('{"a": ' + "9" * 10_000 + "}", "a number or a nesting"),
        ("3", "no JSON object"),
        ("", "no JSON"),
        ('{"a": 1', "no JSON"),
        ('{"model_type": "\\u001b[31m"}', "unknown"),
    ],
)
def test_documents_that_lie_are_told(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(SoftrockError, match=message) as caught:
        sources.load(path)
    assert all(each.isprintable() for each in caught.value.message)


def test_brackets_in_text_are_no_nesting() -> None:
    assert jsonfile.parse(json.dumps({"a": "[" * 1000 + '\\"{'}).encode(), "x") == {"a": "[" * 1000 + '\\"{'}


def test_gigantic_files_and_odd_paths_are_told_at_once(tmp_path: Path) -> None:
    big = tmp_path / "config.json"
    with big.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SoftrockError, match="1,099,511,627,776 bytes"):
        sources.load(big)
    huge = tmp_path / "m.safetensors"
    with huge.open("wb") as file:
        file.write(struct.pack("<Q", 1 << 39))
        file.truncate(1 << 40)
    with pytest.raises(SoftrockError, match="so it is no"):
        sources.load(huge)
    for name, message in [("none.json", "No such file"), ("none.gguf", "No such file"), ("a\nb", "a\\?b: there is no")]:
        with pytest.raises(SoftrockError, match=message):
            sources.load(tmp_path / name)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SoftrockError, match=r"there is no config\.json"):
        sources.load(tmp_path / "empty")
    (tmp_path / "x.json").mkdir()
    with pytest.raises(SoftrockError):
        sources.load(tmp_path / "x.json")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.gguf")
        with pytest.raises(SoftrockError, match="no regular file"):
            sources.load(tmp_path / "pipe.gguf")


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_bytes_make_a_model_or_one_message(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    raw = bytearray(files.safetensors(TENSORS))
    header = 8 + struct.unpack_from("<Q", raw)[0]
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, header - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "fuzz.safetensors"
    path.write_bytes(bytes(raw))
    try:
        model = sources.load(path)
    except SoftrockError as error:
        files.told(error)
    else:
        assert model.stored is not None
        assert model.stored.bytes == len(raw) - header
        files.shown(model)
