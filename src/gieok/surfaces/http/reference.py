"""The reference of the HTTP API as one page, made from the OpenAPI document.

Requests that change nothing can be tried on it. The page holds its own style and loads one script
of this server; it asks no other.
"""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, NamedTuple

#: Headers of the page: it may load its script, and ask this server alone.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
        "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .35rem 0; overflow-wrap: anywhere; }
code, summary b { font-family: ui-monospace, monospace; }
details > div { margin: 0 0 1rem 1.2rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
form.try { display: grid; gap: .4rem; margin: .6rem 0; max-width: 40rem; }
form.try label { display: grid; }
input, textarea { box-sizing: border-box; max-width: 100%; padding: .3rem; font: inherit; }
input, textarea { font-family: ui-monospace, monospace; padding: .3rem; }
button { font: inherit; justify-self: start; padding: .3rem .9rem; }
output { white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
td { border-top: 1px solid #8884; padding: .25rem .6rem .25rem 0; vertical-align: top; }
td, p { overflow-wrap: anywhere; }
"""
_REF = "#/components/schemas/"
#: Path of the script of the page.
SCRIPT = "/api/try.js"
#: Name in the document of what an operation does to stored data.
EFFECT = "x-effect"


class Section(NamedTuple):
    """Part of the API that belongs to one kind of caller; `prefix` is how its paths begin."""

    title: str
    about: str
    prefix: str


#: Parts of the API; a route belongs to the first part that fits.
SECTIONS = (
    Section(
        "Yours: every command",
        "Your own memory, with the owner's token of the file serve.token in the home.",
        "/api/operations",
    ),
    Section(
        "The operator's",
        "Users, keys, points and characters of a service, with an admin key.",
        "/api/admin",
    ),
    Section(
        "A user's, in OpenAI's protocol",
        "For front ends that speak that protocol, with a user's key.",
        "/v1/",
    ),
    Section(
        "A user's",
        "Characters and what they remember of this user, with the user's key or token.",
        "/api/",
    ),
    Section("The server's own", "Whether it is up and ready, and what it counts.", "/"),
)


def render_reference(document: Mapping[str, Any], change_token: str = "") -> str:
    """Return the page of an OpenAPI document.

    `change_token` is that of the browser's session, with which its requests are the owner's; ''
    where a caller reads the page with a token.
    """
    schemas = document["components"]["schemas"]
    routes: dict[str, list[str]] = {section.title: [] for section in SECTIONS}
    for path, methods in document["paths"].items():
        section = next(part for part in SECTIONS if path.startswith(part.prefix))
        routes[section.title] += [
            _render_route(method, path, route, schemas) for method, route in methods.items()
        ]
    parts = [
        f"<h2>{escape(section.title)}</h2><p>{escape(section.about)}</p>"
        + "".join(routes[section.title])
        for section in SECTIONS
    ]
    shapes = "".join(_render_shape(name, schema) for name, schema in sorted(schemas.items()))
    title = f"Gieok {document['info']['version']}: HTTP API"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f'<body data-change="{escape(change_token)}">'
        f"<h1>{escape(title)}</h1><p>{escape(document['info']['description'])}</p>"
        "<p>Programs read the same in <code>/openapi.json</code>.</p>"
        "<p>What changes nothing can be tried here: open a route, and send. Your own memory needs "
        "no key in a browser that <code>gieok open</code> let in; all else needs one:</p>"
        '<p><label>Key or token <input id="key" type="password" autocomplete="off" size="48">'
        "</label></p>"
        f"{''.join(parts)}<h2>Shapes</h2>{shapes}"
        f'<script src="{SCRIPT}"></script></body></html>'
    )


def _render_route(
    method: str, path: str, route: Mapping[str, Any], schemas: Mapping[str, Any]
) -> str:
    """Return a route that opens: what it takes, what it answers, and a form to try it."""
    rows = [
        (parameter["name"], _render_type(parameter["schema"]), parameter.get("description", ""))
        for parameter in route.get("parameters", ())
    ]
    rows += [
        (media, _render_type(content["schema"]), "the body")
        for media, content in route.get("requestBody", {}).get("content", {}).items()
    ]
    rows += [
        (f"→ {status}", _render_answer(answer), answer["description"])
        for status, answer in route["responses"].items()
    ]
    heading = f"<b>{method.upper()} {escape(path)}</b> {escape(route.get('summary', ''))}"
    about = escape(route.get("description", ""))
    return (
        f"<details><summary>{heading}</summary><div><p>{about}</p>"
        f"{_render_rows(rows)}{_render_trial(method, path, route, schemas)}</div></details>"
    )


def _render_trial(
    method: str, path: str, route: Mapping[str, Any], schemas: Mapping[str, Any]
) -> str:
    """Return the form that sends a request; '' for a route that may change something."""
    if method != "get" and route.get(EFFECT) != "read":
        return ""
    fields = [
        f'<label>{escape(parameter["name"])}<input data-in="{escape(parameter["in"])}" '
        f'name="{escape(parameter["name"])}"{" required" * (parameter["in"] == "path")}></label>'
        for parameter in route.get("parameters", ())
    ]
    for content in route.get("requestBody", {}).get("content", {}).values():
        body = json.dumps(_build_example(_resolve_schema(content["schema"], schemas)), indent=2)
        fields.append(f'<label>body<textarea rows="4">{escape(body)}</textarea></label>')
    return (
        f'<form class="try" data-method="{method.upper()}" data-path="{escape(path)}">'
        f"{''.join(fields)}<button>Send</button><output></output></form>"
    )


def _resolve_schema(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema, or the one that it refers to."""
    reference = schema.get("$ref")
    resolved: Mapping[str, Any] = schemas[reference.removeprefix(_REF)] if reference else schema
    return resolved


def _build_example(schema: Mapping[str, Any]) -> dict[str, object]:
    """Return a body to begin with: what a request must have, else its first field."""
    properties = schema.get("properties", {})
    names = schema.get("required") or list(properties)[:1]
    return {name: properties[name].get("default", "") for name in names}


def _render_answer(answer: Mapping[str, Any]) -> str:
    """Return the types of an answer's bodies."""
    contents = answer.get("content", {}).values()
    return ", ".join(_render_type(content.get("schema", {})) for content in contents)


def _render_shape(name: str, schema: Mapping[str, Any]) -> str:
    """Return a schema with its fields; each has an address of its own on the page."""
    required = schema.get("required", ())
    rows = [
        (
            field if field in required else f"{field}?",
            _render_type(inner),
            inner.get("description", ""),
        )
        for field, inner in schema.get("properties", {}).items()
    ]
    return (
        f'<details id="{escape(name)}"><summary><b>{escape(name)}</b></summary><div>'
        f"{_render_rows(rows) or _render_type(schema)}</div></details>"
    )


def _render_rows(rows: list[tuple[str, str, str]]) -> str:
    """Return a table of (name, type as HTML, description)."""
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{kind}</td><td>{escape(about)}</td></tr>"
        for name, kind, about in rows
    )
    return f"<table>{cells}</table>" if rows else ""


def _render_type(schema: Mapping[str, Any]) -> str:
    """Return a type as HTML, with links to the shapes in it."""
    if reference := schema.get("$ref"):
        name = escape(reference.removeprefix(_REF))
        return f'<a href="#{name}">{name}</a>'
    if choices := schema.get("enum"):
        return " | ".join(f"<code>{escape(str(choice))}</code>" for choice in choices)
    if kinds := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(map(_render_type, kinds))
    return " | ".join(_iter_plain_types(schema))


def _iter_plain_types(schema: Mapping[str, Any]) -> Iterator[str]:
    kinds = schema.get("type", "any")
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "array" and "items" in schema:
            yield f"list of {_render_type(schema['items'])}"
        elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            yield f"name → {_render_type(schema['additionalProperties'])}"
        else:
            yield escape(kind)
