"""Many callers at once: of equal calls one creates and the others know, of different calls all are kept.

Each row is a writer that looks at something before it writes. It is called by threads, all of which look before one of them
writes (`at_once.Gate`), and by processes. A new writer is a row.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import at_once
import pytest
from at_once import Answered, Asked

from gieok import fs, grants, places, trust
from gieok.app import open_context
from gieok.capabilities.files import roots
from gieok.capabilities.prompt.inject import Injection
from gieok.capabilities.prompt.window import Window, session_file
from gieok.model.memory import Scope
from gieok.ops.context import Context
from gieok.surfaces.hook import trail

_THREADS, _PROCESSES = 8, 4
_RULE = "We lint with ruff."


class Place(NamedTuple):
    """A user's folders."""

    user: Path

    @property
    def home(self) -> Path:
        return self.user / "home"

    @property
    def project(self) -> Path:
        return self.user / "shop"

    def context(self) -> Context:
        return open_context({}, folder=self.project)

    def run(self, name: str, /, **values: Any) -> Any:
        done = at_once.answer(Asked(name, values, str(self.project)))
        assert not done.code, done
        return done.data

    def records(self, shelf: str = "memory") -> list[Path]:
        return sorted((self.project / ".gieok" / shelf).glob("*/*.md"))


class Writer(NamedTuple):
    """A writer: what is there before, the n-th call, and what must hold of the answers and of what is there."""

    before: Callable[[Place], Any]
    call: Callable[[Place, int, Any], tuple[str, dict[str, Any]]]
    check: Callable[[Place, list[Answered], Any], None]


def _nothing(place: Place) -> None:
    """Even the databases are made at once."""
    assert not place.home.exists()


def _remembered(place: Place) -> str:
    place.run("remember", text=[_RULE])
    return place.run("list", kind="record")["memories"][0]["handle"]


def _observed(place: Place) -> str:
    row = {"role": "user", "text": "We decided to use Redis Streams.", "timestamp": "2026-11-10T09:00:00Z"}
    (place.user / "talk").mkdir()
    (place.user / "talk" / "a.jsonl").write_text(json.dumps(row) + "\n")
    place.run("observe run", once=True)
    return place.run("list", kind="observation", everywhere=True)["memories"][0]["handle"]


def _codes(answers: list[Answered]) -> Counter[str]:
    return Counter(one.code for one in answers)


def _one_is_created(place: Place, answers: list[Answered], _: object) -> None:
    assert Counter(one.data["status"] for one in answers) == {"created": 1, "known": len(answers) - 1}
    (file,) = place.records()
    (entry,) = grants.load(place.home, str(place.project)).entries
    assert entry == grants.entry(file.relative_to(place.project / ".gieok").as_posix(), file.read_bytes())
    assert len(place.run("search", query=[_RULE])["results"]) == 1


def _all_are_kept(place: Place, answers: list[Answered], _: object) -> None:
    assert [one.data["status"] for one in answers] == ["created"] * len(answers)
    files = place.records()
    said = {file.read_text().rstrip().rpartition("\n")[2] for file in files}
    assert said == {f"Rule number {n} holds." for n in range(len(answers))}
    assert len(grants.load(place.home, str(place.project)).entries) == len(files) == len(answers)
    assert len(place.run("list", kind="record", limit=0)["memories"]) == len(answers)


def _one_puts_it_away(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [len(place.records(shelf)) for shelf in ("memory", "retired")] == [0, 1]
    assert not grants.load(place.home, str(place.project)).entries


def _one_brings_it_back(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [len(place.records(shelf)) for shelf in ("memory", "retired")] == [1, 0]


def _the_file_is_what_is_found(place: Place, answers: list[Answered], handle: str) -> None:
    assert _codes(answers) == {"": len(answers)}
    (file,) = place.records()
    last = file.read_text().rstrip().rpartition("\n")[2]
    assert last in {f"We lint with tool {n}." for n in range(len(answers))}
    assert last in place.run("get", path=handle)["text"]
    # Each saw what it took the place of: the texts are a chain.
    befores = {one.data["before"].rstrip().rpartition("\n")[2] for one in answers}
    assert befores == {_RULE, *(f"We lint with tool {n}." for n in range(len(answers)))} - {last}


def _every_wording_is_kept(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    journal = place.context().memory.journal()
    scope = Scope("agent:main")
    said = {document.text for document in journal.history(scope, 1000)}
    said |= {entry.document.text for entry in journal.made(scope)}
    assert {f"We decided to use queue {n}." for n in range(len(answers))} <= said


def _one_observation_is_away(place: Place, answers: list[Answered], handle: str) -> None:
    assert _codes(answers) == {"": 1, "bad_request": len(answers) - 1}
    assert [row["handle"] for row in place.run("list", status="retired")["memories"]] == [handle]


_SETTINGS = ("search.limit", "hook.limit", "backup.keep", "seed.commits", "threads", "serve.threads", "character.slots",
             "observe.idle_minutes")  # fmt: skip


def _all_settings_are_set(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    rows = place.run("config show")
    assert [rows[name]["value"] for name in _SETTINGS[: len(answers)]] == [str(n + 3) for n in range(len(answers))]


_AGENTS = ("claude-code", "codex", "gemini-cli", "cursor", "opencode", "qwen-code", "claude-code", "codex")


def _all_are_installed(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    file = place.user / ".claude" / "settings.json"
    hooks = json.loads(file.read_text())["hooks"]
    assert all(len(rows) == 1 for rows in hooks.values())
    assert place.run("uninstall")
    assert not file.exists()


def _all_folders_are_followed(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    store = place.context().memory.store()
    found = {root.path.name for scope in store.scopes() for root in roots.load(store, scope)}
    assert found == {f"notes-{n}" for n in range(len(answers))}
    assert all(place.run("search", query=[f"heron {n} nests"])["results"] for n in range(len(answers)))


def _notes(place: Place) -> None:
    for n in range(_THREADS):
        (place.user / f"notes-{n}").mkdir()
        (place.user / f"notes-{n}" / "a.md").write_text(f"# Birds\n\nThe heron {n} nests at pond {n}.\n")


def _code(place: Place) -> None:
    (place.project / "shop.py").write_text("def total():\n    return rate()\n\n\ndef rate():\n    return 2\n")


def _the_index_is_ones_own(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    assert place.run("code query", query=["total"])["results"]


def _each_hook_calls_once(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    for name in ("post-commit", "post-merge"):
        file = place.project / ".git" / "hooks" / name
        text = file.read_text()
        assert (text.count(">>> gieok code >>>"), text.count("echo mine")) == (1, int(name == "post-commit"))
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
    assert {one.data["balance"] for one in answers} == {10}


def _trusted_what_came(place: Place, answers: list[Answered], _: object) -> None:
    assert Counter(one.data["status"] for one in answers) <= Counter({"trusted": len(answers), "nothing": len(answers)})
    assert len(grants.load(place.home, str(place.project)).entries) == 2
    assert trust.settings_text(str(place.project)) == grants.load(place.home, str(place.project)).settings


def _came_along(place: Place) -> None:
    folder = place.project / ".gieok" / "memory" / "decision"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"{name}.md").write_text(f"---\ntitle: {name}\ncategory: decision\n---\nThe {name} heron nests.\n")
    (place.project / ".gieok" / "config.yaml").write_text("search.limit: 4\n")


def _told_once(place: Place, answers: list[Answered], _: object) -> None:
    assert _codes(answers) == {"": len(answers)}
    journal = place.context().memory.journal()
    found = [message for scope in journal.scopes() for message in journal.read(scope, 0, budget_tokens=1 << 30)]
    assert len(found) == len({one.message.id for one in found}) == 1


def _talk(place: Place) -> None:
    _observed(place)
    shutil.rmtree(place.home)


def _sent(name: str, /, **values: Any) -> Callable[[Place, int, Any], tuple[str, dict[str, Any]]]:
    return lambda place, n, before: (name, values)


WRITERS = {
    "equal records": Writer(_nothing, _sent("remember", text=[_RULE]), _one_is_created),
    "different records of one title": Writer(
        _nothing, lambda p, n, b: ("remember", {"text": [f"Rule number {n} holds."], "title": "Rule"}), _all_are_kept
    ),
    "a record is put away": Writer(
        _remembered, _sent("retire", memories=["decision/we-lint-with-ruff"]), _one_puts_it_away
    ),
    "a record comes back": Writer(
        lambda p: (_remembered(p), p.run("retire", memories=["decision/we-lint-with-ruff"])),
        _sent("restore", memories=["decision/we-lint-with-ruff"]),
        _one_brings_it_back,
    ),
    "a record is edited": Writer(
        _remembered, lambda p, n, h: ("edit", {"handle": h, "text": [f"We lint with tool {n}."]}),
        _the_file_is_what_is_found,
    ),
    "an observation is edited": Writer(
        _observed, lambda p, n, h: ("edit", {"handle": h, "text": [f"We decided to use queue {n}."]}),
        _every_wording_is_kept,
    ),
    "an observation is put away": Writer(
        _observed, lambda p, n, h: ("retire", {"memories": [h]}), _one_observation_is_away
    ),
    "different settings": Writer(
        _nothing, lambda p, n, b: ("config set", {"name": _SETTINGS[n], "value": str(n + 3)}), _all_settings_are_set
    ),
    "agents": Writer(_nothing, lambda p, n, b: ("install", {"agent": _AGENTS[n]}), _all_are_installed),
    "folders": Writer(
        _notes, lambda p, n, b: ("index", {"paths": [str(p.user / f"notes-{n}")]}), _all_folders_are_followed
    ),
    "trust": Writer(_came_along, _sent("trust", yes=True), _trusted_what_came),
    "a project's code": Writer(_code, _sent("code init"), _the_index_is_ones_own),
    "Git's hooks": Writer(_git, _sent("code install-hook"), _each_hook_calls_once),
    "a character": Writer(_nothing, _sent("character create", name=["Maru"]), _one_character),
    "points of a day": Writer(_nothing, _sent("character points", user=["kim"], check_in=True), _points_are_given_once),
    "a transcript": Writer(_talk, _sent("observe run", once=True), _told_once),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    place.project.mkdir()
    for name, value in {
        "HOME": str(tmp_path), "GIEOK_HOME": str(place.home), "GIEOK_EMBEDDER": "none", "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(tmp_path / "talk"), "GIEOK_DAEMON_AUTOSTART": "off",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(place.project)
    return place


@pytest.fixture
def others(place: Place) -> Iterator[at_once.Processes]:
    with at_once.processes(_PROCESSES) as found:
        yield found


def _calls(place: Place, writer: Writer, number: int) -> tuple[list[Asked], Any]:
    before = writer.before(place)
    return [Asked(*writer.call(place, n, before), str(place.project)) for n in range(number)], before


@pytest.mark.parametrize("name", WRITERS)
def test_threads_that_all_look_before_one_writes_lose_nothing_and_repeat_nothing(place: Place, name: str) -> None:
    calls, before = _calls(place, WRITERS[name], _THREADS)
    answers = at_once.in_threads([lambda asked=asked: at_once.answer(asked) for asked in calls])  # type: ignore[misc]
    WRITERS[name].check(place, answers, before)


@pytest.mark.parametrize("name", WRITERS)
def test_processes_lose_nothing_and_repeat_nothing(place: Place, others: at_once.Processes, name: str) -> None:
    calls, before = _calls(place, WRITERS[name], _PROCESSES)
    WRITERS[name].check(place, others.run(calls), before)


def test_prompts_of_one_session_keep_all_that_was_injected(place: Place) -> None:
    windows = [Window(str(place.home), "claude-code", "s") for _ in range(_THREADS)]
    works = [
        lambda n=n, one=one: one.keep("prompt", Injection(f"memory number {n}", [], 3), float(n))  # type: ignore[misc]
        for n, one in enumerate(windows)
    ]
    at_once.in_threads(works)
    row = json.loads(Path(session_file(str(place.home), "claude-code", "s")).read_text())
    assert sorted(row["injected"]) == [f"memory number {n}" for n in range(_THREADS)]
    assert len(row["earlier"]) == _THREADS - 1


def test_a_line_that_is_added_while_a_log_is_rewritten_is_kept(place: Place) -> None:
    log = place.home / "hook" / "calls.jsonl"
    trail.count(str(place.home), {"event": "secret"})
    adds = [lambda n=n: trail.count(str(place.home), {"event": f"call {n}"}) for n in range(_THREADS)]  # type: ignore[misc]
    at_once.in_threads([lambda: fs.rewrite_lines(log, lambda line: "" if "secret" in line else line), *adds])
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert sorted(events) == [f"call {n}" for n in range(_THREADS)]


def test_a_log_that_two_find_too_long_is_put_aside_once(place: Place) -> None:
    log = place.home / "daemon.log"
    fs.append(log, "old\n" * 100)
    at_once.in_threads([lambda n=n: fs.append(log, f"{n}\n", 100) for n in range(_THREADS)])  # type: ignore[misc]
    said = (place.home / "daemon.log.1").read_text() + (log.read_text() if log.exists() else "")
    assert sorted(said.replace("old\n", "").split()) == [str(n) for n in range(_THREADS)]


def test_calibrations_of_several_models_are_all_kept(place: Place) -> None:
    from gieok.app.rerankers import calibrations, keep_calibration
    from gieok.engine.calibration import Calibration

    place.home.mkdir()
    names = [f"model-{n}" for n in range(_THREADS)]
    works = [
        lambda name=name: keep_calibration(place.home, name, Calibration(slope=1.0, shift=0.0, questions=50))  # type: ignore[misc]
        for name in names
    ]
    at_once.in_threads(works)
    assert sorted(calibrations(place.home)) == names


def test_keys_of_several_services_are_all_kept(place: Place) -> None:
    context = place.context()
    names = ["OPENAI_API_KEY", "JINA_API_KEY", "GEMINI_API_KEY", "VOYAGE_API_KEY"]
    at_once.in_threads([lambda name=name: context.admin.keys().keep({name: "value-of-it"}) for name in names])  # type: ignore[misc]
    lines = (place.home / ".env").read_text().split()
    assert sorted(line.partition("=")[0] for line in lines) == sorted(names)


def test_what_is_forgotten_is_not_written_again_by_an_edit_that_read_it_before(place: Place) -> None:
    handle = _remembered(place)
    folder = str(place.project)
    asked = [
        Asked("forget", {"match": _RULE, "yes": True}, folder),
        *(Asked("edit", {"handle": handle, "text": [f"We lint with tool {n}."]}, folder) for n in range(3)),
    ]
    answers = at_once.in_threads([lambda one=one: at_once.answer(one) for one in asked])  # type: ignore[misc]
    assert not answers[0].code
    texts = [file.read_text() for file in place.records()]
    assert not [text for text in texts if _RULE in text]
    assert len(texts) <= 1
    assert places.project_scope(folder)
