"""Each provider's own library says of a key whether it is taken, in words without the key."""

from collections.abc import Iterator

import pytest

pytest.importorskip("pydantic_ai")

from key_server import GOOD, SPENT, serving

from gieok import registry
from gieok.errors import ServiceFailed
from gieok.testing.model_server import ModelServer

_PATHS = {"openai": "/v1", "compatible": "/v1", "anthropic": "", "gemini": ""}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving() as made:
        yield made


def _ask(server: ModelServer, provider: str, key: str, model: str = "") -> None:
    registry.load_backend(registry.KEY_PROBES, provider)(
        key, server.url + _PATHS[provider], model, 10.0
    )


def test_every_provider_with_a_key_can_be_asked() -> None:
    assert {name for name, row in registry.GENERATORS.items() if row.key_variable} <= set(
        registry.KEY_PROBES
    )
    assert set(_PATHS) == set(registry.KEY_PROBES)


@pytest.mark.parametrize("provider", _PATHS)
def test_one_request_proves_a_key(provider: str, server: ModelServer) -> None:
    _ask(server, provider, GOOD)
    _ask(server, provider, GOOD, "some-model")
    assert server.keys == [GOOD, GOOD]
    listing, asking = server.asked
    assert listing.startswith("GET ")
    assert asking.startswith("POST ")


@pytest.mark.parametrize("provider", _PATHS)
@pytest.mark.parametrize(("key", "statuses"), [("key-bad-0000", {401}), (SPENT, {402, 429})])
def test_a_refusal_has_a_status_and_no_key(
    provider: str, server: ModelServer, key: str, statuses: set[int]
) -> None:
    with pytest.raises(ServiceFailed) as failed:
        _ask(server, provider, key, "some-model")
    assert failed.value.status in statuses
    assert str(failed.value) == f"it answered {failed.value.status}"
    assert len(server.keys) == 1


@pytest.mark.parametrize("provider", _PATHS)
def test_nobody_there_is_no_verdict_on_the_key(provider: str, server: ModelServer) -> None:
    server.shutdown()
    server.server_close()
    with pytest.raises(ServiceFailed, match="cannot be reached") as failed:
        _ask(server, provider, GOOD)
    assert failed.value.status == 0
