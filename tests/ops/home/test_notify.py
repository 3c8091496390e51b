"""`gieok notify test` says what came of each way, and what to do next, in the reader's language."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway import TOKEN, Gateway

from gieok.app import open_context
from gieok.ops import operation
from gieok.ops.context import Context
from gieok.ops.home.notify_test import NotifyTestRequest
from gieok.ops.operation import Style


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return open_context({"lang": "ko"})


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    made = Gateway()
    made.configure(tmp_path / "user")
    yield made
    made.close()


def _shown(context: Context, *ways: str, lang: str = "en") -> tuple[bool, str]:
    found = operation("notify test")
    result = found.handler(context, NotifyTestRequest(ways=list(ways)))
    return result.found, found.present(result, Style(lang, colour=False))


def test_the_log_alone_points_to_the_other_ways(context: Context) -> None:
    found, text = _shown(context)
    assert found
    assert "✓ log: sent" in text
    assert "gieok notify test desktop" in text


def test_each_way_says_what_happened_and_one_that_works_how_to_keep_it(
    context: Context, gateway: Gateway
) -> None:
    found, text = _shown(context, "openclaw", "desktop", "smtp")
    assert not found
    assert "✓ openclaw: sent" in text
    assert "✗ desktop: not sent" in text
    assert "✗ smtp: not sent: notify.smtp_host and notify.mail_to not set" in text
    assert text.count("→") == 2
    assert text.endswith("set `notify.to: openclaw` in ~/.gieok/config.yaml (`gieok setup`)")
    assert len(gateway.took) == 1
    assert "기다리는 일은 없습니다" in gateway.took[0][1]["text"]
    assert TOKEN not in text


def test_it_speaks_korean(context: Context, gateway: Gateway) -> None:
    _, text = _shown(context, "openclaw", "desktop", lang="ko")
    assert "✓ openclaw: 보냄" in text
    assert "✗ desktop: 못 보냄" in text
    assert "`notify.to: openclaw`" in text
