"""Names that documents give to settings are understood as ours."""

from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.errors import BadConfig
from gieok.home.calls import open_call
from gieok.settings.file import find_settings_errors
from gieok.settings.synonyms import CAPS_OF_A_RUN, INSTEAD, MODELS, NAMES
from gieok.settings.table import BY_NAME, find_option
from gieok.settings.values import load_effective_settings

_DOCUMENT = """\
observer:
  model: google/gemini-2.5-flash
  message_threshold: 20000
  async_buffering:
    buffer_activation: 0.7
reflector: {compression_ratio: 0.4}
memory:
  hot: {ttl_days: 30}
error_notification:
  retry_delays: [1, 3]
obsidian: {folder_structure: flat}
retrieval:
  output_mode: full
  judge: {enabled: true}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    return tmp_path


def test_every_name_of_a_document_names_a_setting() -> None:
    assert set(NAMES.values()) <= set(BY_NAME)
    assert not set(NAMES) & set(BY_NAME)
    assert set(CAPS_OF_A_RUN.values()) <= set(BY_NAME)
    option = BY_NAME["observe.model"]
    assert {option.parse(name, "test") for name in MODELS} == set(MODELS.values())


def test_the_configuration_of_a_document_is_taken_as_it_stands(home: Path) -> None:
    (home / "config.yaml").write_text(_DOCUMENT)
    settings = load_effective_settings({}, environment={})
    assert settings.text("observe.model") == "gemini:gemini-2.5-flash"
    assert settings.integer("observe.run_tokens") == 20_000
    assert settings.number("observe.activation") == 0.7
    assert settings.number("reflect.ratio") == 0.4
    assert settings.integer("archive.hot_days") == 30
    assert settings.text("observe.retry_delays_s") == "1, 3"
    assert settings.text("archive.folder_structure") == "flat"
    assert settings.text("hook.output_mode") == "full"
    assert settings.flag("judge.enabled")


def test_a_setting_under_its_own_name_wins(home: Path) -> None:
    (home / "config.yaml").write_text(
        "archive.hot_days: 10\nmemory:\n  hot:\n    ttl_days: 30\nbackend: gemini-file-search\n"
    )
    settings = load_effective_settings({}, environment={})
    assert settings.integer("archive.hot_days") == 10
    assert settings.text("store") == "gemini"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("memory:\n  hot:\n    nothing: 1\n", "memory.hot.nothing"),
        ("search:\n  limit:\n    most: 1\n", "search.limit.most"),
        ("observer: {max_observations_per_run: 20}\n", "counts by run"),
        ("observer: {max_output_tokens: 2000}\n", "counts by run"),
        ("reflector: {compression_ratio: 2}\n", "at most 0.95"),
        ('observe: {retry_delays_s: "-1"}\n', "each wait"),
    ],
)
def test_what_is_not_understood_is_an_error(home: Path, text: str, wrong: str) -> None:
    (home / "config.yaml").write_text(text)
    with pytest.raises(BadConfig, match=wrong):
        load_effective_settings({}, environment={})


def test_a_cap_with_another_meaning_names_the_nearest_setting() -> None:
    for name, setting in CAPS_OF_A_RUN.items():
        with pytest.raises(BadConfig) as failure:
            find_option(name, "config.yaml")
        assert setting in failure.value.hint


def test_a_name_without_a_counterpart_says_what_there_is_instead(home: Path) -> None:
    named = {
        word
        for instead in INSTEAD.values()
        for word in instead.split(", ")
        if word and not word.startswith("`")
    }
    assert named <= set(BY_NAME)
    assert not set(INSTEAD) & (set(BY_NAME) | set(NAMES))
    for name, instead in INSTEAD.items():
        with pytest.raises(BadConfig, match="no setting has the meaning") as failure:
            find_option(name, "config.yaml")
        assert instead in failure.value.hint
    (home / "config.yaml").write_text("obsidian: {cli_path: obsidian-cli, vault_name: Main}\n")
    wrong = [error.hint for error in find_settings_errors(home, (home / "config.yaml").read_text())]
    assert ["none is needed" in hint for hint in wrong] == [True, False]
    assert "archive.folder" in wrong[1]


@pytest.mark.parametrize(
    "name", ["logs", "memory", "observer.async_buffering", "ttl_manager", "search"]
)
def test_a_group_has_no_value_itself(home: Path, name: str) -> None:
    (home / "config.yaml").write_text(f"{name}: 3\n")
    (wrong,) = find_settings_errors(home, (home / "config.yaml").read_text())
    assert "is a group of settings" in str(wrong)
    assert f"{name}." in wrong.hint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("logs.poll_interval", "watch.rescan_s"),
        ("observer.max_output_tokens", "observe.output_tokens"),
        ("logs", "logs."),
    ],
)
@pytest.mark.usefixtures("home")
def test_config_set_says_what_there_is_instead(name: str, said: str) -> None:
    with pytest.raises(BadConfig) as failure:
        load_command("config set")(open_call({}), name=name, value="3")
    assert said in failure.value.hint


def test_a_document_s_name_is_understood_in_flags_too(home: Path) -> None:
    settings = load_effective_settings({"memory.hot.ttl_days": "80"}, {})
    assert settings.number("archive.hot_days") == 80
