"""What a page says and what the command prints is one answer: compared over a filled home."""

import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("jinja2")

from starlette.testclient import TestClient

from gieok.commands.command import STATUSES
from gieok.commands.memory.hits import describe_sureness, introduce_nearest
from gieok.commands.scope_names import name_scopes
from gieok.surfaces.cli import main
from gieok.surfaces.python import Memory

QUESTIONS = (
    "which port has the staging database",
    "when is the lease up",
    "how often are payments retried",
    "결제 시간 제한은",
    "xylophone",
    "which port has the printer",
    # far less sure than what is shown without a word in common
    "which colour has the lease of my neighbour in Busan",
)
_SAID = (
    ("user", "We decided to settle payments on Tuesdays."),
    ("assistant", "The refunds are retried twice."),
    ("user", "환불은 7일 안에 처리하기로 했어."),
)


@pytest.fixture
def filled(browser: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser over records of two projects, a note, a conversation, and a corrected record."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("NO_COLOR", "1")
    talk, notes = tmp_path / "talk", tmp_path / "notes"
    talk.mkdir()
    notes.mkdir()
    monkeypatch.setenv("GIEOK_OBSERVE_FOLDERS", str(talk))
    rows = [
        {"role": role, "text": text, "timestamp": f"2026-11-1{n}T09:00:00Z"}
        for n, (role, text) in enumerate(_SAID)
    ]
    (talk / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (notes / "Flat.md").write_text("# Flat\n\nThe lease is up on 14 March 2027.\n")
    for number in range(20):
        (notes / f"day {number}.md").write_text(f"# Day {number}\n\nWe opened {number} boxes.\n")
    memory = Memory()
    memory.run("index", paths=[str(notes)])
    for text in (
        "Payments are retried three times.",
        "The staging database is on port 8443.",
        "결제 시간 제한은 30초다.",
    ):
        memory.add(text)
    memory.run("observe run", once=True)
    (record,) = memory.run("list", words=["retried", "three"]).memories
    memory.run("edit", handle=record.handle, text=["Payments are retried five times."])
    Memory(scope="agent:helper").add("The helper closes tickets on Fridays.")
    return browser


@pytest.fixture
def ask(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Return what runs `gieok ARGUMENTS --json`, and gives what it prints."""

    def run(*arguments: str) -> Any:
        capsysbinary.readouterr()
        main([*arguments, "--json"])
        return json.loads(capsysbinary.readouterr()[0])

    return run


def _read(browser: TestClient, address: str, lang: str = "en") -> str:
    return browser.get(address, headers={"Accept-Language": lang}).text


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hits_their_sureness_and_the_nearest(filled: TestClient, ask: Any, lang: str) -> None:
    kinds = set()
    for question in QUESTIONS:
        told = ask("search", question, "--everywhere", "--limit", "12")
        page = _read(filled, f"/?q={quote(question)}", lang)
        hits = told["results"] or [told["nearest"]] if told.get("nearest") else told["results"]
        assert re.findall(r'data-hit href="/m/([\w.]+)"', page) == [hit["handle"] for hit in hits]
        assert re.findall(r'<b class="sure (\w+)">([^<]+)</b>', page) == [
            (hit["level"], describe_sureness(hit["level"]).say(lang)) for hit in hits
        ]
        is_unsure = bool(hits) and all(hit["level"] == "low" for hit in told["results"])
        assert (introduce_nearest(len(hits)).say(lang) in page) == is_unsure
        kinds.add("nothing" if not hits else "nearest" if not told["results"] else "hits")
    assert kinds == {"hits", "nearest", "nothing"}


def test_the_scopes_that_one_can_choose_have_the_names_of_the_commands(
    filled: TestClient, ask: Any
) -> None:
    listed = ask("list", "--everywhere", "--kind", "all", "--limit", "100")["memories"]
    scopes = {memory["scope"] for memory in listed}
    assert len(scopes) == 2
    names = name_scopes(scopes, "en")
    for address in ("/", "/memories"):
        choice = _read(filled, address).partition('<select name="in"')[2].partition("</select>")[0]
        chosen = dict(re.findall(r'<option value="([^"]+)"[^>]*>([^<]+)</option>', choice))
        assert chosen == names


@pytest.mark.parametrize(
    ("lang", "own"),
    [("en", "yours, in all projects"), ("ko", "내 기억(모든 프로젝트에서 씀)")],
)
def test_the_own_scope_of_a_person_has_one_name_wherever_it_is_said(
    filled: TestClient,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    lang: str,
    own: str,
) -> None:
    assert name_scopes(["agent:main"], lang) == {"agent:main": own}
    for words in (
        ["remember", "The boiler is checked in May.", "--user"],
        ["index", str(tmp_path / "notes")],
        ["status"],
        ["list"],
    ):
        capsysbinary.readouterr()
        main([*words, "--lang", lang])
        assert own in capsysbinary.readouterr()[0].decode(), words
    options = re.compile(r'<option value="agent:main"[^>]*>([^<]+)</option>')
    for address in ("/", "/memories", "/timeline"):  # to narrow a page, and to add a memory
        names = options.findall(_read(filled, address, lang))
        assert names, address
        assert {*names} == {own}, address


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_hits_that_hardly_answer_stand_below_the_same_line(
    filled: TestClient, capsysbinary: pytest.CaptureFixture[bytes], lang: str
) -> None:
    seen = set()
    for question in QUESTIONS:
        capsysbinary.readouterr()
        main(["search", question, "--everywhere", "--limit", "12", "--lang", lang])
        printed = capsysbinary.readouterr()[0].decode()
        page = html.unescape(_read(filled, f"/?q={quote(question)}", lang))
        heads = re.findall(r'<details class="tail"><summary>([^<]+)</summary>', page)
        below = [line.removesuffix(":") for line in printed.splitlines() if line[:-1] in heads]
        assert below == heads, question
        for line in heads:
            first, last = printed.split(f"{line}:")
            assert not re.search(r"^0\.[3-9]", last, re.MULTILINE), question
            assert re.search(r"^0\.[3-9]", first, re.MULTILINE), question
        seen.add(len(heads))
    assert 1 in seen


#: Kind of a memory in the command's JSON → its name on the page of the memory.
_KINDS = {"note": "note", "record": "record", "turn": "said", "observation": "observed"}


def test_memories_and_what_each_is(filled: TestClient, ask: Any) -> None:
    for kind in ("all", "note", "record", "turn", "observation"):
        listed = ask("list", "--everywhere", "--kind", kind, "--limit", "50")["memories"]
        page = _read(filled, f"/memories?kind={kind}")
        shown = re.findall(r'name="handle" value="([\w.]+)"', page)
        assert sorted(shown) == sorted(memory["handle"] for memory in listed), kind
        assert listed, kind
        for memory in listed:
            if memory["scope"] != "agent:main":
                continue
            origin = ask("why", memory["handle"])
            whole = html.unescape(_read(filled, f"/m/{memory['handle']}"))
            status = STATUSES[origin["status"]].en
            is_marked = origin["status"] not in ("stands", "current")
            assert (f'">{status}</span>' in whole.partition("</p>")[0]) == is_marked
            assert f"<span>{_KINDS[memory['kind']]}</span>" in whole
            for message in origin["messages"]:
                assert message["text"] in whole
                assert f"{message['source']}:{message['line']}" in whole
            versions = ask("history", memory["handle"])["versions"]
            for version in versions if len(versions) > 1 else ():
                assert version["text"] in whole


def test_what_a_prompt_would_be_given(filled: TestClient, ask: Any) -> None:
    given = []
    for prompt in ("On which port is the staging database?", "xylophone"):
        told = ask("recall", prompt)
        page = _read(filled, f"/injection?prompt={quote(prompt)}")
        tried = page.partition("It would be given")[2]
        block = tried.partition('<pre class="given">')[2].partition("</pre>")[0]
        assert html.unescape(re.sub(r"<[^>]+>", "", block)) == told["text"]
        assert ("Nothing: it stays silent." in tried) == (not told["text"])
        candidates = tried.partition("Candidates")[2].split("<li class=")[1:]
        shown = [one for one in candidates if one.startswith('"in"')]
        handles = [handle for one in shown for handle in re.findall(r'href="/m/([\w.]+)"', one)]
        assert handles == [memory["handle"] for memory in told["memories"]]
        given.append(len(handles))
    assert given[0]
    assert not given[1]


def test_the_state_of_the_home(filled: TestClient, ask: Any) -> None:
    """A daemon that runs is compared where one is started: in `test_health`."""
    status, stats = ask("status"), ask("observe", "stats")
    page = _read(filled, "/status")
    cards = {
        words: figure
        for figure, words in re.findall(
            r'<div class="figure">([^<]+)</div><div class="meta">([^<]+)</div>', page
        )
    }
    assert cards["daemon"] == "off"
    assert status["sidecar"]["daemon"] is None
    assert cards["tokens of talk wait to be read"] == str(stats["backlog_tokens"])
    assert cards["last backup"] == "–"
    assert ask("backup", "list")["backups"] == []
