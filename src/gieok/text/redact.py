"""Replaces secrets in text before it is stored or sent anywhere.

One row per kind of secret. A row's expression runs only where one of its hints stands in the text: almost no text holds a
secret, and looking for a few letters is a hundred times cheaper. Its hints are looked for only where its sign is there, a
character that every such secret has: that is cheaper once more, and most sentences have none of them. The number of lines
never changes, so that line ranges stay exact.
"""

import re
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    sign: str
    hints: tuple[str, ...]
    expression: re.Pattern[str]


def _kind(name: str, sign: str, hints: str, expression: str) -> _Kind:
    return _Kind(name, sign, tuple(hints.lower().split()), re.compile(expression))


def _assigned(keys: str, between: tuple[str, ...], sign: str, value: str) -> str:
    """Return an expression for `key sign value`. It begins with the sign, because that is what is looked for fastest."""
    before = "|".join(f"(?<={key}{more}{sign})" for key in keys.split() for more in between)
    return rf"{sign}(?i:{before}){value}"


def _quoted(least: int) -> str:
    """Return what finds a quoted value up to its own quote: it may hold the other one, and any that is escaped."""
    inner = r"(?!(?P=quote))(?:\\\S|[^\s\\])"
    return rf"\s{{0,4}}(?P<quote>\\?[\"'])(?P<secret>(?:{inner}){{{least},}})"


_KEYS = "password passwd secret api_key apikey token"
#: What may stand between a key and the sign.
_PLAIN = ("", "[\"']", r"\s", r"[\"']\s")
_QUOTED = ("[\"']", r"\\[\"']", r"[\"']\s", r"\\[\"']\s")

#: What is replaced is the group `secret`, or the whole match where there is no such group.
_KINDS = (
    _kind(
        "private-key",
        "-",
        "-----BEGIN",
        r"(?s)-----BEGIN ([A-Z ]*PRIVATE KEY(?: BLOCK)?)-----(?:(?!-----BEGIN).){1,20000}?-----END \1-----",
    ),
    _kind("anthropic-key", "-", "sk-ant-", r"(?<![A-Za-z0-9_])sk-ant-[A-Za-z0-9_-]{20,}"),
    _kind("openai-key", "-", "sk-", r"(?<![A-Za-z0-9_])sk-(?!ant-)(?:proj-)?[A-Za-z0-9_-]{20,}"),
    _kind("google-key", "", "AIza", r"(?<![A-Za-z0-9_])AIza[A-Za-z0-9_-]{35}"),
    _kind("github-token", "_", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?<![A-Za-z0-9_])gh[pousr]_[A-Za-z0-9]{36,}"),
    _kind("github-token", "_", "github_pat_", r"(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{22,}"),
    _kind("slack-token", "-", "xox", r"(?<![A-Za-z0-9_])xox[abprs]-[A-Za-z0-9-]{10,}"),
    _kind("aws-key", "", "AKIA ASIA", r"(?<![A-Za-z0-9_])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_])"),
    _kind("stripe-key", "_", "k_live_ k_test_", r"(?<![A-Za-z0-9_])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _kind("jwt", ".", "eyJ", r"(?<![A-Za-z0-9_])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    _kind("url-password", "@", "://", r"://(?P<secret>[^\s:/@]*:[^\s/@]+)@"),
    _kind("bearer-token", "", "bearer ", r"(?i:\bbearer )(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)"),
    _kind("password", "=", _KEYS, _assigned(_KEYS, _PLAIN, "=", r"\s?[\"']?(?P<secret>[^\s\"'&,;]{8,})")),
    # A key of JSON or of a literal, also inside of a text in JSON: both sides are quoted, which prose is not.
    _kind("password", ":", _KEYS, _assigned(_KEYS.removesuffix(" token"), _QUOTED, ":", _quoted(8))),
    _kind(
        "password", ":", "token", _assigned("token", _QUOTED, ":", _quoted(16))
    ),  # a short one is a word of a language
)


def redact(text: str) -> str:
    """Return `text` with each secret replaced by `[redacted:KIND]`; line breaks inside a secret are kept."""
    lower = text.lower()
    for kind in _KINDS:
        if kind.sign in text and any(hint in lower for hint in kind.hints):
            text = kind.expression.sub(partial(_replaced, kind.name), text)
    return text


def _replaced(name: str, found: re.Match[str]) -> str:
    group = "secret" if "secret" in found.re.groupindex else 0
    start, end = found.start(group) - found.start(), found.end(group) - found.start()
    lines = "\n" * found[group].count("\n")
    return f"{found[0][:start]}[redacted:{name}]{lines}{found[0][end:]}"
