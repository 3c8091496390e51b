"""Tiny models as they are exported: graph, tokenizer and the files around them. Made with `onnx`
and `tokenizers`.

The embedding model is a table of random rows, one for each of the characters that it knows: texts
that share characters are near to each other. The cross-encoder counts, of the question's
characters, those that the text has.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LETTERS = (
    "abcdefghijklmnopqrstuvwxyz0123456789가나다라마바사아자차카타파하기억결제정산화요일언는매주한다"
)
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SIZE = 8


def tokenizer(folder: Path) -> None:
    """Write a tokenizer of single characters, which marks begin and end."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: i for i, word in enumerate([*_SPECIAL, *dict.fromkeys(LETTERS)])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.save(str(folder / "tokenizer.json"))


def table(seed: int = 7) -> "np.ndarray":
    """Return the rows of the embedding model; those of marks and unknown characters are nearly
    nothing.
    """
    rows = (
        np.random.default_rng(seed)
        .normal(size=(len(_SPECIAL) + len(dict.fromkeys(LETTERS)), SIZE))
        .astype(np.float32)
    )
    # nearly nothing, but something for a text without any known character
    rows[: len(_SPECIAL)] = 1e-4
    return rows


def embedding(
    folder: Path,
    *,
    seed: int = 7,
    external: bool = False,
    inputs: tuple[str, ...] = (),
    **files: object,
) -> Path:
    """Write an embedding model whose graph gives the rows of its tokens; `files` are JSON, by name
    without ending.
    """
    graph = folder / "onnx" / "model.onnx"
    graph.parent.mkdir(parents=True)
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    _save(
        graph,
        nodes,
        {"table": table(seed)},
        "last_hidden_state",
        ["batch", "tokens", SIZE],
        external,
        inputs,
    )
    tokenizer(folder)
    for name, content in files.items():
        file = folder / (name.replace("__", "/") + ".json")
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    return folder


def cross_encoder(folder: Path) -> Path:
    """Write a cross-encoder: the logit is a tenth of how many pairs of equal tokens question and
    text have, less one.
    """
    folder.mkdir(parents=True)
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "second"], ["across"]),
        helper.make_node("Unsqueeze", ["ids", "first"], ["down"]),
        helper.make_node("Equal", ["across", "down"], ["same"]),
        helper.make_node("Cast", ["same"], ["alike"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["one", "types"], ["asked"]),
        helper.make_node("Unsqueeze", ["asked", "second"], ["of_question"]),
        helper.make_node("Unsqueeze", ["types", "first"], ["of_text"]),
        helper.make_node("Mul", ["of_question", "of_text"], ["between"]),
        helper.make_node("Mul", ["alike", "between"], ["pairs"]),
        helper.make_node("ReduceSum", ["pairs", "both"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "tenth"], ["scaled"]),
        helper.make_node("Sub", ["scaled", "one"], ["score"]),
        helper.make_node("Unsqueeze", ["score", "first"], ["logits"]),
    ]
    constants = {
        "first": np.array([1], np.int64),
        "second": np.array([2], np.int64),
        "both": np.array([1, 2], np.int64),
        "one": np.array(1, np.float32),
        "tenth": np.array(0.1, np.float32),
    }
    _save(
        folder / "model.onnx", nodes, constants, "logits", ["batch", 1], False, ("token_type_ids",)
    )
    tokenizer(folder)
    return folder


def _save(
    file: Path,
    nodes,
    constants: Mapping,
    output: str,
    shape: list,
    external: bool,
    inputs: tuple[str, ...],
) -> None:
    ids = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in (
            "input_ids",
            "attention_mask",
            *[name for name in inputs if not name.startswith("past")],
        )
    ]
    caches = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 2, "past", 4])
        for name in inputs
        if name.startswith("past")
    ]
    made = helper.make_graph(
        nodes,
        "tiny",
        [*ids, *caches],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    if external:
        onnx.save(
            model, file, save_as_external_data=True, location=f"{file.name}_data", size_threshold=0
        )
    else:
        onnx.save(model, file)
