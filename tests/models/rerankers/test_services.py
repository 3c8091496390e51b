"""Rerankers of services: what they are asked, and what becomes of every answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok import registry
from gieok.errors import RerankerFailed
from gieok.opening import ModelOpening
from gieok.testing.embedding_server import EmbeddingServer

_PATHS = {
    "cohere": "/v2/rerank",
    "voyage": "/v1/rerank",
    "jina": "/v1/rerank",
    "compatible": "/rerank",
}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer(rerank=lambda question, text: 1 / (1 + len(text)))
    yield made
    made.shutdown()
    made.server_close()


def _reranker(name: str, address: str, model: str = ""):
    model = model or ("own" if name == "compatible" else "")
    return registry.load_backend(registry.RERANKERS, name)(
        ModelOpening(name, model, Path("/home"), address, "key-123", "SOME_KEY")
    )


@pytest.mark.parametrize("name", _PATHS)
def test_each_service_gives_its_scores_in_the_order_of_the_texts(name: str, server) -> None:
    found = _reranker(name, server.url).rerank("언제?", ["가나다", "가"])
    assert found.scores == [0.25, 0.5]
    path, body = server.requests[0]
    assert path == _PATHS[name]
    assert (body["query"], body["documents"]) == ("언제?", ["가나다", "가"])
    assert server.headers[0]["authorization"] == "Bearer key-123"
    assert found.tokens == 14


@pytest.mark.parametrize("name", _PATHS)
@pytest.mark.parametrize(
    "body", [b"{}", b'{"results":[{"index":0,"relevance_score":1}],"data":[{"index":0}]}', b"no"]
)
def test_an_answer_without_a_score_for_each_text_is_a_failure(
    name: str, server, body: bytes
) -> None:
    server.failures = [(200, body)]
    with pytest.raises(RerankerFailed):
        _reranker(name, server.url).rerank("a", ["b", "c"])


def test_failures_say_what_to_do(server) -> None:
    server.failures = [(401, b'{"message":"invalid api token"}')]
    with pytest.raises(RerankerFailed, match="Cohere answered 401: invalid api token") as failed:
        _reranker("cohere", server.url).rerank("a", ["b"])
    assert "SOME_KEY" in failed.value.hint
    with pytest.raises(RerankerFailed, match=r"reranker\.base_url"):
        _reranker("compatible", "")
