"""Replaces secrets in text before it is stored or sent anywhere.

One regular expression per kind of secret, in one table; a cheap test first, because almost no text holds one.
The number of lines never changes, so that line ranges stay exact.
"""

import re

_PATTERNS = (
    ("private-key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai-key", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("slack-token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("aws-key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("stripe-key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("url-password", r"(?<=://)[^\s:/@]+:[^\s/@]+(?=@)"),
    ("password", r"(?i:(?<=password=)|(?<=passwd=)|(?<=secret=)|(?<=api_key=)|(?<=token=))[^\s\"'&]{8,}"),
)
_SECRET = re.compile("|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in _PATTERNS))
#: Every pattern needs one of these; `str.find` is far cheaper than the alternation above.
_HINTS = ("sk-", "AIza", "gh", "xox", "AKIA", "ASIA", "k_live_", "k_test_", "eyJ", "PRIVATE KEY", "://")
_ASSIGNMENT_HINTS = ("password=", "passwd=", "secret=", "api_key=", "token=")


def redact(text: str) -> str:
    """Return `text` with each secret replaced by `[redacted:KIND]`; line breaks inside a secret are kept."""
    if not any(hint in text for hint in _HINTS):
        lower = text.lower()
        if not any(hint in lower for hint in _ASSIGNMENT_HINTS):
            return text
    return _SECRET.sub(_replacement, text)


def _replacement(found: re.Match[str]) -> str:
    kind = (found.lastgroup or "secret").replace("_", "-")
    return f"[redacted:{kind}]" + "\n" * found[0].count("\n")
