"""Every answer that docs/setup.md lists is taken from a file, whatever is on the machine."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from contexts import using

from gieok.commands.setup.answers import fill_in_answers, read_answer_file
from gieok.commands.setup.changes import is_asked
from gieok.commands.setup.interview import Interview
from gieok.commands.setup.questions import QUESTIONS
from gieok.commands.setup.questions.after import AFTER, find_chosen_exports, find_chosen_notes
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.setup import HomeSetup

_PAGE = Path(__file__).parents[3] / "docs" / "setup.md"
_TABLE = (*QUESTIONS, *AFTER)
_ARCHIVE: dict[str, object] = {"cold": "obsidian", "folder": "~/vault"}
_MAIL: dict[str, object] = {
    "smtp_host": "smtp.example.org",
    "mail_to": "me@example.org",
    "smtp_password": "KEY",
}
_SERVER: dict[str, object] = {
    "base_url": "http://127.0.0.1:9/v1",
    "model_name": "small",
    "key": "KEY",
}
_HOSTED: dict[str, object] = {"model_name": "small", "key": "KEY"}
#: Answer on the page → each of its values there, with the answers that it needs beside it.
_LISTED: dict[str, tuple[tuple[object, dict[str, object]], ...]] = {
    "agents": (
        (["claude-code", "codex"], {}),
        ("none", {}),
        ("folders", {"folders": "~/talks"}),
    ),
    "hot_days": ((90, {}),),
    "cold": (
        ("none", {}),
        ("folder", {"folder": "~/vault"}),
        ("obsidian", {"folder": "~/vault"}),
        ("dropbox", {}),
    ),
    "warm_days": ((365, _ARCHIVE),),
    "approve": ((True, _ARCHIVE), (False, _ARCHIVE)),
    "folder": (("~/vault", {"cold": "obsidian"}),),
    "subfolder": (("Gieok", _ARCHIVE),),
    "model": (
        ("rules", {}),
        ("claude-code", {}),
        ("codex", {}),
        ("ollama", {"model_name": "small"}),
        ("anthropic", _HOSTED),
        ("gemini", _HOSTED),
        ("openai", _HOSTED),
        ("compatible", _SERVER),
    ),
    "model_name": (("gpt-5-mini", {"model": "openai", "key": "KEY"}),),
    "key": (("KEY", {"model": "openai"}),),
    "notify": (
        (["desktop", "smtp"], _MAIL),
        ("desktop", {}),
        ("openclaw", {}),
        ("smtp", _MAIL),
        ("none", {}),
    ),
    "smtp_host": (("smtp.example.org", {"notify": "smtp", **_MAIL}),),
    "mail_to": (("me@example.org", {"notify": "smtp", **_MAIL}),),
    "install": ((True, {}), (False, {})),
    "take_in": ((True, {}), (False, {})),
    "notes": (("~/notes", {}), (False, {})),
    "take_notes": (
        ("notes", {"notes": "~/notes"}),
        (True, {"notes": "~/notes"}),
        (False, {"notes": "~/notes"}),
    ),
    "notes_unasked": ((True, {"notes": "~/notes"}), (False, {"notes": "~/notes"})),
    "start": ((True, {}), (False, {})),
    "pages": ((True, {}), (False, {})),
}
_FOLDERS = ("text files", "text files and exports", "exports", "nothing to read")


class _OllamaHere(HomeSetup):
    """A home's own setup on a machine on which Ollama answers."""

    def ollama(self) -> Sequence[str]:
        return ["small"]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a call on a machine that has all of which docs/setup.md says a name."""
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    for folder in (".claude/projects", ".codex/sessions", "talks", "vault/.obsidian", "notes"):
        (tmp_path / folder).mkdir(parents=True)
    for program in ("claude", "codex"):
        (tmp_path / program).touch(mode=0o700)
    environment = {
        "HOME": str(tmp_path),
        "PATH": str(tmp_path),
        "GIEOK_EMBEDDER": "none",
        "KEY": "key-1",
        "DROPBOX_APP_KEY": "key-1",
        "DROPBOX_REFRESH_TOKEN": "key-1",
    }
    opened = open_call({}, environment=environment, folder=tmp_path, lang="en")
    return using(opened, setup=_OllamaHere(opened.home))


def _fill_folder(folder: Path, kind: str) -> None:
    if kind.startswith("text files"):
        (folder / "lease.md").write_text("The lease ends in March 2027.\n")
    if kind.endswith("exports"):
        chat = {
            "uuid": "c",
            "name": "Cat",
            "created_at": "2026-11-20T09:00:00Z",
            "chat_messages": [
                {
                    "uuid": "m",
                    "sender": "human",
                    "text": "Our cat Bori is allergic to chicken.",
                    "created_at": "2026-11-20T09:00:00Z",
                }
            ],
        }
        (folder / "conversations.json").write_text(json.dumps([chat]))
    if kind == "nothing to read":
        (folder / "contract.pdf").write_bytes(b"%PDF-1.4")


def _read_page() -> dict[str, str]:
    """Return each answer of the page's file → its line."""
    block = re.findall(
        r"^```yaml\n(.*?)^```", _PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )[0]
    return {line.partition(":")[0]: line for line in block.splitlines()}


def test_the_values_that_are_tried_are_those_of_the_page() -> None:
    lines = _read_page()
    assert list(lines) == [*_LISTED, "ask"]
    for name, cases in _LISTED.items():
        values = {value for value, _ in cases if isinstance(value, str)}
        comment = lines[name].partition("#")[2]
        # a list stands before the first semicolon; what is in brackets belongs to one of its values
        listed = re.split(r", or |, ", re.sub(r" \([^)]*\)", "", comment.partition(";")[0]).strip())
        if name in ("cold", "model", "notify"):
            assert set(listed) == values, name
        else:
            picked = {value for value in values if value != "KEY" and not value.startswith("~")}
            assert all(value in lines[name] for value in picked), name


@pytest.mark.parametrize("kind", _FOLDERS)
@pytest.mark.parametrize(
    ("name", "value", "beside"),
    [(name, value, beside) for name, cases in _LISTED.items() for value, beside in cases],
)
def test_every_value_that_the_page_lists_is_taken(
    call: Call, tmp_path: Path, name: str, value: object, beside: dict[str, object], kind: str
) -> None:
    _fill_folder(tmp_path / "notes", kind)
    file = tmp_path / "answers.yaml"
    file.write_text(yaml.safe_dump({**beside, name: value}))
    raw = read_answer_file(file, _TABLE, ())
    filled = fill_in_answers(Interview(call), raw, _TABLE, QUESTIONS)
    if is_asked(filled, next(question for question in _TABLE if question.name == name)):
        assert filled.answers[name] == _read_answer(name, value)


def _read_answer(name: str, value: object) -> object:
    if name in ("agents", "notify"):
        return tuple(value) if isinstance(value, list) else () if value == "none" else (value,)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "key-1" if value == "KEY" else str(value)


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        ("agents: nobody", "'nobody'"),
        ("agents: [claude-code, never]", "'never'"),
        ("notify: [none, desktop]", "'none'"),
        ("notes: ~/notes\ntake_notes: maybe", "'maybe'"),
    ],
)
def test_another_value_is_refused_by_its_whole_name(
    call: Call, tmp_path: Path, answers: str, named: str
) -> None:
    _fill_folder(tmp_path / "notes", "text files")
    file = tmp_path / "answers.yaml"
    file.write_text(answers)
    raw = read_answer_file(file, _TABLE, ())
    with pytest.raises(BadRequest, match=named):
        fill_in_answers(Interview(call), raw, _TABLE, QUESTIONS)


@pytest.mark.parametrize("kind", _FOLDERS)
def test_the_text_files_alone_are_the_text_files_whatever_else_is_there(
    call: Call, tmp_path: Path, kind: str
) -> None:
    _fill_folder(tmp_path / "notes", kind)
    file = tmp_path / "answers.yaml"
    file.write_text("notes: ~/notes\ntake_notes: notes")
    raw = read_answer_file(file, _TABLE, ())
    filled = fill_in_answers(Interview(call), raw, _TABLE, QUESTIONS)
    assert bool(find_chosen_notes(filled)) is kind.startswith("text files")
    assert find_chosen_exports(filled) == ()
