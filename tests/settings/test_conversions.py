"""What a document says in another unit becomes our value."""

from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.errors import BadConfig
from gieok.home.calls import open_call
from gieok.settings.conversions import CONVERTED
from gieok.settings.file import find_settings_errors
from gieok.settings.synonyms import INSTEAD, NAMES
from gieok.settings.table import BY_NAME
from gieok.settings.values import load_effective_settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    return tmp_path


def test_each_name_is_for_a_setting_and_stands_in_one_table() -> None:
    assert set(CONVERTED.values()) <= set(BY_NAME)
    assert not set(CONVERTED) & (set(NAMES) | set(INSTEAD) | set(BY_NAME))


_SCHEDULE = "ttl_manager: {schedule: {%s}}"


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (
            "observer: {message_threshold: 20000, async_buffering: {buffer_tokens: 0.3}}",
            "observe.chunk_tokens",
            6000,
        ),
        ("observer: {async_buffering: {buffer_tokens: 0.1}}", "observe.chunk_tokens", 3000),
        (
            "observe.run_tokens: 10000\nobserver: {async_buffering: {block_after: 1.5}}",
            "observe.hard_stop_tokens",
            15_000,
        ),
        (
            "observer: {async_buffering: {enabled: false, buffer_tokens: 0.2}}",
            "observe.chunk_tokens",
            30_000,
        ),
        (
            "observer: {async_buffering: {enabled: true, buffer_tokens: 0.4}}",
            "observe.chunk_tokens",
            12_000,
        ),
        (
            _SCHEDULE % 'hot_to_warm: {frequency: daily, time: "05:30"}',
            "archive.schedule_warm",
            "30 5 * * *",
        ),
        # YAML reads a time without quotes as a number.
        (_SCHEDULE % "hot_to_warm: {time: 10:30}", "archive.schedule_warm", "30 10 * * *"),
        (
            _SCHEDULE % 'warm_to_cold: {day: Friday, time: "23:05"}',
            "archive.schedule_cold",
            "5 23 * * 5",
        ),
        (
            _SCHEDULE % "cold_sync: {frequency: weekly}",
            "archive.schedule_sync",
            "0 4 * * 0",
        ),
        ("dropbox: {sync_time: '06:00'}", "archive.schedule_sync", "0 6 * * *"),
        (_SCHEDULE % "warm_to_cold: {require_approval: false}", "archive.auto_approve", True),
        (_SCHEDULE % "warm_to_cold: {require_approval: true}", "archive.auto_approve", False),
        ("error_notification: {retry_count: 2}", "observe.retry_delays_s", "2, 4"),
        ("error_notification: {retry_count: 0}", "observe.retry_delays_s", ""),
        (
            "error_notification: {retry_count: 3, retry_delays: [5]}",
            "observe.retry_delays_s",
            "5, 10.0, 20.0",
        ),
        ("obsidian: {enabled: true}", "archive.cold", "obsidian"),
        ("obsidian: {enabled: false}", "archive.cold", "none"),
        ("dropbox: {enabled: true}", "archive.cold", "dropbox"),
        (
            "memory: {cold: {dropbox_enabled: true}}\nobsidian: {enabled: false}",
            "archive.cold",
            "dropbox",
        ),
        # Our own name wins, as everywhere.
        ("archive.cold: folder\nobsidian: {enabled: true}", "archive.cold", "folder"),
        ("obsidian:\n  enabled:\n", "archive.cold", "none"),
    ],
)
def test_a_value_in_a_documents_unit_is_converted(
    home: Path, text: str, name: str, value: object
) -> None:
    (home / "config.yaml").write_text(text)
    assert load_effective_settings({}, environment={}).values[name].value == value


@pytest.mark.parametrize(
    ("text", "setting", "wrong"),
    [
        ("observer: {async_buffering: {buffer_tokens: 6000}}", "buffer_tokens", "from 0 to 1"),
        ("observer: {async_buffering: {buffer_tokens: true}}", "buffer_tokens", "from 0 to 1"),
        ("observer: {async_buffering: {block_after: 0.9}}", "block_after", "from 1 to 100"),
        ("observer: {async_buffering: {block_after: 36000}}", "block_after", "from 1 to 100"),
        ("observer: {async_buffering: {enabled: 1}}", "enabled", "true or false"),
        ("observer: {async_buffering: {buffer_tokens: 0.0}}", "chunk_tokens", "at least 20"),
        (_SCHEDULE % "cold_sync: {frequency: hourly}", "frequency", "daily, weekly"),
        (_SCHEDULE % "warm_to_cold: {day: someday}", "day", "sunday"),
        (_SCHEDULE % "hot_to_warm: {time: '24:00'}", "time", "03:00"),
        (_SCHEDULE % "hot_to_warm: {time: 1440}", "time", "03:00"),
        (_SCHEDULE % "hot_to_warm: {time: '3:60'}", "time", "03:00"),
        (
            "ttl_manager: {schedule: {cold_sync: {time: '05:00'}}}\ndropbox: {sync_time: '06:00'}",
            "sync_schedule",
            "contradicts",
        ),
        ("error_notification: {retry_count: 11}", "retry_count", "from 0 to 10"),
        ("obsidian: {enabled: true}\ndropbox: {enabled: true}", "dropbox", "second place"),
    ],
)
def test_what_cannot_be_converted_is_an_error_and_changes_nothing(
    home: Path, text: str, setting: str, wrong: str
) -> None:
    (home / "config.yaml").write_text(text)
    (error,) = find_settings_errors(home, text)
    assert setting in error.setting
    assert wrong in str(error)


def test_pauses_that_are_none_are_named_once_and_not_counted(home: Path) -> None:
    text = "error_notification: {retry_count: 3, retry_delays: [soon]}"
    (error,) = find_settings_errors(home, text)
    assert error.setting == "observe.retry_delays_s"


def test_a_vault_and_dropbox_together_are_the_vault(home: Path) -> None:
    (home / "config.yaml").write_text("obsidian: {enabled: true}\ndropbox: {enabled: true}")
    wrong: list[BadConfig] = []
    settings = load_effective_settings({}, environment={}, troubles=wrong)
    assert settings.text("archive.cold") == "obsidian"
    assert len(wrong) == 1


def test_a_project_may_set_no_more_by_a_documents_name_than_by_ours(home: Path) -> None:
    from gieok.settings.file import parse_settings_file
    from gieok.settings.resolved import SettingsFile

    file = SettingsFile("config.yaml", b"obsidian: {enabled: true}", in_project=True)
    settings = parse_settings_file(str(home), file)
    assert not settings.values
    assert "which a project may not set" in str(settings.wrong[0])


@pytest.mark.usefixtures("home")
def test_a_command_names_our_setting_in_place_of_a_name_in_another_unit() -> None:
    with pytest.raises(BadConfig) as failure:
        load_command("config set")(
            open_call({}), name="observer.async_buffering.buffer_tokens", value="0.2"
        )
    assert "observe.chunk_tokens" in failure.value.hint
