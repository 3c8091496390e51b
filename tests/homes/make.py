"""Makes a home folder for tests/test_upgrade.py: `python tests/homes/make.py FILE.tar.gz`, run by
the code whose schemas are about to be raised.

The user's folder holds notes, transcripts and a project; the home has all of them indexed, with
records, observations, a code index, memories in warm files, old talk in files, and accounts.
`made-in` names the folder that paths in the databases begin with.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

from gieok.model.accounts import Account, Posting
from gieok.storage.accounts.sqlite import SqliteAccounts
from gieok.storage.journal.sqlite.journal import SqliteJournal

_FOLDER = Path("/tmp/gieok-home")
_FILES = {
    "notes/2026-11-20.md": "# 정산\n\n결제는 매주 화요일에 정산했다.\n",
    "notes/umbrella.md": "---\ntitle: Umbrella\ntags: [door]\n---\nThe umbrella stands behind the "
    "door.\n",
    "project/src/shop.py": 'def price(count):\n    """Return what count cups cost."""\n'
    "    return 3 * count\n\n\ndef test_price():\n    assert price(2) == 6\n",
}
_TALK = {
    "talk": [
        ("user", "We decided to use Redis Streams for the queue.", "2026-11-18T09:00:00Z"),
        ("assistant", "Noted.", "2026-11-18T09:00:05Z"),
        ("user", "앞으로 배포는 항상 화요일에 하기로 결정했다.", "2026-11-19T09:00:00Z"),
        ("user", "I prefer tabs over spaces.", "2026-11-19T10:00:00Z"),
    ],
    "spring": [
        (
            "user",
            "We decided to keep the heron photographs in the blue cabinet.",
            "2026-03-03T09:00:00Z",
        ),
        ("assistant", "The blue cabinet it is.", "2026-03-03T09:00:05Z"),
        ("user", "정산 담당자는 앞으로 서연 님으로 하기로 결정했다.", "2026-03-04T09:00:00Z"),
    ],
}
_AT = datetime(2026, 11, 24, 9, tzinfo=UTC)
_LEFT_OUT = (".lock", "-wal", "-shm", "reserve", ".git", "__pycache__")


def main() -> None:
    """Fill the folder by the program, pack it, and remove it."""
    _FOLDER.mkdir()
    try:
        _write_files()
        _run_program()
        _add_accounts()
        with closing(SqliteJournal(_FOLDER / ".gieok/journal.sqlite")) as journal:
            journal.archive_talk(datetime(2026, 6, 1, tzinfo=UTC), lambda: False)
        for file in _FOLDER.rglob("*.sqlite"):
            with closing(sqlite3.connect(file)) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with tarfile.open(sys.argv[1], "w:gz") as archive:
            for path in sorted(_FOLDER.iterdir()):
                archive.add(path, path.name, filter=_without_owner)
    finally:
        shutil.rmtree(_FOLDER)


def _write_files() -> None:
    (_FOLDER / "transcripts").mkdir()
    for name, text in _FILES.items():
        (_FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (_FOLDER / name).write_text(text, encoding="utf-8")
    for name, lines in _TALK.items():
        rows = [{"role": role, "text": text, "timestamp": at} for role, text, at in lines]
        (_FOLDER / f"transcripts/{name}.jsonl").write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
    (_FOLDER / "made-in").write_text(str(_FOLDER), encoding="utf-8")


def _run_program() -> None:
    project = _FOLDER / "project"
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    _gieok("index", str(_FOLDER / "notes"), "--scope", "agent:main")
    _gieok("remember", "The accountant is called Seoyeon.", "--user")
    _gieok("observe", "run", "--once", "--scope", "agent:main")
    _gieok("remember", "We lint with ruff.", "--title", "Linter: ruff", at=project)
    _gieok("code", "init", at=project)
    _gieok("archive", "run")


def _gieok(*words: str, at: Path = _FOLDER) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(_FOLDER),
        "GIEOK_HOME": str(_FOLDER / ".gieok"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(_FOLDER / "transcripts"),
        "GIEOK_DAEMON_AUTOSTART": "off",
        "GIEOK_ZONE": "UTC",
    }
    subprocess.run([sys.executable, "-m", "gieok", *words], cwd=at, env=environment, check=True)


def _add_accounts() -> None:
    with closing(SqliteAccounts(_FOLDER / ".gieok/accounts.sqlite")) as accounts:
        accounts.keep_account(Account("min"))
        accounts.keep_account(Account("far", "Asia/Seoul", "ko"))
        accounts.post("min", Posting("purchase", 500, "order-1", "five hundred"), _AT)
        accounts.hold("min", 120, "turn-9", _AT, "chat")
        accounts.check_in("far", date(2026, 11, 24), 10, _AT)


def _without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if info.name.endswith(_LEFT_OUT):
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


if __name__ == "__main__":
    main()
