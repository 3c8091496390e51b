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


def _days_of_stream(page: str) -> dict[str, str]:
    """Return day → its part of the stream of a month."""
    parts = page.split('<section class="of-day">')[1:]
    days = {part.partition("day=")[2][:10]: part.partition("</section>")[0] for part in parts}
    assert list(days) == sorted(days, reverse=True), "the newest first"
    return days


def test_a_month_shows_sessions_with_their_decisions_and_leads_to_the_day(
    talked: TestClient,
) -> None:
    days = _days_of_stream(talked.get("/timeline?month=2024-05").text)
    assert list(days) == ["2024-05-06"]
    of_day = days["2024-05-06"]
    assert "<time>09:00</time>" in of_day
    assert "3 messages" in of_day
    decision = re.search(r'k-decision">decision</span> <a href="/m/\w+">([^<]+)', of_day)
    assert decision
    assert "settle payments on Tuesdays" in decision[1]
    link = re.search(r'class="line" href="(/timeline/session[^"]+)"', of_day)
    assert link
    assert "Understood." in talked.get(link[1].replace("&amp;", "&")).text
    day = re.search(r'<h2><a href="(/timeline\?day=[^"#]+)', of_day)
    assert day
    assert "09:00 – 09:02" in talked.get(day[1]).text
    assert _days_of_stream(talked.get("/timeline?month=2024-04").text) == {}
    for nonsense in ("month=2024-13", "month=x", "until=yesterday", "until="):
        assert talked.get(f"/timeline?{nonsense}").status_code == 200


def test_what_is_no_decision_is_counted_in_the_stream_and_a_filter_shows_it(
    browser: TestClient, tmp_path: Path
) -> None:
    memory = Memory()
    memory.add("We decided to pay suppliers on Fridays.", category="decision")
    memory.add("Kim prefers short letters.", category="preference")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Tea is at four.\n")
    memory.run("index", paths=[str(tmp_path / "notes")])
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert "suppliers on Fridays" in of_day
    assert "short letters" not in of_day
    assert "Tea" not in of_day
    assert "2 more of this day" in of_day
    (of_day,) = _days_of_stream(browser.get("/timeline?kind=preference").text).values()
    assert "short letters" in of_day
    assert "suppliers" not in of_day
    assert "more of this day" not in of_day, "who asks for one kind misses nothing"
    (of_day,) = _days_of_stream(browser.get("/timeline?kind=note").text).values()
    assert "Tea is at four" in of_day
    assert "suppliers" not in _days_of_stream(browser.get("/timeline?project=nowhere").text)


def test_the_stream_goes_on_at_earlier_days_and_then_at_the_month_before(
    browser: TestClient, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for day in (*range(1, 13), 20):
        (notes / f"2025-03-{day:02} tea.md").write_text(f"Tea number {day}.\n")
    (notes / "2025-02-03 tea.md").write_text("Tea of February.\n")
    Memory().run("index", paths=[str(notes)])
    page = browser.get("/timeline?month=2025-03&kind=note").text
    assert list(_days_of_stream(page)) == [
        f"2025-03-{day:02}" for day in (20, 12, 11, 10, 9, 8, 7, 6, 5, 4)
    ]
    earlier = re.search(r'rel="prev" href="([^"]+)"', page)
    assert earlier
    page = browser.get(earlier[1].replace("&amp;", "&")).text
    assert list(_days_of_stream(page)) == ["2025-03-03", "2025-03-02", "2025-03-01"]
    before = re.search(r'rel="prev" href="([^"]+)"', page)
    assert before
    page = browser.get(before[1].replace("&amp;", "&")).text
    assert "Tea of February." in _days_of_stream(page)["2025-02-03"]


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


def test_of_a_day_of_notes_alone_the_month_shows_nothing_and_tells_nothing_new(
    browser: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Tea is at four.\n")
    memory = Memory()
    memory.run("index", paths=[str(tmp_path / "notes")])
    page = browser.get("/timeline").text
    assert _days_of_stream(page) == {}
    assert "Nothing was remembered in this month that fits." in page
    ask = re.search(r'hx-get="(/timeline/news[^"]+)"', page)
    assert ask
    assert browser.get(ask[1]).text == ""
