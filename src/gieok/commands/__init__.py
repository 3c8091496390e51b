"""Table of all operations, one row each; surfaces loop over the table.

A test checks that each operation is on its surfaces and in the docs. Rows are module names, so that
a command loads its own module and not its siblings: a cold keyword search has 80 ms for everything.
"""

from importlib import import_module
from typing import Any

from gieok.commands.command import Operation

_MODULES = {
    "setup": "setup.command",
    "pause": "home.pause:PAUSE",
    "resume": "home.pause:RESUME",
    "index": "memory.index",
    "search": "memory.search",
    "list": "memory.listing",
    "get": "memory.get",
    "status": "home.status",
    "remember": "memory.remember",
    "retire": "memory.retire",
    "restore": "memory.retire:RESTORE",
    "edit": "memory.edit",
    "history": "memory.history",
    "transfer": "memory.transfer",
    "forget": "memory.forget",
    "trust": "memory.trust",
    "install": "prompt.install",
    "recall": "prompt.recall",
    "hook measure": "prompt.measure",
    "hook stats": "prompt.stats",
    "hook injections": "prompt.injections",
    "import": "moving.import_memory",
    "export": "moving.export",
    "move": "moving.move",
    "uninstall": "moving.uninstall",
    "erase": "moving.erase",
    "code init": "code.init",
    "code query": "code.query",
    "code explore": "code.explore",
    "code show": "code.show",
    "code impact": "code.impact",
    "code sync": "code.sync",
    "code coverage": "code.coverage",
    "code watch": "code.watch",
    "code install-hook": "code.install_hook",
    "code validate": "code.validate",
    "code escalate": "code.escalate",
    "code status": "code.status",
    "code stats": "code.stats",
    "code export": "code.export",
    "ask": "code.ask",
    "character create": "character.characters:CREATE",
    "character list": "character.characters:LIST",
    "character import": "character.cards:IMPORT",
    "character export": "character.cards:EXPORT",
    "character delete": "character.characters:DELETE",
    "character chat": "character.chat",
    "character memories": "character.memory_rows:MEMORIES",
    "character forget": "character.memory_rows:FORGET",
    "character points": "character.users:POINTS",
    "character key": "character.users:KEY",
    "character inactive": "character.inactive",
    "observe run": "observe.run",
    "observe reflect": "observe.reflect",
    "observe show": "observe.show",
    "observe stats": "observe.stats",
    "why": "observe.why",
    "archive status": "archive.status",
    "archive pending": "archive.pending",
    "archive approve": "archive.answer:APPROVE",
    "archive reject": "archive.answer:REJECT",
    "archive sync": "archive.sync",
    "archive run": "archive.run",
    "archive restore": "archive.restore",
    "open": "home.open_pages",
    "up": "home.daemon:UP",
    "down": "home.daemon:DOWN",
    "logs": "home.logs",
    "service install": "home.service",
    "keys list": "home.keys:LIST",
    "keys set": "home.keys:SET",
    "keys rotate": "home.keys:ROTATE",
    "keys test": "home.keys:TEST",
    "notify test": "home.notify_test",
    "encryption status": "home.encryption:STATUS",
    "encryption on": "home.encryption:ON",
    "encryption rotate": "home.encryption:ROTATE",
    "encryption off": "home.encryption:OFF",
    "backup create": "home.backup:CREATE",
    "backup list": "home.backup:LIST",
    "backup verify": "home.backup:VERIFY",
    "backup restore": "home.backup:RESTORE",
    "backup prune": "home.backup:PRUNE",
    "redact": "home.redact",
    "doctor": "home.doctor",
    "rebuild": "home.rebuild",
    "calibrate": "memory.calibrate",
    "store switch": "home.store_switch",
    "store distribute": "home.store_distribute",
    "store drop": "home.store_drop",
    "journal switch": "home.journal_switch",
    "config show": "home.show_config",
    "config set": "home.set_config:SET",
    "config unset": "home.set_config:UNSET",
    "config edit": "home.edit_config",
}

#: The names of all operations, in the order of the help.
NAMES = tuple(_MODULES)


def rib(name: str) -> str:
    """Return the rib that an operation belongs to: the folder of its module."""
    return _MODULES[name].partition(".")[0]


def load_command(name: str) -> Operation[Any]:
    """Return the operation called `name`, loading its module."""
    module, _, row = _MODULES[name].partition(":")
    loaded: Operation[Any] = getattr(import_module(f"gieok.commands.{module}"), row or "OPERATION")
    return loaded
