from datetime import UTC, datetime
from pathlib import Path

import pytest
from contexts import opened_home

from gieok.errors import BadConfig, BadRequest
from gieok.ops.home.set_config import SetRequest, UnsetRequest, run, unset
from gieok.testing.clock import ManualClock

NOW = datetime(2026, 4, 1, tzinfo=UTC)


def test_a_setting_is_changed_where_it_stands_and_goes_back_to_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("# mine\nsearch:\n  limit: 3 # few\n")
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        assert run(context, SetRequest(name="search.limit", value="7")).before == "3"
        assert file.read_text() == "# mine\nsearch:\n  limit: 7 # few\n"
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        assert unset(context, UnsetRequest(name="search.limit")).before == "7"
        assert "limit: 0 # few" in file.read_text()


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("seach.limit", "3", BadRequest, "no setting 'seach.limit'"),
        ("search.limit", "many", BadConfig, "must be a whole number"),
        ("store", "postgres", BadRequest, "has to move"),
        ("embedder", "e5", BadRequest, "wins over"),
    ],
)
def test_what_cannot_be_set_says_why_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, error: type[Exception], words: str
) -> None:
    with opened_home(tmp_path, monkeypatch, ManualClock(NOW)) as context:
        with pytest.raises(error, match=words):
            run(context, SetRequest(name=name, value=value))
        assert not (tmp_path / "config.yaml").exists()
