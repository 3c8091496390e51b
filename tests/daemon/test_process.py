"""For which settings a daemon starts anew."""

from pathlib import Path

import pytest

from gieok.daemon.process import load_process_settings
from gieok.settings.user_file import write_settings_change
from gieok.settings.values import load_effective_settings


@pytest.mark.parametrize(
    ("name", "value", "is_anew"),
    [
        ("hook.asked_only", "notes/private", False),
        ("hook.limit", "3", False),
        ("hook.action", "off", True),
        ("zone", "Asia/Seoul", True),
    ],
)
def test_a_daemon_starts_anew_for_settings_that_no_call_reads_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, *, is_anew: bool
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    before = load_process_settings()
    write_settings_change(load_effective_settings({}), {name: value})
    assert (load_process_settings() != before) is is_anew
