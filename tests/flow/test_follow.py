"""The loop that follows files, driven by a watcher that plays events and seconds of quiet."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gieok.flow.follow import FollowedFolders, follow_files

_A, _B = {Path("a.md")}, {Path("b.md")}
_QUIET: set[Path] = set()


class Played:
    """`Watcher` of what it is given: for each round, what it tells."""

    def __init__(self, *rounds: Sequence[set[Path]]) -> None:
        self.rounds = list(rounds)
        self.watched: list[Sequence[Path]] = []

    def changes(
        self, folders: Sequence[Path], debounce_ms: int, rescan_s: int
    ) -> Iterator[set[Path]]:
        """Tell the next round."""
        assert (debounce_ms, rescan_s) == (50, 1)
        self.watched.append(folders)
        yield from self.rounds.pop(0)


def _followed(
    played: Played,
    answers: Sequence[bool] = (),
    rescan_s: int = 300,
    stop_after: int = 0,
    folders_s: int = 60,
) -> list[set[Path]]:
    read: list[set[Path]] = []

    def take(changed: set[Path]) -> bool:
        read.append(changed)
        return len(read) > len(answers) or answers[len(read) - 1]

    folders = [[Path("one")], [Path("one"), Path("two")]]
    followed = FollowedFolders(
        lambda: folders[min(len(played.watched), 1)], take, 50, rescan_s, folders_s
    )
    follow_files(played, followed, lambda: bool(stop_after) and len(read) >= stop_after)
    return read


def test_everything_is_read_once_events_are_on_and_then_what_changes() -> None:
    assert _followed(Played([_QUIET, _QUIET, _A, _QUIET, _B])) == [set(), _A, _B]
    assert _followed(Played([_A, _B])) == [set(), _B]


def test_everything_is_read_again_after_a_while_without_events() -> None:
    assert _followed(Played([_QUIET, _A, *[_QUIET] * 7]), rescan_s=3) == [set(), _A, set(), set()]


def test_after_a_failure_everything_is_read_with_pauses_that_grow() -> None:
    played = Played([_QUIET, _A, *[_QUIET] * 9, _B])
    assert _followed(played, [True, False, False, False, True]) == [
        set(),
        _A,
        set(),
        set(),
        set(),
        _B,
    ]
    assert _followed(Played([_QUIET, _A, _B]), [True, False]) == [set(), _A, set()]


def test_folders_that_were_added_are_watched_too() -> None:
    played = Played([_QUIET] * 2, [_QUIET, _A])
    assert _followed(played, folders_s=2) == [set(), set(), _A]
    assert played.watched == [[Path("one")], [Path("one"), Path("two")]]


def test_it_ends_where_it_is_told_to() -> None:
    played = Played([_QUIET, _A, _B, _A])
    assert _followed(played, stop_after=2) == [set(), _A]
