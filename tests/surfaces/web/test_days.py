"""The timeline: a session of an agent on its day, what was learned from it, and the filters."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.surfaces.python import Memory

SAID = (
    ("user", "We decided to settle payments on Tuesdays."),
    ("assistant", "Understood."),
    ("user", "Please run the <b>tests</b> again."),
)


@pytest.fixture
def talked(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser whose memory has one session of 2024-05-06."""
    folder = tmp_path / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    rows = [
        {
            "type": role,
            "uuid": f"u{n}",
            "sessionId": "s1",
            "timestamp": f"2024-05-06T09:0{n}:00Z",
            "message": {"role": role, "content": text},
        }
        for n, (role, text) in enumerate(SAID)
    ]
    (folder / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "claude-code")
    Memory().run("observe run", once=True)
    return browser


def test_a_day_shows_its_sessions_what_came_of_them_and_leads_to_what_was_said(
    talked: TestClient,
) -> None:
    page = talked.get("/timeline?day=2024-05-06").text
    assert "09:00 – 09:02" in page
    assert "3 messages" in page
    assert "settle payments on Tuesdays" in page
    assert 'aria-current="date"' in page
    link = re.search(r'href="(/timeline/session\?[^"]+)"', page)
    assert link
    whole = talked.get(link[1].replace("&amp;", "&")).text
    assert "Please run the &lt;b&gt;tests&lt;/b&gt; again" in whole
    assert re.search(r'→ <a href="/m/\w+">', whole), (
        "what was learned stands at the message that it is from"
    )
    assert talked.get("/timeline?day=2024-05-07").text.count("settle payments") == 0
    assert "09:00 – 09:02" in talked.get("/timeline?month=2024-05").text, (
        "a month opens at its last day with anything"
    )


def test_filters_hide_what_is_of_another_kind_or_project(talked: TestClient) -> None:
    assert "settle payments" not in talked.get("/timeline?day=2024-05-06&kind=note").text
    assert "/m/" not in talked.get("/timeline?day=2024-05-06&kind=sessions").text
    assert "settle payments" not in talked.get("/timeline?day=2024-05-06&project=nowhere").text
    assert "settle payments" in talked.get("/timeline?day=2024-05-06&kind=decision").text
    made = Memory().add("We lint with ruff.", category="decision")
    for kind in ("record", "decision", "all"):
        assert "We lint with ruff." in talked.get(f"/timeline?kind={kind}").text
    assert made.title not in talked.get("/timeline?kind=commit").text


@pytest.mark.parametrize(
    "query",
    ["scope=user:kim/character:mina", "scope=..%2F", "scope=agent:main&session=gone&page=9", ""],
)
def test_a_session_that_is_not_there_is_said_in_words(talked: TestClient, query: str) -> None:
    page = talked.get(f"/timeline/session?{query}")
    assert page.status_code < 500
    assert "no such session" in page.text or "bad scope" in page.text


def test_while_today_is_looked_at_what_comes_is_told(browser: TestClient) -> None:
    Memory().add("We decided to pay suppliers on Fridays.")
    page = browser.get("/timeline").text
    ask = re.search(r'hx-get="(/timeline/news[^"]+)" hx-trigger="every', page)
    assert ask
    assert browser.get(ask[1]).text == ""
    Memory().add("We decided to close the books on the 5th.")
    assert "1 new: show" in browser.get(ask[1]).text
