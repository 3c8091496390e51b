"""A user with notes, a project of code, a transcript and an agent, and one call of every operation
there is.

The environment of its programs is made from nothing: what a test's own process has set
(PYTHONUNBUFFERED, and what importing gieok sets) would hide what is tested.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import gieok
from gieok.text.handles import build_handle

_SOURCE = Path(gieok.__file__).parents[1]
GIEOK = (sys.executable, "-m", "gieok")
QMD = (sys.executable, "-c", "import sys; from gieok.surfaces.qmd import run; sys.exit(run())")

#: Operation → its words on the command line, in an order in which each has something to do.
#: `{name}`: see `World`.
CALLS = {
    "index": ["{notes}"],
    "search": ["결제는 언제 정산하지?"],
    "list": ["정산"],
    "get": ["MEMORY.md"],
    "status": [],
    "remember": ["린터는 ruff를 쓰기로 했다."],
    "retire": ["decision/린터는-ruff를-쓰기로-했다"],
    "restore": ["decision/린터는-ruff를-쓰기로-했다"],
    "history": [build_handle("agent:main", "sessions/claude-code/s#1", 1)],
    "transfer": ["0000", "--to", "agent:main"],
    "pause": ["--for", "2h"],
    "resume": [],
    "archive status": [],
    "archive run": [],
    "archive pending": [],
    "archive approve": ["all"],
    "archive reject": ["all"],
    "archive sync": [],
    "archive restore": ["2026-01-05"],
    "trust": ["--list"],
    "install": ["claude-code"],
    "recall": ["결제는 언제 정산하지?"],
    "rules list": [],
    "rules try": ["git push origin main", "--rule", "never push to main"],
    "rules on": ["0000"],
    "rules off": ["0000"],
    "rules until": ["0000", "friday"],
    "rules allow": ["0000", "0000", "--once"],
    "hook measure": ["--add", "어떤 린터를 쓰지?", "--expect", "decision/린터는"],
    "hook stats": [],
    "hook injections": [],
    "hook refuse": ["--folder", "{notes}"],
    "import": ["openclaw", "{notes}"],
    "export": [],
    "code init": [],
    "code query": ["checkout total"],
    "code explore": ["checkout total"],
    "code show": ["total"],
    "code impact": ["shop.py"],
    "code sync": [],
    "code coverage": [],
    "code install-hook": [],
    "code validate": [],
    "code escalate": [],
    "code estimate": [],
    "code status": [],
    "code stats": [],
    "code export": [],
    "ask": ["what is total?"],
    "character create": ["마루", "--greeting", "어서 와"],
    "character list": [],
    "character import": ["{notes}/../card.json"],
    "character export": ["마루", "--to", "{notes}/../maru.png"],
    "character chat": ["마루"],
    "character memories": ["마루"],
    "character fact": ["마루", "--predicate", "job", "--value", "제빵사"],
    "character forget": ["마루", "--memory", "000000"],
    "character points": ["--check-in"],
    "character key": ["create"],
    "character delete": ["마루", "--yes"],
    "character inactive": ["--dry-run"],
    "observe run": ["--once"],
    "observe reflect": [],
    "observe show": [],
    "observe stats": [],
    "handoff": [],
    "why": ["nothing"],
    "edit": [
        build_handle("agent:main", "sessions/claude-code/s#1", 1),
        "We settle payments on Wednesdays.",
    ],
    "setup": ["--yes"],
    "open": ["--print-only"],
    "up": [],
    "code watch": ["--daemon"],
    "logs": [],
    "down": [],
    "service install": ["--dry-run"],
    "doctor": [],
    "keys list": [],
    "keys test": [],
    "keys set": ["jina"],
    "keys rotate": ["smtp"],
    "notify test": [],
    "encryption status": [],
    "encryption on": ["--yes"],
    "encryption rotate": ["--yes"],
    "backup create": [],
    "backup list": [],
    "backup verify": [],
    "backup restore": ["--to", "{notes}/../gieok-backups/restored"],
    "encryption off": ["--yes"],
    "backup prune": ["--keep", "0", "--yes"],
    "rebuild": [],
    "calibrate": [],
    "redact": ["--all"],
    "forget": ["--match", "VLAN", "--yes"],
    "store switch": ["sqlite"],
    "store distribute": ["--dry-run"],
    "store drop": ["gemini", "--yes"],
    "journal switch": ["sqlite"],
    "config show": [],
    "config set": ["search.limit", "5"],
    "config unset": ["search.limit"],
    "config edit": [],
    "sync init": ["{notes}/../synced"],
    "sync run": [],
    "sync status": [],
    "sync devices": [],
    "sync key": [],
    "sync rotate": [],
    "move": ["/nowhere", "/elsewhere"],
    "uninstall": [],
    "erase": ["--all", "--yes"],
}

#: What has nothing to answer with in the world.
NEEDING = {
    "ask", "code escalate", "code coverage", "config edit", "keys set", "keys rotate",
    "store switch", "store distribute", "store drop", "journal switch", "transfer", "why",
    "calibrate", "rules on", "rules off", "rules until", "rules allow", "rules list",
}  # fmt: skip


class World(NamedTuple):
    """Folders of one user."""

    user: Path

    @property
    def home(self) -> Path:
        """Return Gieok's home."""
        return self.user / "gieok"

    @property
    def notes(self) -> Path:
        """Return the folder of notes."""
        return self.user / "notes"

    @property
    def project(self) -> Path:
        """Return the project, in which everything is called."""
        return self.user / "shop"

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a program: nothing of this process but where programs are."""
        own = {
            "HOME": str(self.user),
            "GIEOK_HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(_SOURCE),
        }
        own["GIEOK_DAEMON_AUTOSTART"] = "off"
        return {"PATH": os.environ["PATH"], **own, **more}

    def words(self, name: str, *more: str) -> list[str]:
        """Return the arguments of an operation."""
        return [*name.split(), *(word.format(notes=self.notes) for word in CALLS[name]), *more]

    def command(self, name: str, *more: str) -> list[str]:
        """Return the command line of an operation."""
        return [*GIEOK, *self.words(name, *more)]


def make(user: Path) -> World:
    """Write the files of a user."""
    world = World(user)
    transcripts = user / ".claude" / "projects" / "-shop"
    for folder in (world.notes, world.project, transcripts, user / "synced"):
        folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(world.project)], check=True)
    (world.notes / "MEMORY.md").write_text(
        "# 기억\n\n결제는 매주 화요일에 정산한다.\n", encoding="utf-8"
    )
    (world.notes / "2026-11-20.md").write_text(
        "# Friday\n\nThe office VLAN is 10.\n", encoding="utf-8"
    )
    (world.project / "shop.py").write_text(
        "def total(prices):\n    return sum(prices)\n", encoding="utf-8"
    )
    said = {"role": "user", "content": "We decided to settle payments on Tuesdays."}
    row = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "timestamp": "2026-11-20T09:00:00Z",
        "message": said,
    }
    (user / "card.json").write_text('{"name": "Mina"}', encoding="utf-8")
    (transcripts / "s.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return world
