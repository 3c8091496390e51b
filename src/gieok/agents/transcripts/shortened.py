"""What is kept of a tool's use: its call in one line, the beginning and the end of its result.

Secrets go before anything is cut, because half a secret is none that anybody recognises. What does
not show (zero-width characters, which can hide one) goes before that. A result of megabytes is
looked at from both ends, far beyond what is kept.
"""

import json

from gieok.text.inert import visible
from gieok.text.private_tags import cut_private
from gieok.text.redact import redact

#: Of a result this much is kept at its beginning and its end: what was found, and how it ended.
_HEAD_CHARS, _TAIL_CHARS = 400, 200
_ARGUMENT_CHARS = 120
_NAME_CHARS = 80
#: No secret is as long as this: what is cut at a distance from what is kept cuts nothing of what is
#: kept.
_MARGIN_CHARS = 32_768
_WINDOW_CHARS = 2 * _MARGIN_CHARS


def _strip_invisible(text: str) -> str:
    """Return text without what does not show. Looking for it takes longer than everything else, and
    ASCII has none.
    """
    return text if text.isascii() else visible(text)


def decode_arguments(arguments: object) -> object:
    """Return arguments that are written as a text of JSON as what that says."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            pass
    return arguments


def tool_call(name: str, arguments: object) -> str:
    """Return `[read path=MEMORY.md]`: a call in one line."""
    arguments = decode_arguments(arguments)
    if isinstance(arguments, dict):
        pairs = [
            _shorten_argument(f"{_collapse_whitespace(str(key))[:_NAME_CHARS]}=", value)
            for key, value in arguments.items()
        ]
    else:
        pairs = (
            []
            if arguments is None or isinstance(arguments, bool | int | float)
            else [_shorten_argument("", arguments)]
        )
    return f"[{' '.join((_shorten_tool_name(name), *filter(None, pairs)))}]"


def tool_result(name: str, text: str, *, failed: bool = False) -> str:
    """Return what came back: its outcome, its beginning and its end."""
    whole = cut_private(text.strip())  # before it is shortened: the end may lack the tag that opens
    return f"[{_shorten_tool_name(name)} {'failed' if failed else 'ok'}] {_cut_result_middle(whole)}".strip()


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
    """Return an argument, shortened. Its key stands before it while secrets are looked for: it may
    say that one follows.
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
