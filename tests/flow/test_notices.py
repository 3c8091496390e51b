"""Several ways of telling at once: what fails or is late stops nothing, is named, and tells nobody
of itself.
"""

import threading
from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from gieok.errors import BadConfig, NotifierFailed
from gieok.flow.notices import FailureRecord, NoticeReport, Notices
from gieok.ports.system import Channel
from gieok.testing import ManualClock


class _Channel:
    """Keeps what it was told."""

    def __init__(
        self, wrong: Exception | None = None, wait: Callable[[], object] = lambda: None
    ) -> None:
        self.told: list[tuple[str, str]] = []
        self.wrong, self.wait = wrong, wait

    def send(self, title: str, text: str) -> str:
        """Keep it, or fail."""
        self.wait()
        if self.wrong:
            raise self.wrong
        self.told.append((title, text))
        return "taken"

    def check(self) -> str:
        """Look."""
        if self.wrong:
            raise self.wrong
        return "there"


class _House:
    """Ways by name, and the record of their failures."""

    def __init__(self, folder: Path, **ways: _Channel) -> None:
        self.ways = {"log": _Channel(), **ways}
        self.record = FailureRecord(folder, folder / "notices.json", ManualClock(), UTC)

    def notices(self, names: Sequence[str] = (), timeout_s: float = 5.0) -> Notices:
        return Notices(names or tuple(self.ways), self.open, self.record, timeout_s)

    def open(self, name: str) -> Channel:
        if name not in self.ways:
            raise BadConfig(f"no way {name}", hint="others")
        return self.ways[name]


def test_every_way_is_told_once_and_the_log_always(tmp_path: Path) -> None:
    house = _House(tmp_path, a=_Channel(), b=_Channel())
    house.notices(("a", "b", "a")).notify("gieok: the observer waits", "no answer")
    assert all(
        way.told == [("gieok: the observer waits", "no answer")] for way in house.ways.values()
    )


def test_secrets_are_cut_before_any_way_sees_them_and_out_of_what_is_said(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    house = _House(tmp_path, a=_Channel(), b=_Channel(NotifierFailed(f"refused {secret}")))
    told = house.notices().send(f"title {secret}", f"text {secret}", ("log", "a", "b"))
    assert secret not in f"{[way.told for way in house.ways.values()]}{told}{house.record.read()}"


@pytest.mark.parametrize(
    "wrong", [NotifierFailed("401", hint="compare the token"), ValueError("a library's")]
)
def test_a_way_that_fails_is_a_line_in_the_log_and_stops_no_other(
    wrong: Exception, tmp_path: Path
) -> None:
    house = _House(tmp_path, bad=_Channel(wrong), good=_Channel())
    house.notices().notify("t", "x")
    assert house.ways["good"].told == [("t", "x")]
    (_, (title, text)) = house.ways["log"].told
    assert title == "gieok: bad told nobody"
    assert str(wrong) in text
    assert str(wrong) in house.record.read()["bad"]


def test_a_log_that_fails_tells_nobody_of_it(tmp_path: Path) -> None:
    house = _House(tmp_path, log=_Channel(NotifierFailed("full")), a=_Channel())
    house.notices().notify("t", "x")
    assert house.ways["a"].told == [("t", "x")]


def test_a_way_that_is_late_is_left_behind(tmp_path: Path) -> None:
    waiting = threading.Event()
    house = _House(tmp_path, late=_Channel(wait=lambda: waiting.wait(20)), good=_Channel())
    notices = house.notices(timeout_s=-0.9)  # a tenth of a second with the grace that is given
    told = {one.channel: one for one in notices.send("t", "x", ("late", "good"))}
    assert (told["late"].ok, told["good"].ok) == (False, True)
    assert "nothing came of it" in told["late"].said
    waiting.set()


def test_a_way_that_nobody_knows_is_named(tmp_path: Path) -> None:
    (told,) = _House(tmp_path).notices().send("t", "x", ("pigeon",))
    assert told == NoticeReport("pigeon", False, "no way pigeon", "others")


def test_a_failure_is_shown_until_the_way_works_again(tmp_path: Path) -> None:
    house = _House(tmp_path, a=_Channel(NotifierFailed("401", hint="h")))
    notices = house.notices()
    notices.notify("t", "x")
    assert notices.check(("a",)) == [NoticeReport("a", False, "401", "h")]
    house.ways["a"].wrong = None
    assert notices.check(("a",)) == [
        NoticeReport("a", True, "there; but the last time: 2026-11-21 12:00 401")
    ]
    notices.notify("t", "x")
    assert notices.check(("a",)) == [NoticeReport("a", True, "there")]
