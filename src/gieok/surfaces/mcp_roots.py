"""Project of a packaged MCP server, asked of its client (`roots/list`).

A client starts the server of an Agent Plugins package in its own copy of the package, which says
nothing of the project. Where the client does not tell its roots either, each tool takes the folder
as an argument; without it the server answers from the user's own folder, with what is remembered
for every project.
"""

import itertools
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from gieok.errors import BadRequest
from gieok.places.home import ROOTS_VARIABLE

_ARGUMENT = "project"
_DESCRIPTION = "absolute path of the folder in which you work for the user"
_CHANGED = ("notifications/initialized", "notifications/roots/list_changed")
#: How long a tool waits for the client's first answer.
_WAIT_S = 2.0


class ProjectRoots:
    """Folder in which the user works, as the client tells it."""

    def __init__(self, write: Callable[[object], None], environment: Mapping[str, str]) -> None:
        self._write = write
        self._is_packaged = bool(environment.get(ROOTS_VARIABLE))
        self._user = os.path.expanduser("~") if self._is_packaged else ""  # noqa: PTH111
        self._folder = self._user
        self._offers_roots = False
        self._questions = itertools.count(1)
        self._question = ""
        self._answered = threading.Event()
        self._answered.set()

    def greet(self, params: Mapping[str, Any]) -> None:
        """Note what the client that says hello can tell."""
        capabilities = params.get("capabilities")
        offered = capabilities.get("roots") if isinstance(capabilities, dict) else None
        self._offers_roots = self._is_packaged and isinstance(offered, dict)
        if self._offers_roots:
            self._answered.clear()

    def notice(self, method: object) -> None:
        """Ask for the roots where a notification says that they can be told, or changed."""
        if self._offers_roots and method in _CHANGED:
            self._question = f"gieok-roots-{next(self._questions)}"
            self._answered.clear()  # a call that comes now is of the project that is told next
            self._write({"jsonrpc": "2.0", "id": self._question, "method": "roots/list"})

    def take_answer(self, message: Mapping[str, Any]) -> None:
        """Take the folder from the answer to the last question; other messages are ignored."""
        if not self._question or message.get("id") != self._question:
            return
        result = message.get("result")
        roots = result.get("roots") if isinstance(result, dict) else None
        if isinstance(roots, list):  # no project is an answer too; a refusal is none
            self._folder = next(filter(None, map(_read_root, roots)), self._user)
        self._answered.set()

    def add_argument(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return an answer in which the tools, if it lists any, take the project as an argument."""
        result = row.get("result")
        listed = result.get("tools") if isinstance(result, dict) else None
        if not self._takes_argument or not isinstance(listed, list):
            return row
        return {**row, "result": {**row["result"], "tools": list(map(_add_project, listed))}}

    def find_place(self, arguments: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        """Return the folder for a call, '' for that of this process, and its other arguments.

        Raises BadRequest where a project is named that is not there: what a tool remembers would be
        kept for every project.
        """
        if not self._answered.wait(_WAIT_S):
            self._answered.set()  # a client that stays silent holds up one call, and no further one
        if not self._takes_argument:
            return self._folder, dict(arguments)
        given = {name: value for name, value in arguments.items() if name != _ARGUMENT}
        named = arguments.get(_ARGUMENT)
        if named in (None, ""):
            return self._folder, given
        if isinstance(named, str) and os.path.isabs(named) and os.path.isdir(named):  # noqa: PTH112, PTH117
            return named, given
        hint = "give the absolute path of the project's folder"
        raise BadRequest("no folder {folder!r}", folder=named, hint=hint)

    @property
    def _takes_argument(self) -> bool:
        return self._is_packaged and not self._offers_roots


def _add_project(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool["inputSchema"]
    about = {"type": "string", "description": _DESCRIPTION}
    properties = {**schema.get("properties", {}), _ARGUMENT: about}
    return {**tool, "inputSchema": {**schema, "properties": properties}}


def _read_root(root: object) -> str:
    """Return the folder of a root, a `file:` address; '' for another root."""
    try:
        address = urlsplit(str(root.get("uri", ""))) if isinstance(root, dict) else None
        if address is None or address.scheme != "file":
            return ""
        from urllib.request import url2pathname  # 3 MB: mail, HTTP and TLS come with it

        path = url2pathname(address.path)
        return path if os.path.isdir(path) else ""  # noqa: PTH112
    except (ValueError, OSError):  # no address, or a path that no file can have
        return ""
