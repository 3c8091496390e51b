"""Real file events."""

from pathlib import Path
from queue import Queue
from threading import Thread

from gieok.machine.watchers import FileWatcher

_PATIENCE_S = 180.0


def test_a_written_file_is_told_once_it_is_quiet_and_a_rescan_is_due_in_between(
    tmp_path: Path,
) -> None:
    told: Queue[set[Path]] = Queue()

    def watch() -> None:
        for changed in FileWatcher().changes([tmp_path], debounce_ms=50, rescan_s=1):
            told.put(changed)
            if changed:
                return

    thread = Thread(target=watch, daemon=True)
    thread.start()
    assert told.get(timeout=_PATIENCE_S) == set(), (
        "nothing changed yet: a rescan is due, so it is watching"
    )
    (tmp_path / "메모.md").write_text("결제했다", encoding="utf-8")
    seen = set[Path]()
    while not seen:
        seen = told.get(timeout=_PATIENCE_S)
    assert seen == {tmp_path / "메모.md"}
    thread.join(timeout=_PATIENCE_S)
    assert not thread.is_alive()
