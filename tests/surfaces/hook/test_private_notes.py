"""A person's own notes in a prompt at work: only what surely bears on it, and nothing of folders
that are asked only.
"""

import json
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.home.calls import open_call
from gieok.hook.note_gate import NoteGate
from gieok.places.scope import USER_SCOPE

_WORK = "when does the warehouse scanner contract with Lindqvist end?"
_NOTES = {
    "scanner.md": (
        "# Warehouse scanner\n\nThe warehouse scanner contract with Lindqvist ends in March.\n"
    ),
    "mother.md": "# Mother\n\nMother takes the blue tablets for her heart before breakfast.\n",
    "tax.md": "# Tax\n\nThe tax office wants the letter by the tenth.\n",
}


@pytest.fixture
def vault(place, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = place.user / "vault"
    folder.mkdir()
    for name, text in _NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(place.user)
    call = open_call({})
    load_command("index")(call, paths=[str(folder)])
    call.home.store.close()
    monkeypatch.chdir(place.project)
    return folder


def _recalled(prompt: str) -> str:
    call = open_call({})
    text: str = load_command("recall")(call, prompt=[prompt]).text
    call.home.store.close()
    return text


def test_a_note_that_surely_bears_on_a_prompt_comes_up_at_work(place, vault: Path) -> None:
    assert "March" in place.hook("prompt", place.payload(_WORK)).context
    assert "March" in _recalled(_WORK)


def test_of_a_folder_that_is_asked_only_nothing_is_injected_and_everything_is_found(
    place, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.home / "config.yaml").write_text(
        json.dumps({"hook": {"asked_only": "~/vault"}}), encoding="utf-8"
    )
    assert place.hook("prompt", place.payload(_WORK)).context == ""
    assert _recalled(_WORK) == ""
    call = open_call({})
    found = load_command("search")(call, query=[_WORK])
    assert "March" in found.results[0].snippet


@pytest.mark.parametrize(
    ("is_note", "scope", "score", "text", "is_admitted"),
    [
        (True, USER_SCOPE, 0.9, "the tablets of mother", True),
        (True, USER_SCOPE, 0.49, "the tablets of mother", False),
        (True, USER_SCOPE, 0.9, "her medicine", False),
        (True, "project:shop-1", 0.2, "her medicine", True),
        (False, USER_SCOPE, 0.2, "her medicine", True),
    ],
)
@pytest.mark.parametrize("is_work", [True, False])
def test_a_private_note_needs_a_shared_word_and_to_be_likely_where_the_prompt_is_of_a_project(
    is_note: bool, scope: str, score: float, text: str, is_admitted: bool, is_work: bool
) -> None:
    scopes = ["project:shop-1", USER_SCOPE] if is_work else [USER_SCOPE]
    gate = NoteGate("", scopes, "which tablets do we sell?")
    source, category = (
        ("/home/kim/vault/a.md", "")
        if is_note
        else ("/home/kim/.gieok/memory/decision/a.md", "decision")
    )
    admits = gate.admits(
        source=source, scope=scope, key="vault/a.md", category=category, score=score, text=text
    )
    assert admits is (is_admitted or not is_work)


def test_what_is_no_file_is_no_note() -> None:
    gate = NoteGate("/home/kim/vault", ["project:shop-1"], "tablets")
    assert gate.admits(
        source="journal", scope=USER_SCOPE, key="observe:1", category="", score=0.1, text=""
    )
    assert not gate.admits(
        source="/home/kim/vault/a.md",
        scope=USER_SCOPE,
        key="v/a.md",
        category="",
        score=1,
        text="",
    )


def test_a_memory_that_was_refused_for_a_prompt_comes_before_no_prompt_like_it(
    place, vault: Path
) -> None:
    call = open_call({})
    (hit, *_) = load_command("search")(call, query=[_WORK], everywhere=True).results
    call.home.store.close()
    alike = "when does the Lindqvist contract for the warehouse scanner end"
    assert "March" in place.hook("prompt", place.payload(alike)).context
    refuse = open_call({"scope": USER_SCOPE})
    load_command("hook refuse")(refuse, handle=hit.handle, prompt=_WORK)
    refuse.home.store.close()
    for prompt in (_WORK, alike):
        assert place.hook("prompt", place.payload(prompt)).context == ""
        assert _recalled(prompt) == ""
    other = "is the warehouse scanner of Lindqvist under contract in our second office too"
    assert "March" in place.hook("prompt", place.payload(other)).context
