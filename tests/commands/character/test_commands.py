"""Characters from the command line: made, brought in, talked to, forgotten; who may come in, and
with how many points.
"""

import io
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from contexts import called_in, opened_home

from gieok.character.accounts.identity import Principal
from gieok.commands.character import users
from gieok.commands.run import OperationAnswer, run_operation
from gieok.home.call import Call
from gieok.model.accounts import KeyRole
from gieok.testing.clock import ManualClock

CallCommand = Callable[..., OperationAnswer]


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    clock = ManualClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    with opened_home(tmp_path / "home", monkeypatch, clock) as opened:
        yield called_in(opened, tmp_path)
        opened.home.house.accounts.close()


@pytest.fixture
def call(context: Call) -> Call:
    def call(name: str, *words: str, **values: object) -> OperationAnswer:
        positional = {
            "create": "name",
            "import": "file",
            "memories": "what",
            "points": "user",
            "key": "do",
        }.get(name, "id")
        given = {positional: list(words), **values} if words else values
        return run_operation(f"character {name}", given, lambda found: context, lang="en")

    return call


@pytest.fixture
def say(call: CallCommand, monkeypatch: pytest.MonkeyPatch) -> Callable[..., OperationAnswer]:
    def say(*lines: str, user: str = "me") -> OperationAnswer:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
        return call("chat", "mina", user=user)

    return say


def _made(call: CallCommand) -> None:
    assert (
        call(
            "create", "Mina", description="Keeps a bookshop.", greeting=["Welcome, {{user}}."]
        ).status
        == 0
    )


def test_a_talk_is_remembered_told_why_and_forgotten(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    talk = say(
        "I live in Leith",
        "/memory",
        "",
        "Where do I live?",
        "/why",
        "/points",
        "/what",
        "/quit",
        "never said",
    )
    assert talk.status == 0, talk.failure
    assert talk.text.startswith("Mina: Welcome, me.\n> I live in Leith\nMina: ")
    assert "lives_in: Leith" in talk.text
    assert "similarity" in talk.text
    assert "\n> /points\n18\n" in talk.text
    assert "/forget HANDLE" in talk.text
    assert "never said" not in talk.text
    (row,) = json.loads(json.dumps(call("memories", "mina").data))["memories"]
    why = call("memories", "mina", why=row["handle"])
    assert "user: I live in Leith" in why.text
    gone = call("forget", "mina", memory=row["handle"])
    assert "forgotten: Leith" in gone.text
    assert (
        call("memories", "mina").status == call("forget", "mina", memory=row["handle"]).status == 1
    )
    typed = gone.text.rpartition("`gieok character forget mina --undo ")[2]
    undo = typed.removesuffix("`")
    assert call("forget", "mina", undo=undo).text == "it is remembered again"
    assert call("memories", "mina", "Leith").status == 0
    unknown = call("memories", "mina", "my cat in Leith").text
    assert unknown.startswith("No memory names “cat”. The nearest:\n")


def test_a_memory_is_forgotten_and_brought_back_in_the_talk(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith")
    (row,) = json.loads(json.dumps(call("memories", "mina").data))["memories"]
    shown = say(f"/forget {row['handle']}", "/memory", "/undo", "/memory", "/why").text
    assert [
        part in shown
        for part in ("/undo takes it back", "nothing yet", "remembered again", "lives_in: Leith")
    ] == [True] * 4


def test_it_is_shown_how_surely_a_fact_is_known_and_from_which_words(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith", "I was a botanist for forty years at Kew, long since retired")
    call("fact", "mina", predicate="pet", value="Tolliver (cat)", about="Ada")
    shown = call("memories", "mina").text
    lines = {line.split("  ")[2]: line for line in shown.splitlines() if line.startswith("  ")}
    assert lines["the user lives in Leith"].endswith("found by rules")
    botanist = next(line for text, line in lines.items() if "botanist" in text)
    assert botanist.endswith("may have been said; found by rules")
    assert "“I was a botanist for forty years at Kew, long since retired”" in shown
    assert lines["Ada's pet is Tolliver (cat)"].endswith("set by a person")


def test_a_fact_is_added_changed_and_taken_back(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith")
    (row,) = json.loads(json.dumps(call("memories", "mina").data))["memories"]
    changed = call("fact", "mina", memory=row["handle"], about="Ada", value="Portobello")
    assert "lives_in: Portobello" in changed.text
    added = call("fact", "mina", predicate="interview", value="interview", day="2026-12-01")
    assert "interview: interview (2026-12-01)" in added.text
    handle = json.loads(json.dumps(added.data))["memory"]["handle"]
    assert "(2026" not in call("fact", "mina", memory=handle, day="none").text.splitlines()[1]
    undo = changed.text.rpartition("--undo ")[2].rstrip("`")
    assert call("forget", "mina", undo=undo).text == "it is remembered again"
    assert "lives_in: Leith" in call("memories", "mina").text
    failure = call("fact", "mina", value="x").failure
    assert failure is not None
    assert "there is no kind of fact" in failure.message


def test_it_is_told_in_words_what_holds_again_once_a_fact_is_forgotten(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith", "I moved to Oban yesterday")
    (row,) = [one for one in call("memories", "mina").data["memories"] if "Oban" in one["text"]]
    done = call("forget", "mina", memory=row["handle"])
    (again,) = done.data["holds_again"]
    assert "Leith" in again
    assert "character:fact" not in done.text
    assert f"holds again: {again}" in done.text


def test_what_one_user_says_is_nothing_to_another(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith")
    assert call("memories", "mina", user="kim").status == 1
    assert call("memories", "nobody").failure == call("memories", "nobody", user="kim").failure


def test_cards_go_out_and_come_in(call: CallCommand, tmp_path: Path) -> None:
    _made(call)
    for form in ("png", "charx", "json", "json-v2"):
        assert call("export", "mina", format=form, to=f"{form}.card").status == 0
        brought = call("import", f"{form}.card", id=f"mina-{form}", user="kim")
        assert "Keeps a bookshop." in brought.text, brought.failure
    assert call("export", "mina", to="png.card").failure is not None
    assert call("import", "png.card").failure is not None
    assert call("import", "png.card", replace=True).status == 0
    assert len(call("list", user="kim").text.splitlines()) == 5
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "cut off" in str(call("import", "bad.png").failure)
    assert "cannot read" in str(call("import", "nowhere.png").failure)


def test_a_chat_log_is_brought_in_once(call: CallCommand, tmp_path: Path) -> None:
    _made(call)
    rows = [
        {
            "name": "a",
            "is_user": True,
            "mes": "I live in Leith",
            "send_date": "July 12, 2024 1:31am",
        },
        {"name": "b", "mes": "Oh"},
    ]
    (tmp_path / "c.jsonl").write_text(
        "\n".join([*map(json.dumps, rows), "broken"]), encoding="utf-8"
    )
    assert "whose talk" in str(call("import", "c.jsonl").failure)
    first, again = (
        call("import", "c.jsonl", id="mina", user="kim", zone="Asia/Seoul") for _ in range(2)
    )
    assert first.text.startswith("2 messages imported")
    assert "3: the line is no JSON" in first.text
    assert again.text.startswith("0 messages imported, 0 changed, 2 known")
    assert "2024-07-11" in call("memories", "mina", user="kim").text


def test_deleting_a_character_asks_and_says_what_stays(
    call: CallCommand, say: Callable[..., OperationAnswer]
) -> None:
    _made(call)
    say("I live in Leith")
    assert "nobody can be asked" in str(call("delete", "mina").failure)
    assert "what users remember with it stays" in call("delete", "mina", yes=True).text
    assert call("delete", "mina", yes=True).failure is not None
    _made(call)
    assert "Leith" in call("memories", "mina").text


def test_points_are_given_once_for_a_reference(call: CallCommand) -> None:
    assert call("points", "kim", credit=50, reference="r").text.startswith("kim: 50 points")
    assert call("points", "kim", credit=50, reference="r", check_in=True).text.startswith(
        "kim: 60 points"
    )
    assert call("points", "kim", credit=-5).failure is not None
    assert call("points", "a/b").failure is not None


def test_keys_of_all_are_listed_and_one_is_revoked_by_its_id_alone(call: CallCommand) -> None:
    assert "There is no key" in call("key").text
    call("key", "create", admin=True)
    call("key", "create", user="kim")
    call("key", "create", user="lee")
    lines = call("key", "list").text.splitlines()
    assert [line.split()[1] for line in lines] == ["admin", "kim", "lee"]
    revoked = call("key", "revoke", lines[2].split()[0]).text
    assert "lee" in revoked
    assert "revoked" in revoked
    assert call("key", "revoke", "a.aaaaaaaaaaaaaaaa").failure is not None
    assert call("key", "revoke", lines[1].split()[0], user="lee").failure is not None


def test_the_list_of_all_keys_says_that_it_ends_before_the_last_user(
    call: CallCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users, "_MOST_USERS", 1)
    call("key", "create", user="kim")
    assert "more users" not in call("key").text
    call("key", "create", user="lee")
    assert "more users" in call("key").text


def test_a_key_is_shown_once_opens_and_is_revoked(call: CallCommand, context: Call) -> None:
    text = call("key", "create", user="kim", label="phone").text.splitlines()[-1]
    identity = context.home.house.identity
    assert identity.verify(text) == Principal("kim", KeyRole.USER, identity.verify(text).name)
    listed = call("key", user="kim")
    assert "phone" in listed.text
    assert text not in json.dumps(listed.data)
    assert "revoked" in call("key", "revoke", listed.text.split()[0], user="kim").text
    assert call("key", "create", admin=True, days=3).status == 0
    assert "2026-03-05" in call("key", admin=True).text
    for wrong in (["revoke"], ["make"], ["create", "x"]):
        assert call("key", *wrong).failure is not None
