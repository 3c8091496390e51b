"""Embedders of services: what they are asked, and what becomes of every answer."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gieok import registry
from gieok.errors import EmbedderFailed
from gieok.models.embedders.prompts import find_prompts_by_model
from gieok.opening import ModelOpening
from gieok.ports.models import EmbeddingService
from gieok.testing.embedding_server import EmbeddingServer

_SERVICES = ("ollama", "openai", "compatible", "gemini")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer(lambda text: [3.0, 4.0, float(len(text)), 0.0])
    yield made
    made.shutdown()
    made.server_close()


def _service(name: str, address: str, **more) -> EmbeddingService:
    opening = ModelOpening(
        name, more.pop("model", "some-model"), Path("/home"), address, "key-123", "SOME_KEY"
    )
    return registry.load_backend(registry.EMBEDDERS, name)(opening._replace(**more))


def _numbers(vector: bytes) -> list[float]:
    return np.frombuffer(vector, "<f4").tolist()


@pytest.mark.parametrize("name", _SERVICES)
def test_each_service_gives_unit_vectors_in_the_order_of_the_texts(name: str, server) -> None:
    found = _service(name, server.url).embed(["가", "abcd"], is_query=False)
    lengths = [1, 4]
    for vector, length in zip(found.vectors, lengths, strict=True):
        exact = np.array([3, 4, length, 0]) / np.linalg.norm([3, 4, length, 0])
        assert _numbers(vector) == pytest.approx(exact.tolist(), abs=1e-6)
    assert len(server.requests) == 1
    assert any("key-123" in value for value in server.headers[0].values())


@pytest.mark.parametrize("name", _SERVICES)
def test_a_dimension_is_asked_for_and_cut_where_the_service_ignores_it(name: str, server) -> None:
    service = _service(name, server.url, dimension=2)
    assert _numbers(service.embed(["a"], is_query=False).vectors[0]) == pytest.approx([0.6, 0.8])
    asked = str(server.requests[0][1])
    assert "'dimensions': 2" in asked or "'outputDimensionality': 2" in asked
    assert service.model == f"{name}:some-model/2"
    with pytest.raises(EmbedderFailed, match="4 numbers") as failed:
        _service(name, server.url, dimension=9).embed(["a"], is_query=False)
    assert "gieok index --rebuild" in failed.value.hint


@pytest.mark.parametrize("name", _SERVICES)
@pytest.mark.parametrize(
    ("status", "retry"), [(500, True), (503, True), (429, True), (400, False), (401, False)]
)
def test_a_failure_says_whether_another_try_may_help_and_holds_no_key(
    name: str, server, status: int, retry: bool
) -> None:
    server.failures = [
        (
            status,
            b'{"error":{"message":"no, sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"}}',
        )
    ]
    with pytest.raises(EmbedderFailed, match=f"answered {status}: no") as failed:
        _service(name, server.url).embed(["a"], is_query=False)
    assert failed.value.worth_retrying is retry
    assert "key-123" not in str(failed.value)
    assert "sk-proj-abc" not in str(failed.value)
    if status == 401:
        assert "SOME_KEY" in failed.value.hint


@pytest.mark.parametrize("name", _SERVICES)
@pytest.mark.parametrize(
    "body", [b"<html>no</html>", b"[]", b"{}", b'{"data":[{"x":1}],"embeddings":[{"y":1}]}']
)
def test_what_is_no_answer_is_a_failure(name: str, server, body: bytes) -> None:
    server.failures = [(200, body)]
    with pytest.raises(EmbedderFailed):
        _service(name, server.url).embed(["a"], is_query=False)


@pytest.mark.parametrize("name", _SERVICES)
def test_nobody_there_and_a_closed_connection_may_be_tried_again(name: str, server) -> None:
    server.failures = [None]
    with pytest.raises(EmbedderFailed) as failed:
        _service(name, server.url).embed(["a"], is_query=False)
    assert failed.value.worth_retrying
    with pytest.raises(EmbedderFailed, match="cannot be reached") as failed:
        _service(name, "http://127.0.0.1:9").embed(["a"], is_query=False)
    assert failed.value.worth_retrying


def test_a_redirect_is_not_followed_with_the_key(server) -> None:
    other = EmbeddingServer()
    server.failures = [(307, b"{}")]
    with pytest.raises(EmbedderFailed, match="answered 307"):
        _service("openai", server.url).embed(["a"], is_query=False)
    assert other.requests == []
    other.shutdown()
    other.server_close()


@pytest.mark.parametrize("vector", [[0.0, 0.0, 0.0, 0.0], [float("nan"), 1.0, 1.0, 1.0], []])
def test_a_vector_that_points_nowhere_is_refused(server, vector: list[float]) -> None:
    server.embed = lambda text: vector
    with pytest.raises(EmbedderFailed):
        _service("ollama", server.url).embed(["a"], is_query=False)


def test_prompts_are_those_of_the_models_makers_unless_they_are_set(server) -> None:
    seen: list[str] = []
    server.embed = lambda text: [seen.append(text) or 1.0, 1.0]
    nomic = _service("ollama", server.url, model="nomic-embed-text:latest")
    nomic.embed(["a"], is_query=True)
    nomic.embed(["a"], is_query=False)
    own = _service(
        "ollama", server.url, model="nomic-embed-text:latest", query_prompt="Q: ", passage_prompt=""
    )
    own.embed(["a"], is_query=True)
    own.embed(["a"], is_query=False)
    assert seen == ["search_query: a", "search_document: a", "Q: a", "a"]
    assert nomic.model != own.model, "vectors of other prompts are other vectors"


def test_gemini_says_what_a_text_is_for_in_the_way_of_its_model(server) -> None:
    seen: list[str] = []
    server.embed = lambda text: [seen.append(text) or 1.0, 1.0]
    for model in ("", "models/gemini-embedding-2"):
        service = _service("gemini", server.url, model=model)
        service.embed(["a"], is_query=True)
        service.embed(["a"], is_query=False)
    assert seen == [
        "RETRIEVAL_QUERY: a",
        "RETRIEVAL_DOCUMENT: a",
        "task: search result | query: a",
        "title: none | text: a",
    ]


@pytest.mark.parametrize(
    ("model", "query"),
    [
        ("bge-m3", ""),
        ("text-embedding-3-small", ""),
        (
            "qwen3-embedding:0.6b",
            (
                "Instruct: Given a web search query, retrieve relevant passages that answer the "
                "query\nQuery:"
            ),
        ),
        ("embeddinggemma", "task: search result | query: "),
        ("intfloat/multilingual-e5-large", "query: "),
        ("nlpai-lab/KoE5", "query: "),
        ("snowflake-arctic-embed2", "query: "),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: "),
    ],
)
def test_models_are_known_by_their_names(model: str, query: str) -> None:
    assert find_prompts_by_model(model).query == query


@pytest.mark.parametrize("name", ["ollama", "openai", "compatible"])
def test_what_is_missing_is_named_with_its_setting(name: str) -> None:
    with pytest.raises(EmbedderFailed, match=r"embedder\.model"):
        _service(name, "http://127.0.0.1:9", model="")
    if name == "compatible":
        with pytest.raises(EmbedderFailed, match=r"embedder\.base_url"):
            _service(name, "")


def test_what_is_no_address_is_said() -> None:
    with pytest.raises(EmbedderFailed, match="no address"):
        _service("openai", "file:///etc/passwd").embed(["a"], is_query=False)
