"""`gieok notify test` says what came of each way, and what to do next, in the reader's language."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway import TOKEN, Gateway

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.home.call import Call
from gieok.home.calls import open_call


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return open_call({"lang": "ko"})


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = Gateway()
    made.configure(tmp_path / "user")
    yield made
    made.close()


def _shown(call: Call, *ways: str, lang: str = "en") -> tuple[bool, str]:
    found = load_command("notify test")
    result = found(call, ways=list(ways))
    return result.found, found.present(result, Style(lang, colour=False))


def test_the_log_alone_points_to_the_other_ways(call: Call) -> None:
    found, text = _shown(call)
    assert found
    assert "✓ log: sent" in text
    assert "gieok notify test desktop" in text


def test_each_way_says_what_happened_and_one_that_works_how_to_keep_it(
    call: Call, gateway: Gateway
) -> None:
    found, text = _shown(call, "openclaw", "desktop", "smtp")
    assert not found
    assert "✓ openclaw: sent" in text
    assert "✗ desktop: not sent" in text
    assert "✗ smtp: not sent: notify.smtp_host and notify.mail_to not set" in text
    assert text.count("→") == 2
    assert text.endswith("set `notify.to: openclaw` in ~/.gieok/config.yaml (`gieok setup`)")
    assert len(gateway.took) == 1
    assert "기다리는 일은 없습니다" in gateway.took[0][1]["text"]
    assert TOKEN not in text


def test_it_speaks_korean(call: Call, gateway: Gateway) -> None:
    _, text = _shown(call, "openclaw", "desktop", lang="ko")
    assert "✓ openclaw: 보냄" in text
    assert "✗ desktop: 못 보냄" in text
    assert "`notify.to: openclaw`" in text
