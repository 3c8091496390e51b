"""What a list of a scope costs in SQLite."""

from contextlib import closing
from pathlib import Path

from gieok.backends.stores.sqlite import reading
from gieok.backends.stores.sqlite.store import SqliteStore
from gieok.model.retrieval import Filter
from gieok.testing.samples import HOME, entry

#: Steps of SQLite's virtual machine for each document; a look through all of them for each takes thousands.
_STEPS = 200
_DOCUMENTS = 2_000


def test_a_list_of_a_scope_grows_with_its_documents_and_not_with_their_square(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "memory.sqlite")) as store:
        store.put([entry(f"notes/{n}.md", f"Note {n}.") for n in range(_DOCUMENTS)])
        db, steps = store._db(), list[int]()
        db.set_progress_handler(lambda: steps.append(1), 100)
        assert len(reading.within(db, HOME, Filter(), 10 * _DOCUMENTS)) == _DOCUMENTS
        db.set_progress_handler(None, 0)
        assert len(steps) * 100 < _DOCUMENTS * _STEPS
