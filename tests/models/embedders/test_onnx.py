"""Folders with exported models: every layout that exports have, and what is wrong with a folder."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers")

import tiny_models

from gieok import registry
from gieok.errors import EmbedderFailed, RerankerFailed
from gieok.opening import ModelOpening
from gieok.testing.contracts.embedder import EmbedderContract

_MEAN = {"1_Pooling__config": {"pooling_mode_mean_tokens": True}}


def _embedder(folder: Path, **more):
    opening = ModelOpening("onnx", str(folder), Path("/home"))._replace(**more)
    return registry.load_backend(registry.EMBEDDERS, "onnx")(opening)


def _numbers(vector: bytes) -> list[float]:
    return np.frombuffer(vector, "<f4").tolist()


def _exact(*letters: str, mean: bool = True) -> list[float]:
    rows = [tiny_models.table()[4 + tiny_models.LETTERS.index(letter)] for letter in letters]
    vector = np.mean(rows, axis=0) if mean else rows[-1]
    return (vector / np.linalg.norm(vector)).tolist()


class TestOnnxEmbedder(EmbedderContract):
    understands = False

    @pytest.fixture
    def embedder(self, tmp_path: Path):
        return _embedder(tiny_models.embedding(tmp_path / "model", **_MEAN))


@pytest.mark.parametrize("external", [False, True])
def test_tokens_become_one_vector_as_the_folder_says(tmp_path: Path, external: bool) -> None:
    made = _embedder(tiny_models.embedding(tmp_path / "m", external=external, **_MEAN))
    assert made.dimension == tiny_models.SIZE
    assert _numbers(made.embed_passages(["ab"])[0]) == pytest.approx(_exact("a", "b"), abs=1e-3)


def test_a_decoder_reads_to_the_last_token_and_gets_an_empty_cache(tmp_path: Path) -> None:
    inputs = ("position_ids", "past_key_values.0.key", "past_key_values.0.value")
    folder = tiny_models.embedding(
        tmp_path / "Qwen3-Embedding-0.6B-ONNX",
        inputs=inputs,
        config={"model_type": "qwen3", "hidden_size": 8},
    )
    last = _numbers(_embedder(folder).embed_query("ab"))
    assert last == pytest.approx([tiny_models.SIZE**-0.5] * tiny_models.SIZE, abs=1e-3), (
        "that of the end mark"
    )
    said: list[str] = []
    made = _embedder(folder, pooling="mean")
    made._folder.windows = lambda text, cut=made._folder.windows: (said.append(text), cut(text))[1]
    made.embed_query("ab")
    made.embed_passages(["ab"])
    assert said[0].startswith("Instruct: ")
    assert said[1] == "ab"


def test_prompts_come_from_the_folder(tmp_path: Path) -> None:
    own = {"prompts": {"query": "q", "document": "", "passage": "p"}}
    made = _embedder(
        tiny_models.embedding(tmp_path / "m", config_sentence_transformers=own, **_MEAN)
    )
    assert _numbers(made.embed_query("a")) == pytest.approx(_exact("q", "a"), abs=1e-3)
    assert _numbers(made.embed_passages(["a"])[0]) == pytest.approx(_exact("p", "a"), abs=1e-3)


def test_a_folder_that_leaves_pooling_open_is_asked_about(tmp_path: Path) -> None:
    folder = tiny_models.embedding(tmp_path / "somebody")
    with pytest.raises(EmbedderFailed, match="does not say") as failed:
        _embedder(folder).embed_query("a")
    assert "embedder.pooling" in failed.value.hint
    assert _embedder(folder, pooling="cls").model != _embedder(folder, pooling="mean").model
    assert (
        _embedder(tiny_models.embedding(tmp_path / "bge-m3-copy"), pooling="max").dimension
        == tiny_models.SIZE
    )


def test_layers_after_the_graph_are_not_left_out_silently(tmp_path: Path) -> None:
    modules = [{"type": "sentence_transformers.models.Dense"}]
    with pytest.raises(EmbedderFailed, match="last layers") as failed:
        _embedder(tiny_models.embedding(tmp_path / "m", modules=modules, **_MEAN)).embed_query("a")
    assert "sentence_embedding" in failed.value.hint


def test_the_name_changes_with_the_model_and_not_with_the_place(tmp_path: Path) -> None:
    one = _embedder(tiny_models.embedding(tmp_path / "a" / "m", **_MEAN)).model
    assert one == _embedder(tiny_models.embedding(tmp_path / "b" / "m", **_MEAN)).model
    assert one.startswith("onnx:m@")
    others = {
        _embedder(tiny_models.embedding(tmp_path / "c" / "m", seed=8, **_MEAN)).model,
        _embedder(tmp_path / "a" / "m", dimension=4).model,
        _embedder(tmp_path / "a" / "m", passage_prompt="p").model,
    }
    assert one not in others
    assert len(others) == 3


def test_a_cut_vector_is_a_unit_vector_of_its_first_numbers(tmp_path: Path) -> None:
    made = _embedder(tiny_models.embedding(tmp_path / "m", **_MEAN), dimension=4)
    exact = np.array(_exact("a")[:4])
    assert _numbers(made.embed_passages(["a"])[0]) == pytest.approx(
        (exact / np.linalg.norm(exact)).tolist(), abs=1e-3
    )


def test_a_text_beyond_what_the_model_reads_is_read_in_parts(tmp_path: Path) -> None:
    made = _embedder(
        tiny_models.embedding(tmp_path / "m", tokenizer_config={"model_max_length": 4}, **_MEAN)
    )
    assert _numbers(made.embed_passages(["abcd"])[0]) == pytest.approx(
        _exact("a", "b", "c", "d"), abs=1e-3
    )
    assert made.embed_passages(["ab" * 9_000])


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", ""])
def test_a_folder_that_holds_no_model_is_named(tmp_path: Path, missing: str) -> None:
    folder = tiny_models.embedding(tmp_path / "m", **_MEAN)
    if missing:
        next(folder.rglob(missing)).unlink()
    with pytest.raises(
        EmbedderFailed, match="holds no exported model" if missing else r"embedder\.model"
    ):
        _embedder(folder, **({} if missing else {"model": ""}))


def test_damaged_files_are_named(tmp_path: Path) -> None:
    folder = tiny_models.embedding(tmp_path / "m", **_MEAN)
    (folder / "onnx" / "model.onnx").write_bytes(b"not a graph")
    with pytest.raises(EmbedderFailed, match="cannot be loaded"):
        _embedder(folder).embed_query("a")
    other = tiny_models.embedding(tmp_path / "n", **_MEAN)
    (other / "1_Pooling" / "config.json").write_text("{")
    with pytest.raises(EmbedderFailed, match=r"config\.json"):
        _embedder(other).embed_query("a")


def test_a_cross_encoder_reads_question_and_text_together(tmp_path: Path) -> None:
    folder = tiny_models.cross_encoder(tmp_path / "ranker")
    made = registry.load_backend(registry.RERANKERS, "onnx")(
        ModelOpening("onnx", str(folder), Path("/home"))
    )
    scores = made.scores("결제", ["결제 정산", "고양이", "결제 결제 결제"])
    assert scores[2] > scores[0] > scores[1]
    assert all(0 < score < 1 for score in scores)
    assert made.model.startswith("onnx:ranker@")


def test_an_embedding_model_is_no_cross_encoder(tmp_path: Path) -> None:
    folder = tiny_models.embedding(tmp_path / "m", **_MEAN)
    with pytest.raises(RerankerFailed, match="no cross-encoder"):
        registry.load_backend(registry.RERANKERS, "onnx")(
            ModelOpening("onnx", str(folder), Path())
        ).scores("a", ["b"])
