"""Says whether what a sentence tells after the name of a secret is one, and where it ends.

How much a value has to look like a secret depends on how directly the sentence says that it is one,
and on the name: a password may be two words and a number, a pin is digits, and a *token* or a *key*
is many other things too.
"""

import re
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.rule import compile_on_use, search_before
from gieok.text.redact.value import (
    is_code,
    is_joined,
    is_literal,
    is_password,
    is_phrase,
    is_product,
    is_random,
    is_row,
    is_shaped,
    is_stand_in,
    is_state,
    is_word_of_interface,
)

_Span = tuple[int, int]
PASSWORDS = defer_pattern(r"(?i)pass|pw|비밀|비번|암호|패스")
_PINS = defer_pattern(r"(?i)pins?|핀|comb\w*")
NUMBERED = defer_pattern(
    r"(?i)pass|otp|pin|pw|code|combination|combo|번호|비번|암호|코드|현관|출입|도어락|금고"
)
#: Names that a sentence gives to other things too: `the token is …`, `키는 …`.
_OPEN_NAME = defer_pattern(r"(?i)(?:secret|tokens?|credentials?|creds?|combination|키|토큰)")
#: A unit after a number, which is then no code: `12 characters`, `4자리`.
COUNTS = defer_pattern(
    r"\s?(?:자|글자|개|번|회|일|년|월|시|분|초|명|원|줄|비트|바이트|살|대|건|차|층|%|퍼|(?i:char|digit|letter|bit|byte"
    r"|day|hour|min|sec|"
    r"month|year|week|time|times|attempt|word|token|item|request|user|tri|p\b|am\b|pm\b|won\b"
    r"|people|k\b))"
)
#: Groups of digits that open nothing: `2024-05-06`, `8-16 characters`.
_DATE_OR_RANGE = defer_pattern(rf"(?:19|20)\d\d-|[\d-]+(?:{COUNTS.pattern})")
_SPOKEN = defer_pattern(r"(?i)\b(?:the|my|our|new|your|its?|to) [\w ]{0,30}$")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_LEAST_WORD = 8
_LEAST_OPEN = 8
_SIGNS = "!@#$%^&*"


class ToldValue(NamedTuple):
    """A value as far as its blank, what names it and what joins them; `is_direct`: the sentence
    says that it is the secret.
    """

    text: str
    start: int
    end: int
    name: str
    link: str
    opens: str
    at: int
    numbers: bool
    is_direct: bool

    @property
    def is_password(self) -> bool:
        """Say whether the name is one of a password."""
        return PASSWORDS.match(self.name) is not None


def read_told_value(
    found: re.Match[str], *, numbers: bool, is_direct: bool, name: str | None = None
) -> ToldValue:
    """Return what a match tells. `numbers`: digits alone may be the secret."""
    groups = found.groupdict()
    return ToldValue(
        text=found.string,
        start=found.start("secret"),
        end=found.end("secret"),
        name=groups.get("name") or "" if name is None else name,
        link=groups.get("link") or "",
        opens=read_opening(found),
        at=found.start(),
        numbers=numbers,
        is_direct=is_direct,
    )


def read_opening(found: re.Match[str]) -> str:
    """Return the sign right before a value, '' where a blank stands there."""
    return found["opens"][-1:]


def secret_of(told: ToldValue) -> _Span | None:
    """Return the span of the value without quotes and punctuation around it, None where it is no
    secret.
    """
    if told.is_direct and (quoted := _find_quoted_password(told)):
        return quoted
    value = _trim_told_value(told)
    span = (told.start, told.start + len(value))
    if value.isdigit():
        return span if _is_number(told, value, span[1]) else None
    if _PINS.fullmatch(told.name):
        return (
            span
            if is_pin(value) or compile_on_use(r"\d{1,2}(?:-\d{1,2}){2,3}").fullmatch(value)
            else None
        )
    if compile_on_use(r"\w[<>=!]=\d|<").search(value):
        return None
    if told.is_direct and compile_on_use(r"\d{1,4}(?:-\d{1,4}){1,5}").fullmatch(value):
        is_other = _DATE_OR_RANGE.match(told.text, told.start)
        return span if told.numbers and not is_other else None
    if told.is_direct and (_is_said(told, value) or _is_word_alone(told, value, span[1])):
        return span
    return span if _looks_like_one(told, value) else None


def _trim_told_value(told: ToldValue) -> str:
    """Return the value without the punctuation after it."""
    value = compile_on_use(r"[\"'`”’」>)*,;:.\]|]{0,6}$|\(.{0,3}$").sub(
        "", told.text[told.start : told.end]
    )
    return value.rstrip(".,;:\"'`()>*")


def _read_raw_told_value(told: ToldValue) -> str:
    """Return the value with its punctuation, which shows whether it is code; `…(으)로` is none."""
    return told.text[told.start : told.end].removesuffix("(")


def _is_number(told: ToldValue, value: str, end: int) -> bool:
    is_long = told.numbers and 4 <= len(value) <= 12
    return is_long and not COUNTS.match(told.text, end) and len(set(value)) > 1


def _is_said(told: ToldValue, value: str) -> bool:
    """Say whether a value is one because the sentence says so: letters and a digit, or a row of
    words.
    """
    if not (is_shaped(value) or (told.is_password and (is_row(value) or is_pair(value)))):
        return False
    if compile_on_use(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+").fullmatch(value):
        return False
    if _is_assigned_in_code(told) or is_address(value):
        return False
    return not _OPEN_NAME.fullmatch(told.name) or len(value) >= _LEAST_OPEN


def _is_assigned_in_code(told: ToldValue) -> bool:
    """Say whether ` = ` assigns a name of a program, and no words before it show a sentence."""
    if "=" not in told.link or not is_code(_read_raw_told_value(told)):
        return False
    return not search_before(_SPOKEN, told.text, told.at)


def _is_word_alone(told: ToldValue, value: str, end: int) -> bool:
    """Say whether a word stands alone after `password:`: `Sunflower!`, `sunflower`; what describes
    a password does not count.
    """
    if not told.is_password:
        return False
    if compile_on_use(r"['’]s ").fullmatch(told.link) and compile_on_use(
        r"[A-Z][a-z]+[A-Z][a-z]+"
    ).fullmatch(value):
        return _ENDS_WORD.match(told.text, end) is not None and is_literal(value)
    if _IS.fullmatch(told.link) and _is_plain_word(told, value, end):
        return True
    is_after_sign = ":" in told.link or _IS.fullmatch(told.link) is not None
    return (
        is_after_sign and _is_signed_word(value) and _ENDS_SIGNED.match(told.text, end) is not None
    )


def _is_signed_word(value: str) -> bool:
    """Say whether a value is a word with signs behind it that says nothing of a password:
    `Sunflower!`.
    """
    word = value.rstrip(_SIGNS)
    is_word = compile_on_use(r"[A-Za-z]{5,}").fullmatch(word) is not None
    is_signed = 0 < len(value) - len(word) < 4
    return is_word and is_signed and not is_state(word) and word.lower() not in PREDICATES


#: What stands behind a word with a sign: its line ends, or a comma shows that the sign ended no
#: sentence.
_ENDS_SIGNED = defer_pattern(r"[\"'`”’)]{0,2}(?:[ \t]*(?:\n|\Z)|[.,;])")
#: What joins a name to its value and to what is said of it alike.
_IS = defer_pattern(
    r"(?i) (?:is|was|remains|became|used to be)(?: (?:just|now|still|simply|literally"
    r"|currently|again|actually))? "
)
#: What stands behind a word that is the value: the clause ends, or the word is described as typed.
_ENDS_WORD = defer_pattern(
    r"[\"'`”’)]{0,2}(?:[.,;!)]?[ \t]*(?:\n|\Z)|[.;!)] |, (?:all|no|with|one|in|lower|small"
    r"|capital)\b"
    r"| (?:with (?:a|an|the|no|one|two|small|capital)|all (?:lower|small|in|caps)|in "
    r"(?:lower|all|small|caps|capital)"
    r"|until|btw|for now|for the (?:wi-?fi|guest|printer|router|zip)|please|lol|haha|\())"
)
#: What a sentence says of a password: such a word is none.
PREDICATES = frozenset(
    (
        "wrong right good fine okay safe long short weak strong hard easy simple complex "
        "unique random new old same different "
        "next last first blank empty null none nothing there here elsewhere available needed "
        "known unknown secret "
        "public private valid invalid correct incorrect optional mandatory required sensitive "
        "insensitive plain clear "
        "text plaintext cleartext binary string yours mine ours theirs everything anything "
        "something something_else "
        "below above attached inside outside online offline ready done gone lost dead broken "
        "leaked stale fresh bad "
        "ok free open closed local global default static dynamic temporary permanent numeric "
        "alphanumeric ascii "
        "unicode base64 hex admin root password passwd passphrase pass token user username "
        "email visible hidden "
        "sent kept held read written typed shown given taken made found known stolen chosen "
        "forgotten hidden "
        "stored saved hashed encrypted expired reset set sha256 bcrypt argon2 important "
        "crucial essential critical "
        "unclear obvious trivial impossible possible likely always never often usually only "
        "also still already "
        "again later soon today tomorrow yesterday pending due safe secure insecure unsafe "
        "worthless useless dumb "
        "stupid silly awful terrible great perfect crap shared theirs three four five eight "
        "twelve twenty correctly "
        "changeme letmein hunter foobar example placeholder dummy redacted confidential "
        "protected generated "
        "what where when whether that this these those who which how why because not with "
        "from case-sensitive "
        "ephemeral arbitrary immaterial irrelevant moot gibberish anonymous immutable persistent "
        "identical equal distinct similar missing absent present bcrypted salted plaintexts "
        "unset undefined "
        "different mixed enough huge tiny tricky fun funny weird odd strange sticky"
    ).split()
)


def _is_plain_word(told: ToldValue, value: str, end: int) -> bool:
    """Say whether a word that ends its clause is told as the password, as in `the password is
    trolley`.
    """
    if not compile_on_use(r"[A-Z]?[a-z]{3,14}").fullmatch(value) or is_state(value):
        return False
    if value.lower() in PREDICATES or is_word_of_interface(value) or not is_literal(value):
        return False
    return _ENDS_WORD.match(told.text, end) is not None


def is_pair(value: str) -> bool:
    """Say whether two words are joined that say nothing of a password: `rainy-otter`, not
    `case-sensitive`.
    """
    parts = compile_on_use(r"([A-Za-z]{3,12})[-_.&+!]([A-Za-z]{3,12})[!.]?").fullmatch(value)
    if parts is None or is_word_of_interface(value) or not is_literal(value):
        return False
    words = [word.lower() for word in parts.groups()]
    return not any(is_state(word) or word in PREDICATES for word in words)


def _looks_like_one(told: ToldValue, value: str) -> bool:
    """Say whether a value can hardly be anything else, wherever it stands near the name."""
    raw = _read_raw_told_value(told)
    is_weak = not told.is_direct or not told.is_password  # `API 키 걷어내고 OAuth로 바꿨어요`
    if (is_weak and is_product(value)) or (not told.is_direct and _is_short_word(value)):
        return False
    if (is_code(raw) and not is_joined(value)) or compile_on_use(
        r"[\\`\"]|\('|'\)|^[\](){}.,|=<>:;'\[+-]"
    ).search(value):
        return False
    if is_address(value):
        return False
    return is_password(value) or is_random(value, 8) or (told.numbers and is_pin(value))


def _is_short_word(value: str) -> bool:
    return (
        compile_on_use(r"[A-Za-z]+(?:-[A-Za-z]+)?").fullmatch(value) is not None
        and len(value) < _LEAST_WORD
    )


def _find_quoted_password(told: ToldValue) -> _Span | None:
    """Return the span of a password in quotes, which may be a word or a phrase: `the password is
    "sunflower"`.
    """
    if told.opens not in _CLOSING or not told.is_password:
        return None
    closing = _CLOSING[told.opens]
    quoted = compile_on_use(rf"[^\n{closing}]{{1,120}}(?={closing})").match(told.text, told.start)
    if quoted is None or is_stand_in(quoted[0]):
        return None
    value = quoted[0]
    if compile_on_use(r"[A-Za-z]{6,}[!?]?").fullmatch(value):
        return None if is_state(value) else quoted.span()
    is_words = " " in value and (is_phrase(value) or is_literal(value))
    return quoted.span() if is_words else None


def is_pin(value: str) -> bool:
    """Say whether a value is a keypad code: `0923*`."""
    return bool(compile_on_use(r"[*#]?[0-9]{4,8}[*#]").fullmatch(value))


_BEGINS_ADDRESS = ("/", "./", "~/", "--", "@", "#", "&", "$")
#: Characters from which what begins as an address does and has no words in it is a password.
_LEAST_ADDRESS = 9


def is_address(value: str) -> bool:
    """Say whether a value is an e-mail address, a path, an option, a shortcut or a call."""
    if value.startswith(_BEGINS_ADDRESS):
        return not is_random(value, _LEAST_ADDRESS)
    shortcut = r"(?i:ctrl|alt|shift|cmd|fn|esc)[+-].*"
    mail = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    return bool(
        compile_on_use(
            rf"{shortcut}|{mail}|[\w.]+\([^)]*\)?|[A-Za-z]:\\.*|[\w.-]+=[^=].*"
        ).fullmatch(value)
    )
