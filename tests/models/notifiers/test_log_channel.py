"""The log's lines have the person's time, as the daemon's own lines beside them."""

from pathlib import Path

from gieok.models.notifiers.log import LogChannel


def test_a_line_has_the_time_of_the_persons_zone(opening, user: Path) -> None:
    (user / "gieok").mkdir(parents=True, exist_ok=True)
    LogChannel(opening()).send("Gieok", "one\nline")
    written = (user / "gieok" / "daemon.log").read_text(encoding="utf-8")
    assert written == "2026-11-22 21:00:00 Gieok: one line\n"
