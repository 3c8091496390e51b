"""What a call shows while it works."""

from dataclasses import replace
from pathlib import Path

import pytest

from gieok.home.calls import open_call


@pytest.mark.parametrize(
    "what", ["blocks of turns", "copied", "deleted", "embedded", "questions", "uploaded", "vectors"]
)
def test_progress_is_counted_in_the_language_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path))
    said: list[str] = []
    for lang in ("en", "ko"):
        call = replace(open_call({}), say=said.append, lang=lang)
        call.progress(what, 10)(10)
    english, korean = said
    assert english.startswith(f"{what} 10/10")
    assert korean.endswith("10/10 (100%)")
    assert what not in korean
