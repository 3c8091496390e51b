"""OpenAI's protocol over a real server: the official client, and requests as SillyTavern and RisuAI
send them.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import openai
import pytest
import uvicorn
from served import Served, served

from gieok.character.cards.card import new_card
from gieok.testing.model_server import Broken, ModelServer

#: What SillyTavern's server rebuilds a request from (source "custom"); facts of 2026-11-22.
_SILLY_TAVERN = {
    "model": "mina",
    "temperature": 0.9,
    "max_tokens": 300,
    "max_completion_tokens": None,
    "stream": False,
    "prompt": None,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.2,
    "top_p": 0.95,
    "top_k": 40,
    "stop": ["\nKim:"],
    "logit_bias": {},
    "seed": 7,
    "n": None,
}
_SILLY_TALK = [
    {
        "role": "system",
        "content": "Write Mina's next reply in a fictional chat between Mina and Kim.",
    },
    {"role": "system", "content": "[Example Chat]"},
    {"role": "system", "name": "example_user", "content": "나 제주도에 살아"},
    {"role": "system", "content": "[Start a new Chat]"},
    {"role": "assistant", "content": "어서 와."},
    {"role": "user", "content": "나 망원동에 살아"},
]
_RISU = {
    "model": "mina",
    "max_tokens": 500,
    "temperature": 0.8,
    "top_p": 1,
    "top_k": 0,
    "min_p": 0,
    "top_a": 0,
    "repetition_penalty": 1,
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "logit_bias": {},
    "stream": False,
}


class Online:
    """A service on a port, the model behind it, and a user's key."""

    def __init__(self, service: Served, model: ModelServer, port: int) -> None:
        self.service, self.model, self.port = service, model, port

    def key(self, user: str) -> str:
        self.service.house.points.credit(user, 20, "first")
        return self.service.house.identity.issue(user)[1]

    def client(self, user: str) -> openai.OpenAI:
        return openai.OpenAI(
            api_key=self.key(user), base_url=f"http://127.0.0.1:{self.port}/v1", max_retries=0
        )

    def post(
        self, key: str, body: dict[str, Any], path: str = "/v1/chat/completions"
    ) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("POST", path, json.dumps(body), headers)
            found = connection.getresponse()
            return found.status, json.loads(found.read())

    def told(self) -> str:
        return json.dumps(self.model.requests[-1][1]["messages"], ensure_ascii=False)


@pytest.fixture(scope="module")
def online(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Online]:
    model = ModelServer()
    settings = {
        "CHARACTER_MODEL": "compatible:m",
        "CHARACTER_BASE_URL": f"{model.url}/v1",
        "CHARACTER_MEMORY_MODEL": "rules",
    }
    with (
        pytest.MonkeyPatch.context() as patch,
        served(tmp_path_factory.mktemp("home"), patch, **settings) as service,
    ):
        service.house.roster.create(
            "", new_card({"name": "Mina", "description": "A book shop."}, ("어서 와.",)), "mina"
        )
        server = uvicorn.Server(
            uvicorn.Config(service.app, port=0, lifespan="off", log_config=None, http="h11")
        )
        started = threading.Event()
        startup = server.startup

        async def told(sockets: Any = None) -> None:
            await startup(sockets)
            started.set()

        server.startup = told  # type: ignore[method-assign]
        thread = threading.Thread(target=server.run)
        thread.start()
        assert started.wait(20)
        yield Online(service, model, server.servers[0].sockets[0].getsockname()[1])
        server.should_exit = True
        thread.join()
    model.shutdown()
    model.server_close()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made:
        yield made


def test_the_official_client_talks_streams_and_lists(online: Online, stack: ExitStack) -> None:
    online.model.script = ["그래, 들었어."]
    client = stack.enter_context(online.client("kim"))
    assert [one.id for one in client.models.list()] == ["mina"]
    assert client.models.retrieve("mina").owned_by == "gieok"
    talk: list[Any] = [{"role": "user", "content": "나 망원동에 살아"}]
    whole = client.chat.completions.create(model="mina", messages=talk)
    assert whole.choices[0].message.content == "그래, 들었어."
    assert (whole.choices[0].finish_reason, whole.usage and whole.usage.total_tokens) == (
        "stop",
        18,
    )
    talk += [
        {"role": "assistant", "content": "그래, 들었어."},
        {"role": "user", "content": "나 어디 살아?"},
    ]
    chunks = list(
        client.chat.completions.create(
            model="mina",
            messages=talk,
            stream=True,
            stream_options={"include_usage": True},
            max_tokens=9,
        )
    )
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(one.choices[0].delta.content or "" for one in chunks[:-1]) == "그래, 들었어."
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert (chunks[-1].choices, chunks[-1].usage and chunks[-1].usage.completion_tokens) == ([], 7)
    assert "망원동에 산다" in online.told()
    assert "A book shop." in online.told(), "without a system text the card is told"
    assert online.service.house.accounts.balance("kim") == 18


def test_errors_have_the_form_that_clients_read(online: Online, stack: ExitStack) -> None:
    online.model.script = [(429, b"{}")]
    client = stack.enter_context(online.client("ann"))
    talk: list[Any] = [{"role": "user", "content": "hi"}]
    with pytest.raises(openai.NotFoundError, match="there is no character 'nobody'"):
        client.chat.completions.create(model="nobody", messages=talk)
    with pytest.raises(openai.BadRequestError) as wrong:
        client.chat.completions.create(model="mina", messages=[])
    assert wrong.value.type == "invalid_request_error"
    with pytest.raises(openai.InternalServerError, match="answered 429"):
        client.chat.completions.create(model="mina", messages=talk)
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="gk_no").models.list()
    online.model.script = [Broken("one two three four five six")]
    with pytest.raises(openai.APIError, match=r"broke off|failed"):
        list(client.chat.completions.create(model="mina", messages=talk, stream=True))
    online.service.house.accounts.hold("ann", 20, "all", online.service.clock.now(), "")
    with pytest.raises(openai.APIStatusError) as poor:
        client.chat.completions.create(model="mina", messages=talk)
    assert (poor.value.status_code, poor.value.code) == (402, "not_enough_points")


def test_sillytavern_is_followed_through_a_swipe_and_an_edit(online: Online) -> None:
    key = online.key("silly")
    online.model.script = ["첫 답", "둘째 답", "셋째 답"]
    assert (
        online.post(key, {**_SILLY_TAVERN, "messages": _SILLY_TALK})[1]["choices"][0]["message"][
            "content"
        ]
        == "첫 답"
    )
    body = online.model.requests[-1][1]
    assert (body["temperature"], body["max_tokens"], body["top_k"], body["stop"]) == (
        0.9,
        300,
        40,
        ["\nKim:"],
    )
    assert (body["seed"], body["presence_penalty"], "n" in body, "logit_bias" in body) == (
        7,
        0.1,
        False,
        False,
    )
    online.post(key, {**_SILLY_TAVERN, "messages": _SILLY_TALK})  # a swipe
    edited = [*_SILLY_TALK[:-1], {"role": "user", "content": "나 성수동에 살아"}]
    talk = [
        *edited,
        {"role": "assistant", "content": "둘째 답"},
        {"role": "user", "content": "나 어디 살아?"},
    ]
    status, _ = online.post(key, {**_SILLY_TAVERN, "messages": talk, "custom": {"any": 1}})
    assert status == 200
    told = online.told()
    assert "성수동에 산다" in told
    assert "A book shop." not in told, "the front end tells its own card"
    facts = online.service.house.memory.memories(_bond("silly")).facts
    assert [(one.object, one.is_current) for one in facts] == [("성수동", True)]
    held = online.service.house.memory.journal.turns(_bond("silly").scope, "character", "silly")
    assert [one.message.text for one in held] == [
        "어서 와.",
        "나 성수동에 살아",
        "둘째 답",
        "나 어디 살아?",
        "셋째 답",
    ]


def test_risuai_reaches_its_character_by_the_path(online: Online) -> None:
    key = online.key("risu")
    online.model.script = ["그래."]
    talk = [{"role": "developer", "content": "You are Mina."}, *_SILLY_TALK[-1:]]
    for path in ("/v1/c/mina/chat/completions", "/v1/c/mina/v1/chat/completions"):
        assert online.post(key, {**_RISU, "model": "gpt-4o", "messages": talk}, path)[0] == 200
    assert online.model.requests[-1][1]["messages"][0]["role"] == "system"


def test_of_a_stream_that_the_client_leaves_what_came_is_kept_and_charged(
    online: Online, stack: ExitStack
) -> None:
    online.model.script = ["말 " * 40_000]
    client = stack.enter_context(online.client("gone"))
    stream = client.chat.completions.create(
        model="mina", messages=[{"role": "user", "content": "계속 말해"}], stream=True
    )
    for number, _ in enumerate(stream):
        if number == 3:
            break
    stream.close()
    house = online.service.house
    with house.turns.order.turn(_bond("gone").scope):  # waits for its end
        (_, reply) = house.memory.journal.turns(_bond("gone").scope, "character", "gone")
        assert reply.message.source == "cut"
        assert 0 < len(reply.message.text) < 80_000
        assert house.accounts.balance("gone") == 19


def _bond(user: str) -> Any:
    from gieok.character.memory.service import Bond

    return Bond(user, "mina")
