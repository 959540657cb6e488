"""A model from what the user has: a folder, a configuration, files of weights, or numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from softrock.core.errors import SoftrockError, UsageError
from softrock.fit import decoder, gguf, jsonfile, safetensors
from softrock.fit.fields import Fields
from softrock.fit.model import Cache, Kind, Model, Part, Split, State
from softrock.fit.safetensors import Tensor
from softrock.fit.text import clean

_FLOATS = {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"}
_EMBEDDING = re.compile(
    r"(embed_tokens|token_embd|\bwte|word_embeddings|tok_embeddings|embed_in|position_embd|\bwpe)\b"
)
_HEAD = re.compile(r"(^|\.)(lm_head|embed_out|output)\.")
_KV = re.compile(r"(k_proj|v_proj|attn_k|attn_v)\.weight")
_EXPERT = re.compile(r"(\.experts\.|_exps\b)")
_COPIED = re.compile(r"(kv_a_|q_a_|ffn_gate_inp|\.gate\.weight|router)")
_NO_CONFIG = "no config.json beside the weights: heads are not known, the cache is not known"
_WINDOWED = {"gemma2": 2, "gemma3": 6, "gpt-oss": 2, "cohere2": 4, "gemma3n": 5}
"""GGUF architectures: all layers but each n-th keep a window (ggml-org/llama.cpp, src/llama-model.cpp, 2025)."""


def load(path: Path) -> Model:
    """The model in a folder or file.

    Raises:
        SoftrockError: nothing there says what model it is, or it is broken.
    """
    where = clean(path, 300)
    if path.is_dir():
        return _folder(path)
    if path.name.endswith(".gguf"):
        return _gguf(path)
    if path.name.endswith(".safetensors"):
        return _beside(path.parent / "config.json", [path])
    if path.name.endswith(".safetensors.index.json"):
        return _indexed(path)
    if path.name.endswith(".json"):
        return decoder.from_config(Fields(jsonfile.read(path, jsonfile.CONFIG), where), _name(path.parent))
    if not path.exists():
        raise SoftrockError(
            f"{where}: there is no such file or folder", hint="names of models are not looked up; give files"
        )
    raise SoftrockError(
        f"{where}: its name does not say what it is",
        hint="give a folder, config.json, .safetensors, its index or .gguf",
    )


def _folder(path: Path) -> Model:
    index = path / "model.safetensors.index.json"
    files = sorted(each for each in path.glob("*.safetensors"))[:4097]
    if index.exists():
        return _indexed(index)
    if files:
        return _beside(path / "config.json", files)
    config = path / "config.json"
    if config.exists():
        return load(config)
    parts = sorted(path.glob("*.gguf"))
    if parts and len({each for one in parts for each in gguf.files(one)}) == len(gguf.files(parts[0])):
        return _gguf(parts[0])
    if parts:
        raise SoftrockError(f"{clean(path, 300)}: there are {len(parts)} GGUF files", hint="name one of them")
    raise SoftrockError(
        f"{clean(path, 300)}: there is no config.json, .safetensors or .gguf", hint="give the folder that has them"
    )


def _name(folder: Path) -> str:
    """What a folder's model is called; ``org/name`` in the Hugging Face cache (models--org--name/snapshots/HASH)."""
    where = folder.resolve()
    if where.parent.name == "snapshots":
        return clean(where.parent.parent.name.removeprefix("models--").replace("--", "/"))
    return clean(where.name)


def _indexed(path: Path) -> Model:
    """A model by its index: from the files that it names, or, where none is there, from the sum that it gives."""
    files, stored = safetensors.index(path)
    config = path.parent / "config.json"
    if stored is None:
        return _beside(config, files)
    note = f"its files are not there: {stored.bytes:,} bytes is the sum that the index gives"
    if config.exists():
        model = load(config)
        return replace(model, stored=stored, notes=(*model.notes, note))
    return Model(_name(path.parent), "unknown", (), (), stored=stored, notes=(note, _NO_CONFIG))


def _beside(config: Path, files: Sequence[Path]) -> Model:
    """A model in .safetensors files, with the configuration beside them where there is one."""
    tensors, stored = safetensors.stored(files)
    name = _name(config.parent) if config.exists() else clean(files[0].name)
    if not config.exists():
        note = _NO_CONFIG
        return Model(name, "unknown", _parts(tensors), (), stored=stored, notes=(note,))
    fields = Fields(jsonfile.read(config, jsonfile.CONFIG), clean(config, 300))
    if fields.text("model_type") in decoder.names():
        model = decoder.from_config(fields, name)
        more = sum(each.elements for each in tensors) - model.params
        notes = list(model.notes)
        if more and {each.type for each in tensors} <= _FLOATS:
            less = "more" if more > 0 else "fewer"
            notes.append(f"the files hold {abs(more):,} elements {less} than the configuration describes")
        return replace(model, stored=stored, notes=tuple(notes))
    caches = _plain_cache(fields)
    unknown = clean(fields.text("model_type"))
    note = f"the architecture {unknown!r} is unknown: weights are the files' own, attention is taken as plain"
    heads = fields.integer("num_attention_heads", default=0, low=0)
    return Model(
        name,
        clean(fields.text("model_type", "unknown")),
        _parts(tensors),
        caches,
        heads=heads,
        kv_heads=caches[0].heads if caches else 0,
        stored=stored,
        precision=decoder.stored_precision(fields),
        notes=(note,),
    )


def _plain_cache(fields: Fields) -> tuple[Cache, ...]:
    needed = ("num_hidden_layers", "num_attention_heads", "hidden_size")
    if not all(fields.has(each) for each in needed):
        return ()
    heads = fields.integer("num_attention_heads")
    width = fields.integer("head_dim", default=max(1, fields.integer("hidden_size") // heads))
    kv_heads = fields.integer("num_key_value_heads", default=heads)
    return (Cache(fields.integer("num_hidden_layers", high=10_000), kv_heads, 2 * width),)


def _parts(tensors: Sequence[Tensor], experts: tuple[int, int] = (1, 1)) -> tuple[Part, ...]:
    """Tensors of one kind, shape and type as parts, with their bytes."""
    groups: dict[tuple[Kind, Split, tuple[int, ...], str], list[Tensor]] = {}
    for each in tensors:
        kind, split = _role(each)
        groups.setdefault((kind, split, each.shape, each.type), []).append(each)
    if not any(kind is Kind.HEAD for kind, *_ in groups):  # a tied head is read for each token
        for (kind, split, shape, label), group in list(groups.items()):
            if kind is Kind.EMBEDDING and len(shape) == 2:
                groups.pop((kind, split, shape, label))
                groups[Kind.HEAD, split, shape, label] = group
                break
    found = []
    for (kind, split, shape, label), group in groups.items():
        columns = shape[-1] if len(shape) > 1 else 1
        rows = group[0].elements // columns if columns else 0
        share = experts if kind is Kind.EXPERT else (1, 1)
        size = sum(one.bytes for one in group)
        found.append(Part(f"{label} {kind.value}", kind, rows, columns, len(group), split, size, share))
    return tuple(found)


def _role(tensor: Tensor) -> tuple[Kind, Split]:
    if len([each for each in tensor.shape if each > 1]) < 2:
        return Kind.SMALL, Split.COPY
    if _EMBEDDING.search(tensor.name):
        return Kind.EMBEDDING, Split.SHARD
    if _HEAD.search(tensor.name):
        return Kind.HEAD, Split.SHARD
    if _COPIED.search(tensor.name):
        return Kind.SMALL, Split.COPY
    if _EXPERT.search(tensor.name):
        return Kind.EXPERT, Split.SHARD
    return Kind.MATRIX, Split.KV if _KV.search(tensor.name) else Split.SHARD


# ---- GGUF ----


def _gguf(path: Path) -> Model:
    metadata, tensors, files = gguf.load(path)
    where = clean(path, 300)
    architecture = metadata.get("general.architecture")
    if not isinstance(architecture, str):
        raise SoftrockError(f"{where}: general.architecture is missing", hint="the file is damaged; fetch it again")
    keys = {
        key[len(architecture) + 1 :]: value for key, value in metadata.items() if key.startswith(architecture + ".")
    }
    fields = Fields(keys, where)
    kind = metadata.get("general.file_type")
    label = _FILE_TYPES.get(kind, "") if isinstance(kind, int) else ""
    used, number = (
        fields.integer("expert_used_count", default=0, low=0),
        fields.integer("expert_count", default=0, low=0),
    )
    share = (used, number) if 0 < used <= number else (1, 1)
    stored = safetensors.sums(tensors, files, label)
    caches, states, notes = _gguf_caches(fields, keys, architecture)
    name = metadata.get("general.name")
    heads = keys.get("attention.head_count")
    tokens = metadata.get("tokenizer.ggml.tokens")
    return Model(
        clean(name if isinstance(name, str) else path.name),
        clean(architecture),
        _parts(tensors, share),
        caches,
        heads=heads if isinstance(heads, int) and not isinstance(heads, bool) and 0 < heads < 1 << 20 else 0,
        kv_heads=max((each.heads for each in caches), default=0),
        hidden=fields.integer("embedding_length", default=0, low=0),
        inner=0
        if isinstance(keys.get("feed_forward_length"), list)
        else fields.integer("feed_forward_length", default=0, low=0),
        vocabulary=tokens.entries
        if isinstance(tokens, gguf.Length)
        else len(tokens)
        if isinstance(tokens, list)
        else 0,
        limit=fields.integer("context_length", default=0, low=0),
        states=states,
        stored=stored,
        notes=tuple(notes),
    )


def _gguf_caches(
    fields: Fields, keys: Mapping[str, Any], architecture: str
) -> tuple[tuple[Cache, ...], tuple[State, ...], list[str]]:
    layers = fields.integer("block_count", high=10_000)
    if fields.has("attention.kv_lora_rank"):
        width = fields.integer("attention.kv_lora_rank") + fields.integer("rope.dimension_count")
        return (Cache(layers, 1, width, latent=True),), (), []
    heads = keys.get("attention.head_count")
    if isinstance(heads, list):
        heads = max(fields.items("attention.head_count", int, 10_000), default=0)
    if not isinstance(heads, int) or not 0 < heads < 1 << 20:
        return (), (), ["the header does not say how many heads there are: the cache is not known"]
    kv = keys.get("attention.head_count_kv", heads)
    by_layer = (
        fields.items("attention.head_count_kv", int, 10_000)
        if isinstance(kv, list)
        else [fields.integer("attention.head_count_kv", default=heads, low=0, high=1 << 20)] * layers
    )
    if len(by_layer) != layers or any(not 0 <= each < 1 << 20 for each in by_layer):
        fields.fail("attention.head_count_kv", f"has {len(by_layer)} entries for {layers} layers")
    every = fields.integer("full_attention_interval", default=1)
    if every > 1:  # a hybrid: all layers but each n-th are linear
        by_layer = [each if (layer + 1) % every == 0 else 0 for layer, each in enumerate(by_layer)]
    plain = max(1, fields.integer("embedding_length", default=heads) // heads)
    width = fields.integer("attention.key_length", default=plain, high=1 << 20)
    width += fields.integer("attention.value_length", default=plain, high=1 << 20)
    window = fields.integer("attention.sliding_window", default=0, low=0) or None
    small = _small_layers(fields, keys, architecture, layers) if window else [False] * layers
    counted: dict[tuple[int, bool], int] = {}
    for each in zip(by_layer, small, strict=True):
        counted[each] = counted.get(each, 0) + 1
    caches = tuple(
        Cache(number, each, width, window if narrow else None) for (each, narrow), number in counted.items() if each
    )
    states, notes = _gguf_states(fields, by_layer.count(0))
    return caches, states, notes


def _gguf_states(fields: Fields, layers: int) -> tuple[tuple[State, ...], list[str]]:
    """State of layers without a cache, 32 bits an element as llama.cpp keeps it (src/llama-hparams.cpp, 2025)."""
    if not layers:
        return (), []
    if not (fields.has("ssm.inner_size") and fields.has("ssm.state_size")):
        return (), [f"{layers} layers keep no cache; what state they keep is not known"]
    inner, width = fields.integer("ssm.inner_size", high=1 << 24), fields.integer("ssm.state_size", high=1 << 20)
    groups = fields.integer("ssm.group_count", default=0, low=0, high=1 << 16)
    kernel = fields.integer("ssm.conv_kernel", default=1, high=1 << 10)
    heads = fields.integer("ssm.time_step_rank", default=1, high=1 << 20)
    size = 4 * (inner * width + (kernel - 1) * (inner + 2 * groups * width))
    return (State(layers, heads, size),), []


def _small_layers(fields: Fields, keys: Mapping[str, Any], architecture: str, layers: int) -> list[bool]:
    """Which layers keep a window alone."""
    pattern = keys.get("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        found = [bool(each) for each in pattern]
        return (found + [False] * layers)[:layers]
    every = fields.integer("attention.sliding_window_pattern", default=_WINDOWED.get(architecture, 0), low=0)
    return [bool(every) and (layer + 1) % every != 0 for layer in range(layers)]


_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE", 39: "NVFP4",
}  # fmt: skip


# ---- numbers ----


def from_numbers(given: Mapping[str, int], name: str = "model by parameters") -> Model:
    """A plain decoder from numbers: ``params, active, layers, hidden, heads, kv_heads, head_dim, vocab, inner``.

    Raises:
        UsageError: they do not suffice or contradict each other.
    """
    layers, hidden, vocabulary = given.get("layers", 0), given.get("hidden", 0), given.get("vocab", 0)
    heads = given.get("heads", 0)
    kv_heads = given.get("kv_heads", heads)
    width = given.get("head_dim", hidden // heads if heads else 0)
    caches = (Cache(layers, kv_heads, 2 * width),) if layers and kv_heads and width else ()
    if heads and kv_heads and heads % kv_heads:
        raise UsageError(f"--kv-heads {kv_heads} does not divide --heads {heads}", hint="see the model's configuration")
    inner = given.get("inner", 0)
    if "params" not in given:
        return _plain(name, layers, hidden, heads, kv_heads, width, vocabulary, inner)
    tables = 2 * vocabulary * hidden
    rest = given["params"] - tables
    if rest <= 0:
        raise UsageError(
            f"--params {given['params']} is less than the embeddings and head have", hint="see --vocab, --hidden"
        )
    active = given.get("active", given["params"]) - tables // 2
    if not 0 < active <= rest + tables // 2:
        raise UsageError(
            f"--active {given.get('active')} is no share of --params", hint="parameters that a token goes through"
        )
    share = (min(active, rest), rest)
    parts = [
        Part("token embeddings", Kind.EMBEDDING, vocabulary, hidden),
        Part("head", Kind.HEAD, vocabulary, hidden),
        Part("all layers", Kind.EXPERT if "active" in given else Kind.MATRIX, *_near_square(rest), used=share),
    ]
    note = "all that is not embeddings or head is taken as matrices; the head as not tied"
    return Model(
        name, "by parameters", tuple(part for part in parts if part.params), caches, heads, kv_heads, hidden, inner,
        vocabulary, exact=False,
        notes=(note,) if caches else (note, "the cache is not known: give --layers, --heads, ..."),
    )  # fmt: skip


def _near_square(params: int) -> tuple[int, int]:
    """Rows and columns for so many parameters: columns a power of two, as quantized groups need them."""
    columns = 1
    while params % (columns * 2) == 0 and columns < 8192:
        columns *= 2
    return params // columns, columns


def _plain(
    name: str, layers: int, hidden: int, heads: int, kv_heads: int, width: int, vocabulary: int, inner: int
) -> Model:
    values = {"--layers": layers, "--hidden": hidden, "--heads": heads, "--vocab": vocabulary, "--inner": inner}
    missing = [flag for flag, value in values.items() if not value]
    if missing:
        raise UsageError(f"without --params, {', '.join(missing)} are needed", hint="or give a config.json or a file")
    config = {
        "model_type": "llama", "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": width, "vocab_size": vocabulary, "intermediate_size": inner,
    }  # fmt: skip
    return decoder.from_config(Fields(config, "the command line"), name)
