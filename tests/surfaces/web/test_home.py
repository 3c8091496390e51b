"""The home page: the last sessions, what is due, what changed, what waits, and the way to each."""

import json
import re
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient
from tests.support.changed_turns import SCOPE, put_changed_turns
from tests.support.daytime import find_noon_zone

from gieok.model.conversation import Incident
from gieok.places.home import later_file, replaced_file
from gieok.surfaces.python import Memory
from gieok.text.handles import line_check

NOW = datetime.now(UTC)
SAID = ("We settle payments on Tuesdays.", "We settle payments on Wednesdays from now on.")


@pytest.fixture
def lived(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser over a home with two sessions, something due, a change, and a failed model."""
    zone, noon = find_noon_zone()
    today = date.fromisoformat(noon)
    monkeypatch.setenv("GIEOK_ZONE", zone)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "talk"
    folder.mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(folder))
    for number, text in enumerate(SAID):
        at = NOW - timedelta(days=3 - 2 * number)
        row = {"role": "user", "text": text, "timestamp": at.isoformat()}
        (folder / f"session-{number}.jsonl").write_text(json.dumps(row) + "\n")
    memory = Memory()
    memory.run("observe run", once=True)
    memory.run("remember", text=[f"The certificate expires on {today + timedelta(days=1)}."])
    memory.run("remember", text=[f"The demo was on {today - timedelta(days=40)}."])
    journal = memory.call.home.journal
    journal.raise_incident(Incident("observer", "the model <i>is</i> away", NOW, 1, NOW))
    return browser


def _replace_statement(home: Path, at: datetime = NOW - timedelta(minutes=1)) -> str:
    """Record that the second statement took the place of the first; return its scope."""
    store = Memory().call.home.store
    turns = [
        passage
        for scope in store.scopes()
        for document in store.get(scope, sorted(store.hashes(scope)))
        if document.key.startswith("sessions/")
        for passage in [(scope.path, document.key, document.text)]
    ]
    (scope, old, text), (_, new, _) = (next(t for t in turns if said in t[2]) for said in SAID)
    file = Path(replaced_file(str(home), scope))
    file.parent.mkdir(exist_ok=True)
    line = text.split("\n")[0]
    row = [old, 1, 0, len(line), line_check(line), scope, new, 1, 0, 0, 0, at.timestamp()]
    file.write_text(json.dumps([row]))
    return scope


def _section(page: str, head: str) -> str:
    return page.partition(f"<h2>{head}</h2>")[2].partition("</section>")[0]


def test_the_home_page_tells_of_sessions_due_and_waiting_and_leads_there(
    lived: TestClient,
) -> None:
    page = lived.get("/").text
    sessions = _section(page, "Last sessions")
    assert sessions.index(SAID[1]) < sessions.index(SAID[0]), "the newest first"
    link = re.search(r'href="(/timeline/session\?[^"]+)"', sessions)
    assert link
    assert SAID[1] in lived.get(link[1].replace("&amp;", "&")).text
    due = _section(page, "Due")
    assert "The certificate expires on" in due
    assert "due tomorrow" in due
    assert "The demo was on" not in due
    assert "the model &lt;i&gt;is&lt;/i&gt; away" in _section(page, "Waits for your word")
    assert "The certificate expires on" in _section(page, "Learned lately")
    korean = lived.get("/", headers={"Accept-Language": "ko"}).text
    assert '<b class="when">내일</b>' in _section(korean, "다가온 일")


def test_a_task_stays_due_after_its_day_and_another_statement_does_not(
    lived: TestClient, tmp_path: Path
) -> None:
    yesterday = date.fromisoformat(find_noon_zone()[1]) - timedelta(days=1)
    said = (
        f"I need to return the drum kit by {yesterday}.",
        f"We decided that the choir meets before {yesterday}.",
    )
    at = (NOW - timedelta(days=3)).isoformat()
    rows = [{"role": "user", "text": text, "timestamp": at} for text in said]
    (tmp_path / "talk" / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    Memory().run("observe run", once=True)
    page = lived.get("/").text
    due = _section(page, "Due")
    assert "the drum kit" in due
    assert f"overdue since {yesterday}" in due
    assert "the choir" in page
    assert "the choir" not in due


def test_a_day_that_words_name_is_due_as_at_a_session_start(lived: TestClient) -> None:
    """By words such as "by Friday", through the function that reads them for agents."""
    memory = Memory()
    for text in ("Send the invoice to Hana by Friday.", "The lamp fell on Friday."):
        memory.run("remember", text=[text])
    due = _section(lived.get("/").text, "Due")
    assert "the invoice to Hana" in due
    assert "The lamp fell" not in due


def test_a_session_past_midnight_stands_once_and_whole(lived: TestClient, tmp_path: Path) -> None:
    zone, noon = find_noon_zone()
    midnight = datetime.combine(date.fromisoformat(noon), time(), ZoneInfo(zone))
    said = (
        (-60, "The first words before midnight are of the parcel."),
        (-1, "We decided to send the parcel on Fridays."),
        (5, "After midnight we decided to use blue boxes for it."),
    )
    rows = [
        {
            "role": "user",
            "text": text,
            "timestamp": (midnight + timedelta(minutes=minutes)).isoformat(),
        }
        for minutes, text in said
    ]
    short = rows[0] | {"text": "A short one before that.", "timestamp": rows[1]["timestamp"]}
    for name, some in (("late", rows), ("short", [short])):
        lines = "".join(json.dumps(row) + "\n" for row in some)
        (tmp_path / "talk" / f"{name}.jsonl").write_text(lines)
    Memory().run("observe run", once=True)
    sessions = _section(lived.get("/").text, "Last sessions")
    firsts = re.findall(r'<a class="line"[^>]*>([^<]*)</a>', sessions)
    assert firsts == [said[0][1], "A short one before that.", SAID[1]]
    assert "learned: 2" in sessions.partition("</li>")[0], "of both days"
    # each day has its part
    for day, words, count in ((-1, said[0][1], "2 messages"), (0, said[2][1], "one message")):
        shown = lived.get(f"/timeline?day={(midnight + timedelta(days=day)).date()}").text
        card = next(one for one in shown.split("<article") if f">{words}</a></h3>" in one)
        assert f"<span>{count}</span>" in card


def test_what_was_replaced_contradicts_nothing_though_an_answer_to_it_stands(
    lived: TestClient, tmp_path: Path
) -> None:
    at = NOW - timedelta(days=3) + timedelta(minutes=1)
    answer = {"role": "assistant", "text": "Noted.", "timestamp": at.isoformat()}
    with (tmp_path / "talk" / "session-0.jsonl").open("a") as file:
        file.write(json.dumps(answer) + "\n")
    memory = Memory()
    memory.run("observe run", once=True)
    kept = memory.run("remember", text=["We settle payments on Mondays."], user=True)
    told = rf"May contradict it:</strong> <a[^>]*>{SAID[0]}"
    assert re.search(told, lived.get(f"/m/{kept.handle}").text)
    _replace_statement(tmp_path / "home")
    page = lived.get(f"/m/{kept.handle}").text
    assert not re.search(told, page)
    assert re.search(rf"May contradict it:</strong> <a[^>]*>{SAID[1]}", page)


def test_what_was_replaced_and_said_again_contradicts_where_it_was_said_again(
    lived: TestClient, tmp_path: Path
) -> None:
    again = {"role": "user", "text": SAID[0], "timestamp": NOW.isoformat()}
    (tmp_path / "talk" / "session-2.jsonl").write_text(json.dumps(again) + "\n")
    memory = Memory()
    memory.run("observe run", once=True)
    kept = memory.run("remember", text=["We settle payments on Mondays."], user=True)
    _replace_statement(tmp_path / "home")
    page = lived.get(f"/m/{kept.handle}").text
    assert re.search(rf"May contradict it:</strong> <a[^>]*>{SAID[0]}", page)


def test_what_took_the_place_of_something_is_shown_with_what_it_was(
    lived: TestClient, tmp_path: Path
) -> None:
    assert "Nothing took the place" in _section(lived.get("/").text, "Changed")
    _replace_statement(tmp_path / "home")
    changed = _section(lived.get("/").text, "Changed")
    assert f'<p class="before">{SAID[0]}</p>' in changed
    shown = re.search(r'href="/m/([\w.]+)">→ ([^<]+)</a>', changed)
    assert shown
    assert shown[2] == SAID[1]
    assert SAID[1] in lived.get(f"/m/{shown[1]}").text
    stream = lived.get("/timeline").text
    before = re.search(rf'<a class="before" href="/m/([\w.]+)">{re.escape(SAID[0])}</a>', stream)
    assert before
    assert SAID[0] in lived.get(f"/m/{before[1]}").text
    assert f'<a href="/m/{shown[1]}">→ {SAID[1]}</a>' in stream
    entry = stream.partition('class="before"')[2].partition("</li>")[0]
    assert re.search(r'session-1">The whole session</a>', entry)
    for hidden in ("kind=decision", "project=nowhere"):
        assert 'class="before"' not in lived.get(f"/timeline?{hidden}").text


def test_a_change_of_the_day_on_which_it_was_said_stands_with_its_session(
    lived: TestClient, tmp_path: Path
) -> None:
    _replace_statement(tmp_path / "home", NOW - timedelta(days=1))
    entries = lived.get("/timeline").text.split("<li><time>")
    (entry,) = (one for one in entries if 'class="before"' in one)
    assert 'session-1">' in entry.partition("</a>")[0]
    assert "The whole session" not in entry


def test_a_memory_leads_to_what_it_replaced_to_what_replaced_it_and_to_its_session(
    lived: TestClient, tmp_path: Path
) -> None:
    _replace_statement(tmp_path / "home")
    stream = lived.get("/timeline").text
    old, new = re.findall(r'href="/m/([\w.]+)', stream.partition('class="before"')[2])[:2]
    later = lived.get(f"/m/{new}").text
    replaced = later.partition("It took the place of:")[2].partition("</p>")[0]
    assert f'href="/m/{old}">{SAID[0]}</a>' in replaced
    earlier = lived.get(f"/m/{old}").text
    assert "It took the place of:" not in earlier
    holds = earlier.partition("What holds now:")[2].partition("</p>")[0]
    assert f'href="/m/{new}"' in holds
    for page, session in ((earlier, "session-0"), (later, "session-1")):
        assert re.search(rf'href="/timeline/session[^"]+{session}&amp;message=[^"]+#said"', page)


def test_a_search_is_where_home_is_and_an_empty_home_begins(
    lived: TestClient, browser: TestClient
) -> None:
    assert 'name="q"' in lived.get("/").text
    assert "<article" in lived.get("/?q=certificate").text
    assert "Last sessions" not in lived.get("/?q=certificate").text


def test_nothing_waits_and_nothing_was_said_is_told_in_words(browser: TestClient) -> None:
    assert "Nothing is remembered yet" in browser.get("/").text
    Memory().add("We lint with ruff.")
    page = browser.get("/").text
    assert "Waits for your word" not in page
    assert "No agent has talked here yet." in page
    assert "Nothing that was learned is due in the next days." in page
    assert "dates in notes are not" in page


def test_three_questions_of_ones_own_notes_can_be_clicked_and_are_answered(
    browser: TestClient, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in (
        ("lease", "The lease ends in March 2027."),
        ("boiler", "The boiler was repaired by Mr Seo."),
        ("전세 계약", "전세 계약 만기는 2027년 3월 15일."),
        ("2026-11-01", "Nothing has this name."),
    ):
        (notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    Memory().index(notes)
    assert 'hx-get="/questions"' in browser.get("/").text
    shown = browser.get("/questions").text
    links = re.findall(r'href="(/[?]q=[^"]+)">([^<]+)</a>', shown)
    assert len(links) == 3
    assert not any("2026" in words for _, words in links)
    for link, _ in links:
        found = browser.get(link).text
        assert any(
            part in found for part in ("March 2027", "Mr Seo", "3월 15일", "Nothing has this name")
        )
    ko = browser.get("/questions", headers={"Accept-Language": "ko"}).text
    assert "뭐라고 적었지?" in ko


def test_a_home_without_notes_has_questions_about_its_months(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(talk))
    now = datetime.now(UTC)
    for month in range(3):
        said_at = (now.replace(day=1, hour=0) - timedelta(days=30 * month)).isoformat()
        row = {"role": "user", "text": f"We decided to buy {month} lamps.", "timestamp": said_at}
        (talk / f"{month}.jsonl").write_text(json.dumps(row) + "\n")
    Memory().run("observe run", once=True)
    links = re.findall(r'href="(/[?]q=[^"]+)">', browser.get("/questions").text)
    assert len(links) == 3
    assert all("lamps" in browser.get(link).text for link in links)


def test_an_empty_memory_offers_no_question(browser: TestClient) -> None:
    assert browser.get("/questions").text.strip() == ""


def test_what_was_said_earlier_is_not_called_sure(browser: TestClient, tmp_path: Path) -> None:
    old, new = "the kiln is fired on Mondays", "the kiln is fired on Fridays"
    put_changed_turns(f"User: {old}", f"User: {new}", later_file(str(tmp_path / "home"), SCOPE))
    page = browser.get("/", params={"q": "when is the kiln fired?"}).text
    levels = re.findall(r'<b class="sure (\w+)">', page)
    assert levels == ["high", "medium"], "what was said later is likely to answer as before"
    assert page.index("Fridays") < page.index("said earlier")
