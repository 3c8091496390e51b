"""A mirror is synchronised, mended and made anew as its numbers say; the library is a double."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gieok.errors import StoreError
from gieok.model.retrieval import Filter
from gieok.storage.index.mirrored.library import Floats, Ints, LibraryFailed, translated_failures
from gieok.storage.index.mirrored.mirror import VectorMirror, Wanted
from gieok.storage.index.mirrored.store import MirroredStore
from gieok.storage.index.sqlite.store import SqliteStore
from gieok.testing import HashEmbedder
from gieok.testing.samples import HOME, OTHER, build_entry, corpus, embed_missing, near

_EMBEDDER = HashEmbedder(8)


class _KeptSet:
    """`VectorSet` in memory. `swallows`: it forgets what is added."""

    def __init__(self, library: "_KeptLibrary") -> None:
        self.library = library
        self.held: dict[int, list[float]] = {}

    def numbers(self) -> Ints:
        return np.array([*self.held], np.int64)

    def count(self) -> int:
        return len(self.held)

    def add(self, numbers: Ints, vectors: Floats) -> None:
        self.library.added.append(len(numbers))
        if not self.library.swallows:
            self.held.update(zip(numbers.tolist(), vectors.tolist(), strict=True))

    def remove(self, numbers: Ints) -> None:
        self.library.removed.append(len(numbers))
        for number in numbers.tolist():
            del self.held[number]

    def near(self, vector: Floats, limit: int) -> Ints:
        self.library.asked.append(limit)
        if self.library.failures:
            self.library.failures -= 1
            raise LibraryFailed("broken")
        rows = self.held.items()
        best = sorted(rows, key=lambda row: (-float(np.dot(row[1], vector)), row[0]))
        return np.array([number for number, _ in best[: min(limit, self.library.most)]], np.int64)


class _KeptLibrary:
    """`Library` whose sets outlive its handles, as files would."""

    def __init__(self) -> None:
        self.sets: dict[str, dict[str, _KeptSet]] = {}
        self.opened: list[str] = []
        self.asked: list[int] = []
        self.added: list[int] = []
        self.removed: list[int] = []
        self.closed = self.tidied = self.failures = 0
        self.most = 10_000
        self.swallows = False
        self._folder = ""
        self.tidied_to: Callable[[], object] = lambda: None

    def __call__(self, folder: Path) -> "_KeptLibrary":
        folder.mkdir(exist_ok=True)
        self._folder = folder.name
        self.opened.append(folder.name)
        return self

    def open(self, name: str, dimension: int) -> _KeptSet:
        return self.sets.setdefault(self._folder, {}).setdefault(name, _KeptSet(self))

    def names(self) -> list[str]:
        return [*self.sets.get(self._folder, {})]

    def drop(self, name: str) -> None:
        del self.sets[self._folder][name]

    def tidy(self) -> None:
        self.tidied += 1
        self.tidied_to()

    def close(self) -> None:
        self.closed += 1


def _want(*numbers: int, generation: int = 1, scope: int = 1, model: int = 1) -> Wanted:
    return Wanted(scope, model, 2, generation, np.array(numbers, np.int64))


def _fetch(numbers: Ints) -> Floats:
    return np.array([[number, 1] for number in numbers.tolist()], np.float32)


_EAST = np.array([1, 0], np.float32)


@pytest.fixture
def library() -> _KeptLibrary:
    return _KeptLibrary()


@pytest.fixture
def mirror(tmp_path: Path, library: _KeptLibrary) -> VectorMirror:
    (tmp_path / "m").mkdir()
    return VectorMirror(tmp_path / "m", library, 1_000)


def _ask(mirror: VectorMirror, wanted: Wanted, limit: int = 2) -> list[int]:
    return mirror.near(wanted, _fetch, _EAST, limit).tolist()


def test_a_set_is_filled_once_and_aligned_with_each_generation(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    assert mirror.generations() == {}
    assert _ask(mirror, _want(1, 2, 3)) == [3, 2]
    assert _ask(mirror, _want(1, 2, 3)) == [3, 2]
    assert (library.added, library.removed) == ([3], [])
    assert mirror.generations() == {1: (1, 1)}
    assert _ask(mirror, _want(2, 4, generation=2)) == [4, 2]
    assert (library.added, library.removed) == ([3, 1], [2])
    assert mirror.generations() == {1: (1, 2)}


def test_a_set_ahead_of_what_is_wanted_is_asked_as_it_is(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    _ask(mirror, _want(1, 2, generation=5))
    assert _ask(mirror, _want(1, 2, 3, generation=4)) == [2, 1]
    assert library.added == [2]


def test_a_set_of_another_count_at_its_generation_is_mended(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    _ask(mirror, _want(1, 2))
    library.sets["1"]["scope1-model1"].held.pop(2)
    assert _ask(mirror, _want(1, 2)) == [2, 1]
    assert library.added == [2, 1]


def test_a_mirror_differs_where_it_claims_what_it_does_not_hold(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    assert not mirror.differs(_want(1, 2))
    _ask(mirror, _want(1, 2))
    assert not mirror.differs(_want(1, 2))
    assert mirror.differs(_want(1, 3))
    assert not mirror.differs(_want(1, 3, generation=2))
    assert not mirror.differs(_want(1, 3, generation=0))


def test_sets_of_another_model_of_the_scope_are_dropped_and_those_of_other_scopes_stay(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    for scope, model in ((1, 1), (11, 1), (2, 1), (1, 2)):
        _ask(mirror, _want(1, scope=scope, model=model))
    assert sorted(library.sets["1"]) == ["scope1-model2", "scope11-model1", "scope2-model1"]
    assert mirror.generations() == {1: (2, 1), 11: (1, 1), 2: (1, 1)}


def test_a_library_that_fails_once_is_opened_again_and_then_made_anew(
    mirror: VectorMirror, library: _KeptLibrary
) -> None:
    _ask(mirror, _want(1))
    library.failures = 1
    assert _ask(mirror, _want(1)) == [1]
    assert library.opened == ["1", "1"]
    library.failures = 2
    with pytest.raises(LibraryFailed):
        _ask(mirror, _want(1))


def test_a_library_that_keeps_nothing_is_made_anew_once_and_then_told_of(
    mirror: VectorMirror, library: _KeptLibrary, tmp_path: Path
) -> None:
    library.swallows = True
    with pytest.raises(StoreError, match="0 vectors are held where 2 were written"):
        mirror.in_line(_want(1, 2), _fetch)
    assert library.opened == ["1", "2"]
    assert mirror.generations() == {}
    assert [file.name for file in (tmp_path / "m").iterdir() if file.is_dir()] == ["2"]
    library.swallows = False
    assert _ask(mirror, _want(1, 2)) == [2, 1]


def test_another_handle_is_seen_by_its_writes_and_a_question_opens_nothing_again(
    mirror: VectorMirror, library: _KeptLibrary, tmp_path: Path
) -> None:
    other = VectorMirror(tmp_path / "m", library, 1_000)
    _ask(mirror, _want(1))
    _ask(mirror, _want(1))
    assert len(library.opened) == 1
    _ask(other, _want(1))
    _ask(mirror, _want(1))
    assert len(library.opened) == 2
    _ask(other, _want(1, 2, generation=2))
    _ask(mirror, _want(1, 2, generation=2))
    assert len(library.opened) == 3
    other.drop()
    _ask(mirror, _want(1, 2, generation=2))
    assert library.opened[3:] == ["2"]
    mirror.close()
    _ask(mirror, _want(1, 2, generation=2))
    assert library.opened[4:] == ["2"]


def test_vectors_go_to_the_library_in_batches(mirror: VectorMirror, library: _KeptLibrary) -> None:
    _ask(mirror, _want(*range(4_097)))
    _ask(mirror, _want(generation=2))
    assert (library.added, library.removed) == ([4_096, 1], [4_096, 1])


class _SizedMirror(VectorMirror):
    """A mirror that says how large it is: a transaction's own files would blur a bound."""

    size = 0

    def disk_bytes(self) -> int:
        return self.size


@pytest.mark.parametrize("scopes", [1, 2])
def test_a_mirror_is_made_anew_above_what_its_vectors_may_take(
    library: _KeptLibrary, tmp_path: Path, scopes: int
) -> None:
    (tmp_path / "m").mkdir()
    sized = _SizedMirror(tmp_path / "m", library, 1_000)
    for scope in range(scopes):
        _ask(sized, _want(1, 2, 3, scope=scope + 1))
    # 4 times the 4 bytes of each of 2 dimensions of each vector of each scope.
    sized.size = 16_000_000 + (200_000 + 4 * 4 * 2 * 3) * scopes
    _ask(sized, _want(1, 2, 4, generation=2))
    assert (library.tidied, library.opened[-1]) == (0, "1")
    sized.size += 1
    _ask(sized, _want(1, 2, 3, generation=3))
    assert (library.tidied, library.opened[-1]) == (2, "2")
    assert not (tmp_path / "m" / "1").exists()


def test_a_library_that_gives_space_back_is_not_made_anew(
    library: _KeptLibrary, tmp_path: Path
) -> None:
    (tmp_path / "m").mkdir()
    sized = _SizedMirror(tmp_path / "m", library, 1_000)
    sized.size = 20_000_000
    library.tidied_to = lambda: setattr(sized, "size", 1_000_000)
    _ask(sized, _want(2, generation=2))
    assert (library.tidied, set(library.opened)) == (1, {"1"})


def test_a_mirror_takes_the_space_of_its_files(mirror: VectorMirror, tmp_path: Path) -> None:
    (tmp_path / "m" / "1" / "deep").mkdir(parents=True)
    (tmp_path / "m" / "1" / "deep" / "a").write_bytes(b"12345")
    (tmp_path / "m" / "b").write_bytes(b"123")
    assert mirror.disk_bytes() == 8


def test_a_folder_that_stays_too_large_is_made_anew_only_once(
    mirror: VectorMirror, library: _KeptLibrary, tmp_path: Path
) -> None:
    _ask(mirror, _want(1))
    (tmp_path / "m" / "stray").write_bytes(b"\0" * 20_000_000)
    assert _ask(mirror, _want(2, generation=2)) == [2]
    assert set(library.opened) == {"1", "2"}
    assert library.tidied == 2


@translated_failures("Lib")
class _Failing:
    def act(self, error: BaseException) -> None:
        raise error


class PanicException(BaseException):
    """Stands for what a Rust library raises."""


def test_what_a_library_raises_is_translated_but_what_ends_the_program() -> None:
    for error in (ValueError("bad"), PanicException("bad")):
        with pytest.raises(LibraryFailed, match="Lib failed: bad") as failure:
            _Failing().act(error)
        assert "`lib`" in str(failure.value.hint)
    with pytest.raises(KeyboardInterrupt):
        _Failing().act(KeyboardInterrupt())
    own = LibraryFailed("own")
    with pytest.raises(LibraryFailed) as failure:
        _Failing().act(own)
    assert failure.value is own


@pytest.fixture
def store(tmp_path: Path, library: _KeptLibrary) -> MirroredStore:
    class Kept(MirroredStore):
        library_name = "kept"
        largest_share = 0.5

    Kept.library = staticmethod(library)  # type: ignore[assignment]
    (tmp_path / "s").mkdir()
    kept = Kept(tmp_path / "s.sqlite")
    kept.use_model(_EMBEDDER.model, _EMBEDDER.dimension)
    return kept


def _fill_store(store: MirroredStore, count: int) -> None:
    store.put([build_entry(f"{n}.md", f"note {n} of {n * 7 % 13}") for n in range(count)])
    embed_missing(store, _EMBEDDER)


def _nearest(store: SqliteStore, limit: int, where: Filter | None = None) -> list[int]:
    query = near(_EMBEDDER, "note 3")
    return [i for i, _ in store.nearest(HOME, query, where or Filter(), limit).ranked]


def test_a_library_is_asked_for_a_small_share_and_a_reserve(
    store: MirroredStore, library: _KeptLibrary, tmp_path: Path
) -> None:
    _fill_store(store, 40)
    count = store.stats(HOME).vectors
    assert count == 40
    plain = SqliteStore(tmp_path / "s.sqlite")
    for limit, asked in ((3, [19]), (4, []), (5, [])):
        library.asked.clear()
        assert _nearest(store, limit) == _nearest(plain, limit)
        assert library.asked == asked
    library.most = 2
    assert _nearest(store, 3) == _nearest(plain, 3)
    library.most = 3
    assert len(_nearest(store, 3)) == 3
    plain.close()
    store.close()


def test_a_filter_is_answered_without_the_library(
    store: MirroredStore, library: _KeptLibrary
) -> None:
    assert _nearest(store, 1) == []
    _fill_store(store, 40)
    library.asked.clear()
    assert len(_nearest(store, 3, Filter(kinds=("file",)))) in (0, 3)
    assert library.asked == []
    store.close()


def test_a_store_compacts_checks_and_counts_with_its_mirror(
    store: MirroredStore, library: _KeptLibrary
) -> None:
    store.put(corpus(1, 5))
    store.put([build_entry("other", "of another", scope=OTHER)])
    store.compact()
    assert store.check() == []
    embed_missing(store, _EMBEDDER)
    assert store.check() == []
    store.compact()
    opened = [*library.added]
    assert len(opened) == 2
    store.compact()
    assert library.added == opened
    assert store.check() == []
    next(iter(library.sets["1"].values())).held.clear()
    assert len(store.check()) == 1
    assert store.check()[0].startswith("the kept mirror of ")
    bytes_of_mirror = store._mirror.disk_bytes()
    assert bytes_of_mirror > 0
    assert store.stats().disk_bytes == super(MirroredStore, store).stats().disk_bytes + (
        bytes_of_mirror
    )
    store.close()
    assert library.closed
