"""A call of the hook as bytes: the agent's JSON on stdin, the answer on stdout.

Standard library alone, because every event of the hook imports this module.
"""

import json
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Bytes of stdin that are read; the rest is left. A prompt of five megabytes is a mistake.
_MOST_BYTES = 16_000_000
_STDIN_S = 1.0
#: Depth below which values are read of a payload that is nested too deeply to be read whole.
_MOST_DEPTH = 50
#: Fields of hosts that write names in another case, by the name under which they are read.
_OTHER_NAMES = {
    "session_id": ("sessionId",),
    "transcript_path": ("transcriptPath",),
    "tool_name": ("toolName",),
    "tool_input": ("toolInput", "toolArgs", "params"),
}


def print_unbuffered(text: str) -> None:
    """Write a text to stdout as bytes and without a buffer.

    The interpreter would flush a buffer at its end, and exit with 120 where that fails. Bytes,
    because the terminal's encoding does not matter to the agent, and a lone surrogate has no
    encoding.
    """
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(1, data) :]


def find_hook_flag(arguments: "Sequence[str]", name: str) -> str:
    """Return the value of an option of a hook's command line; '' where it is not set."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if before == name:
            return argument
    return ""


def read_hook_payload() -> dict[str, object]:
    """Return the agent's JSON. Raises ValueError, TypeError."""
    payload = _load_nested_json(_read_hook_stdin().decode("utf-8", "surrogateescape"))
    if not isinstance(payload, dict):
        raise TypeError(f"the payload is a {type(payload).__name__}, not an object")
    return _add_usual_names(payload)


def _add_usual_names(payload: dict[str, object]) -> dict[str, object]:
    """Return a payload that also has the usual names of the fields that a host names otherwise.

    A prompt in parts becomes their text, and arguments of a tool that are JSON are read.
    """
    for usual, others in _OTHER_NAMES.items():
        found = next((name for name in others if name in payload), "")
        if found and usual not in payload:
            payload[usual] = payload[found]
    prompt, given = payload.get("prompt"), payload.get("tool_input")
    if isinstance(prompt, list) and all(isinstance(part, dict) for part in prompt):
        texts = (part.get("text") for part in prompt)
        payload["prompt"] = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(given, str) and given.lstrip().startswith("{"):
        payload["tool_input"] = _parse_arguments(given)
    return payload


def _parse_arguments(text: str) -> object:
    try:
        return _load_nested_json(text)
    except ValueError:
        return text


def _load_nested_json(text: str) -> object:
    """Return what a JSON text says, with null for values that are nested too deeply.

    No depth of an argument keeps the rest from being read. Raises ValueError.
    """
    try:
        return json.loads(text)
    except RecursionError:
        return json.loads(_cut_deep_values(text))


def _cut_deep_values(text: str) -> str:
    import re  # next to no payload is nested so deeply

    parts, begin, depth = [], 0, 0
    for match in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]+|[\]}]+', text, re.DOTALL):
        first, count = match[0][0], len(match[0])
        if first in "[{":
            if depth <= _MOST_DEPTH < depth + count:
                parts += [text[begin : match.start() + _MOST_DEPTH - depth], "null"]
            depth += count
        elif first in "]}":
            depth -= count
            if depth <= _MOST_DEPTH < depth + count:
                begin = match.end() - _MOST_DEPTH + depth
    return "".join((*parts, text[begin:]))


def _read_hook_stdin() -> bytes:
    """Return the content of stdin, read for a limited time.

    An agent that does not close stdin must not hold up its own prompt.
    """
    if os.name == "nt":  # no select on pipes
        return sys.stdin.buffer.read(_MOST_BYTES)
    end = time.monotonic() + _STDIN_S
    parts: list[bytes] = []
    while (
        sum(map(len, parts)) < _MOST_BYTES
        and select.select([0], [], [], max(0.0, end - time.monotonic()))[0]
    ):
        part = os.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
    return b"".join(parts)
