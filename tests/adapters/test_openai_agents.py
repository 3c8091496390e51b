"""The Agents SDK's own runner with a scripted model: what was told in one session comes back, and
is remembered.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from agents.items import TResponseInputItem, TResponseOutputItem
from agents.run import RunConfig
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

import gieok
from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool
from gieok.adapters.openai_agents import GieokSession


class _Scripted(Model):
    """Says what it is told to, and keeps what it was shown."""

    def __init__(self, *outputs: TResponseOutputItem) -> None:
        self.outputs = list(outputs)
        self.shown: list[list[Any]] = []

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        del given
        self.shown.append(named["input"])
        return ModelResponse([self.outputs.pop(0)], Usage(), None)

    def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def _says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="m", content=[part], role="assistant", status="completed", type="message"
    )


def _run(model: _Scripted, text: str, session: GieokSession, tools: Sequence[Any] = ()) -> str:
    agent = Agent(name="a", model=model, tools=list(tools))
    config = RunConfig(tracing_disabled=True)
    return str(
        asyncio.run(Runner.run(agent, text, session=session, run_config=config)).final_output
    )


def _items(session: GieokSession, limit: int | None = None) -> list[Any]:
    return list(asyncio.run(session.get_items(limit)))


def test_what_was_told_comes_back_in_another_process_of_the_session(memory: gieok.Memory) -> None:
    @function_tool
    def weather(city: str) -> str:
        """Look the weather up."""
        return f"sunny in {city}"

    call = ResponseFunctionToolCall(
        arguments='{"city":"서울"}', call_id="c1", name="weather", type="function_call", id="f1"
    )
    first = _Scripted(call, _says("서울은 맑아요."))
    assert (
        _run(first, "나는 서울에 살아. 날씨 어때?", GieokSession("talk", memory), [weather])
        == "서울은 맑아요."
    )
    with gieok.open() as another:
        second = _Scripted(_says("서울이요."))
        assert (
            _run(second, "내가 어디 산다고 했지?", GieokSession("talk", another), [weather])
            == "서울이요."
        )
        shown = str(second.shown[0])
        assert all(
            part in shown
            for part in ("나는 서울에 살아", "sunny in 서울", "c1", "서울은 맑아요", "어디 산다고")
        )
        assert _items(GieokSession("other", another)) == []
        # A session of its own, later: what was said is memory.
        assert any("서울에 살아" in hit.snippet for hit in another.search("어디 살아?"))


_EXACT: list[TResponseInputItem] = [
    {"role": "user", "content": "안녕\n\n  two lines "},
    {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "what is this?"},
            {"type": "input_image", "image_url": "data:x", "detail": "auto"},
            {"type": "input_text", "text": "what is this?"},
        ],
    },
    {"role": "user", "content": ""},
    {"role": "system", "content": "be kind"},
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [],
        "encrypted_content": "gAAAAABo" + "x1Y2" * 30,
    },
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "f",
        "arguments": '{"a": "b"}',
    },
    {"type": "function_call_output", "call_id": "call_1", "output": "done: é"},
    _says("그건 고양이예요.").model_dump(exclude_unset=True),
]  # type: ignore[list-item, misc]


def test_items_come_back_as_they_were_added(memory: gieok.Memory) -> None:
    session = GieokSession("a/b #~2 한", memory)
    asyncio.run(session.add_items(_EXACT[:3]))
    asyncio.run(session.add_items([]))
    asyncio.run(session.add_items(_EXACT[3:]))
    assert _items(session) == _EXACT
    assert _items(session, 2) == _EXACT[-2:]
    assert _items(session, 0) == []
    assert asyncio.run(session.pop_item()) == _EXACT[-1]
    assert _items(session) == _EXACT[:-1]
    asyncio.run(session.add_items(_EXACT[-1:]))
    assert _items(session) == _EXACT


def test_a_session_goes_on_where_its_folder_became_a_project(memory: gieok.Memory) -> None:
    told = {"role": "user", "content": "The office cat is called Mochi."}
    asyncio.run(GieokSession("talk", memory).add_items([told]))  # type: ignore[list-item]
    memory.add("We deploy on Fridays.")
    with gieok.open() as later, gieok.open(scope="agent:support") as another:
        assert _items(GieokSession("talk", later)) == [told]
        asyncio.run(GieokSession("talk", later).add_items([told]))  # type: ignore[list-item]
        assert _items(GieokSession("talk", memory)) == [told, told]
        assert _items(GieokSession("talk", another)) == []


def test_what_is_popped_is_taken_back_and_what_is_cleared_stays_remembered(
    memory: gieok.Memory,
) -> None:
    session = GieokSession("talk", memory)
    said = ["The office cat is called Mochi.", "The printer is in room 12."]
    asyncio.run(session.add_items([{"role": "user", "content": text} for text in said]))
    assert asyncio.run(session.pop_item()) == {"role": "user", "content": said[1]}
    assert not any("printer" in hit.snippet for hit in memory.search("where is the printer?"))
    asyncio.run(session.clear_session())
    assert (_items(session), asyncio.run(session.pop_item())) == ([], None)
    assert "Mochi" in memory.search("what is the cat called?")[0].snippet


def test_what_is_forgotten_is_gone_from_the_session_too(memory: gieok.Memory) -> None:
    session = GieokSession("talk", memory)
    kept, gone = (
        {"role": "user", "content": "I like tea."},
        {"role": "user", "content": "My salary is 100 won."},
    )
    tool = {"type": "function_call_output", "call_id": "c", "output": "the salary is 100 won"}
    asyncio.run(session.add_items([kept, gone, tool]))  # type: ignore[list-item]
    memory.forget(match="100 won")
    assert _items(session) == [kept]


def test_a_secret_is_replaced_where_it_is_a_text(memory: gieok.Memory) -> None:
    session, secret = GieokSession("talk", memory), "sk-ant-" + "a1b2c3d4" * 4
    items = [
        {"role": "user", "content": f"use {secret}"},
        {"type": "function_call_output", "call_id": "c", "output": secret},
    ]
    asyncio.run(session.add_items(items))  # type: ignore[arg-type]
    assert len(_items(session)) == 2
    assert secret not in str(_items(session))


@pytest.mark.parametrize("limit", [1, 3])
def test_the_limit_of_the_settings_holds(memory: gieok.Memory, limit: int) -> None:
    from agents.memory.session_settings import SessionSettings

    session = GieokSession("talk", memory, SessionSettings(limit=limit))
    asyncio.run(session.add_items([{"role": "user", "content": str(n)} for n in range(5)]))
    assert [item["content"] for item in _items(session)] == [str(n) for n in range(5 - limit, 5)]
