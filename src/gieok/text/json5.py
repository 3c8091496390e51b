"""Reads JSON5 as OpenClaw writes it: JSON with comments, trailing commas, bare keys and single quotes."""

import json
import re

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<key>[A-Za-z_$][\w$]*)(?=\s*:)""",
    re.DOTALL,
)
_COMMA = re.compile(r""",(?=\s*[}\]])|("(?:[^"\\]|\\.)*")""")


def loads(text: str) -> object:
    """Return the value of a JSON5 text. Raises ValueError."""
    plain = _TOKEN.sub(_plain, text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"))
    return json.loads(_COMMA.sub(lambda found: found[1] or "", plain))


def _plain(found: re.Match[str]) -> str:
    if found["comment"]:
        return " "
    if found["key"]:
        return json.dumps(found["key"])
    string = found["string"]
    if string[0] == '"':
        return string
    inner = re.sub(r"""\\'|"|\\.""", lambda c: {"\\'": "'", '"': '\\"'}.get(c[0], c[0]), string[1:-1])
    return f'"{inner}"'
