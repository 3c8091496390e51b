"""Values of keys that name a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `<secret>…</secret>`, `--token …`."""

import re

from gieok.text.redact.rule import Rule, after, compiled
from gieok.text.redact.value import is_code, is_password, is_random, is_stand_in, is_wordy

_PASSWORD = r"pass(?:w(?:or)?ds?|wort|phrase|code|wd)?|pwd|pw|psk"
_KEYS = "api access private account shared signing encryption encrypt master consumer auth service license licence crypt app rest "
_KEYS += "client admin webhook subscription application"
_SECRET = rf"secret(?:[_-]?id)?|credentials?|creds?|(?<![a-z])(?:salt|pepper)|{after(_KEYS, '[_. -]')}key"
_TOKEN = r"token|sess(?:ion)?[_-]?id|session|csrf|xsrf|sid|jwt|bearer|auth"
#: Names of tokens that grant no access: page cursors, idempotency keys, parser marks.
_NO_SECRET = re.compile(
    r"(?i)(?:next|page|paging|pagination|continuation|starting|start|sync|cursor|change|lock|client|request|idempotency|cancel\w*|"
    r"stop|end|eos|bos|pad|mask|special|resume|import|export|action|work-?unit|update|sequence|position)[_.-]?$"
)
_UUID = re.compile(r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}")
#: Suffixes of a key that still names a secret: `password_prod`, `SECRET_KEY_BASE`.
_TAIL = re.compile(
    r"(?i)(?:[_.\- ]?(?:keys?|values?|prod(?:uction)?|dev(?:elopment)?|tests?|staging|stage|live|db|root|admin|user|app|old|new|"
    r"hex|b64|base(?:64)?|string|text|plain(?:text)?|env|tokens?|secrets?|code|s|[0-9]{1,3}|primary|secondary|default|main|"
    r"master|service|server|client|access|api|current|confirm(?:ation)?|again)){0,4}"
)
_LONG_CHARS = 300
_FLAG = re.compile(r"(?:^|[\s\"'`])--?[A-Za-z0-9_-]{0,40}$")
_TAG = re.compile(r"<[\w:.-]*$|[\"']$")
_LINE_KEY = re.compile(r"[\s\-\"'\w.]*")
_BEFORE_BARE = re.compile(r"(?:^|[^A-Za-z]|[a-z](?=[A-Z])|store|key|user|db|my|root|smtp|ftp|ssh)$")
_ENDS_PAIR = re.compile(r"[&,](?=[\w.-]+=)|,$")
_STATES = frozenset(
    "required optional incorrect disabled enabled expired protected unchanged encrypted password passwords forgotten redacted "
    "authenticate undefined plaintext included inherited provided mismatch rejected accepted supported mandatory invalid123 "
    "credential credentials username anonymous nullable unlocked standard postgres generated variable function argument".split()
)
_HEAD = rf"(?i:(?P<password>{_PASSWORD})|(?P<secretkey>{_SECRET})|(?P<token>{_TOKEN}))"
_SIGN = (
    r"(?P<close>\\?[\"'`]?\]?)(?:"
    r"(?P<typed>\??: ?[A-Za-z_&][^=\n\"'(){},]{0,40}= ?(?=[fFbB]?[\"'`]))"
    r"|[ \t]{0,8}(?P<sign>:=|\?=|=>|=(?!=)|:(?!:))\s{0,8}(?:[|>]-?\s{1,20})?"
    r"|(?P<beside>\\?[\"'] ?, ?(?=[\"'])|\((?=[\"']))"
    r"|(?P<named>[\"']?\s{1,24}(?:-? ?)\"?value\"?\s?[:=]\s?|[\"'],\s{0,24}[\"']value[\"']:\s?)"
    r"|(?P<tag>>)"
    r"|(?P<blank>[ \t]{1,4}))"
)
_VALUE = (
    r"(?:[fFrRbBuUL@]{0,2}(?P<quote>\\?[\"'`])(?P<quoted>(?:(?!(?P=quote))(?:\\[^\n]|[^\n\\])){1,8000})(?:(?P=quote)|(?=\n|\Z))"
    r"|(?P<bare>[^\s\"'`<>;][^\s\"'`<>;]{0,8000}))"
)
_PATTERN = rf"{_HEAD}(?P<tail>[A-Za-z0-9_.-]{{0,24}}){_SIGN}{_VALUE}"
_HINTS = tuple("pass pw psk secret cred key salt pepper token sess csrf xsrf sid jwt bearer auth".split())


def _cut(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the value; skip a long match without a secret, so that a row of keys is not read again for each key."""
    span = _value(found)
    return (found.end(), found.end()) if span is None and found.end() - found.start() > _LONG_CHARS else span


def _value(found: re.Match[str]) -> tuple[int, int] | None:
    if not _TAIL.fullmatch(found["tail"]) or not _is_whole_word(found) or not _is_beside(found):
        return None
    if found["blank"] and not _FLAG.search(found.string, max(0, found.start() - 42), found.start()):
        return None
    before = found.string[max(0, found.start() - 42) : found.start()]
    is_arn = found["sign"] == ":" and before.endswith(":")
    is_quotation = found["tag"] and not _TAG.search(before)
    if is_arn or is_quotation:
        return None
    if found["quoted"] is not None:
        start, end = found.span("quoted")
        return (start, end) if _holds(found, found["quoted"]) else None
    if found["typed"] or found["beside"]:
        return None
    start, end = found.span("bare")
    if found["sign"] == ":" and not _follows_on_line(found, start):
        return None
    raw = found["bare"]
    if (raw[:1] in "$%{[(<&*|" and is_stand_in(raw)) or is_code(raw):
        return None
    value = _trimmed(raw)
    return (start, start + len(value)) if _holds(found, value) else None


def _quoted_only(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut as `_cut` does, between quotes only: an unquoted value is an expression."""
    return _cut(found) if found["quoted"] is not None and found["blank"] is None else None


def _is_whole_word(found: re.Match[str]) -> bool:
    """Say whether a short name (`pass`, `sid`) stands alone: `compass` and `inside` are no keys."""
    name = (found["password"] or found["secretkey"] or found["token"]).lower()
    if found["secretkey"] or (len(name) > 5 and name != "bearer"):
        return True
    if name.startswith("sess"):
        return True
    if name in ("auth", "bearer", "jwt") and found["tail"] and found["quoted"] is None:
        return False
    return bool(_BEFORE_BARE.search(found.string, max(0, found.start() - 8), found.start())) or (
        found.string[found.start()].isupper() and found.string[found.start() - 1 : found.start()].islower()
    )


def _is_beside(found: re.Match[str]) -> bool:
    """Say whether `name("value")` and `"name", "value"` are a name and its value: `splitpasswd('user:a')` is not."""
    if not found["beside"]:
        return True
    before = found.string[max(0, found.start() - 8) : found.start()]
    return (
        found[0][4:5].isalpha()
        and not found["tail"]
        and before.lower().endswith(("set", "with", "use", ".", "'", '"', "_", "("))
    )


def _follows_on_line(found: re.Match[str], start: int) -> bool:
    """Say whether a bare value after a colon is on the line of its key."""
    return "\n" not in found.string[found.end("sign") : start] or "|" in found.string[found.end("sign") : start]


def _trimmed(raw: str) -> str:
    """Return a bare value without the punctuation after it."""
    if ends := _ENDS_PAIR.search(raw):
        raw = raw[: ends.start()]
    raw = raw.rstrip(",")
    for opening, closing in ("()", "[]", "{}"):
        while raw.endswith(closing) and raw.count(closing) > raw.count(opening):
            raw = raw[:-1].rstrip(",")
    return raw[:-2] if raw.endswith(("\\n", "\\t", "\\r")) else raw.rstrip("\\").removesuffix(".")


def _holds(found: re.Match[str], value: str) -> bool:
    """Say whether the value of a key is a secret; a password is shorter than a token and may be a word."""
    is_quoted = found["quoted"] is not None
    is_type = is_quoted and value.endswith((")", "]")) and is_code(value)  # as `List[V1Secret]`
    if is_type or is_stand_in(value) or "://" in value:
        return False
    if is_quoted and " " in value:
        return bool(found["password"]) and _is_phrase(value)
    if found["token"]:
        is_session = found["token"].lower().startswith("s")
        # Session ids grant access in cookies only.
        if is_session and (found["sign"] != "=" or is_quoted or _UUID.fullmatch(value)):
            return False
        if _NO_SECRET.search(found.string, max(0, found.start() - 16), found.start()):
            return False
        return is_random(value, 20 if is_session else 10 if is_quoted else 12)
    if found["secretkey"]:
        return is_random(value, 8) or (is_password(value, least=8) and any(c.isdigit() for c in value))
    if value.isdigit():
        return len(value) >= (4 if is_quoted else 6)
    if is_password(value):
        return True
    if found["beside"]:
        return False
    plain = compiled(r"[A-Z]?[a-z]{7,}").fullmatch(value) is not None and value.lower() not in _STATES
    names_secret = compiled(r"(?i)pass|pwd|secret|token|user").search(value)
    # A password of letters alone: only where nothing but a value can stand.
    return plain and not is_code(value) and _is_setting(found) and not names_secret


def _is_setting(found: re.Match[str]) -> bool:
    """Say whether the key is a setting: alone on its line, or with a quoted value."""
    text, start = found.string, found.start()
    line = text.rfind("\n", max(0, start - 80), start) + 1
    if found["quoted"] is not None:
        return True
    ends = text[found.end() : found.end() + 1] in ("", "\n", "\r")
    return ends and bool(_LINE_KEY.fullmatch(text, line, start)) and (start - line < 60)


def _is_phrase(value: str) -> bool:
    """Say whether a value with spaces is a password: one of its parts is not a word."""
    words = value.split(" ")
    return len(words) <= 8 and any(is_password(word) or (len(word) > 3 and not is_wordy(word)) for word in words)


ASSIGNED = (
    Rule("password", _HINTS, _PATTERN, "DB_PASSWORD=h7Kqx2vP", "password=getpass.getpass()", cut=_cut, in_source=False),
)  # fmt: skip
ASSIGNED_IN_SOURCE = (
    Rule("password", _HINTS, _PATTERN, 'password = "h7Kqx2vP"', "var secret = this.req.secret;", cut=_quoted_only),
)  # fmt: skip
