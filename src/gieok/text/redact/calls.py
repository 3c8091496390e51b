"""Rules for quoted passwords that are an argument of a call, or one side of a comparison.

No assignment names such a password; the code around it does: a callee that logs in (`login("kim",
"…")`), a call that sets or hashes a password, a password field that is filled, a variable for a
password that is compared. Names of events, fields and methods in that place are no passwords.
"""

import re

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import Rule, compile_on_use, search_before
from gieok.text.redact.value import (
    is_literal,
    is_name_of_secret,
    is_placeholder,
    is_shaped,
    is_word_of_interface,
)

_QUOTED = r"(?P<q>[\"'`])(?P<secret>(?:(?!(?P=q))[^\n\\$]){4,64})(?P=q)"
#: Words joined by a sign, as passwords are and few names: `pine-cone`, `Salt&Vinegar`.
_JOINED = r"[A-Za-z가-힣]+(?:[-&!@#$%^*+~][A-Za-z가-힣]+)+[!@#$%^&*]{0,3}"
#: Callees whose second argument is hardly anything but a password.
_LOGS_IN = r"(?i)(?:log_?in|sign_?in|credentials?|basicauth|auth=?|authenticate)\("
_VERB = defer_pattern(r"(?i)(?:set|check|verify|with|use|change|reset|valid(?:ate)?)_?$")
#: What hashes passwords: in the name of the call, or of its module.
_HASHES = defer_pattern(r"(?i)(?:passw|bcrypt|argon|scrypt|hash_?pw|pbkdf)[^\n]{0,24}$")
_FILLS = defer_pattern(r"(?i)(?:fill|type|set_?value|input|send_?keys)\w{0,12}\([^()\n]{0,60}$")
_SPLIT = r"(?P<args>(?:[^()\n,]{1,60}(?:\(\))?,){1,3})\s{0,20}"


def _is_chosen(value: str) -> bool:
    """Say whether a literal is what a person chooses and a program does not: shaped, or joined
    words.
    """
    if is_placeholder(value) or not is_literal(value) or is_name_of_secret(value):
        return False
    is_joined = compile_on_use(_JOINED).fullmatch(value) is not None
    return is_shaped(value) or (is_joined and not is_word_of_interface(value))


def _behind_user(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the literal behind a user, a network or a host; `connect` has events beside passwords."""
    value, arguments = found["secret"], found["args"].count(",")
    logs_in = compile_on_use(_LOGS_IN).match(found[0]) is not None
    if compile_on_use(r"[^@]*@[^@]*\..*").fullmatch(value):  # an address
        return None
    if is_shaped(value) and not is_placeholder(value):
        return found.span("secret")
    return found.span("secret") if (logs_in or arguments > 1) and _is_chosen(value) else None


def _of_verb(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut what is set or checked as a password, as in `set_password("…")`."""
    is_verb = search_before(_VERB, found.string, found.start())
    return found.span("secret") if is_verb and _is_chosen(found["secret"]) else None


def _of_hash(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut what is hashed as a password."""
    is_one = search_before(_HASHES, found.string, found.start("secret"))
    return found.span("secret") if is_one and _is_chosen(found["secret"]) else None


def _of_field(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut what is typed into a field for a password."""
    is_filled = found["verb"] or search_before(_FILLS, found.string, found.start())
    value = found["secret"]
    is_one = is_literal(value) and not is_word_of_interface(value)
    return found.span("secret") if is_filled and is_one else None


def _cut_compared_literal(found: re.Match[str]) -> tuple[int, int] | None:
    return found.span("secret") if _is_chosen(found["secret"]) else None


_PASS = r"(?i:pass(?:word|wd|code|phrase)?|pw)"
CALLS = (
    Rule(
        name="password",
        hints=(
            "login(",
            "signin(",
            "sign_in(",
            "auth(",
            "auth=(",
            "authenticate(",
            "connect(",
            "connection(",
            "credential(",
            "credentials(",
            "begin(",
            "user(",
            "account(",
        ),
        pattern=(
            r"(?i:log_?in|sign_?in|auth=?|authenticate|connect(?:ion)?|credentials?|begin|user"
            rf"|account)\({_SPLIT}{_QUOTED}(?=\s{{0,8}}[,)])"
        ),
        example='new NetworkCredential("svc", "pine-cone")',
        counter_example='obj.connect("row-activated", "on-row")',
        cut=_behind_user,
    ),
    Rule(
        name="password",
        hints=("pass", "pw("),
        pattern=rf"{_PASS}\((?:[\w.]{{1,30}}, ?)?{_QUOTED}\)",
        example='user.set_password("pine-cone")',
        counter_example='check_password("password")',
        cut=_of_verb,
    ),
    Rule(
        name="password",
        hints=("hash(", "hashpw(", "hashsync("),
        pattern=rf"(?i:hash(?:pw|sync)?)\([ub]?{_QUOTED}(?=[,)])",
        example="bcrypt.hashSync('pine-cone', 10)",
        counter_example="hash('pine-cone')",
        cut=_of_hash,
    ),
    Rule(
        name="password",
        hints=("pass", "pw"),
        pattern=(
            rf"{_PASS}[\w\]]{{0,8}}[\"'\]]{{1,3}}(?:,|\)(?P<verb>(?:\.clear\(\))?\.(?i:type|fill"
            rf"|send_?keys|set_?value|input)\()) ?{_QUOTED}\)"
        ),
        example='page.fill("#password", "pine-cone")',
        counter_example='page.fill("#password", "your password")',
        cut=_of_field,
    ),
    Rule(
        name="password",
        hints=("pass", "pw"),
        pattern=rf"{_PASS}\w{{0,8}}\)? ?(?:[!=]==?|\.equals\() ?{_QUOTED}",
        example='if (pw === "pine-cone") open();',
        counter_example='if (password == "password") warn();',
        cut=_cut_compared_literal,
    ),
)
