"""Shortens a tool use: its call in one line, the beginning and the end of its result.

Secrets are removed before anything is cut, because half a secret can no longer be recognised.
Invisible characters (zero-width characters, which can hide a secret) are removed even before that.
A result of megabytes is read from both ends, far beyond the part that is kept.
"""

import json

from gieok.text.inert import visible
from gieok.text.private_tags import cut_private
from gieok.text.redact import redact

#: How much of a result is kept: the beginning shows what was found, the end how it finished.
_HEAD_CHARS, _TAIL_CHARS = 400, 200
_ARGUMENT_CHARS = 120
_NAME_CHARS = 80
#: No secret is as long as this: a cut at this distance from the kept part splits no secret in the
#: kept part.
_MARGIN_CHARS = 32_768
_WINDOW_CHARS = 2 * _MARGIN_CHARS


def _strip_invisible(text: str) -> str:
    """Return text without invisible characters.

    Searching for them takes longer than all other steps, so ASCII, which has none, skips the
    search.
    """
    return text if text.isascii() else visible(text)


def decode_arguments(arguments: object) -> object:
    """Return arguments that are JSON text as the decoded value; other arguments unchanged."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            pass
    return arguments


def tool_call(name: str, arguments: object) -> str:
    """Return a call in one line, such as `[read path=MEMORY.md]`."""
    arguments = decode_arguments(arguments)
    words = [_shorten_tool_name(name)]
    if isinstance(arguments, dict):
        for key, value in arguments.items():
            shown_key = _collapse_whitespace(str(key))[:_NAME_CHARS]
            words.append(_shorten_argument(f"{shown_key}=", value))
    elif arguments is not None and not isinstance(arguments, bool | int | float):
        words.append(_shorten_argument("", arguments))
    return f"[{' '.join(filter(None, words))}]"


def tool_result(name: str, text: str, *, failed: bool = False) -> str:
    """Return a result in short: its outcome, its beginning and its end."""
    whole = cut_private(text.strip())  # before it is shortened: the end may lack the tag that opens
    return (
        f"[{_shorten_tool_name(name)} {'failed' if failed else 'ok'}] {_cut_result_middle(whole)}"
    ).strip()


def _cut_result_middle(text: str) -> str:
    if len(text) <= 2 * _WINDOW_CHARS:
        text = redact(_strip_invisible(text))
        if len(text) <= _HEAD_CHARS + _TAIL_CHARS:
            return text
        head, tail = text[:_HEAD_CHARS], text[-_TAIL_CHARS:]
    else:
        head = redact(_strip_invisible(text[:_WINDOW_CHARS]))[:-_MARGIN_CHARS][:_HEAD_CHARS]
        tail = redact(_strip_invisible(text[-_WINDOW_CHARS:]))[_MARGIN_CHARS:][-_TAIL_CHARS:]
    return f"{head} … {len(text) - len(head) - len(tail):,} characters … {tail}"


def _shorten_argument(key: str, value: object) -> str:
    """Return an argument, shortened.

    Its key stands before the value while secrets are looked for: the key may say that a secret
    follows.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    is_long = len(text) > _WINDOW_CHARS
    text = _collapse_whitespace(redact(_strip_invisible(key + text[:_WINDOW_CHARS])))
    text = text[:-_MARGIN_CHARS] if is_long else text
    limit = len(key) + _ARGUMENT_CHARS
    return text if len(text) <= limit and not is_long else text[:limit] + "…"


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _shorten_tool_name(name: str) -> str:
    return _collapse_whitespace(visible(name))[:_NAME_CHARS] or "tool"
