"""What a script of the project runs: of package.json, a Makefile, a justfile, a shell script.

`npm run ship` does what package.json says, and a rule on that holds for it too. Read where a
command line starts such a script, and no further than a few scripts deep. Imported by the hook: see
the package.
"""

import json
import os
import re

from gieok.text.gates.programs import CommandWords
from gieok.text.gates.shell import Invocation, read_shell_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Scripts that start scripts, and scripts of one line, of which no more are read.
_MOST_DEPTH, _MOST_SCRIPTS = 3, 8
_MOST_BYTES = 200_000
_PACKAGE_RUNNERS = frozenset(("npm", "pnpm", "yarn", "bun"))
#: Scripts that a package runner starts without `run`.
_SHORT_SCRIPTS = frozenset(("test", "start", "stop", "restart"))
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_FOLDER_OPTIONS = ("-C", "--prefix", "--cwd", "--dir", "--directory")
_SHELL_SUFFIXES = (".sh", ".bash", ".zsh")


def list_script_invocations(
    invocations: "Sequence[Invocation]", folder: str, depth: int = _MOST_DEPTH
) -> "list[Invocation]":
    """Return the programs that the scripts of a command line would run, in order.

    `folder` is where the line runs, absolute. A script that cannot be read runs nothing known.
    """
    found: list[Invocation] = []
    for invocation in invocations[:_MOST_SCRIPTS] if depth else ():
        if invocation.hosts:
            continue  # it runs on another machine
        text, inside = _find_script(invocation, os.path.join(folder, invocation.folder))
        inner = read_shell_line(text) if text else []
        found += list_script_invocations(inner, inside, depth - 1)
        for each in inner:
            each.folder = os.path.join(inside, each.folder)
        found += inner
    return found


def _find_script(invocation: Invocation, folder: str) -> "tuple[str, str]":
    """Return the text of the script that a program starts, and where it runs; '' for none."""
    parsed = CommandWords(invocation.program, invocation.arguments)
    elsewhere = next((value for flag, value in parsed.values if flag in _FOLDER_OPTIONS), "")
    inside = os.path.join(folder, elsewhere)
    if parsed.program in _PACKAGE_RUNNERS:
        return _read_package_script(parsed, inside), inside
    if parsed.program in ("make", "just"):
        is_make = parsed.program == "make"
        names = [value for flag, value in parsed.values if flag in ("-f", "--file", "--justfile")]
        names += _MAKEFILES if is_make else _JUSTFILES
        text = next(filter(None, (_read_text(os.path.join(inside, name)) for name in names)), "")
        return "\n".join(_iter_recipe_lines(text, parsed.words, _MOST_DEPTH)), inside
    path = os.path.join(folder, invocation.path)
    if "/" in invocation.path or invocation.is_script:
        text = _read_text(path)
        is_shell = path.endswith(_SHELL_SUFFIXES) or re.match(r"#!.*\b(?:ba|z|da|k)?sh\b", text)
        return (text if is_shell else ""), folder
    return "", folder


def _read_package_script(parsed: CommandWords, folder: str) -> str:
    words = [word for word in parsed.words if word not in ("run", "run-script")]
    is_run = len(words) < len(parsed.words) or parsed.program in ("pnpm", "yarn", "bun")
    if not words or not (is_run or words[0] in _SHORT_SCRIPTS):
        return ""
    try:
        scripts = json.loads(_read_text(os.path.join(folder, "package.json")) or "{}")["scripts"]
        given = [scripts.get(name) for name in (f"pre{words[0]}", words[0], f"post{words[0]}")]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    return "\n".join(text for text in given if isinstance(text, str)) if given[1] else ""


def _iter_recipe_lines(text: str, targets: "Sequence[str]", depth: int) -> "Iterator[str]":
    """Yield the lines that targets run, those of what they depend on first."""
    recipes: dict[str, tuple[list[str], list[str]]] = {}
    current: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        head = re.match(r"(?a)([\w./ -]+?)(?:\s[^:=]*)?::?(?![=])(.*)$", line)
        if line[:1] in ("\t", " ") and line.strip():
            current.append(line.strip().lstrip("@-+"))
        elif head and not line.startswith("."):
            current = []
            for name in head[1].split():
                recipes.setdefault(name, (head[2].split("#")[0].split(), current))
    wanted = [word for word in targets if "=" not in word] or list(recipes)[:1]
    yield from _iter_wanted_lines(recipes, wanted, depth)


def _iter_wanted_lines(
    recipes: "dict[str, tuple[list[str], list[str]]]", wanted: "Sequence[str]", depth: int
) -> "Iterator[str]":
    for name in wanted if depth else ():
        needed, lines = recipes.get(name, ((), ()))
        yield from _iter_wanted_lines(recipes, needed, depth - 1)
        yield from lines


def _read_text(path: str) -> str:
    """Return the text of a file; '' where there is none, or where it is too large."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _MOST_BYTES:
            return ""
        with open(path, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""
