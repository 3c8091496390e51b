"""Writers that look at something before they write, for `test_at_once` and `test_at_once_servers`:
a row each.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import at_once
from at_once import Answered, Asked

from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.files import roots
from gieok.model.memory import Scope
from gieok.settings import grants, trust

#: How many call at once.
THREADS, PROCESSES = 8, 4
RULE = "We lint with ruff."


class Place(NamedTuple):
    """A user's folders; `is_closed`: what is opened for a call is closed, because it is a
    connection to a server.
    """

    user: Path
    is_closed: bool = False

    @property
    def home(self) -> Path:
        return self.user / "home"

    @property
    def project(self) -> Path:
        return self.user / "shop"

    def context(self) -> Call:
        return open_call({}, folder=self.project)

    @contextmanager
    def opened(self) -> Iterator[Call]:
        """Open a context, and let go of what it opened."""
        context = self.context()
        yield context
        context.home.journal.close()
        context.home.store.close()

    def run(self, name: str, /, **values: Any) -> Any:
        done = at_once.answer(Asked(name, values, str(self.project)), is_closed=self.is_closed)
        assert not done.code, done
        return done.data

    def records(self, shelf: str = "memory") -> list[Path]:
        return sorted((self.project / ".gieok" / shelf).glob("*/*.md"))


class Writer(NamedTuple):
    """A writer: what is there before, the n-th call, and what must hold of the answers and of what
    is there.
    """

    before: Callable[[Place], Any]
    call: Callable[[Place, int, Any], tuple[str, dict[str, Any]]]
    check: Callable[[Place, list[Answered], Any], None]


def _nothing(place: Place) -> None:
    """Even the databases are made at once."""
    assert not place.home.exists()


def remember_rule(place: Place) -> str:
    place.run("remember", text=[RULE])
    return place.run("list", kind="record")["memories"][0]["handle"]


def _observed(place: Place) -> str:
    row = {
        "role": "user",
        "text": "We decided to use Redis Streams.",
        "timestamp": "2026-11-10T09:00:00Z",
    }
    (place.user / "talk").mkdir()
    (place.user / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    place.run("observe run", once=True)
    return place.run("list", kind="observation", everywhere=True)["memories"][0]["handle"]


def _codes(answers: list[Answered]) -> Counter[str]:
    return Counter(one.code for one in answers)


def _one_is_created(place: Place, answers: list[Answered], _: object) -> None:
    assert Counter(one.data["status"] for one in answers) == {
        "created": 1,
        "known": len(answers) - 1,
    }
    (file,) = place.records()
    (entry,) = grants.load_grant(place.home, str(place.project)).entries
    assert entry == grants.digest_trusted_content(
        file.relative_to(place.project / ".gieok").as_posix(), file.read_bytes()
    )
    assert len(place.run("search", query=[RULE])["results"]) == 1


def _all_are_kept(place: Place, answers: list[Answered], _: object) -> None:
    assert [one.data["status"] for one in answers] == ["created"] * len(answers)
    files = place.records()
    said = {file.read_text().rstrip().rpartition("\n")[2] for file in files}
    assert said == {f"Rule number {n} holds." for n in range(len(answers))}
    assert (
        len(grants.load_grant(place.home, str(place.project)).entries) == len(files) == len(answers)
    )
    assert len(place.run("list", kind="record", limit=0)["memories"]) == len(answers)


def _one_puts_it_away(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [len(place.records(shelf)) for shelf in ("memory", "retired")] == [0, 1]
    assert not grants.load_grant(place.home, str(place.project)).entries


def _one_brings_it_back(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [len(place.records(shelf)) for shelf in ("memory", "retired")] == [1, 0]


def _the_file_is_what_is_found(place: Place, answers: list[Answered], _: object) -> None:
    """An edit gives a record another name, so those that come later are told that it changed."""
    done = [one.data for one in answers if not one.code]
    assert done
    assert _codes(answers) <= Counter({"": len(answers), "bad_request": len(answers)})
    (file,) = place.records()
    last = file.read_text().rstrip().rpartition("\n")[2]
    texts = [one["text"].rstrip().rpartition("\n")[2] for one in done]
    assert last in texts
    # Each saw what it took the place of: the texts are a chain.
    befores = {one["before"].rstrip().rpartition("\n")[2] for one in done}
    assert befores == {RULE, *texts} - {last}


def _every_wording_is_kept(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    scope = Scope("agent:main")
    with place.opened() as context:
        journal = context.home.journal
        said = {document.text for document in journal.history(scope, 1000)}
        said |= {entry.document.text for entry in journal.made(scope)}
    assert {f"We decided to use queue {n}." for n in range(len(answers))} <= said


def _one_observation_is_away(place: Place, answers: list[Answered], handle: str) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [row["handle"] for row in place.run("list", status="retired")["memories"]] == [handle]


_SETTINGS = (
    "search.limit",
    "hook.limit",
    "backup.keep",
    "seed.commits",
    "threads",
    "serve.threads",
    "character.slots",
    "observe.idle_minutes",
)


def _all_settings_are_set(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    rows = place.run("config show")
    assert [rows[name]["value"] for name in _SETTINGS[: len(answers)]] == [
        str(n + 3) for n in range(len(answers))
    ]


_AGENTS = (
    "claude-code",
    "codex",
    "gemini-cli",
    "cursor",
    "opencode",
    "qwen-code",
    "claude-code",
    "codex",
)


def _all_are_installed(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    file = place.user / ".claude" / "settings.json"
    hooks = json.loads(file.read_text())["hooks"]
    assert all(len(rows) == 1 for rows in hooks.values())
    assert place.run("uninstall")
    assert not file.exists()


def _all_folders_are_followed(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    with place.opened() as context:
        store = context.home.store
        found = {
            root.path.name for scope in store.scopes() for root in roots.load_roots(store, scope)
        }
    assert found == {f"notes-{n}" for n in range(len(answers))}
    assert all(
        place.run("search", query=[f"heron {n} nests"])["results"] for n in range(len(answers))
    )


def _notes(place: Place) -> None:
    for n in range(THREADS):
        (place.user / f"notes-{n}").mkdir()
        (place.user / f"notes-{n}" / "a.md").write_text(
            f"# Birds\n\nThe heron {n} nests at pond {n}.\n"
        )


def _code(place: Place) -> None:
    (place.project / "shop.py").write_text(
        "def total():\n    return rate()\n\n\ndef rate():\n    return 2\n"
    )


def _the_index_is_ones_own(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    assert place.run("code query", query=["total"])["results"]


def _each_hook_calls_once(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    for name in ("post-commit", "post-merge"):
        file = place.project / ".git" / "hooks" / name
        text = file.read_text()
        assert (text.count(">>> gieok code >>>"), text.count("echo mine")) == (
            1,
            int(name == "post-commit"),
        )
        assert file.stat().st_mode & 0o100


def _git(place: Place) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    (place.project / ".git" / "hooks" / "post-commit").write_text("#!/bin/sh\necho mine\n")
    _code(place)
    place.run("code init")


def _one_character(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": 1, "conflict": len(answers) - 1}
    assert place.run("character list")["total"] == 1


def _points_are_given_once(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    assert {one.data["balance"] for one in answers} == {20}, "the welcome and the day, each once"


def _trusted_what_came(place: Place, answers: list[Answered], _: object) -> None:
    assert Counter(one.data["status"] for one in answers) <= Counter(
        {"trusted": len(answers), "nothing": len(answers)}
    )
    assert len(grants.load_grant(place.home, str(place.project)).entries) == 2
    assert (
        trust.settings_text(str(place.project))
        == grants.load_grant(place.home, str(place.project)).settings
    )


def _came_along(place: Place) -> None:
    folder = place.project / ".gieok" / "memory" / "decision"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(
            f"---\ntitle: {name}\ncategory: decision\n---\nThe {name} heron nests.\n"
        )
    (place.project / ".gieok" / "config.yaml").write_text("search.limit: 4\n")


def _told_once(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    with place.opened() as context:
        journal = context.home.journal
        found = [
            message
            for scope in journal.scopes()
            for message in journal.read(scope, 0, budget_tokens=1 << 30)
        ]
    assert len(found) == len({one.message.id for one in found}) == 1


def _talk(place: Place) -> None:
    _observed(place)
    shutil.rmtree(place.home)


def _sent(name: str, /, **values: Any) -> Callable[[Place, int, Any], tuple[str, dict[str, Any]]]:
    return lambda place, n, before: (name, values)


WRITERS = {
    "equal records": Writer(_nothing, _sent("remember", text=[RULE]), _one_is_created),
    "different records of one title": Writer(
        _nothing,
        lambda p, n, b: ("remember", {"text": [f"Rule number {n} holds."], "title": "Rule"}),
        _all_are_kept,
    ),
    "a record is put away": Writer(
        remember_rule, _sent("retire", memories=["decision/we-lint-with-ruff"]), _one_puts_it_away
    ),
    "a record comes back": Writer(
        lambda p: (remember_rule(p), p.run("retire", memories=["decision/we-lint-with-ruff"])),
        _sent("restore", memories=["decision/we-lint-with-ruff"]),
        _one_brings_it_back,
    ),
    "a record is edited": Writer(
        remember_rule,
        lambda p, n, h: ("edit", {"handle": h, "text": [f"We lint with tool {n}."]}),
        _the_file_is_what_is_found,
    ),
    "an observation is edited": Writer(
        _observed,
        lambda p, n, h: ("edit", {"handle": h, "text": [f"We decided to use queue {n}."]}),
        _every_wording_is_kept,
    ),
    "an observation is put away": Writer(
        _observed, lambda p, n, h: ("retire", {"memories": [h]}), _one_observation_is_away
    ),
    "different settings": Writer(
        _nothing,
        lambda p, n, b: ("config set", {"name": _SETTINGS[n], "value": str(n + 3)}),
        _all_settings_are_set,
    ),
    "agents": Writer(
        _nothing, lambda p, n, b: ("install", {"agent": _AGENTS[n]}), _all_are_installed
    ),
    "folders": Writer(
        _notes,
        lambda p, n, b: ("index", {"paths": [str(p.user / f"notes-{n}")]}),
        _all_folders_are_followed,
    ),
    "trust": Writer(_came_along, _sent("trust", yes=True), _trusted_what_came),
    "a project's code": Writer(_code, _sent("code init"), _the_index_is_ones_own),
    "Git's hooks": Writer(_git, _sent("code install-hook"), _each_hook_calls_once),
    "a character": Writer(_nothing, _sent("character create", name=["Maru"]), _one_character),
    "points of a day": Writer(
        _nothing, _sent("character points", user=["kim"], check_in=True), _points_are_given_once
    ),
    "a transcript": Writer(_talk, _sent("observe run", once=True), _told_once),
}


def make_place(user: Path, *, is_closed: bool = False) -> tuple[Place, dict[str, str]]:
    """Return a user's folders, and the environment that leads there."""
    place = Place(user, is_closed)
    place.project.mkdir()
    return place, {
        "HOME": str(user),
        "GIEOK_HOME": str(place.home),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(user / "talk"),
        "GIEOK_DAEMON_AUTOSTART": "off",
    }


def list_calls(place: Place, writer: Writer, number: int) -> tuple[list[Asked], Any]:
    """Prepare what a writer needs; return its calls, and what was prepared."""
    before = writer.before(place)
    return [
        Asked(*writer.call(place, n, before), str(place.project)) for n in range(number)
    ], before
