import json

import pytest

pytest.importorskip("pydantic_ai")

from gieok import registry
from gieok.backends.generators.providers import ProviderGenerator
from gieok.errors import GeneratorFailed
from gieok.ports.models import Generated, Prompt

_PROMPT = Prompt("You are the memory.", "무엇을 기억할까?", 0.3, 2000)
_PATHS = {"openai": "/v1", "compatible": "/v1", "ollama": "/v1", "anthropic": "", "gemini": ""}


def _generator(name: str, url: str) -> ProviderGenerator:
    made: ProviderGenerator = registry.load(registry.GENERATORS, name)(
        f"{name}:some-model", "key-123", url + _PATHS[name]
    )
    return made


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(_PATHS))
def test_each_provider_answers_with_its_text_and_counts(name: str, server) -> None:
    server.script = ["* 🔴 출시는 금요일"]
    generator = _generator(name, server.url)
    assert generator.model == f"{name}:some-model"
    assert generator.generate(_PROMPT) == Generated("* 🔴 출시는 금요일", 11, 7)
    assert generator.generate(_PROMPT).text == "* 🔴 출시는 금요일"
    asked = json.dumps(server.requests[0], ensure_ascii=False)
    assert "무엇을 기억할까?" in asked
    assert "You are the memory." in asked
    assert "2000" in asked
    assert any("key-123" in value for value in server.headers[0].values())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(_PATHS))
@pytest.mark.parametrize(("status", "retry"), [(500, True), (503, True), (429, True), (400, False), (401, False)])
def test_a_failure_says_whether_another_try_may_help(name: str, server, status: int, retry: bool) -> None:
    server.script = [(status, b'{"error":{"message":"no","code":1,"status":"x"}}')]
    with pytest.raises(GeneratorFailed) as failed:
        _generator(name, server.url).generate(_PROMPT)
    assert failed.value.worth_retrying is retry
    assert len(server.requests) == 1, "one try per call"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(_PATHS))
def test_garbage_and_nobody_there_are_failures(name: str, server) -> None:
    server.script = [(200, b"<html>not json</html>")]
    generator = _generator(name, server.url)
    with pytest.raises(GeneratorFailed):
        generator.generate(_PROMPT)
    server.shutdown()
    server.server_close()
    with pytest.raises(GeneratorFailed) as failed:
        generator.generate(_PROMPT)
    assert failed.value.worth_retrying


def test_a_compatible_endpoint_needs_an_address() -> None:
    with pytest.raises(GeneratorFailed, match="needs its address"):
        registry.load(registry.GENERATORS, "compatible")("compatible:m", "", "")
