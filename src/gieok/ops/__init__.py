"""Every operation, one row each. Surfaces loop over the table; a test checks that each is on its surfaces and in the docs.

Rows are module names, so that a command loads itself and not its siblings: a cold keyword search has 80 ms for everything.
"""

from importlib import import_module
from typing import Any

from gieok.ops.operation import Operation

_MODULES = {
    "index": "index",
    "search": "search",
    "get": "get",
    "status": "status",
    "remember": "remember",
    "retire": "retire",
    "archive": "retire:ARCHIVE",
    "restore": "retire:RESTORE",
    "forget": "forget",
    "trust": "trust",
    "install": "install",
    "hook measure": "hook_measure",
    "hook stats": "hook_stats",
    "import openclaw": "import_openclaw",
    "code init": "code_init",
    "code query": "code_query",
    "code show": "code_show",
    "code impact": "code_impact",
    "code sync": "code_sync",
    "code coverage": "code_coverage",
    "code watch": "code_watch",
    "code install-hook": "code_install_hook",
    "code validate": "code_validate",
    "code escalate": "code_escalate",
    "code status": "code_status",
    "code stats": "code_stats",
    "code export": "code_export",
    "ask": "ask",
    "observe run": "observe_run",
    "observe reflect": "observe_reflect",
    "observe show": "observe_show",
    "observe stats": "observe_stats",
    "why": "why",
    "up": "daemon:UP",
    "down": "daemon:DOWN",
    "logs": "logs",
    "service install": "service",
    "redact": "redact",
    "doctor": "doctor",
    "rebuild": "rebuild",
    "store switch": "store_switch",
    "config show": "show_config",
}

#: The names of all operations, in the order of the help.
NAMES = tuple(_MODULES)


def operation(name: str) -> Operation[Any, Any]:
    """Return the operation called `name`, loading its module."""
    module, _, row = _MODULES[name].partition(":")
    found: Operation[Any, Any] = getattr(import_module(f"gieok.ops.{module}"), row or "OPERATION")
    return found
