"""Killed between any two steps of a move to cold, or of taking in what a person did there: nothing
is lost or doubled.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import vaults
from vaults import HOME, Vault, observe

from gieok.flow.distil import deliver
from gieok.memory.tiers import approval, move, sweep, sync
from gieok.memory.tiers.tiers import Group
from gieok.model.memory import Tier

_STEPS = ("archive", "mark_stale", "settle", "keep")
_FILES = ("write", "delete")


class Killed(BaseException):
    """The process is no more."""


def _dying(vault: Vault, monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], int]:
    """Let `at` steps be done, and no more; return what counts them."""
    steps = 0

    def wrapped(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **more: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps > at:
                raise Killed
            return real(*arguments, **more)

        return step

    for name in _STEPS:
        monkeypatch.setattr(vault.tiers.journal, name, wrapped(getattr(vault.tiers.journal, name)))
    for tier in (Tier.WARM, Tier.COLD):
        archive = vault.tiers.shelves[tier].archive(HOME)
        for name in _FILES:
            monkeypatch.setattr(type(archive), name, wrapped(getattr(type(archive), name)))
    return lambda: steps


def _lives(vault: Vault) -> dict[str, str]:
    """Return key → text as it stands where the journal says that it lives; asserts that it lives
    once.
    """
    journal = vault.tiers.journal
    found = {entry.document.key: entry.document.text for entry in journal.made(HOME)}
    for place in {row.place for row in journal.archived(HOME)}:
        shelf = vault.tiers.shelves[place.tier]
        state = move.read_file_state(
            vault.tiers, Group(HOME, place.tier, shelf.plain(place.path)), lambda scope, keys: []
        )
        for key, living in state.living.items():
            assert key not in found
            found[key] = living.entry.document.text
    return found


_TEXTS = ("We ship with SQLite", "We deploy on Fridays", "우리는 로그를 90일 보관한다")


def _approve(vault: Vault) -> None:
    approval.approve_days(
        vault.tiers, [one.day for one in approval.list_due_days(vault.tiers, 365)]
    )
    sync.sweep_cold_tier(vault.tiers)


def _sync(vault: Vault) -> None:
    sync.sync_cold_tier(vault.tiers)
    sync.sweep_cold_tier(vault.tiers)


def _in_warm(vault: Vault) -> None:
    observe(vault.tiers, *_TEXTS, is_approved=False)


def _changed(vault: Vault) -> None:
    observe(vault.tiers, *_TEXTS)
    note = vault.note("SQLite")
    note.write_text(note.read_text().replace("SQLite\n", "DuckDB\n"))
    vault.note("Fridays").rename(vault.folder / "Deploy.md")
    vault.note("로그를").unlink()


#: More steps than a case has: a later one kills nothing.
_MOST = 22
_CASES = {"approve": (_in_warm, _approve), "sync": (_changed, _sync)}


@pytest.mark.parametrize("at", range(_MOST))
@pytest.mark.parametrize("name", sorted(_CASES))
def test_killed_at_any_step_everything_lives_once(
    name: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = vaults.make(tmp_path)
    prepare, act = _CASES[name]
    prepare(vault)
    expected = _expected(name)
    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        _dying(vault, patch, at)
        act(vault)
    alive = _lives(vault)
    # Until the run that notices it, the index alone has what a person deleted, and knows where what
    # they moved was.
    assert (
        len(alive) == len(_TEXTS)
        if name == "approve"
        else len(alive.keys() | set(vault.tiers.store.hashes(HOME))) == 3
    )
    deliver(vault.tiers.journal, vault.tiers.store)
    act(vault)
    act(vault)
    assert sorted(_lives(vault).values()) == sorted(expected)
    assert vault.tiers.journal.stale_places() == []
    assert {one.text: vault.place(one) for one in vault.documents()} == expected
    assert len(vault.questions()) == ("hot" in expected.values())
    assert sweep.sweep_stale_places(vault.tiers).wrong == []
    assert sorted(note for note in vault.notes() if "version" in note) == []
    vault.tiers.journal.close()


def _expected(name: str) -> dict[str, str]:
    """Return text → where it lives in the end."""
    if name == "approve":
        return {text: f"Gieok/2024/08/01 {text}.md" for text in _TEXTS}
    return {
        "We ship with DuckDB": "Gieok/2024/08/01 We ship with SQLite.md",
        "We deploy on Fridays": "Deploy.md",
        "우리는 로그를 90일 보관한다": "hot",
    }
