"""What was put before an agent, and the ways to say that it does not belong there."""

import html
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.hook.inject import InjectedMemory, Injection
from gieok.hook.refusals import AT_START, PromptRefusals
from gieok.hook.window import ContextWindow
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.places.scope import USER_SCOPE
from gieok.surfaces.python import Memory

PROMPT = "How often are failed payments retried?"
RULE = InjectedMemory(title="", citation="", text="No force push.", handle="00000001", score=0.9)


@pytest.fixture
def given(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser over an agent's session in which a record and a note were put before a prompt."""
    (tmp_path / "talk").mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(tmp_path / "talk"))
    monkeypatch.setenv("HOME", str(tmp_path))
    row = {"role": "user", "text": PROMPT, "timestamp": "2026-11-12T09:00:00Z"}
    (tmp_path / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    notes = tmp_path / "notes" / "diary"
    notes.mkdir(parents=True)
    (notes / "payments.md").write_text("# Payments\n\nFailed payments are retried at night.\n")
    memory = Memory()
    memory.run("index", paths=[str(notes)])
    memory.run("remember", text=["Payments are retried three times."], user=True)
    memory.run("observe run", once=True)
    (said,) = memory.run("why", id=_handle(memory, "How often", "turn")).said
    shown = [
        InjectedMemory(title=text, citation="", text=text, handle=_handle(memory, text), score=0.7)
        for text in ("Payments are retried three times.", "Failed payments are retried at night.")
    ]
    window = ContextWindow(str(tmp_path / "home"), said.agent, said.session)
    window.keep("prompt", Injection("- payments", shown, 9), said.at.timestamp() + 1)
    return browser


def _handle(memory: Memory, words: str, kind: str = "all") -> str:
    rows = memory.run("list", words=[words], kind=kind).memories
    return next(row.handle for row in rows if kind != "all" or row.kind != "turn")


def _find_forms(page: str, button: str) -> list[dict[str, str]]:
    """Return the fields of the forms of a page that a button of this name sends."""
    forms = re.findall(r'<form[^>]*action="/injection/refuse"[^>]*>(.*?)</form>', page, re.DOTALL)
    return [
        {
            name: html.unescape(value)
            for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)
        }
        for form in forms
        if f">{button}" in form
    ]


def _press(browser: TestClient, page: str, button: str) -> str:
    """Press the first button of this name, and return the page behind it."""
    answer = browser.post("/injection/refuse", data=_find_forms(page, button)[0])
    assert answer.status_code == 200
    return answer.text


def _fates(browser: TestClient, prompt: str = PROMPT) -> list[str]:
    page = browser.get(f"/injection?{urlencode({'prompt': prompt})}").text
    return re.findall(r'<span class="chip (?:good)?">([^<]+)</span>', page)


def test_not_for_this_keeps_a_memory_away_from_such_prompts_until_it_is_undone(
    given: TestClient,
) -> None:
    page = given.get("/injection").text
    assert PROMPT in page.partition("blockquote")[2].partition("/blockquote")[0]
    refused = "you said: not for a prompt like this"
    assert refused not in _fates(given)
    done = _press(given, page, "Not for this")
    named = "“Payments are retried three times.”"
    assert f"{named} is not given at a prompt like that any more" in done
    assert refused in _fates(given)
    assert refused in _fates(given, "how often are payments retried that failed")
    assert refused not in _fates(given, "when are payments retried at the weekend by the bank")
    recalled = Memory().recall(PROMPT)
    assert "three times" not in recalled.text
    assert "Payments are retried three times." in given.get("/memories").text
    assert "three times" in given.get("/?q=payments+retried").text, "a search finds it as before"
    undone = _press(given, done, "Undo")
    assert f"{named} may be given at a prompt like that again" in undone
    assert refused not in _fates(given)


def test_a_line_of_a_session_start_is_kept_out_of_the_next_ones_until_that_is_undone(
    given: TestClient, tmp_path: Path
) -> None:
    handle, words = _handle(Memory(), "three times"), "Payments are retried three times."
    text = f"<memory-context>\nOf the user (agent:main).\n- 2026-11-12 {words} ({handle})\n"
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "begun")
    window.keep("session-start", Injection(text, [], 9), datetime.now(UTC).timestamp())
    page = given.get("/injection").text
    assert _find_forms(page, "Not for this") == []
    (form,) = _find_forms(page, "Not at a session&#39;s start")
    assert (form["handle"], form["at_start"]) == (handle, "1")
    done = _press(given, page, "Not at a session&#39;s start")
    assert f"“{words}” is not given at a session&#39;s start any more" in done
    starts = PromptRefusals(str(tmp_path / "home"), AT_START)
    assert starts.refuses_line(f"- 2026-11-12 {words} ({handle})")
    assert "you said: not for a prompt like this" not in _fates(given)
    assert "may be given at a session&#39;s start again" in _press(given, done, "Undo")
    lifted = PromptRefusals(str(tmp_path / "home"), AT_START)
    assert not lifted.refuses_line(f"- 2026-11-12 {words} ({handle})")


def test_never_from_this_folder_keeps_its_notes_away_from_all_prompts(
    given: TestClient, tmp_path: Path
) -> None:
    page = given.get("/injection").text
    assert len(_find_forms(page, "Never from")) == 1, "a record is in no folder of notes"
    assert "Never from <code>~/notes/diary</code>" in page
    candidates = Memory().run("recall", prompt=[PROMPT], explain=True).candidates
    assert any("at night" in one.text for one in candidates)
    done = _press(given, page, "Never from")
    assert f"notes of {tmp_path}/notes/diary are searched only" in done
    candidates = Memory().run("recall", prompt=[PROMPT], explain=True).candidates
    assert not any("at night" in one.text for one in candidates)
    # the workbench goes by it at once
    assert (
        "at night"
        not in given.get(f"/injection?{urlencode({'prompt': PROMPT})}").text.partition(
            "Candidates"
        )[2]
    )
    assert "at night" in given.get("/?q=payments+retried").text
    undone = _press(given, done, "Undo")
    assert "may be given at prompts again" in undone
    assert Memory().call.home.settings.text("hook.asked_only") == ""


def test_a_folder_of_several_notes_is_offered_once_at_the_first_of_them(
    given: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "notes" / "diary" / "refunds.md").write_text("# Refunds\n\nRefunds go at noon.\n")
    memory = Memory()
    memory.run("index")
    shown = [
        InjectedMemory(title=text, citation="", text=text, handle=_handle(memory, text), score=0.7)
        for text in ("Refunds go at noon.", "Failed payments are retried at night.")
    ]
    window = ContextWindow(str(tmp_path / "home"), "claude-code", "two-notes")
    window.keep("prompt", Injection("- payments", shown, 9), datetime.now(UTC).timestamp())
    page = given.get("/injection").text
    assert len(_find_forms(page, "Never from")) == 1
    first, second = page.index("Refunds go at noon."), page.index("at night.")
    assert first < page.index("Never from") < second


def test_an_undo_is_offered_once_and_undoes_that_refusal_alone(given: TestClient) -> None:
    page = given.get("/injection").text
    assert _find_forms(page, "Undo") == []
    first, second = (form["handle"] for form in _find_forms(page, "Not for this"))
    done = _press(given, page, "Not for this")
    (undo,) = _find_forms(done, "Undo")
    assert (undo["handle"], undo["prompt"], undo["lift"]) == (first, PROMPT, "1")
    again = given.post("/injection/refuse", data=_find_forms(done, "Not for this")[1]).text
    (undo,) = _find_forms(again, "Undo")
    assert undo["handle"] == second
    refused = "you said: not for a prompt like this"
    assert _fates(given).count(refused) == 2
    _press(given, again, "Undo")
    assert _fates(given).count(refused) == 1


def test_an_undo_is_of_what_was_refused_whatever_was_given_since(given: TestClient) -> None:
    (form, *_) = _find_forms(given.get("/injection").text, "Not for this")
    answer = given.post("/injection/refuse", data=form, follow_redirects=False)
    now = datetime.now(UTC).timestamp()
    for number, shown in enumerate(([], [RULE])):
        window = ContextWindow(os.environ["GIEOK_HOME"], "claude-code", f"later-{number}")
        window.keep("prompt", Injection("- rule", shown, 9), now)
        page = given.get(answer.headers["location"]).text
        (undo,) = _find_forms(page, "Undo")
        assert (undo["handle"], undo["prompt"]) == (form["handle"], PROMPT)
    refused = "you said: not for a prompt like this"
    assert refused in _fates(given)
    _press(given, page, "Undo")
    assert refused not in _fates(given)
    for name in ("gone", ""):
        assert _find_forms(given.get(f"/injection?refused={name}").text, "Undo") == []


def test_what_was_kept_back_before_is_not_offered_to_be_undone(
    given: TestClient, tmp_path: Path
) -> None:
    page = given.get("/injection").text
    Memory().run("hook refuse", folder=str(tmp_path / "notes"))
    done = _press(given, page, "Never from")
    assert f"notes of {tmp_path}/notes/diary are searched only" in done
    assert _find_forms(done, "Undo") == []


def test_a_prompt_is_tried_in_those_scopes_alone_that_agents_are_given(given: TestClient) -> None:
    brought = f"{USER_SCOPE}/from:repository"
    document = Document(
        scope=Scope(brought),
        key="notes/a.md",
        kind="memory",
        text="Failed payments are retried by hand.",
        content_hash="1",
        created_at=datetime(2026, 11, 1, tzinfo=UTC),
        updated_at=datetime(2026, 11, 1, tzinfo=UTC),
    )
    passage = Passage(0, len(document.text), 1, 1, "")
    Memory().call.home.store.put([Entry(document, (passage,))])
    assert brought in given.get("/memories").text
    page = given.get(f"/injection?{urlencode({'prompt': PROMPT, 'in': brought})}").text
    form = page.partition('id="try"')[2]
    assert f'value="{brought}"' not in form.partition("</select>")[0]
    assert "three times" in form
    assert "by hand" not in form


def test_a_folder_that_went_is_not_said_to_be_kept_back(given: TestClient, tmp_path: Path) -> None:
    page = given.get("/injection").text
    (form,) = _find_forms(page, "Never from")
    (tmp_path / "notes").rename(tmp_path / "elsewhere")
    answer = given.post("/injection/refuse", data=form)
    assert answer.status_code == 400
    assert "Nothing was changed" in answer.text
    assert "there is no folder" in answer.text
    assert f'href="/injection?n={form["n"]}"' in answer.text
    assert Memory().call.home.settings.text("hook.asked_only") == ""
    lifted = given.post("/injection/refuse", data=form | {"lift": "1"})
    assert "nothing to take back" in lifted.text
    assert _find_forms(lifted.text, "Undo") == []


def test_a_refusal_that_is_not_whole_is_an_error_in_words(given: TestClient) -> None:
    page = given.get("/memories").text
    token = re.search(r'X-Change-Token":"([0-9a-f]+)"', page)
    assert token
    for sent, reason in (
        ({"handle": "ffffffff", "prompt": "x"}, "no memory has the handle"),
        ({"handle": "", "prompt": ""}, "a memory and a prompt are missing, or a folder"),
    ):
        answer = given.post("/injection/refuse", data={"token": token[1], **sent})
        assert answer.status_code == 400
        assert reason in html.unescape(answer.text)
        assert 'role="alert"' in answer.text
    assert given.post("/injection/refuse", data={"folder": "/tmp"}).status_code == 401
