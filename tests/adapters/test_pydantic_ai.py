"""Pydantic AI's own test models call the tools."""

import asyncio

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

import gieok
from gieok.adapters.pydantic_ai import toolset


def _calling(tool: str, **arguments: object) -> FunctionModel:
    """Return a model that calls a tool, and then says what it returned."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {one.name for one in info.function_tools} == {"search_memory", "remember"}
        returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        return ModelResponse(
            [
                TextPart(returned[0].model_response_str())
                if returned
                else ToolCallPart(tool, arguments)
            ]
        )

    return FunctionModel(answer)


def _run(agent: Agent[None, str], text: str) -> str:
    return asyncio.run(agent.run(text)).output


def test_what_one_agent_remembers_another_finds(memory: gieok.Memory) -> None:
    told = Agent(
        _calling("remember", text="매주 금요일에 배포한다", category="decision"),
        toolsets=[toolset(memory)],
    )
    assert "배포" in _run(told, "금요일에 배포해")
    with gieok.open() as another:
        found = _run(
            Agent(_calling("search_memory", query="배포는 언제?"), toolsets=[toolset(another)]),
            "배포는 언제?",
        )
    assert "금요일" in found
    assert '"status":"stands"' in found


def test_a_model_that_calls_every_tool_with_what_its_schema_asks_for(memory: gieok.Memory) -> None:
    agent = Agent(TestModel(), toolsets=[toolset(memory)])
    assert "search_memory" in _run(agent, "anything")


def test_what_a_memory_hides_is_not_shown_to_a_model(memory: gieok.Memory) -> None:
    memory.add("deploy\u202e on \u200bFridays")
    found = _run(
        Agent(_calling("search_memory", query="deploy"), toolsets=[toolset(memory)]), "deploy?"
    )
    assert "Fridays" in found
    assert not {"\u202e", "\u200b"} & set(found)


@pytest.mark.parametrize(
    ("module", "needs", "pip"),
    [
        ("langgraph", "langgraph", "langgraph-checkpoint"),
        ("openai_agents", "agents", "openai-agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai-slim"),
    ],
)
def test_a_framework_that_is_not_installed_is_named_with_what_installs_it(
    module: str, needs: str, pip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == needs]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, needs, None)
    monkeypatch.delitem(sys.modules, f"gieok.adapters.{module}", raising=False)
    with pytest.raises(gieok.GieokError, match="needs the Python package") as caught:
        importlib.import_module(f"gieok.adapters.{module}")
    assert caught.value.hint == f"run `pip install {pip}`"
