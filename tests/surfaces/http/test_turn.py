"""A message and its reply over HTTP: whole, streamed, failed, cut off."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from served import Served, served, token

from gieok.character.cards.card import new_card
from gieok.testing.model_server import Broken, ModelServer

_MESSAGES = "/api/characters/mina/messages"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Iterator[Served]:
    settings = {
        "CHARACTER_MODEL": "compatible:m",
        "CHARACTER_BASE_URL": f"{model.url}/v1",
        "CHARACTER_MEMORY_MODEL": "rules",
    }
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, **settings) as found,
    ):
        found.house.roster.create(
            "", new_card({"name": "Mina", "description": "A book shop."}, ("어서 와.",)), "mina"
        )
        for user in ("kim", "lee", "han"):
            found.house.points.credit(user, 5, "first")
        yield found


def _events(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return [
        (block[0].removeprefix("event: "), json.loads(block[1].removeprefix("data: ")))
        for block in blocks
    ]


def test_a_reply_is_whole_or_streamed_and_says_what_it_remembered(
    service: Served, model: ModelServer
) -> None:
    model.script = ["그래, 기억해 둘게."]
    who = token("kim")
    first = service.client.post(_MESSAGES, json={"text": "나 망원동에 살아"}, headers=who).json()
    assert (first["text"], first["finish"], first["balance"], first["extractor"]) == (
        "그래, 기억해 둘게.",
        "stop",
        4,
        "rules",
    )
    assert (first["input_tokens"], first["output_tokens"]) == (11, 7)
    sent = {"text": "나 어디 살아?", "temperature": 0.2, "max_tokens": 50}
    streamed = service.client.post(
        _MESSAGES, json=sent, headers={**who, "Accept": "text/event-stream"}
    )
    assert streamed.headers["content-type"].startswith("text/event-stream")
    (kind, start), *deltas, (end, done) = _events(streamed.text)
    assert (kind, end) == ("start", "done")
    assert [data["text"] for _, data in deltas] == ["그래, ", "기억해 ", "둘게."]
    assert any("망원동" in one["text"] for one in start["recalled"])
    assert (done["id"], done["balance"]) == (start["id"], 3)
    body = model.requests[-1][1]
    assert (body["temperature"], body["max_tokens"]) == (0.2, 50)
    assert "망원동에 산다" in body["messages"][0]["content"]


def test_a_model_that_fails_is_a_problem_and_costs_nothing(
    service: Served, model: ModelServer
) -> None:
    who = token("lee")
    for answer in ((500, b"{}"), "", None):
        model.script = [answer]
        found = service.client.post(_MESSAGES, json={"text": "들려?"}, headers=who)
        assert (found.status_code, found.json()["code"]) == (502, "generator_failed"), answer
    model.script = [Broken("하나 둘 셋 넷 다섯 여섯 일곱 여덟")]
    found = service.client.post(
        _MESSAGES, json={"text": "들려?"}, headers={**who, "Accept": "text/event-stream"}
    )
    assert _events(found.text)[-1][0] == "error"
    assert _events(found.text)[-1][1]["code"] == "generator_failed"
    assert service.house.accounts.balance("lee") == 5
    model.script = ["이제 돼."]
    sent = {"text": "들려?", "message_id": "m1"}
    assert [
        service.client.post(_MESSAGES, json=sent, headers=who).json()["balance"] for _ in range(2)
    ] == [4, 4]


def test_bad_messages_and_empty_purses_are_problems(service: Served, model: ModelServer) -> None:
    model.script = ["그래."]
    who = token("nobody-paid-for")
    buying = {"character_id": "mina", "quantity": 1}
    service.client.post("/api/points/purchase/memory-slots", json=buying, headers=who)
    for sent, status, code in (
        ({"text": "안녕"}, 402, "not_enough_points"),
        ({"text": " "}, 400, "bad_request"),
        ({"text": ""}, 422, "invalid"),
        ({}, 422, "invalid"),
    ):
        found = service.client.post(_MESSAGES, json=sent, headers=who)
        assert (found.status_code, found.json()["code"]) == (status, code)
    found = service.client.post(
        "/api/characters/nobody/messages", json={"text": "안녕"}, headers=token("kim")
    )
    assert (found.status_code, found.json()["code"]) == (404, "not_found")


def test_the_context_is_for_a_model_of_the_callers_own(service: Served, model: ModelServer) -> None:
    who, asked = token("han"), len(model.requests)
    found = service.client.post(
        "/api/characters/mina/context", json={"text": "안녕"}, headers=who
    ).json()
    assert [one["role"] for one in found["messages"]] == ["system", "user"]
    assert "A book shop." in found["messages"][0]["content"]
    assert (len(model.requests), service.house.accounts.balance("han")) == (asked, 5)
