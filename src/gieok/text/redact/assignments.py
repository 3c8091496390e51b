"""Values of keys that name a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `<secret>…</secret>`,
`--token …`, `#define X_KEY …`.

Two kinds of evidence meet here: what the name says (`nouns`) and what the value is. Where the name
can name nothing but a secret, any literal is one, whatever its shape: only references, calls and
placeholders are spared. Where the name leaves it open, the value has to look like a secret. Whether
a value without quotes is a literal depends on where it stands: in a setting it is one, in an
expression of a program it is not.
"""

import re
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.nouns import Noun, NounKind, begin_of, qualifier_of, read_name
from gieok.text.redact.rule import Rule, compile_on_use, line_before, search_before
from gieok.text.redact.value import (
    is_code,
    is_expression,
    is_literal,
    is_name_of_secret,
    is_password,
    is_phrase,
    is_placeholder,
    is_random,
    is_reference,
    is_shaped,
    is_stand_in,
    is_state,
    is_wordy,
    joins_words,
)

_HINTS = tuple(
    (
        "pass pw psk phrase secret cred key salt pepper token srf= sid= bearer auth pin otp "
        "code _api "
        "sess= sessid= sessionid= sess_id= session= session_id= session-id="
    ).split()
)
_UUID = defer_pattern(r"[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}")
_LONG_CHARS = 300
#: More brackets than that are a line of a program, all of it without blanks.
_MOST_BRACKETS = 3
#: Where a value without quotes in `NAME=value` is a literal: settings, shells, parameters of URLs,
#: logs.
_SHELL = defer_pattern(
    r"(?:^|[\s;&|(`\"'])(?:export|set|setx|env|ENV|ARG|declare|local|readonly|typeset|-e|--env"
    r"|--set|-D|-P|--from-literal)[ =]?[\"']?$"
)
_PARAMETER = defer_pattern(r"[?&;][\w.-]{0,40}$")
_PAIRS = defer_pattern(
    r"(?:^|[\s\[{(\"'])[\w.-]{1,40}=(?:\"[^\"\n]{0,80}\"|[^\s,(){}\[\]\"]{1,200}) $"
)
_FLAG = defer_pattern(r"(?:^|[\s\"'`=\[(])--?[A-Za-z0-9_-]{0,40}$")
_DEFINE = defer_pattern(
    r"(?:#[ \t]{0,4}define|%define|\bdefine|\bsetx?|\bSETX?)[ \t]{1,8}\w{0,60}$"
)
_SPOKEN_FLAG = defer_pattern(
    (
        r"(?:^|[\s\"'`])(?:wifi connect|add-generic-password|login|set|AUTH|user(?:name)? "
        r"\S{1,40},?|machine \S{1,99} login \S{1,60}) (?:\S{1,60} )?$"
    ),
    re.IGNORECASE,
)
#: Tools that keep a value under a name: `consul kv put app/db_password …`.
_STORES = defer_pattern(
    r"\b(?:kv put|etcdctl put|config:set|secrets? (?:set|put)|put-parameter|config set)\b[^|;\n]*$"
)
_TAG = defer_pattern(r"(?<!\?P)(?<!\?)<[\w:.-]*$|[\"']$")
_LINE_KEY = defer_pattern(r"[\s\-\"'\w’•.|*>#]*")
_ENDS_PAIR = defer_pattern(r"[&,](?=[\w.-]+=)|;(?=\s*(?:[\w .-]{1,40}=|$))|,$")
_CLOSES_QUOTE = defer_pattern(r"[\"'`](?=$|[\s,;:)\]}>&|/\\.])")
#: A name as far as it goes: to give a part of it back would be to read all signs behind it again.
_HEAD = (
    r"(?>(?i:p(?:ass(?:w(?:or)?ds?|wort|phrases?|codes?|wd)?|wd|w|swd|sk|ins?(?:code)?|epper)"
    r"|s(?:ecrets?|ess(?:ion)?(?:[_-]?id)?|id|alt)|"
    r"k(?:eys?)|t(?:okens?)|phrase|cred(?:ential)?s?|srf|bearer|auth|_api|otp|codes?))"
)
_SIGN = (
    r"(?P<close>(?:\\?[\"'`]\]?|\[\d{0,4}\])?)(?: PROGMEM)?(?:"
    r"(?P<typed>\??: ?[A-Za-z_&][^=\n\"'(){},]{0,40}= ?(?=[fFbB]?[\"'`]))"
    r"|[ \t]{0,40}(?P<sign>:=|\?=|=>|=(?!=)|:(?!:)|->(?= )|→)\s{0,8}(?:[|>][-+]?\s{1,20}|\[ "
    r"?(?=[\"']))?"
    r"|(?P<named>[\"']?\s{1,24}(?:-? ?)\"?value\"?\s?[:=]\s?"
    r"|[\"']?,\s{0,24}(?:[\"']\w{1,20}[\"']:\s?[\"'\w-]{1,30},\s{0,24})?[\"']value[\"']:\s?"
    r"|\"\s?\{\s{1,20}(?:[^\n}]{1,80}\n\s{0,20})?(?:[^\n}]{1,80}\n\s{0,20})?default\s{1,12}= )"
    r"|(?P<beside>\\?[\"']? ?, ?(?=[\"'])|\((?=[\"']))"
    r"|(?P<tag>>))"
)
_VALUE = (
    r"(?:(?:(?:strdup|std::string|bytes|Secret(?:Str)?|SecureString|Q?String(?:Literal)?|TEXT"
    r"|_T|F|str)\()?[fFrRbBuULN@]{0,2}(?P<quote>\\?[\"'`])(?P<quoted>(?:(?!(?P=quote))"
    r"(?:\\[^\n]|[^\n\\])){1,8000})(?:(?P=quote)|(?=\n|\Z))"
    r"|(?P<bare>[^\s\"'`<>;][^\s<>]{0,8000}))"
)
_TAIL = r"(?P<tail>(?:[A-Za-z0-9_.]|-(?!>)){0,24}+)"
_PATTERN = rf"{_HEAD}{_TAIL}{_SIGN}{_VALUE}"
#: A flag, a macro or a statement, whose name a blank joins to its value.
_BLANK_PATTERN = (
    rf"(?:(?<=[-_])|(?<=[A-Za-z])(?=[pP]ass)){_HEAD}{_TAIL}(?P<blank>[ \t]{{1,24}}(?:(?:--value"
    rf"|--body)[ =]|<<< ?|\()?){_VALUE}"
)
_SPOKEN_PATTERN = rf"(?i:pass(?:word|phrase|wd)?)(?P<tail>)(?P<blank> (?:[057] )?){_VALUE}"


_JOINTS = ("sign", "typed", "beside", "named", "tag", "blank")


_BEFORE_WORD = ("+", " ", "\t", '"', "'", "`", "{", "[", ",")


#: The section that a key of YAML stands in, where it is its first.
_SECTION = defer_pattern(r"(?:^|\n)[ \t]{0,20}(?P<name>[A-Za-z]{2,20}):[ \t]{0,4}\n[ \t]{1,24}$")


class _Place(NamedTuple):
    """Where a match stands: its name, the text of the line before it, and how its value is joined
    to it and written.
    """

    name: str
    line: str
    start: int
    joint: str
    sign: str
    is_quoted: bool


def _cut_assigned_value(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the value; skip a long match without a secret, so that a row of keys is not read again
    for each key.
    """
    span = _find_value_span(found)
    return (
        (found.end(), found.end())
        if span is None and found.end() - found.start() > _LONG_CHARS
        else span
    )


def _find_value_span(found: re.Match[str]) -> tuple[int, int] | None:
    text = found.string
    start = begin_of(text, found.start())
    name = text[start : found.end("tail")]
    noun = read_name(name, qualifier_of(text, start))
    if (
        noun is None
        and found.groupdict().get("sign") == ":"
        and (section := search_before(_SECTION, text, start))
    ):
        noun = read_name(name, section["name"].lower())
    if noun is None:
        return None
    line = line_before(text, start)
    joints = found.groupdict()
    place = _Place(
        name=name,
        line=line,
        start=start,
        joint=next(joint for joint in _JOINTS if joints.get(joint)),
        sign=joints.get("sign") or "",
        is_quoted=found["quoted"] is not None,
    )
    if noun.kind is NounKind.SECRET and compile_on_use(r"(?i)session|cookie|jwt|csrf").search(line):
        noun = Noun(noun.kind, is_whole=True)
    if not _is_joined_to_value(found, place, noun):
        return None
    if place.is_quoted:
        is_label = (
            place.sign == ":" and text[:start].endswith(found["quote"]) and not found["close"]
        )
        return None if is_label else _find_quoted_span(found, noun, place)
    if place.joint == "blank" and compile_on_use(r"(?:id|type|src|source|env|name|file)=").match(
        found["bare"]
    ):
        return None
    is_macro = (
        place.joint == "blank"
        and _DEFINE.search(place.line)
        and compile_on_use(r"\w+").fullmatch(found["bare"])
    )
    if (
        is_macro
        or place.joint in ("typed", "beside")
        or (place.sign in (":", "=") and not _follows_on_line(found))
    ):
        return None
    return _find_bare_span(found, noun, place)


def _find_quoted_span(found: re.Match[str], noun: Noun, place: _Place) -> tuple[int, int] | None:
    """Return the span of a value in quotes; a doubled quote belongs to it."""
    text, quote = found.string, found["quote"]
    start, end = found.span("quoted")
    if quote in ("'", '"'):
        doubled = rf"(?:{quote}{quote}(?=\S)[^\n{quote}]{{0,400}}(?={quote}))+"
        more = compile_on_use(doubled).match(text, end)
        end = more.end() if more else end
    return (start, end) if _holds_assigned_secret(found, noun, place, text[start:end]) else None


#: A line of a file of settings, as it begins and as a whole.
_SETTING = r"(?:[+-]?[\w.]{2,60}=|[ \t]{0,24}(?:- )?[\w.-]{2,60}:(?: \S|[ \t]*\n))"
_SETTING_BEFORE = defer_pattern(
    r"(?m:^)(?:[+-]?[\w.]{2,60}=[^\n]*|[ \t]{0,24}(?:- )?[\w.-]{2,60}:(?: \S[^\n]*)?[ \t]*)\n\Z"
)


def _rest_of_setting(found: re.Match[str], place: _Place) -> int:
    """Return where the value of a setting ends that may hold blanks: the end of its line in a file
    of settings, or its tag.
    """
    text, end = found.string, found.end("bare")
    if place.joint == "tag":
        rest = compile_on_use(r"[\w .,'!-]{0,80}(?=</)").match(text, end)
        return rest.end() if rest else end
    is_key = compile_on_use(r"[+-]?[ \t]{0,24}(?:- )?").fullmatch(place.line)
    words = compile_on_use(r"(?: [A-Za-z가-힣']{1,16}){1,8}[ \t\r]*(?=\n|\Z)").match(text, end)
    if not is_key or not words or place.sign not in ("=", ":"):
        return end
    has_neighbour = compile_on_use(rf"\n{_SETTING}").match(text, words.end()) or search_before(
        _SETTING_BEFORE, text, place.start - len(place.line)
    )
    return words.end() if has_neighbour else end


def _find_bare_span(found: re.Match[str], noun: Noun, place: _Place) -> tuple[int, int] | None:
    """Return the span of a value without quotes, without the punctuation after it."""
    raw = found["bare"]
    if closing := _CLOSES_QUOTE.search(raw):
        raw = raw[: closing.start()]
    if not raw or is_reference(raw) or sum(map(raw.count, "(){}[];,")) > _MOST_BRACKETS:
        return None
    is_setting = _is_setting(found, place)
    start = found.start("bare")
    rest = _rest_of_setting(found, place)
    if noun.is_whole and rest > found.end("bare"):
        phrase = found.string[start:rest].rstrip()
        if _is_literal_of(noun, phrase):
            return start, start + len(phrase)
    if (raw.startswith(tuple("$%{[(<&*|")) and is_stand_in(raw)) or (
        is_code(raw) and not (is_setting and not is_expression(raw))
    ):
        return None
    value = _trim_bare_value(raw)
    return (
        (start, start + len(value)) if _holds_assigned_secret(found, noun, place, value) else None
    )


def _quoted_only(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut as `_cut` does, between quotes only: an unquoted value is an expression."""
    return None if found["quoted"] is None else _cut_assigned_value(found)


def _is_joined_to_value(found: re.Match[str], place: _Place, noun: Noun) -> bool:
    """Say whether what stands between a name and a value joins them."""
    if place.joint == "blank":
        as_flag = _FLAG.search(place.line) or place.name.startswith("-")
        if (
            found["quoted"] is not None
            and noun.kind is NounKind.PASSWORD
            and _is_statement(found, place)
        ):
            return True
        is_define = _DEFINE.search(place.line) is not None or _STORES.search(place.line) is not None
        return bool(
            as_flag
            or is_define
            or (noun.kind is NounKind.PASSWORD and _SPOKEN_FLAG.search(place.line))
        )
    if place.joint == "beside":
        return _is_beside(found, place)
    is_arn = place.sign == ":" and place.line.endswith(":")
    is_quotation = place.joint == "tag" and not _TAG.search(
        f"{place.line}{found.string[place.start : found.start()]}"
    )
    return not is_arn and not is_quotation


def _is_statement(found: re.Match[str], place: _Place) -> bool:
    """Say whether a name and a value in quotes are all of their line: `storePassword "…"`."""
    is_last = compile_on_use(r"[ \t]{0,3}(?:\Z|[\n\r/#])").match(found.string, found.end())
    has_capital = place.name != place.name.lower()
    return is_last is not None and has_capital and not place.line.strip()


def _is_beside(found: re.Match[str], place: _Place) -> bool:
    """Say whether `name("value")` and `"name", "value"` are a name and its value:
    `splitpasswd('user:a')` is not.
    """
    before = f"{place.line}{found.string[place.start : found.start()]}".lower()
    if found["close"] == "" and not found["beside"].startswith(("(", '"', "'", "\\")):
        return place.name.isupper()
    return not found["tail"] and before.endswith(("set", "with", "use", ".", "'", '"', "_", "("))


def _follows_on_line(found: re.Match[str]) -> bool:
    """Say whether a bare value after a sign is on the line of its key."""
    between = found.string[found.end("sign") : found.start("bare")]
    return "\n" not in between or "|" in between or ">" in between


def _is_setting(found: re.Match[str], place: _Place) -> bool:
    """Say whether a value without quotes stands where only a literal can: in a setting, a shell, a
    URL, a log.
    """
    if place.joint in ("tag", "named", "blank"):
        return True
    text, end = found.string, found.end()
    is_tight = place.sign == "=" and text[found.end("tail") : found.start("bare")] in (
        "=",
        '"=',
        "]=",
    )
    is_word = (
        "(" not in place.line
        and (not place.line or place.line.endswith(_BEFORE_WORD))
        and not found["bare"].endswith((",", ")", ";"))
    )
    if is_tight and (
        is_word
        or place.name.isupper()
        or place.name.startswith("-")
        or _SHELL.search(place.line)
        or _PARAMETER.search(place.line)
        or _PAIRS.search(place.line)
    ):
        return True
    ends = compile_on_use(r"(?:[ \t]{1,20}(?:#|//)[^\n]*)?[ \t]*(?:\r?\n|\Z)").match(
        text, end
    ) and not found["bare"].endswith((",", ")", ";", "{", "]", "(", "["))
    is_member = place.name.startswith(("self.", "this.", "cls."))
    return bool(ends) and not is_member and _LINE_KEY.fullmatch(place.line) is not None


def _trim_bare_value(raw: str) -> str:
    """Return a bare value without the punctuation after it."""
    if ends := _ENDS_PAIR.search(raw):
        raw = raw[: ends.start()]
    raw = raw.rstrip(",`")
    for opening, closing in ("()", "[]", "{}"):
        while raw.endswith(closing) and raw.count(closing) > raw.count(opening):
            raw = raw[:-1].rstrip(",")
    return raw[:-2] if raw.endswith(("\\n", "\\t", "\\r")) else raw.rstrip("\\").removesuffix(".")


def _is_no_value(found: re.Match[str], place: _Place, value: str) -> bool:
    """Say whether a value is a type, a pattern, a constant, a placeholder or an address."""
    is_type = (
        place.is_quoted and value.endswith((")", "]")) and is_code(value)
    )  # as `List[V1Secret]`
    is_pattern = compile_on_use(r"\[[^\]]*\][+*?]|\\[wdWD][+*?\]]").search(value) is not None
    is_tight = place.sign == "=" and not found.string[found.start("sign") - 1].isspace()
    is_constant = not place.is_quoted and not is_tight and "_" in value and value.isupper()
    is_path = compile_on_use(r"~?/[\w.@ -]+(?:/[\w.@ -]+)+/?|[A-Z]:[\\/].*").fullmatch(
        value
    ) is not None and is_wordy(value)
    return is_type or is_pattern or is_path or is_constant or "://" in value


def _holds_assigned_secret(found: re.Match[str], noun: Noun, place: _Place, value: str) -> bool:
    """Say whether the value of a name is a secret."""
    is_pin = noun.kind is NounKind.PIN and _is_pin(value) and len(set(value)) > 1
    if _is_no_value(found, place, value) or (is_stand_in(value) and not is_pin):
        return False
    return (_is_certain(found, noun, place) and _is_literal_of(noun, value)) or _looks_like(
        found, noun, place, value
    )


def _looks_like(found: re.Match[str], noun: Noun, place: _Place, value: str) -> bool:
    """Say whether a value looks like what its name says."""
    if noun.kind is NounKind.PIN:
        return _is_pin(value) or (place.is_quoted and place.name.isupper() and is_shaped(value))
    if place.is_quoted and " " in value:
        return noun.kind in (NounKind.PASSWORD, NounKind.SECRET) and is_phrase(value)
    if noun.kind in (NounKind.TOKEN, NounKind.SESSION):
        is_parameter = (
            place.sign == "="
            and not place.is_quoted
            and len(value) >= 10
            and _is_setting(found, place)
        )
        return _holds_token(noun, place, value) or (
            is_parameter and noun.kind is NounKind.TOKEN and is_shaped(value)
        )
    if noun.kind is NounKind.API:
        return len(value) >= 8 and is_shaped(value) and not value.isupper()
    if noun.kind is NounKind.SALT:
        return is_random(value, 8)
    is_parameter = place.sign == "=" and not place.is_quoted and _is_setting(found, place)
    is_literal = place.sign == "=" and place.is_quoted and sum(map(str.isdigit, value)) > 1
    if (
        noun.kind is NounKind.SECRET
        and (is_parameter or is_literal)
        and len(value) >= 8
        and is_shaped(value)
    ):
        return True
    if noun.kind is NounKind.KEY or (noun.kind is NounKind.SECRET and not noun.is_whole):
        return _holds_key(noun, value)
    if noun.kind is NounKind.SECRET:
        return _holds_key(noun, value) or is_password(value)
    return _holds_password(found, place, value)


def _is_certain(found: re.Match[str], noun: Noun, place: _Place) -> bool:
    """Say whether a value stands where nothing but a literal of a whole name can: quoted, in a tag,
    in a setting.
    """
    if not noun.is_whole:
        return False
    if place.joint == "beside":
        return place.is_quoted and place.name.isupper()
    if place.joint == "blank" and not place.is_quoted:
        is_pair = compile_on_use(r"[a-z]+=").match(found["bare"]) is not None
        has_flag = compile_on_use(r" --?[A-Za-z]").search(place.line) is not None
        return not is_pair and (has_flag or _is_flag_of_command(found, place))
    return place.is_quoted or place.joint == "tag" or _is_setting(found, place)


#: What a program is called with before its first flag, behind what ends another command.
_CALLED = defer_pattern(
    r"(?:^|[;|&(`'\"]|[$#>] )[ \t]*(?P<words>[a-z][\w./-]{1,40}(?: [\w./:@=-]{1,80}){0,3}) $"
)
#: What follows the value of a flag: nothing, another flag, the next command, or a name of a file.
_BEHIND_OPERAND = defer_pattern(
    r"[ \t]*(?:\Z|[\r\n;|&)>`'\"]| --?[A-Za-z]| \S*[./:@_0-9-]\S*[ \t]*(?:\Z|\n))"
)


def _is_flag_of_command(found: re.Match[str], place: _Place) -> bool:
    """Say whether a flag is the first one of a command, and not spoken of in a sentence."""
    called = _CALLED.search(place.line)
    if called is None or not place.name.startswith("--"):
        return False
    words = (*called["words"].split(), found["bare"])
    return (
        not any(map(joins_words, words))
        and _BEHIND_OPERAND.match(found.string, found.end()) is not None
    )


#: Words joined as people choose them: `juniper-berry-gin`.
_ROW_OF_WORDS = defer_pattern(r"[A-Za-z가-힣]{2,16}(?:[-_. ][A-Za-z가-힣]{2,16}){2,8}")


def _is_literal_of(noun: Noun, value: str) -> bool:
    """Say whether a literal is the secret that its name says: any is a password; a key has a digit
    or is a row of words.
    """
    if noun.kind in (NounKind.PASSWORD, NounKind.SECRET):
        return is_literal(value) and not _is_constant(value)
    if noun.kind in (NounKind.KEY, NounKind.TOKEN) and is_literal(value):
        return _ROW_OF_WORDS.fullmatch(value) is not None
    return False


def _is_constant(value: str) -> bool:
    """Say whether a value is written as a constant or a member of a program, none of whose parts is
    a number.
    """
    return (
        compile_on_use(r"[A-Z]{2,}(?:_[A-Z]{2,})+|self\.\w+|[a-z]+[A-Z]\w*\(.*").fullmatch(value)
        is not None
    )


def _is_pin(value: str) -> bool:
    digits = value.replace("-", "").replace(" ", "")
    return compile_on_use(r"[*#]?[0-9]{4,12}[*#]?").fullmatch(digits) is not None


def _holds_token(noun: Noun, place: _Place, value: str) -> bool:
    is_session = noun.kind is NounKind.SESSION
    # Session ids grant access in cookies only.
    if is_session and (place.sign != "=" or place.is_quoted or _UUID.fullmatch(value)):
        return False
    if is_random(value, 20 if is_session else 10 if place.is_quoted else 12):
        return True
    return (
        noun.is_whole
        and (place.joint != "beside" or place.name.isupper())
        and len(value) >= 8
        and _is_shaped(value)
        and not is_name_of_secret(value)
    )


def _holds_key(noun: Noun, value: str) -> bool:
    if is_name_of_secret(value) and compile_on_use(
        r"[A-Za-z_-]{1,24}|[a-zA-Z_]\w*(?:\.[A-Za-z_]\w*)+"
    ).fullmatch(value):
        return False
    if is_random(value, 8):
        return True
    has_digit = any(map(str.isdigit, value))
    if not has_digit or len(value) < 8 or is_name_of_secret(value):
        return False
    return is_password(value) or (noun.is_whole and _is_shaped(value))


def _is_shaped(value: str) -> bool:
    """Say whether a value holds letters and a digit, and neither a path nor an expression."""
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return has_both and not compile_on_use(r"[/\\(){}\[\]:,]|^v?\d+(?:\.\d+)+").search(value)


def _holds_password(found: re.Match[str], place: _Place, value: str) -> bool:
    if place.joint == "beside" and not any(map(str.isdigit, value)):
        return False
    if value.isdigit():
        return len(value) >= (4 if place.is_quoted else 6)
    if is_password(value):
        return True
    if place.joint == "beside":
        return False
    if len(value) < 4 or is_placeholder(value):
        return False
    if any(map(str.isdigit, value)) and any(map(str.isalpha, value)):
        is_alone = (
            place.is_quoted
            or _is_setting(found, place)
            or not compile_on_use(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*").fullmatch(value)
        )
        return is_alone and not _is_named_alike(place, value)
    if compile_on_use(r"[A-Za-z가-힣][^\s]*[!@#$%^&*?+~]+[^\s]*").fullmatch(value):
        return not is_state(value) and not is_expression(value)
    return False


def _is_named_alike(place: _Place, value: str) -> bool:
    """Say whether a value without quotes is a name like its key's: `password=password2`, `passwd:
    old_passwd1`.
    """
    return not place.is_quoted and is_name_of_secret(value) and not place.name.isupper()


_FLAGGED = Rule(
    name="password",
    hints=_HINTS,
    pattern=_BLANK_PATTERN,
    example="deploy --db-password pear-tree-5 --env prod",
    counter_example="deploy --db-password --env prod",
    cut=_cut_assigned_value,
    in_source=False,
)
_MACRO = _FLAGGED._replace(
    example='#define MQTT_PASS "tulip-fields-88"',
    counter_example="#define MAX_TOKENS 256",
    cut=_quoted_only,
)
#: A Korean name of a secret with its value in quotes: `"암호": "…"`, `접속암호 = "…"`.
_KOREAN_PATTERN = (
    r"(?:비밀 ?번호|비번|암호|패스 ?워드|공유 ?키|비밀 ?키)[\"'`]? ?(?:[!=]?={1,2}|:) "
    r"?(?P<quote>[\"'`])(?P<secret>[^\"'`\n]{3,100})(?P=quote)"
)


def _cut_korean_literal(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a literal; labels and messages are none."""
    return found.span("secret") if is_literal(found["secret"]) else None


ASSIGNED = (
    Rule(
        name="password",
        hints=("비밀", "비번", "암호", "패스", "공유"),
        pattern=_KOREAN_PATTERN,
        example='"암호": "달밤고양이"',
        counter_example='"암호": "암호를 입력하세요"',
        cut=_cut_korean_literal,
    ),
    Rule(
        name="password",
        hints=_HINTS,
        pattern=_PATTERN,
        example="DB_PASSWORD=kangaroo_42",
        counter_example="password=getpass.getpass()",
        cut=_cut_assigned_value,
        in_source=False,
    ),
    _FLAGGED,
    Rule(
        name="password",
        hints=("pass",),
        pattern=_SPOKEN_PATTERN,
        example="nmcli dev wifi connect Home password pear-tree-5",
        counter_example="change the password tomorrow",
        cut=_cut_assigned_value,
        in_source=False,
    ),
)
ASSIGNED_IN_SOURCE = (
    Rule(
        name="password",
        hints=_HINTS,
        pattern=_PATTERN,
        example='password = "kangaroo_42"',
        counter_example="var secret = this.req.secret;",
        cut=_quoted_only,
    ),
    _MACRO,
)
