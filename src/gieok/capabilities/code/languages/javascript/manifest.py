"""`package.json` and `tsconfig.json` → facts: what JavaScript's imports by name mean. There is no code in them."""

import json
import re
from typing import Any

from gieok.capabilities.code.languages.language import Language
from gieok.capabilities.code.model.facts import Builder, Facts
from gieok.ports.code import Parser

#: Comments and trailing commas, which tsconfig.json may have; a text in quotes is left alone.
_LOOSE = re.compile(r'("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*|,(?=\s*[}\]])', re.DOTALL)


def read(text: str, language: Language, parser: Parser) -> Facts:
    """Return facts whose `package` is JSON: `{"name", "main", "paths", "base"}`. Raises ValueError where the file is none."""
    del parser
    content: Any = json.loads(_LOOSE.sub(lambda match: match[1] or "", text))
    if not isinstance(content, dict):
        raise ValueError("not an object")  # noqa: TRY004 - of the file's text
    options = content.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    paths = options.get("paths")
    said = {
        "name": _text(content.get("name")),
        "main": _entry(content.get("exports")) or _text(content.get("module")) or _text(content.get("main")),
        "paths": {key: [_text(place) for place in places] for key, places in paths.items() if isinstance(places, list)}
        if isinstance(paths, dict)
        else {},
        "base": _text(options.get("baseUrl")),
    }
    builder = Builder(language.name, text.count("\n") + 1)
    builder.package = json.dumps(said, sort_keys=True)
    return builder.finish()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _entry(exports: object) -> str:
    """Return the file that `exports` gives for the package itself; of conditions, the first that leads to one."""
    if isinstance(exports, dict):
        inner = exports.get(".", None if any(key.startswith(".") for key in exports) else exports)
        places = list(inner.values()) if isinstance(inner, dict) else [inner]
        return next(filter(None, map(_entry, places)), "")
    return _text(exports)
