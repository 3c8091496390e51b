"""Search on the pages: the line that answers, and where it comes from, in every scope."""

import html
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.commands.memory.hits import SearchHit
from gieok.commands.scope_names import name_scope, name_scopes
from gieok.model.memory import Scope, Tier
from gieok.surfaces.python import Memory
from gieok.surfaces.web.answers import find_answer
from gieok.surfaces.web.look import mark_commands, strip_line_markup
from gieok.surfaces.web.markdown import parse_markdown_line, render_markdown


@pytest.fixture
def filled(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser over notes, records of two scopes, and a conversation with what came of it."""
    notes, talk = tmp_path / "notes", tmp_path / "talk"
    notes.mkdir()
    talk.mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(talk))
    monkeypatch.setenv("HOME", str(tmp_path))
    (notes / "2026-03-14 Flat.md").write_text(
        "# Flat\n\nThe landlord is Mr Seo.\n\n- **Lease**: it is up on `14 March 2027`\n\n"
        "| a | b |\n|---|---|\n| keys | two |\n"
    )
    for number in range(20):
        (notes / f"day {number}.md").write_text(f"# Day {number}\n\nWe opened {number} boxes.\n")
    rows = [
        {"role": role, "text": text, "timestamp": f"2026-11-1{n}T09:00:00Z"}
        for n, (role, text) in enumerate(
            (
                ("user", "We decided to settle payments on Tuesdays."),
                ("assistant", "The refunds are retried twice."),
                ("user", "환불은 7일 안에 처리하기로 했어."),
            )
        )
    ]
    (talk / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory = Memory()
    memory.run("index", paths=[str(notes)])
    for text in ("Payments are retried three times.", "The staging database is on port 8443."):
        memory.add(text)
    memory.run("observe run", once=True)
    Memory(scope="agent:helper").add("The helper closes tickets on Fridays.")
    return browser


def test_the_answer_is_the_line_and_the_note_around_it_is_folded(filled: TestClient) -> None:
    page = filled.get("/?q=" + quote("when is the lease up")).text
    answer = re.search(r'<p class="answer"><a [^>]+>(.*?)</a></p>', page)
    assert answer
    assert (
        "<strong><mark>Lease</mark></strong>: it is <mark>up</mark> on <code>14 March" in answer[1]
    )
    assert "landlord" not in answer[1]
    folded = page.partition('<div class="md">')[2].partition("</div>")[0]
    assert "The landlord is Mr Seo." in folded
    assert "keys · two" in folded
    assert "|---|" not in page
    assert '<p class="above">Flat</p>' in page


def _hit(text: str) -> SearchHit:
    return SearchHit(
        handle="a1",
        path="집.md",
        start_line=1,
        end_line=5,
        score=0.5,
        snippet=text,
        source="memory",
        citation="집.md#L1-L5",
        scope=Scope("agent:main"),
        heading="",
        date=None,
        status="stands",
        tier=Tier.HOT,
        replaced_by=None,
        replaced_on=None,
        level="high",
        signals=None,
    )


def test_of_a_short_note_the_line_with_the_words_answers_and_the_note_is_shown_whole() -> None:
    text = "# 집\n\n만기 두 달 전에 알려야 한다.\n전세 만기는 2027년 3월 14일.\n집주인은 서 씨."
    hit = _hit(text)._replace(line_text="만기 두 달 전에 알려야 한다.")
    answer = find_answer(hit, "전세 만기가 언제야")
    assert answer.line == "전세 만기는 2027년 3월 14일."
    assert answer.is_short
    assert find_answer(hit, "when do I tell them").line == "만기 두 달 전에 알려야 한다."
    assert not find_answer(_hit(f"{text}\n\n- 하나\n- 둘\n- 셋"), "만기").is_short
    assert not find_answer(hit._replace(source="sessions"), "만기").is_short
    asked = _hit("Assistant: Shall I stream the export?\nUser: yes")
    assert find_answer(asked, "What happened in November?").line == "Shall I stream the export?"


def test_each_hit_says_in_words_where_it_comes_from(filled: TestClient) -> None:
    for question, place in (
        ("Payments are retried three times", "record"),
        ("when is the lease up", "Flat"),
        ("We decided to settle payments", "observed"),
        ("We decided to settle payments&source=sessions", "said to plain"),
        ("The refunds are retried twice", "plain said"),
    ):
        page = filled.get("/?q=" + quote(question, safe="&=")).text
        first = page.partition("<article")[2].partition("</article>")[0]
        assert f"<span>{place}</span>" in first, question
        assert re.search(r"[+-]\d\.\d\d is \d{1,2} % likely to answer", first)


def test_a_search_is_of_all_scopes_until_one_is_chosen_by_its_name(filled: TestClient) -> None:
    page = filled.get("/?q=tickets").text
    assert "helper closes" in html.unescape(re.sub(r"</?mark>", "", page))
    assert '<option value="agent:helper">agent helper</option>' in page
    assert ">yours, in all projects</option>" in page
    within = filled.get("/?q=tickets&in=agent:main").text
    assert "helper closes" not in within
    assert '<option value="agent:main" selected>' in within
    assert "helper closes" in re.sub(r"</?mark>", "", filled.get("/?q=tickets&in=nowhere").text)
    # the parts that come while one types are of the same scope, and so is the address that stays
    part = filled.get("/hits?q=tickets&in=agent:main")
    assert part.headers["hx-replace-url"] == "/?q=tickets&in=agent%3Amain"
    assert "helper closes" not in part.text


def test_scopes_have_names_and_equal_names_are_told_apart() -> None:
    assert name_scope("project:shop-d54829b4").en == "shop"
    assert name_scope("project:shop-d54829b4/from:repository").en == "shop, from its repository"
    assert name_scope("agent:main").say("ko") == "내 기억(모든 프로젝트에서 씀)"
    assert name_scope("team:red").en == "team:red"
    assert name_scopes(["project:app-1", "project:app-2", "project:web-3"], "en") == {
        "project:app-1": "app (project:app-1)",
        "project:app-2": "app (project:app-2)",
        "project:web-3": "web",
    }


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("## Head", "heading", "Head"),
        ("#hashtag", "text", "#hashtag"),
        ("- [x] done", "item", "done"),
        ("12. twelfth", "item", "twelfth"),
        ("-5 degrees", "text", "-5 degrees"),
        ("> said", "quote", "said"),
        ("|:--|---:|", "rule", ""),
        ("---", "rule", ""),
        ("| a | b |", "text", "a · b"),
    ],
)
def test_the_marks_of_a_line_are_read(line: str, kind: str, words: str) -> None:
    assert parse_markdown_line(line) == (kind, words)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Open 9:00 - 18:00, 3 * 4 rooms, room # 5.", "Open 9:00 - 18:00, 3 * 4 rooms, room # 5."),
        ("User: The shop is open 9:00 - 18:00.", "The shop is open 9:00 - 18:00."),
        ("영업시간은 9시 - 18시", "영업시간은 9시 - 18시"),
        ("- tea at four", "tea at four"),
        ("Assistant: ## Tea", "Tea"),
        ("# Tea\n\n- at four\n* or 5 - 6", "Tea · at four · or 5 - 6"),
        ("-5 degrees · cold", "-5 degrees · cold"),
    ],
)
def test_a_line_of_the_list_has_its_own_signs_and_no_mark_at_its_beginning(
    text: str, shown: str
) -> None:
    assert strip_line_markup(text) == shown


def test_what_markdown_would_load_or_run_is_text() -> None:
    shown = render_markdown("![x](http://192.0.2.1/a.png) [go](javascript:alert(1)) <b>`<i>`</b>")
    assert "192.0.2.1" not in shown
    assert "href" not in shown
    assert "&lt;b&gt;<code>&lt;i&gt;</code>" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("run `gieok up` <now>", "run <code>gieok up</code> &lt;now&gt;"),
        ("`<b>` and `c`", "<code>&lt;b&gt;</code> and <code>c</code>"),
        ("5` of `x` or y", "5` of `x` or y"),
        ("", ""),
    ],
)
def test_what_stands_in_backticks_of_a_message_is_code_and_nothing_else_is_markup(
    text: str, shown: str
) -> None:
    assert mark_commands(text) == shown


def test_a_time_is_told_by_day_and_each_statement_once_without_bare_answers(
    browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    said = (
        ("12", "user", "Refunds time out on big tenants. We decided to stream refunds in chunks."),
        ("10", "user", "We decided to settle payments on Tuesdays."),
        ("10", "assistant", "OK."),
        ("11", "user", "yes"),
    )
    for number, (day, role, text) in enumerate(said):
        row = {"role": role, "text": text, "timestamp": f"2026-11-{day}T09:00:0{number}Z"}
        (tmp_path / "talk" / f"{number}.jsonl").write_text(json.dumps(row) + "\n")
    memory = Memory()
    memory.run("observe run", once=True)
    page = browser.get("/?q=" + quote("What happened in November?")).text
    hits = [re.sub(r"<[^>]+>", "", one) for one in re.findall(r'<p class="answer">(.*?)</p>', page)]
    assert [hit.split()[0] for hit in hits] == ["We", "Refunds"]
    days = re.findall(r"<time>(\S+)</time>", page)
    assert days == ["2026-11-10", "2026-11-12"]
    assert "What happened in November?" in browser.get("/questions").text
