"""What changed in a time is told without reading what changed at another."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.commands.changes import list_changes
from gieok.commands.memory import handles
from gieok.flow import distil
from gieok.model.memory import EDITED_AT, EDITED_TO, Document, Scope
from gieok.surfaces.python import Memory


def test_edits_of_another_time_are_not_read_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    memory = Memory()
    handle = memory.add("Parcels go out on Mondays.").handle
    assert handle is not None
    kept = handles.require_memory(memory.call, handle)
    now = datetime.now(UTC)

    def edited(number: int, at: datetime) -> Document:
        key = kept.document.key if number == 0 else f"{kept.document.key}-{number}"
        metadata = {EDITED_TO: key, EDITED_AT: at.isoformat()}
        text = f"Parcels go out {number} times."
        return replace(kept.document, key=key, text=text, metadata=metadata)

    long_ago = [edited(number, now - timedelta(days=400)) for number in range(1, 500)]
    home = memory.call.home
    distil.replaced(home.journal, home.store, [*long_ago, edited(0, now)], now)
    memory.add("Parcels go out on Mondays.")
    (store,) = home.stores.all()
    asked: list[str] = []
    get = type(store).get

    def count(self: object, scope: Scope, keys: Sequence[str]) -> list[Document]:
        asked.extend(keys)
        return get(self, scope, keys)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "get", count)
    (change,) = list_changes(
        memory.call, memory.call.scopes, now - timedelta(days=30), now + timedelta(days=1), 5
    )
    assert change.before == "Parcels go out 0 times."
    assert asked == [kept.document.key]
