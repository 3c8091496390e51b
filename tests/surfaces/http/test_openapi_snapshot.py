"""The description of the service's own routes, held to a file: what a client may rely on.

Where a change is meant, delete `openapi.txt` and run this file again: the first run writes it.
"""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import served

_HELD = Path(__file__).with_name("openapi.txt")


def _name_type(schema: dict[str, Any]) -> str:
    """Return a type as text: the name of a model, a list, a choice, or a plain type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(_name_type(one) for one in schema["anyOf"])
    if "items" in schema:
        return f"[{_name_type(schema['items'])}]"
    if "enum" in schema:
        return "/".join(map(str, schema["enum"]))
    return str(schema.get("format") or schema.get("type") or "any")


def _iter_fields(schema: dict[str, Any]) -> Iterator[str]:
    needed = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        yield f"    {name}{'' if name in needed else '?'}: {_name_type(one)}"


def _iter_lines(document: dict[str, Any]) -> Iterator[str]:
    for path, methods in sorted(document["paths"].items()):
        if path.startswith("/api/operations/"):
            continue
        for method, route in sorted(methods.items()):
            yield f"{method.upper()} {path}"
            for one in route.get("parameters", ()):
                mark = "" if one.get("required") else "?"
                yield f"    {one['in']} {one['name']}{mark}: {_name_type(one['schema'])}"
            for kind, body in route.get("requestBody", {}).get("content", {}).items():
                yield f"    takes {kind}: {_name_type(body.get('schema', {}))}"
            for status, answer in sorted(route["responses"].items()):
                types = [
                    _name_type(one.get("schema", {})) for one in answer.get("content", {}).values()
                ]
                yield f"    {status}: {', '.join(types) or '-'}"
    for name, schema in sorted(document["components"]["schemas"].items()):
        if "HTTPValidationError" in name or "ValidationError" in name:
            continue
        yield f"{name}"
        yield from _iter_fields(schema)


def _list_own_models(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without the schemas of operations, which have a reference of their own."""
    schemas = document["components"]["schemas"]
    wanted = set[str]()
    todo = [route for path, route in document["paths"].items() if "/operations/" not in path]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name and name not in wanted:
                wanted.add(name)
                todo.append(schemas[name])
            todo += one.values()
        elif isinstance(one, list):
            todo += one
    kept = {name: schemas[name] for name in wanted}
    return {**document, "components": {"schemas": kept}}


def test_the_description_is_what_clients_were_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path, monkeypatch) as service:
        lines = list(_iter_lines(_list_own_models(service.app.openapi())))
    if not _HELD.exists():
        _HELD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    held = _HELD.read_text(encoding="utf-8").splitlines()
    changed = "\n".join(difflib.unified_diff(held, lines, "held", "served", lineterm="", n=1))
    assert not changed, changed
