from datetime import UTC, datetime
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.commands.home.set_config import (
    set_config_value,
    unset_config_value,
)
from gieok.errors import BadConfig, BadRequest
from gieok.settings.table import OPTIONS
from gieok.testing.clock import ManualClock

NOW = datetime(2026, 4, 1, tzinfo=UTC)


def test_a_setting_is_changed_where_it_stands_and_goes_back_to_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("# mine\nsearch:\n  limit: 3 # few\n")
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        assert set_config_value(context, name="search.limit", value="7").before == "3"
        assert file.read_text() == "# mine\nsearch:\n  limit: 7 # few\n"
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        assert unset_config_value(context, name="search.limit").before == "7"
        assert "limit: 0 # few" in file.read_text()


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("seach.limit", "3", BadRequest, "no setting 'seach.limit'"),
        ("search.limit", "many", BadConfig, "must be a whole number"),
        ("store", "postgres", BadRequest, "has to move"),
        ("embedder", "e5", BadRequest, "wins over"),
        ("observe.model", "bogus:xyz", BadConfig, "no provider 'bogus': anthropic, "),
        ("observe.model", "rules:claude-haiku-4-5", BadConfig, "'rules' stands alone"),
        ("observe.model", "antropic:claude-haiku-4-5", BadConfig, "did you mean 'anthropic'"),
        ("observe.model", "OpenAI:gpt-5-mini", BadConfig, "did you mean 'openai'"),
        ("observe.model", "openai", BadConfig, "lacks the model's name, as in openai:NAME"),
        ("observe.model", "openai:", BadConfig, "lacks the model's name"),
        ("observe.model", "openai:gpt 5", BadConfig, "no spaces"),
        ("observe.model", "", BadConfig, "no provider ''"),
        ("reflect.model", "rule", BadConfig, "did you mean 'rules'"),
        ("code.model", "gemni:x", BadConfig, "did you mean 'gemini'"),
        ("code.upkeep_model", "scripted", BadConfig, "no provider 'scripted'"),
        ("character.model", "claude-code", BadConfig, "no provider 'claude-code'"),
        ("character.models", "scripted, olama:x", BadConfig, "did you mean 'ollama'"),
        ("character.memory_model", "rules:x", BadConfig, "stands alone"),
        ("embedder", "oolama", BadRequest, "wins over"),
        ("reranker", "coher", BadConfig, "must be one of"),
        ("notify.to", "log, desktp", BadConfig, "did you mean 'desktop'"),
    ],
)
def test_what_cannot_be_set_says_why_and_changes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    error: type[Exception],
    words: str,
) -> None:
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        with pytest.raises(error, match=words):
            set_config_value(context, name=name, value=value)
        assert not (tmp_path / "config.yaml").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("observe.model", "rules"),
        ("observe.model", "claude-code"),
        ("observe.model", "codex:gpt-5-mini"),
        ("observe.model", "ollama:llama3.2:3b"),
        ("observe.model", "compatible:org/model"),
        ("reflect.model", ""),
        ("reflect.model", "rules"),
        ("code.model", ""),
        ("character.models", "*"),
        ("character.model", "scripted"),
        ("character.memory_model", "rules"),
        ("notify.to", "log, desktop"),
    ],
)
def test_a_model_or_a_name_that_is_known_can_be_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        assert set_config_value(context, name=name, value=value).value == value


@pytest.mark.parametrize(
    ("value", "words"),
    [("claude-cod", "did you mean 'claude-code'"), ("auto,codex", "'auto' stands alone")],
)
def test_an_agent_that_nobody_knows_is_refused(value: str, words: str) -> None:
    option = next(option for option in OPTIONS if option.name == "observe.agents")
    for known in ("auto", "none", "codex, claude-code"):
        option.parse(known, "here")
    with pytest.raises(BadConfig, match=words):
        option.parse(value, "here")
