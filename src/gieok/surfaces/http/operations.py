"""Operations over HTTP, made from the table in `ops`: the list, the call, the description."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, Effect, Surface
from gieok.commands.encode import result_schema
from gieok.commands.request import request_schema
from gieok.commands.run import OperationAnswer, run_operation
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.model.memory import Scope
from gieok.surfaces.http.reference import EFFECT

#: Equal to `problems.MEDIA_TYPE`: this table is also read where the server's packages are not
#: installed.
_PROBLEM = "application/problem+json"
_PROCESSES = "it starts or ends processes of the machine"
_OPEN_HERE = "it changes what this server has open: stop the server first"
_UNSEEN = "a key is typed unseen, and is in no request"
#: Operations that are not called over HTTP → the reason.
ELSEWHERE = {
    "character chat": "it is a talk on a terminal: `POST /api/characters/{character_id}/messages`",
    "code watch": "it goes on until it is interrupted: `code sync` does it once",
    "open": "it lets a browser in from a terminal",
    "config edit": "it opens an editor on a terminal: `config set`",
    "up": _PROCESSES,
    "down": _PROCESSES,
    "service install": _PROCESSES,
    "keys set": _UNSEEN,
    "keys rotate": _UNSEEN,
    "erase": "it removes the home of this server",
    "encryption on": _OPEN_HERE,
    "encryption rotate": _OPEN_HERE,
    "encryption off": _OPEN_HERE,
    "backup restore": _OPEN_HERE,
    "store switch": _OPEN_HERE,
    "store distribute": _OPEN_HERE,
    "journal switch": _OPEN_HERE,
}
#: Parameters with a fixed value over HTTP: with another value the operation would wait for a
#: terminal, or never end.
FIXED: Mapping[str, Mapping[str, bool]] = {
    "index": {"watch": False},
    "observe run": {"once": True},
    "logs": {"follow": False},
    "redact": {"stdin": False},
    "hook measure": {"label": False},
    "uninstall": {"erase": False},
}
FITTING = tuple(name for name in NAMES if name not in ELSEWHERE)

_EFFECTS = {
    Effect.READ: "Changes nothing that is stored.",
    Effect.WRITE: "Changes what is stored.",
    Effect.DESTROY: "Takes something away that no other call brings back.",
}
_PLACE = (
    (
        "folder",
        (
            "Where you are: an absolute path. Of a project: its memory, with your own beside it; "
            "left out: your own."
        ),
    ),
    ("scope", "Whose memory instead, such as `agent:main`."),
)


def path_of(name: str) -> str:
    """Return the URL path at which an operation is called."""
    return f"/api/operations/{name.replace(' ', '/')}"


@dataclass(frozen=True, slots=True)
class CallerPlace:
    """Where a caller works: `folder` ('' for none) and `scope` ('' for the scope of the folder)."""

    folder: str = ""
    scope: str = ""

    def call(self, found: Command[..., Any], resident: Resident) -> Call:
        """Open the call of a place. Raises BadRequest."""
        folder = Path(self.folder) if self.folder else Path.home()
        if not folder.is_absolute() or not folder.is_dir():
            raise BadRequest(
                "folder is {folder!r}",
                folder=self.folder,
                hint="it must be the absolute path of a folder on this machine",
            )
        return open_call(
            {"scope": str(Scope(self.scope))} if self.scope else {},
            environment=_list_own_variables(),
            folder=folder,
            resident=resident,
            has_daemon=True,
            forgiving=found.runs_without_settings,
            is_placed=bool(self.folder),
        )


def _list_own_variables() -> dict[str, str]:
    """Return the variables of this process but those that name an editor.

    A caller over HTTP is at no terminal of this machine: an editor would open before nobody.
    """
    return {name: value for name, value in os.environ.items() if name not in ("VISUAL", "EDITOR")}


def answer_http_operation(
    resident: Resident, name: str, values: Mapping[str, object], place: CallerPlace
) -> OperationAnswer:
    """Run an operation of `FITTING`, and return its answer."""
    fixed = FIXED.get(name, {})

    def call_for(found: Command[..., Any]) -> Call:
        for parameter, value in fixed.items():
            if values.get(parameter, value) != value:
                raise BadRequest(
                    "{parameter} is {value!r}",
                    parameter=parameter,
                    value=values[parameter],
                    fixed=str(value).lower(),
                    hint="over HTTP it is always {fixed}",
                )
        return place.call(found, resident)

    return run_operation(name, {**fixed, **values}, call_for, Surface.HTTP)


@cache
def describe_operation_routes() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the OpenAPI paths of all operations, and their schemas by name.

    Imports every operation: 300 ms.
    """
    all_paths, schemas = dict[str, Any](), dict[str, Any]()
    for name in FITTING:
        chosen, title = load_command(name), name.replace("-", " ").title().replace(" ", "")
        schemas[f"{title}Request"] = _build_http_request_schema(chosen)
        schemas[f"{title}Result"] = result_schema(chosen)
        all_paths[path_of(name)] = {"post": _describe_operation_route(chosen, title)}
    return all_paths, schemas


def _build_http_request_schema(found: Command[..., Any]) -> dict[str, Any]:
    schema = request_schema(found, Surface.HTTP)
    for parameter, value in FIXED.get(found.name, {}).items():
        schema["properties"][parameter] |= {"const": value, "default": value}
    return schema


def _describe_operation_route(found: Command[..., Any], title: str) -> dict[str, Any]:
    def reference(what: str) -> dict[str, Any]:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{title}{what}"}}}

    wrong = {_PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        "tags": [found.rib],
        "summary": found.doc.en,
        "description": f"`gieok {found.name}`. {_EFFECTS[found.effect]}",
        "operationId": found.name.replace(" ", "_").replace("-", "_"),
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": False,
                "schema": {"type": "string"},
                "description": text,
            }
            for name, text in _PLACE
        ],
        "requestBody": {
            "required": bool(_build_http_request_schema(found)["required"]),
            "content": reference("Request"),
        },
        "responses": {
            "200": {"description": "What `--json` prints.", "content": reference("Result")},
            "default": {
                "description": "What went wrong: docs/serve.md lists the statuses.",
                "content": wrong,
            },
        },
        "security": [{"owner": []}],
        EFFECT: found.effect.value,
    }
