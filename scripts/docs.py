"""Writes the generated parts of the documents from the tables of commands, settings, tools and
routes: `make docs`.

A part stands between `<!-- begin NAME (make docs) -->` and `<!-- end NAME -->`. With `--check`,
only says which are stale.
"""

import ast
import json
import re
import sys
import textwrap
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from gieok.commands import NAMES, load_command
from gieok.commands.command import Command, CommandParameter, Surface
from gieok.commands.encode import result_schema
from gieok.commands.request import default_of
from gieok.settings.groups import group_settings
from gieok.settings.option import Option
from gieok.settings.table import BY_NAME
from gieok.surfaces.commands import GROUPS, SERVERS, SUMMARIES
from gieok.surfaces.tool_table import tool_name
from gieok.text.catalogues import DOMAIN, LOCALES
from gieok.text.messages import Words, in_language

_ROOT = Path(__file__).parents[1]
_PACKAGE = _ROOT / "src" / "gieok"
_WIDTH = 110
_VALUES = {int: "N", float: "X", str: "TEXT", list: "TEXT"}
_JSON = {"string": "text", "integer": "int", "number": "float", "boolean": "bool"}


def _shown(field: CommandParameter) -> str:
    """Return a parameter as the command line takes it."""
    default, flag = default_of(field), "--" + field.name.rstrip("_").replace("_", "-")
    if field.about.positional:
        word = f"{field.name.upper()}{'…' if isinstance(default, list) else ''}"
        return word if field.about.needed else f"[{word}]"
    if isinstance(default, bool):
        return f"[{flag}]"
    return f"[{flag} {'|'.join(field.about.choices) or _VALUES[type(default)]}]"


def _signature(name: str) -> str:
    return " ".join([f"gieok {name}", *map(_shown, load_command(name).parameters)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _row(field: CommandParameter) -> str:
    default, choices = default_of(field), field.about.choices
    said = field.about.doc.en + (f": {', '.join(choices)}" if choices else "")
    begin = "" if default in ("", []) or default is False else f"`{default}`"
    return f"| `{_cell(_shown(field).strip('[]'))}` | {begin} | {_cell(said)} |"


def _shape(schema: dict[str, Any]) -> str:
    """Return a JSON Schema as one line that a person reads."""
    if "enum" in schema:
        return "|".join(map(repr, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_shape(one) for one in schema["anyOf"])
    if schema.get("properties"):
        parts = (
            f"{name}{'' if name in schema['required'] else '?'}: {_shape(one)}"
            for name, one in schema["properties"].items()
        )
        return "{" + ", ".join(parts) + "}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"{{NAME: {_shape(schema['additionalProperties'])}}}"
    if schema.get("type") == "array":
        return f"[{_shape(schema['items'])}]"
    kind: str = schema.get("type", "any")
    return _JSON.get(kind, kind)


def _where(found: Command[..., Any]) -> str:
    tool = (
        f", MCP (`{found.tool or tool_name(found.name)}`)" if Surface.MCP in found.surfaces else ""
    )
    return (
        f"Command line{tool}; {found.effect}s."
        if found.effect != "destroy"
        else f"Command line{tool}; destroys."
    )


def reference() -> str:
    """Return every command: its arguments, what it does, where it can be called and its JSON."""
    lines = []
    for name in NAMES:
        found = load_command(name)
        lines += [f"### `{_signature(name)}`", "", f"{found.doc.en}. {_where(found)}", ""]
        if rows := [_row(field) for field in found.parameters]:
            lines += ["| argument | default | meaning |", "|---|---|---|", *rows, ""]
        lines += [f"JSON: `{_shape(result_schema(found))}`", ""]
    return "\n".join(lines).strip()


def settings(lang: str, heads: tuple[str, str, str, str]) -> str:
    """Return the settings by their groups, each with a heading, a sentence and a table."""
    parts = []
    for group, names in group_settings(BY_NAME):
        assert group, f"settings without a group: {names}"
        rows = [_setting_row(BY_NAME[name], lang) for name in names]
        parts += [f"## {group.heading.say(lang)}", "", group.about.say(lang), ""]
        parts += [f"| {' | '.join(heads)} |", "|---|---|---|---|", *rows, ""]
    return "\n".join(parts).strip()


def _setting_row(option: Option, lang: str) -> str:
    in_project = Words("yes" if option.in_project else "no").say(lang)
    meaning = _cell(in_language(option.doc, lang))
    return f"| `{option.name}` | `{option.default}` | {in_project} | {meaning} |"


def commands(lang: str, heads: tuple[str, str]) -> str:
    """Return the table of commands for people in a hurry: a row for a command, and one for a
    group.
    """
    docs = {name: load_command(name).doc for name in NAMES} | {
        name: server[0] for name, server in SERVERS.items()
    }
    rows, inner = dict[str, str](), dict[str, list[str]]()
    for name, doc in docs.items():
        group, _, rest = name.rpartition(" ")
        if group in GROUPS:
            inner.setdefault(group, []).append(f"`{rest}`")
            rows[group] = (
                f"| `gieok {group}` | {_cell(GROUPS[group].say(lang))} "
                f"({', '.join(inner[group])}) |"
            )
        else:
            rows[name] = f"| `gieok {name}` | {_cell(doc.say(lang))} |"
    return "\n".join([f"| {heads[0]} | {heads[1]} |", "|---|---|", *rows.values()])


def hosts(lang: str) -> str:
    """Return the table of the agents: what works in each, and with which release it was tried."""
    from gieok.agents.support import describe_host
    from gieok.agents.table import NAMES as AGENTS
    from gieok.commands.prompt.hosts import list_support_cells, list_table_heads

    rows = [list_table_heads(lang), *(list_support_cells(describe_host(a), lang) for a in AGENTS)]
    head, *lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *lines])


def host_files(lang: str) -> str:
    """Return the table of the agents' files: what an install writes, how to check and take out."""
    from gieok.agents.agent import load_agent
    from gieok.agents.table import NAMES as AGENTS
    from gieok.text.messages import in_language

    heads = {
        "en": ("agent", "files", "with `--project`", "check", "take out", "to know"),
        "ko": ("에이전트", "파일", "`--project`이면", "확인", "빼기", "알아 둘 것"),
    }[lang]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for name in AGENTS:
        agent = load_agent(name)
        own, projects = (list_host_files(name, is_project=each) for each in (False, True))
        proof = "`gieok doctor --agents`" if agent.rehearsal else "`gieok doctor`"
        note = _cell(in_language(agent.note, lang))
        cells = (name, own, projects, proof, f"`gieok uninstall {name}`", note or "–")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def list_host_files(name: str, *, is_project: bool) -> str:
    """Return the files that an install writes, as text; a link where the installed release decides.

    A file that a person may delete stands in brackets.
    """
    from gieok.agents.agent import load_agent
    from gieok.agents.install.edits import InstallPlace, OwnCommand

    if name == "openclaw":  # the installed release says which files there are
        return "–" if is_project else "[openclaw.md](openclaw.md)"
    site = InstallPlace(Path() if is_project else Path("~"), is_project, {})
    edits = load_agent(name).list_site_edits(site, OwnCommand(("gieok",), {}))
    files = [(f"`{edit.path.as_posix()}`", edit.is_extra) for edit in edits]
    shown = [f"({file})" if is_extra else file for file, is_extra in files]
    return ", ".join(shown) or "–"


def tools() -> str:
    """Return the tools of MCP: their arguments, and the command that each one is."""
    from gieok.surfaces.tool_table import build_tool_schema
    from gieok.surfaces.tool_table import load_tool_operations as table

    lines = []
    for name, found in table().items():
        shown = build_tool_schema(found)
        lines += [
            f"## `{name}`",
            "",
            f"{found.doc.en}. As `gieok {found.name}`; {found.effect}s.",
            "",
        ]
        rows = [
            (
                f"| `{key}` | {one['type']}{', needed' if key in shown['required'] else ''} | "
                f"{_cell(one['description'])} |"
            )
            for key, one in shown["properties"].items()
        ]
        lines += ["| argument | type | meaning |", "|---|---|---|", *rows, ""] if rows else []
    return "\n".join(lines).strip()


def routes() -> str:
    """Return the paths of the HTTP API, as its OpenAPI document has them."""
    from gieok.processes.gate import Gate
    from gieok.surfaces.http.app import create_http_app
    from gieok.surfaces.http.options import HttpOptions

    def no_service() -> NoReturn:
        raise AssertionError("the document needs no service")

    with TemporaryDirectory() as home:  # where the gate keeps its secrets
        gate = Gate(Path(home), lambda: 0.0)
        app = create_http_app(no_service, no_service, HttpOptions(), gate)
        paths = app.openapi()["paths"]
    paths = {
        path: verbs for path, verbs in paths.items() if not path.startswith("/api/operations/")
    }
    rows = [
        (
            f"| `{verb.upper()}` | `{path}` | "
            f"{_cell(' '.join((one.get('description') or one['summary']).split()))} |"
        )
        for path, verbs in paths.items()
        for verb, one in verbs.items()
    ]
    return "\n".join(["| | path | what it does |", "|---|---|---|", *rows])


def tree() -> str:
    """Return the rooms of the package with what they are, from docstrings, and their modules."""
    lines = ["```text"]
    folders = sorted({file.parent for file in _PACKAGE.rglob("*.py")})
    for folder in folders:
        below = folder.relative_to(_PACKAGE)
        indent = "  " * len(below.parts)
        name = folder.name if below.parts else "gieok"
        modules = sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")
        lines += _wrap(f"{indent}{name}/  ", _first_sentence(folder / "__init__.py"))
        lines += _wrap(f"{indent}    ", " · ".join(modules)) if modules else []
    return "\n".join([*lines, "```"])


def _first_sentence(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else ""
    paragraph = " ".join((text or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph)[0]


def _wrap(lead: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * (len(lead) - len(lead.lstrip()) + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )


def parts() -> dict[tuple[str, str], str]:
    """Return (document, part) → what is to stand there."""
    return {
        ("ARCHITECTURE.md", "tree"): tree(),
        ("docs/cli.md", "reference"): reference(),
        ("docs/settings.md", "settings"): settings(
            "en", ("setting", "default", "in a project", "meaning")
        ),
        ("docs/settings.ko.md", "settings"): settings("ko", ("설정", "기본값", "프로젝트", "뜻")),
        ("docs/tools.md", "tools"): tools(),
        ("docs/http.md", "routes"): routes(),
        ("docs/cli.md", "commands"): commands("en", ("command", "what it does")),
        ("docs/cli.ko.md", "commands"): commands("ko", ("명령", "하는 일")),
        ("docs/agents.md", "hosts"): hosts("en"),
        ("docs/agents.ko.md", "hosts"): hosts("ko"),
        ("docs/agents.md", "host files"): host_files("en"),
        ("docs/agents.ko.md", "host files"): host_files("ko"),
    }


def written(text: str, name: str, part: str) -> str:
    """Return a document with a part of it anew. Raises ValueError where its marks are missing."""
    begin, end = f"<!-- begin {name} (make docs) -->", f"<!-- end {name} -->"
    made, count = re.subn(
        rf"{re.escape(begin)}.*?{re.escape(end)}",
        lambda _: f"{begin}\n{part}\n{end}",
        text,
        flags=re.DOTALL,
    )
    if count != 1:
        raise ValueError(f"{begin!r} and {end!r} must stand there once")
    return made


def summaries() -> str:
    """Return what each operation does as JSON, for a help that loads none of them."""
    rows = (f'  "{name}": {json.dumps(load_command(name).doc.en)}' for name in NAMES)
    return "{\n" + ",\n".join(rows) + "\n}\n"


def catalogues() -> dict[str, bytes]:
    """Return file → its bytes as they are to be, of the catalogues of messages.

    `gieok.po` is what a translator edits: sorted, it is written again; `gieok.mo` is what runs.
    """
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po, write_po

    files: dict[str, bytes] = {}
    for source in sorted(Path(LOCALES).glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3], domain=DOMAIN)
        text, compiled = BytesIO(), BytesIO()
        write_po(text, catalogue, width=100, sort_output=True, no_location=True)
        write_mo(compiled, catalogue)
        files[source.relative_to(_ROOT).as_posix()] = text.getvalue()
        files[source.with_suffix(".mo").relative_to(_ROOT).as_posix()] = compiled.getvalue()
    return files


def stale() -> dict[str, str | bytes]:
    """Return document → its text as it is to be, of those that are not so."""
    found: dict[str, str | bytes] = {
        path: data for path, data in catalogues().items() if not _holds(_ROOT / path, data)
    }
    for (document, name), part in parts().items():
        text = str(found.get(document) or (_ROOT / document).read_text(encoding="utf-8"))
        if (made := written(text, name, part)) != text:
            found[document] = made
    if not SUMMARIES.exists() or SUMMARIES.read_text(encoding="utf-8") != summaries():
        found[SUMMARIES.relative_to(_ROOT).as_posix()] = summaries()
    return found


def _holds(file: Path, data: bytes) -> bool:
    return file.exists() and file.read_bytes() == data


if __name__ == "__main__":
    changed = stale()
    for document, text in changed.items() if "--check" not in sys.argv else ():
        data = text.encode("utf-8") if isinstance(text, str) else text
        (_ROOT / document).write_bytes(data)
    print("\n".join(changed) or "up to date")
    sys.exit(bool(changed) and "--check" in sys.argv)
