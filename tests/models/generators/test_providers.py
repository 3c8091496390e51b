import json

import pytest

pytest.importorskip("pydantic_ai")

from gieok import registry
from gieok.errors import GeneratorFailed
from gieok.ports.models import Generated, Generator, Prompt
from gieok.testing.model_server import ModelServer, TruncatedAnswer, read_request_text

_PROMPT = Prompt("You are the memory.", "무엇을 기억할까?", 0.3, 2000)
_PATHS = {"openai": "/v1", "compatible": "/v1", "ollama": "/v1", "anthropic": "", "gemini": ""}


def _generator(name: str, url: str, model: str = "some-model") -> Generator:
    made: Generator = registry.load_backend(registry.GENERATORS, name)(
        f"{name}:{model}", "key-123", url + _PATHS[name]
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
    assert "2000" in asked or "10000" in asked
    assert "0.3" in asked
    is_local = name == "ollama"
    assert any("key-123" in value for value in server.headers[0].values()) is not is_local


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(_PATHS))
def test_an_answer_that_reached_its_limit_says_so(name: str, server) -> None:
    server.script = [TruncatedAnswer("* 🔴 출시는")]
    found = _generator(name, server.url).generate(_PROMPT)
    assert found.is_cut
    assert found.output_tokens == 7


@pytest.mark.filterwarnings("error", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("openai:gpt-4o-mini", {"max_completion_tokens": 2000, "temperature": 0.3}),
        ("openai:gpt-5-mini", {"max_completion_tokens": 10_000, "reasoning_effort": "minimal"}),
        (
            "openai:gpt-5.1",
            {"max_completion_tokens": 2000, "reasoning_effort": "none", "temperature": 0.3},
        ),
        ("anthropic:claude-haiku-4-5", {"max_tokens": 2000, "temperature": 0.3}),
        ("gemini:gemini-2.0-flash", {"maxOutputTokens": 2000, "temperature": 0.3}),
        (
            "gemini:gemini-2.5-flash",
            {"maxOutputTokens": 2000, "thinkingConfig": {"thinking_budget": 0}},
        ),
        (
            "gemini:gemini-2.5-pro",
            {"maxOutputTokens": 10_000, "thinkingConfig": {"thinking_budget": 128}},
        ),
        (
            "gemini:gemini-3.5-flash",
            {"maxOutputTokens": 10_000, "thinkingConfig": {"thinking_level": "MINIMAL"}},
        ),
        ("compatible:qwen3-32b", {"max_tokens": 10_000, "temperature": 0.3}),
    ],
)
def test_a_model_thinks_as_little_as_it_can_and_has_room_for_what_it_must(
    model: str, sent: dict[str, object], server
) -> None:
    provider, _, name = model.partition(":")
    _generator(provider, server.url, name).generate(_PROMPT)
    body = server.requests[0][1]
    asked = {**body, **body.get("generationConfig", {})}
    assert {key: asked.get(key) for key in sent} == sent
    assert ("temperature" in asked) is (model != "openai:gpt-5-mini"), (
        "sent where it is taken, with no warning where not"
    )


def test_the_instructions_are_cached_where_the_provider_can(server) -> None:
    _generator("anthropic", server.url).generate(_PROMPT)
    (block,) = server.requests[0][1]["system"]
    assert block["text"] == "You are the memory."
    assert block["cache_control"]["type"] == "ephemeral"


def test_thoughts_in_front_of_an_answer_of_ollama_are_no_part_of_it(server) -> None:
    server.script = [
        (
            "<think>\n<observations>\n* "
            "draft\n</observations>\n</think>\n\n<observations>\nNONE\n</observations>"
        )
    ]
    assert (
        _generator("ollama", server.url).generate(_PROMPT).text
        == "<observations>\nNONE\n</observations>"
    )


@pytest.mark.parametrize(
    ("characters", "context"), [(100, 16_384), (40_000, 32_768), (10_000_000, 131_072)]
)
def test_ollama_is_told_how_long_the_context_is_and_not_to_think(
    server, characters: int, context: int
) -> None:
    _generator("ollama", server.url).generate(_PROMPT._replace(text="word " * (characters // 5)))
    path, body = server.requests[0]
    assert path == "/api/chat"
    assert body["think"] is False
    assert body["options"] == {"temperature": 0.3, "num_predict": 10_000, "num_ctx": context}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", sorted(_PATHS))
@pytest.mark.parametrize(
    ("status", "retry"), [(500, True), (503, True), (429, True), (400, False), (401, False)]
)
def test_a_failure_says_whether_another_try_may_help(
    name: str, server, status: int, retry: bool
) -> None:
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
        registry.load_backend(registry.GENERATORS, "compatible")("compatible:m", "", "")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai", "gpt-4o"),
        ("gemini", "gemini-2.5-flash"),
        ("anthropic", "claude-sonnet-4-5"),
        ("ollama", "m"),
    ],
)
def test_a_model_that_can_is_held_to_the_schema_of_its_answer(
    name: str, model: str, server: ModelServer
) -> None:
    server.script = ['{"facts": []}']
    fields = {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": {"type": "integer"}}},
    }
    schema = json.dumps({**fields, "required": ["facts"], "additionalProperties": False})
    assert (
        _generator(name, server.url, model).generate(_PROMPT._replace(schema=schema)).text
        == '{"facts": []}'
    )
    assert '"facts"' in read_request_text(server.requests[-1][1])


def test_a_server_of_which_nothing_is_known_is_asked_for_prose(server: ModelServer) -> None:
    _generator("compatible", server.url).generate(_PROMPT._replace(schema='{"type": "object"}'))
    assert "response_format" not in server.requests[-1][1]
