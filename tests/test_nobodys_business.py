"""What is paused, private or excluded is nowhere in the home, whatever way it tried to come in: a
search over every byte.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.served import served, token

import gieok
from gieok import private
from gieok.character.cards.card import new_card
from gieok.errors import Withheld
from gieok.private import Privacy
from gieok.surfaces.cli import main
from gieok.testing.model_server import ModelServer

#: Rare words, each of which the keyword index would keep by itself.
_WORDS = ("walnutember", "호두불씨")
_TOLD = "The walnutember phrase is 호두불씨 and opens the harbour."
_OPEN = "We settle payments on Tuesdays."


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "user"
    (folder / "shop" / ".git").mkdir(parents=True)
    (folder / "diary" / ".git").mkdir(parents=True)
    settings = {
        "GIEOK_EMBEDDER": "none",
        "GIEOK_DAEMON_AUTOSTART": "off",
        "GIEOK_HOOK_DEADLINE_MS": "600000",
    }
    for name, value in {
        "HOME": str(folder),
        "GIEOK_HOME": str(tmp_path / "home"),
        **settings,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder / "shop")
    yield folder
    private.use_privacy(Privacy())


def _transcript(user: Path, name: str, text: str, cwd: Path, *, day: str = "2020-01-05") -> Path:
    file = user / ".claude" / "projects" / "-x" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "type": role,
            "uuid": f"{name}{n}",
            "sessionId": name,
            "timestamp": f"{day}T09:0{n}:00Z",
            "cwd": str(cwd),
            "message": {"role": role, "content": text},
        }
        for n, role in enumerate(("user", "assistant"))
    ]
    file.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )
    return file


def _export_of_mem0(folder: Path, text: str) -> Path:
    folder.mkdir()
    rows = [{"id": "1", "memory": text, "created_at": "2020-01-05T09:00:00Z", "user_id": "kim"}]
    (folder / "memories.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return folder / "memories.json"


def _hook(event: str, payload: dict[str, object]) -> str:
    command = [sys.executable, "-m", "gieok", "hook", event, "--agent", "claude-code"]
    text = json.dumps(payload).encode()
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout.decode()


def _mcp(name: str, arguments: dict[str, object]) -> str:
    first = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        },
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return subprocess.run(
        [sys.executable, "-m", "gieok", "mcp"], input=text, capture_output=True, check=True
    ).stdout.decode()


def _holding(root: Path) -> list[str]:
    """Return the files below a folder that hold any of the words, in any case, names included."""
    found = []
    for file in root.rglob("*"):
        data = file.read_bytes().lower() if file.is_file() else b""
        words = (*_WORDS, *(json.dumps(word).strip('"') for word in _WORDS))
        if any(word.encode() in data or word in str(file).lower() for word in words):
            found.append(str(file.relative_to(root)))
    return found


def _try_every_way(user: Path, notes: Path, text: str) -> None:
    """Bring a text in by every way of a person and of an agent; what refuses it is a way that is
    closed.
    """
    _transcript(user, "s1", text, user / "shop")
    payload = {"session_id": "s1", "cwd": str(user / "shop"), "prompt": text}
    _hook("session-start", payload | {"source": "startup"})
    _hook("prompt", payload)
    _hook(
        "stop",
        payload | {"transcript_path": str(user / ".claude" / "projects" / "-x" / "s1.jsonl")},
    )
    main(["observe", "run", "--once"])
    main(["remember", text])
    main(["remember", "A title tells it.", "--title", text, "--tags", text.replace(" ", ",")])
    _mcp("memory_remember", {"text": text})
    with pytest.raises(Withheld):
        gieok.open(user / "shop").add(text)
    notes.mkdir(exist_ok=True)
    (notes / "note.md").write_text(f"# {text}\n\n{text}\n", encoding="utf-8")
    main(["index", str(notes)])
    main(["import", "mem0", str(_export_of_mem0(user / "export", text))])
    main(["search", "harbour"])


def test_what_is_told_in_a_pause_is_nowhere_then_or_after_it(user: Path, tmp_path: Path) -> None:
    assert main(["remember", _OPEN]) == 0
    Privacy(str(tmp_path / "home")).begin_pause(1.0)
    _try_every_way(user, tmp_path / "notes", _TOLD)
    assert _holding(tmp_path / "home") == []
    assert _holding(user / "shop") == []
    (tmp_path / "notes" / "note.md").unlink()
    assert main(["resume"]) == 0
    _transcript(user, "s2", _OPEN, user / "shop")
    (user / ".claude" / "projects" / "-x" / "copy.jsonl").write_bytes(
        (user / ".claude" / "projects" / "-x" / "s1.jsonl").read_bytes()
    )
    assert main(["observe", "run", "--once"]) == 0
    assert main(["import", "mem0", str(user / "export" / "memories.json")]) == 1
    assert main(["search", "harbour", "--everywhere"]) == 1
    assert _holding(tmp_path / "home") == []


def test_what_is_told_in_an_excluded_folder_is_nowhere(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["remember", _OPEN]) == 0
    assert main(["config", "set", "exclude.folders", f"{user}/shop,{tmp_path}/notes"]) == 0
    _try_every_way(user, tmp_path / "notes", _TOLD)
    (user / "shop" / "CLAUDE.md").write_text(_TOLD, encoding="utf-8")
    (user / "shop" / "pay.py").write_text(f"# {_TOLD}\nx = 1\n", encoding="utf-8")
    assert main(["code", "init"]) == 2
    monkeypatch.chdir(user)
    assert main(["index", str(tmp_path)]) in (0, 1)
    assert _holding(tmp_path / "home") == []


def test_what_is_told_in_a_private_session_is_nowhere(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _transcript(user, "word", f"비공개\n{_TOLD}", user / "shop")
    assert main(["observe", "run", "--once"]) == 0
    monkeypatch.setenv(private.VARIABLE, "1")
    payload = {"session_id": "s1", "cwd": str(user / "shop"), "prompt": _TOLD}
    _hook("session-start", payload | {"source": "startup"})
    _hook("prompt", payload)
    assert main(["remember", _TOLD]) == 2
    assert "private" in _mcp("memory_remember", {"text": _TOLD})
    monkeypatch.delenv(private.VARIABLE)
    _transcript(user, "s1", _TOLD, user / "shop", day="2999-01-05")
    assert main(["observe", "run", "--once"]) == 0
    assert _holding(tmp_path / "home") == []


def test_what_is_marked_is_nowhere_and_what_stands_around_it_is_found(
    user: Path, tmp_path: Path
) -> None:
    marked = f"Book the ferry at nine. <private>{_TOLD}\n\n{_TOLD}</private> It costs four euros."
    unclosed = f"Bring the umbrella. <private>{_TOLD}"
    _transcript(user, "s1", marked, user / "shop")
    _transcript(user, "s2", unclosed, user / "shop")
    assert main(["observe", "run", "--once"]) == 0
    assert main(["remember", marked]) == 0
    assert main(["remember", f"<private>{_TOLD}</private>"]) == 2
    assert (
        main(["remember", "A title tells it.", "--title", f"Ferry <private>{_TOLD}</private>"]) == 0
    )
    (tmp_path / "notes").mkdir()
    for name, text in (
        ("a", marked),
        ("b", f"<private>\n# {_TOLD}\n</private>\n\nThe rest of a note.\n"),
    ):
        (tmp_path / "notes" / f"{name}.md").write_text(
            f"---\nsummary: <private>{_TOLD}</private>\n---\n{text}\n"
        )
    assert main(["index", str(tmp_path / "notes")]) == 0
    assert main(["import", "mem0", str(_export_of_mem0(user / "export", marked))]) == 0
    for words in ("ferry", "umbrella", "rest"):
        assert main(["search", words, "--everywhere"]) == 0
    assert _holding(tmp_path / "home") == []
    assert _holding(user / "shop") == []


def test_a_service_takes_in_nothing_while_it_is_paused_and_nothing_that_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, home, messages = ModelServer(), tmp_path / "home", "/api/characters/mina/messages"
    settings = {"CHARACTER_MODEL": "compatible:m", "CHARACTER_BASE_URL": f"{model.url}/v1"}
    with served(home, monkeypatch, CHARACTER_MEMORY_MODEL="rules", **settings) as service:
        service.house.roster.create("", new_card({"name": "Mina"}, ("어서 와.",)), "mina")
        service.house.points.credit("kim", 5, "first")
        model.script = ["그래."]
        said = {"text": f"나 망원동에 살아. <private>{_TOLD}</private>"}
        assert service.client.post(messages, json=said, headers=token("kim")).status_code == 200
        Privacy(str(home)).begin_pause(1.0)
        answers = [
            service.client.post(messages, json={"text": _TOLD}, headers=token("kim")),
            service.client.post(
                "/api/operations/remember",
                json={"text": _TOLD, "user": True},
                headers=service.owner,
            ),
        ]
        assert [answer.status_code for answer in answers] == [409, 409]
        assert {answer.json()["code"] for answer in answers} == {"withheld"}
        assert _holding(home) == []
    model.shutdown()
    model.server_close()
    assert all(word not in str(model.requests) for word in _WORDS)
