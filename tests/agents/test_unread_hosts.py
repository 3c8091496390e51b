"""Hosts whose conversations are not read yet: they are named where they are, and nowhere else."""

from pathlib import Path

import pytest

from gieok.agents.agent import list_readable_agents
from gieok.agents.sources import (
    find_changed_transcript,
    iter_unread_transcripts,
    list_transcript_places,
    sources,
)
from gieok.agents.unread_hosts import (
    UNREAD_HOSTS,
    FoundUnreadHost,
    find_unread_hosts,
    list_unread_host_places,
)
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.memory.gaps import list_unread_talk
from gieok.commands.setup.interview import Interview
from gieok.commands.setup.questions.agents import AGENTS
from gieok.home.calls import open_call
from gieok.model.memory import Scope

#: A file of each host, as `shared/fixtures` and the documents of the hosts have them.
_FILES = {
    "Antigravity": ".gemini/antigravity-cli/brain/0a1b/.system_generated/logs/transcript.jsonl",
    "Cline": ".cline/data/sessions/1795/1795.messages.json",
    "Droid": ".factory/sessions/-home-u-shop/0a1b.jsonl",
    "Goose": ".local/share/goose/sessions/sessions.db",
    "Grok Build": ".grok/sessions/%2Fhome%2Fu%2Fshop/0a1b/chat_history.jsonl",
    "Kiro": ".kiro/sessions/cli/0a1b.jsonl",
    "Zed": ".local/share/zed/threads/threads.db",
}


def _touch(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{}")
    return file


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    values = {"HOME": tmp_path / "user", "GIEOK_HOME": tmp_path / "home", "PATH": tmp_path / "bin"}
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "user").mkdir()
    monkeypatch.chdir(tmp_path / "user")
    return tmp_path / "user"


def test_every_host_of_the_table_is_tried_here() -> None:
    assert {host.name for host in UNREAD_HOSTS} == _FILES.keys()


@pytest.mark.parametrize("name", _FILES)
def test_the_folder_of_a_host_is_named_once_and_nothing_in_it_is_read(
    tmp_path: Path, name: str
) -> None:
    file = _touch(tmp_path / _FILES[name])
    (found,) = find_unread_hosts(tmp_path, {})
    assert found.name == name
    assert file.is_relative_to(found.folder)
    known = list_transcript_places(tmp_path, {}, list_readable_agents(), [])
    places = [*known, *list_unread_host_places(tmp_path, {})]
    assert list(iter_unread_transcripts(places)) == [
        (found.folder, "conversations of this agent are not read yet")
    ]
    assert list(sources(places, Scope("agent:main"))) == []
    assert find_changed_transcript(file, places, Scope("agent:main")) is None


def test_an_empty_folder_is_not_named(tmp_path: Path) -> None:
    (tmp_path / ".cline/data/sessions").mkdir(parents=True)
    assert find_unread_hosts(tmp_path, {}) == ()


def test_a_folder_that_a_variable_moves_is_found(tmp_path: Path) -> None:
    _touch(tmp_path / "data/goose/sessions/sessions.db")
    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}
    assert find_unread_hosts(tmp_path, environment) == (
        FoundUnreadHost("Goose", tmp_path / "data/goose/sessions"),
    )


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "not read yet, conversations of:"), ("ko", "아직 읽지 않는 대화:")],
)
def test_index_and_install_name_the_hosts(user: Path, lang: str, words: str) -> None:
    folder = _touch(user / _FILES["Cline"]).parent.parent
    _touch(user / "notes" / "a.md").write_text("The gate code is 4821.")
    line = f"{words} Cline ({folder})"
    listed = load_command("install")(open_call({}), list_=True)
    assert line in load_command("install").present(listed, Style(lang, colour=False))
    load_command("index")(open_call({}), paths=[str(user / "notes")])
    indexed = load_command("index")(open_call({}))
    assert line in load_command("index").present(indexed, Style(lang, colour=False))


def test_where_no_such_host_is_nobody_names_one(user: Path) -> None:
    listed = load_command("install")(open_call({}), list_=True)
    assert listed.not_read is None
    assert "not read yet" not in load_command("install").present(listed, Style("en", colour=False))


@pytest.mark.parametrize(("agents", "count"), [("auto", 1), ("none", 0)])
def test_doctor_names_the_folder_where_agents_are_read_at_all(
    user: Path, monkeypatch: pytest.MonkeyPatch, agents: str, count: int
) -> None:
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", agents)
    folder = _touch(user / _FILES["Kiro"]).parent
    call = open_call({})
    unread = list_unread_talk(call, call.home.transcript_sources.places)
    assert [why for path, why in unread.items() if path == str(folder)] == [
        "conversations of this agent are not read yet"
    ] * count


def test_setup_names_the_folder_beside_its_first_question(user: Path) -> None:
    folder = _touch(user / _FILES["Zed"]).parent
    notes = AGENTS[0].note(Interview(open_call({})))
    assert [line for line in notes if "Zed" in line] == [
        f"not read yet, conversations of: Zed ({folder})"
    ]
