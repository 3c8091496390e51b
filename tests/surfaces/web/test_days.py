"""The timeline: a session of an agent on its day, what was learned from it, and the filters."""

import html
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.commands.observe import days
from gieok.home.call import Call
from gieok.hook.inject import Injection
from gieok.hook.window import ContextWindow
from gieok.model.conversation import Turn
from gieok.places.home import replaced_file
from gieok.surfaces.python import Memory
from gieok.text.handles import line_check

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


def test_what_was_said_at_midnight_in_greenwich_is_of_the_readers_day(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    monkeypatch.setenv("GIEOK_ZONE", "Etc/GMT+1")
    row = {"role": "user", "text": "The parcel is sent.", "timestamp": "2024-05-07T00:00:00Z"}
    (tmp_path / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    Memory().run("observe run", once=True)
    page = browser.get("/timeline?day=2024-05-06").text
    assert "23:00 – 23:00" in page
    assert "The parcel is sent." in page


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
    parts = page.split('<section class="of-day')[1:]
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
    for kind in ("short letters", "long walks", "black tea", "old maps"):
        memory.add(f"Kim prefers {kind}.", category="preference")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("Tea is at four.\n")
    memory.run("index", paths=[str(tmp_path / "notes")])
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert "suppliers on Fridays" in of_day
    assert "short letters" not in of_day
    assert "Tea" not in of_day
    assert ">4 more of this day</a>" in of_day
    notes = re.search(r'href="([^"]+)">One note of this day</a>', of_day)
    assert notes
    assert "Tea is at four" in browser.get(notes[1].replace("&amp;", "&")).text
    (of_day,) = _days_of_stream(browser.get("/timeline?kind=preference").text).values()
    assert "short letters" in of_day
    assert "suppliers" not in of_day
    assert "more of this day" not in of_day, "who asks for one kind misses nothing"
    (of_day,) = _days_of_stream(browser.get("/timeline?kind=note").text).values()
    assert "Tea is at four" in of_day
    assert "suppliers" not in _days_of_stream(browser.get("/timeline?project=nowhere").text)


def test_few_other_memories_of_a_day_are_shown_beside_its_decisions(browser: TestClient) -> None:
    memory = Memory()
    for text in ("Kim prefers tea.", "Kim prefers maps.", "Kim prefers walks."):
        memory.add(text, category="preference")
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert of_day.count("Kim prefers") == 3
    assert "of this day" not in of_day
    memory.add("Kim prefers letters.", category="preference")
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert "Kim prefers" not in of_day
    assert ">4 more of this day</a>" in of_day


def test_what_was_remembered_without_a_kind_is_not_called_a_decision(browser: TestClient) -> None:
    memory = Memory()
    memory.run("remember", text=["I take the train on Mondays."], user=True)
    memory.run("remember", text=["I like tea."], user=True, category="preference")
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert re.search(r'k-record">record</span> <a href="[^"]+">I take the train', of_day)
    assert re.search(r'k-preference">preference</span> <a href="[^"]+">I like tea', of_day)


def test_a_session_says_of_its_start_that_it_was_one_and_not_that_it_had_no_memories(
    talked: TestClient, tmp_path: Path
) -> None:
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "s1")
    window.keep("session-start", Injection("- Settle on Tuesdays.", [], 9), 1_000_000.0)
    link = re.search(
        r'href="(/timeline/session[^"]+)"', talked.get("/timeline?day=2024-05-06").text
    )
    assert link
    page = talked.get(link[1].replace("&amp;", "&")).text
    given = page.partition("Given to the agent")[2]
    assert "at a session's start, 9 tokens" in html.unescape(given)
    assert "memories: 0" not in given


def test_of_many_decisions_of_a_day_the_stream_shows_some_and_folds_the_rest(
    browser: TestClient,
) -> None:
    memory = Memory()
    for number in range(8):
        memory.add(f"We decided to build shelf {number}.", category="decision")
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    shown, _, folded = of_day.partition("<details>")
    assert shown.count("k-record") == 6
    assert "<summary>2 more</summary>" in folded
    assert folded.count("k-record") == 2


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


def test_of_a_day_of_notes_alone_the_month_leads_to_them_and_tells_nothing_new(
    browser: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "2025-03-20 tea.md").write_text("Tea is at four.\n")
    (tmp_path / "notes" / "coffee.md").write_text("Coffee is at ten.\n")
    memory = Memory()
    memory.run("index", paths=[str(tmp_path / "notes")])
    page = browser.get("/timeline").text
    nothing = "Nothing was remembered in this month"
    assert nothing not in page
    (of_day,) = _days_of_stream(page).values()
    assert "One note of this day" in of_day
    assert "more of this day" not in of_day
    assert "Coffee" not in of_day
    ask = re.search(r'hx-get="(/timeline/news[^"]+)"', page)
    assert ask
    assert browser.get(ask[1]).text == ""
    assert list(_days_of_stream(browser.get("/timeline?month=2025-03").text)) == ["2025-03-20"]
    assert f"{nothing} that fits." in browser.get("/timeline?month=2025-02").text
    page = browser.get("/timeline?until=2025-03-19").text
    assert f"{nothing} up to 2025-03-19 that fits." in page


def _replace_lines(tmp_path: Path, days: list[int]) -> None:
    """Record changes of days of March 2025, each of one line by another."""
    (tmp_path / "notes").mkdir()
    for name in ("old", "new"):
        lines = "".join(f"The {name} number is {n}.\n" for n in range(len(days)))
        (tmp_path / "notes" / f"{name}.md").write_text(lines)
    memory = Memory()
    memory.run("index", paths=[str(tmp_path / "notes")])
    scope = memory.call.scope.path
    rows = []
    for n, day in enumerate(days):
        old, new = f"The old number is {n}.", f"The new number is {n}."
        at = datetime(2025, 3, day, 12, n, tzinfo=UTC).timestamp()
        rows.append(
            [
                *("notes/old.md", n + 1, 0, len(old), line_check(old)),
                *(scope, "notes/new.md", n + 1, 0, len(new), line_check(new), at),
            ]
        )
    file = Path(replaced_file(str(tmp_path / "home"), scope))
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(rows))


def _walk_changes(browser: TestClient) -> tuple[list[str], list[str]]:
    """Return the pages of March 2025 from its end, and the numbers of the changes that they show."""
    pages, numbers, address = [], [], "/timeline?month=2025-03"
    while "2025-02" not in address:
        page = browser.get(address).text
        pages.append(page)
        numbers += re.findall(r'class="before"[^>]*>The old number is (\d+)', page)
        link = re.search(r'rel="prev" href="([^"]+)"', page)
        assert link
        address = link[1].replace("&amp;", "&")
    return pages, numbers


def test_of_a_month_of_many_changes_each_is_on_one_of_its_pages(
    browser: TestClient, tmp_path: Path
) -> None:
    _replace_lines(tmp_path, [3] * 9 + [4] * 20 + [5] * 20)
    pages, numbers = _walk_changes(browser)
    assert sorted(map(int, numbers)) == list(range(49))
    assert not any("are shown." in page for page in pages)
    assert [list(_days_of_stream(page)) for page in pages] == [
        ["2025-03-05", "2025-03-04"],
        ["2025-03-03"],
    ]


def test_a_day_of_more_changes_than_a_page_shows_says_so_and_hides_no_earlier_one(
    browser: TestClient, tmp_path: Path
) -> None:
    _replace_lines(tmp_path, [3] * 2 + [5] * 45)
    pages, numbers = _walk_changes(browser)
    assert sorted(map(int, numbers)) == [0, 1, *range(7, 47)]
    assert "Only the last 40 changes of this day are shown." in pages[0]
    assert not any("are shown." in page for page in pages[1:])


def test_a_correction_by_a_person_is_a_change_of_its_day_and_leads_to_what_holds(
    browser: TestClient,
) -> None:
    memory = Memory()
    handles = {}
    for texts in (
        [f"Payments are retried {times} times." for times in ("three", "four", "five")],
        ["Parcels go out on Mondays.", "Parcels go out on Fridays."],
    ):
        memory.add(texts[0])
        (row,) = memory.run("list", words=[texts[0].split()[0]]).memories
        handles[texts[-1]] = row.handle
        for text in texts[1:]:
            edited = memory.run("edit", handle=handles[texts[-1]], text=[text])
            handles[texts[-1]] = edited.handle
    page = browser.get("/timeline").text
    (of_day,) = _days_of_stream(page).values()
    assert of_day.count("corrected by you") == 3
    assert of_day.count("Parcels go out on Fridays.") == 1, "the end of a change stands in it"
    for before, after in (("three", "four"), ("four", "five")):
        words = f">Payments are retried {before} times.</span>"
        link = f'<a href="/m/{handles["Payments are retried five times."]}">'
        assert words in of_day
        assert f"{link}→ Payments are retried {after} times.</a>" in of_day
    day = re.search(r'<h2><a href="(/timeline\?day=[^"#]+)', of_day)
    assert day
    assert browser.get(day[1]).text.count("corrected by you") == 3
    assert "corrected by you" not in browser.get("/timeline?kind=decision").text
    # who forgets a memory forgets what it said before
    memory.run("forget", handles=[handles["Parcels go out on Fridays."]], yes=True)
    page = browser.get("/timeline").text
    assert "Parcels" not in page
    assert page.count("corrected by you") == 2


def test_a_correction_through_an_agent_is_not_told_as_the_persons(browser: TestClient) -> None:
    memory = Memory()
    memory.add("Parcels go out on Mondays.")
    (row,) = memory.run("list", words=["Parcels"]).memories
    memory.run("edit", handle=row.handle, text=["Parcels go out on Fridays."], by_agent=True)
    for address in ("/", "/timeline"):
        page = browser.get(address).text
        assert page.count("corrected through an agent") == 1
        assert "corrected by you" not in page


def test_each_correction_back_and_forth_is_a_change(browser: TestClient) -> None:
    memory = Memory()
    days = ["Mondays", "Fridays"] * 2
    memory.add(f"Parcels go out on {days[0]}.")
    (row,) = memory.run("list", words=["Parcels"]).memories
    handle = row.handle
    for day in days[1:]:
        handle = memory.run("edit", handle=handle, text=[f"Parcels go out on {day}."]).handle
    page = browser.get("/timeline").text
    changed = re.findall(r'"before">[^<]* (\w+)\.</span>.*?→ [^<]* (\w+)\.</a>', page)
    assert changed == [("Mondays", "Fridays"), ("Fridays", "Mondays"), ("Mondays", "Fridays")]


def test_a_session_opens_at_the_message_that_a_memory_came_from(
    talked: TestClient, tmp_path: Path
) -> None:
    folder = tmp_path / ".claude" / "projects" / "-shop"
    rows = [
        {
            "type": "user" if n % 2 == 0 else "assistant",
            "uuid": f"long{n}",
            "sessionId": "long",
            "timestamp": f"2024-05-08T09:{n % 60:02}:00Z",
            "message": {
                "role": "user" if n % 2 == 0 else "assistant",
                "content": "We decided to send parcels on Fridays." if n == 50 else f"Word {n}.",
            },
        }
        for n in range(60)
    ]
    (folder / "long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Memory().run("observe run", once=True)
    listed = Memory().run("list", words=["parcels"], kind="observation").memories
    page = talked.get(f"/m/{listed[0].handle}").text
    link = re.search(r'href="(/timeline/session[^"]+)#said"', page)
    assert link
    session = talked.get(link[1].replace("&amp;", "&")).text
    marked = session.partition('id="said" aria-current="true"')[2].partition("</article>")[0]
    assert "We decided to send parcels on Fridays." in marked
    assert "2 / 2" in session


def test_a_session_of_several_days_says_on_which_day_each_message_was(
    talked: TestClient, tmp_path: Path
) -> None:
    link = "/timeline/session?scope=agent:main&agent=claude-code&session="
    assert 'class="day-name"' not in talked.get(f"{link}s1").text
    rows = [
        {
            "type": "user",
            "uuid": f"late{n}",
            "sessionId": "late",
            "timestamp": f"2024-05-{day}T09:0{n}:00Z",
            "message": {"role": "user", "content": f"Word {n}."},
        }
        for n, day in enumerate(("08", "08", "10"))
    ]
    folder = tmp_path / ".claude" / "projects" / "-shop"
    (folder / "late.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Memory().run("observe run", once=True)
    page = talked.get(f"{link}late").text
    parts = re.split(r'<h2 class="day-name">([\d-]+)</h2>', page)
    assert parts[1::2] == ["2024-05-08", "2024-05-10"]
    assert [part.count("<article") for part in parts[2::2]] == [2, 1]


def test_a_month_reads_each_session_once_and_none_for_what_no_talk_is_the_source_of(
    talked: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".claude" / "projects" / "-shop"
    rows = [
        {
            "type": "user",
            "uuid": f"d{day}",
            "sessionId": "s2",
            "timestamp": f"2024-05-{day:02}T09:00:00Z",
            "message": {"role": "user", "content": f"The parcel number {day} was sent."},
        }
        for day in range(7, 13)
    ]
    (folder / "s2.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "2024-05-06 tea.md").write_text("Tea is at four.\n")
    memory = Memory()
    memory.run("observe run", once=True)
    memory.run("index", paths=[str(tmp_path / "notes")])
    read: list[str] = []
    list_session_turns = days._list_session_turns

    def count(call: Call, name: days.SessionName) -> list[Turn]:
        read.append(name.session)
        return list_session_turns(call, name)

    monkeypatch.setattr(days, "_list_session_turns", count)
    assert len(_days_of_stream(talked.get("/timeline?month=2024-05").text)) == 7
    assert sorted(read) == ["s1", "s2"]
    read.clear()
    assert "Tea is at four." in talked.get("/timeline?month=2024-05&kind=note").text
    assert read == []
    assert "settle payments" in talked.get("/timeline?month=2024-05&kind=decision").text
    assert "s1" in read


def test_sessions_and_changes_of_a_day_stand_by_their_time_the_newest_first(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    today = datetime.now(UTC).replace(hour=0, minute=0, second=1, microsecond=0)
    row = {"role": "user", "text": "Look at the kiln.", "timestamp": today.isoformat()}
    (tmp_path / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    memory = Memory()
    memory.run("observe run", once=True)
    memory.add("Parcels go out on Mondays.")
    (parcels,) = memory.run("list", words=["Parcels"]).memories
    memory.run("edit", handle=parcels.handle, text=["Parcels go out on Fridays."])
    (of_day,) = _days_of_stream(browser.get("/timeline").text).values()
    assert of_day.index("corrected by you") < of_day.index("Look at the kiln.")
