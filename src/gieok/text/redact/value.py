"""Says whether a value looks like a secret: words, identifiers and placeholders do not."""

import re
from itertools import pairwise

from gieok.text.late_pattern import defer_pattern

#: Letter → letters that may follow it in English words and identifiers: 98 % of their pairs, half
#: of all pairs.
_FOLLOW = dict(
    word.split(":")
    for word in "a:bcdfgiklmnprstuvwxy b:aceijlorsuy c:acehiklmorstuy d:abdefgijloprstuvy "
    "e:abcdefgiklmnopqrstuvwxy "
    "f:aefilorstuy g:aeghilmnorsu h:aeimorstuy i:abcdefgklmnoprstvxz j:aeou k:aeilsw "
    "l:abcdefgilnopstuvy m:abdeilmopsuy "
    "n:abcdefgiklmnopstuvy o:abcdefgiklmnoprstuvwx p:acdehiloprstuy q:u "
    "r:abcdefgiklmnoprstuvwy s:acefghiklmnopstuwy t:acdefhilmnoprstuwy "
    "u:abcdefgilmnoprst v:aeio w:aehinors x:aceipt y:ceilmnopst z:aei".split()
)
_HUMP = defer_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
#: From a letter to a digit or back.
_TURN = defer_pattern(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_STAND_IN = defer_pattern(
    r"\$[A-Za-z_]\w*$|\$[{(]|\{\{|\{%|\{[^{}]*\}|%\(|%[a-z%]?$|<|&[a-z]+;|[*x.#_?-]+$|arn:aws"
    r"|\.\.\.|\[redacted:|\[?REDACTED"
    r"|(?i:none|null|nil|true|false|undefined|empty|unset|hidden|n/a|tbd|foobar|abc123|123abc"
    r"|[\w-]*(?:\d[\d.]*\s?chars?))$"
)
_STANDS_IN = defer_pattern(
    r"(?i)(?<![a-z])your(?![a-z]{3})|example|placeholder|change_?-?(?:me|this)(?![a-z])|dummy"
    r"|(?<![a-z])(?:insert|replace|todo|fixme|redacted|fill)(?![a-z])"
    r"|xxxx|\.\.\.|…|\$\{|\{\{|\{\w*\}|%s\b|<[a-z_ -]+>"
)
_NAMES_ONE = defer_pattern(r"(?i)pass|pwd|secret|token|key|cred|auth|login|prompt|vault|user|env")
#: Terms with a number, sizes, versions, dates: common in sentences about passwords.
_TERM = defer_pattern(
    r"(?i)(?-i:(?:[a-z]{1,3}|[A-Z]{1,3})[-_]?[0-9]{1,3}[a-z]?)|(?:sha|md|base|aes|rsa|utf"
    r"|oauth|open[-_]?id|argon|ipv|https?|python|php|java|node|rfc|iso|ntlm|tls|ssl|"
    r"pbkdf|b?scrypt|bcrypt|ascii|latin|u?int|float|arg|step|chapter|section|table|figure|page"
    r"|line|level|type|version|"
    r"windows|ubuntu|debian|web|win|curve|secp|poly|chacha|blowfish|gpt|claude|gemini|stage"
    r"|phase|part|room|day|week|q|"
    r"test|var|param|item|case|example|option|user|host|server|node|module|layer|group|unit"
    r"|file|data|string|text|output|"
    r"input|python|client|proxy|socks|pkcs|asn|fips|nist|sp|id|xml|html|css|mp|log|cp|euc|ks"
    r"|cve|pr|issue|no|num|fig)"
    r"[-_ #]?\d{1,4}(?:\.\d+)*(?:[-_/.][a-z0-9]+)*[a-z]{0,3}"
    r"|v?\d+(?:[.,:/-]\d+)+\w{0,3}|\d[\d,.]*(?:st|nd|rd|th|s|ms|sec|mins?|h|hrs?|d|days?|k|kb"
    r"|mb|gb|tb|px|pt|em|x|m|am|pm|[cmk]m|[km]?g|[kmg]?hz|kw|w|v|mah|fps|dpi|rpm|[kmg]bps"
    r"|bits?|"
    r"bytes?|chars?|char|digits?|characters|letters|times|way|fa|d)?|\d+(?:-[a-z]+)+"
    r"|0x[0-9a-f]{1,8}|1password|\w+@[\d.]+|[\w.-]+:\d{1,5}|[a-z]+['’][a-z]+|[a-z]+/[a-z]+"
)
#: A name of a machine or a part with a number: `us-east-1`.
_PART = defer_pattern(r"[A-Za-z]+(?:-[A-Za-z]+)*-[0-9]{1,2}[a-z]?")
#: Words and numbers joined as in no identifier: `Herring-88-moon`, `mango_Tree9`,
#: `herring.88.moon`.
_JOINED = defer_pattern(
    r"(?=[^A-Z]*[A-Z][a-z])(?=[^0-9]*[0-9])[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)+"
    r"|[a-z]+(?:[-_.][a-z]+)*[-_.][0-9]{2,4}[-_.][a-z]+"
)
_DOTTED = defer_pattern(r"[A-Za-z_$@*&!][\w$]*(?:(?:\.|->|::|\?\.|!\.)[A-Za-z_$][\w$]*)*[!?]?")
_CALL = defer_pattern(r"[*&!~-]{0,2}[A-Za-z_$@][\w$]*(?:(?:\.|->|::|\?\.)[\w$]*)*(?:[(\[{]|<[A-Z])")
_WORD = defer_pattern(r"[A-Z]?[a-z]+")
_PLAIN_DOTTED = defer_pattern(r"[a-z_]+(?:\.[a-z_]+)+")
_BEGINS_CODE = ("/", "./", "../", "~/", "\\\\", "@", "(", "[", "{", "!", "|", "=")
_FILE = defer_pattern(r"\.[a-z]+|(?:~|\.{1,2})?/?(?:[\w.@-]+/)*[\w.@-]+\.[a-z][a-z0-9]{0,4}")
_LEAST_PASSWORD = 5
_DIGITS = defer_pattern(r"[0-9]+")
_SYMBOL = defer_pattern(r"[!@#$%^&*?+~]")
_INNER_SYMBOL = defer_pattern(r"[A-Za-z0-9][!@#$%^&*?+~]+[A-Za-z0-9]")


def is_wordy(value: str) -> bool:
    """Say whether a value is made of words: `getToken`, `continuation-token`, and not `kQwZrT`."""
    humps = _HUMP.findall(value)
    if (
        2 * sum(map(len, humps)) < (5 if value.islower() else 6) * len(humps)
        or len(_TURN.findall(value)) > 2
    ):
        return False
    pairs = [pair for hump in humps if hump[-1].islower() for pair in pairwise(hump.lower())]
    return 4 * sum(then not in _FOLLOW[first] for first, then in pairs) <= len(pairs)


def is_stand_in(value: str) -> bool:
    """Say whether a value is a placeholder for a secret."""
    return bool(_STAND_IN.match(value) or _STANDS_IN.search(value)) or len(set(value)) < 3


def is_random(value: str, least: int) -> bool:
    """Say whether a value is long and not made of words, as tokens are."""
    return (
        len(value) >= least
        and not is_wordy(value)
        and not is_stand_in(value)
        and any(map(str.isalpha, value))
    )


def is_code(value: str) -> bool:
    """Say whether an unquoted value is an expression of a program, or a path."""
    if called := _CALL.match(value):
        return "." in called[0] or called[0].islower() or is_wordy(_DIGITS.sub("", called[0]))
    if _DOTTED.fullmatch(value) and (
        "." in value or "_" in value or "->" in value or "::" in value
    ):
        return is_wordy(value) or _PLAIN_DOTTED.fullmatch(value) is not None
    return (value.startswith(_BEGINS_CODE) and is_wordy(value)) or value.startswith("/^")


def is_password(value: str) -> bool:
    """Say whether a value may be a password: a term from a sentence about passwords is none."""
    if len(value) < _LEAST_PASSWORD or is_stand_in(value) or "://" in value:
        return False
    core = value.strip(".,;:!?*#_-/()[]'\"")
    if _TERM.fullmatch(core) or (_FILE.fullmatch(core) and is_wordy(core)):
        return False
    if is_joined(core):
        return True
    if _PART.fullmatch(core):
        return False
    has_digit, has_letter = any(map(str.isdigit, core)), any(map(str.isalpha, core))
    if not has_letter:
        return False
    if has_digit:
        return not _is_name(core)
    if _WORD.fullmatch(core):
        return False
    return not is_wordy(core) or _INNER_SYMBOL.search(core) is not None


def is_joined(value: str) -> bool:
    """Say whether words and numbers are joined as in no identifier: `Herring-88-moon`."""
    return _JOINED.fullmatch(value) is not None and not _NAMES_ONE.search(value)


def _is_name(value: str) -> bool:
    """Say whether a value with few digits is an identifier or the name of a machine:
    `db_password2`, `us-east-1`.
    """
    digits = sum(map(str.isdigit, value))
    names = bool(_NAMES_ONE.search(value)) or any(c in value for c in "_-/.")
    return digits < 3 and names and not _SYMBOL.search(value) and is_wordy(value)


#: What an unquoted value refers to rather than is: a variable, a call, an element, a path, an
#: operator between operands.
_REFERENCE = defer_pattern(
    r"\$[({A-Za-z_]|%[A-Za-z_]\w*%|[{<]{1,2}[\w .-]{0,60}[}>]|(?:os|process|self|this|config"
    r"|settings|environ|env|request|req|params|args|opts|options|"
    r"secrets|data|var|local|module|import\.meta)(?:\.|\[)|!(?:vault|secret|ref|sub|env)"
    r"|&[a-z]\w*$|\*[a-z]\w*$|(?i:vault|ssm|op|sops|arn|file|env|secret|bws|gcp|awssm"
    r"|keyring):"
)
_EXPRESSION = defer_pattern(
    r"[A-Za-z_$@][\w$.]*(?:[(\[]|->|::|\?\.)|[\w$)\]]+(?:\|\||&&|\?\?|==|!=|<<|>>|\+=)"
    r"|[(\[{][\w$\"']|[!~*&]+[A-Za-z_][\w.]*[(.]"
)
_FUNCTION_WORD = frozenset(
    "a an the is are was be been must should shall can will may not no your our my their his "
    "her its this that these those of to in on "
    "at for from with without by as and or if when where who which it you we they he she i do "
    "does enter least most than more please "
    "click here use used using only too has have had contains contain characters character "
    "letters digits".split()
)
_INTERFACE = frozenset(
    "new current old user confirm reset forgot forgotten invalid incorrect wrong missing "
    "required one time username field input text "
    "hash hashed encrypted type form change update show hide toggle strength weak strong "
    "empty none plain default defined".split()
)
_MOST_WORDS = 8
_LEAST_WORDS = 4
_FEW_WORDS = 2


def joins_words(word: str) -> bool:
    """Say whether a word joins others in a sentence: `the`, `with`, `use`."""
    return word.lower() in _FUNCTION_WORD


def is_reference(value: str) -> bool:
    """Say whether a value without quotes refers to a secret elsewhere: `$X`, `os.environ[…]`,
    `op://…`.
    """
    return _REFERENCE.match(value) is not None


def is_expression(value: str) -> bool:
    """Say whether a value without quotes can be nothing but an expression: a call, an element, an
    operation.
    """
    return _EXPRESSION.match(value) is not None


def is_name_of_secret(value: str) -> bool:
    """Say whether a value is the name of a secret rather than one: `access_token`,
    `db-credentials-v2`.
    """
    return _NAMES_ONE.search(value) is not None


def is_placeholder(value: str) -> bool:
    """Say whether a value stands for a password to come: `password1`, `changeme`, `<password>`."""
    return is_stand_in(value) or _PLACEHOLDER.fullmatch(value) is not None


_PLACEHOLDER = defer_pattern(
    r"(?i)(?:my|the|some|a|new|old)?[_-]?(?:pass(?:word|wd)?|pwd?|secret|token|key)[_-]?[0-9]?"
)


def is_word_of_interface(value: str) -> bool:
    """Say whether joined words label or describe a password: `new-password`, `invalid_password`."""
    parts = set(re.split(r"[-_.]", value.lower()))
    return bool(parts & _INTERFACE) or is_name_of_secret(value)


def is_phrase(value: str) -> bool:
    """Say whether words with blanks between them are a password and no sentence.

    One of its parts is no word (`maple syrup 99`), or there are several small words and none that
    only joins others (`correct horse battery staple`).
    """
    words = value.split(" ")
    plain = [word.lower().strip(".,:;!?") for word in words]
    if (
        len(words) > _MOST_WORDS
        or any(word in _FUNCTION_WORD for word in plain)
        or is_name_of_secret(value)
    ):
        return False
    if any(is_password(word) or (len(word) > 3 and not is_wordy(word)) for word in words):
        return True
    has_number = any(
        first.isalpha() and then.isdigit() and not _TERM.fullmatch(first + then)
        for first, then in pairwise(words)
    )
    if has_number and len(words) > _FEW_WORDS:
        return True
    return len(words) >= _LEAST_WORDS and all(re.fullmatch(r"[a-z]{3,10}", word) for word in words)


_STATES = frozenset(
    "required optional incorrect disabled enabled expired protected unchanged encrypted "
    "hashed correct invalid wrong missing strong weak secure "
    "redacted undefined string boolean integer object number secret hidden visible empty "
    "blank unknown default changed updated reset private public "
    "nothing something anything everything example sample dummy placeholder username "
    "letmein".split()
)
#: Ends of words that describe: `incorrect` is listed, `resetting`, `temporary`, `unlocked` are not.
_ENDS_STATE = (
    "ed",
    "ing",
    "able",
    "ible",
    "ful",
    "less",
    "ive",
    "ical",
    "ory",
    "ary",
    "ly",
    "ment",
    "tion",
    "sion",
    "ness",
    "ent",
    "ant",
)
_SHAPED = defer_pattern(
    r"(?=[^0-9]*[0-9])(?=[^A-Za-z가-힣]*[A-Za-z가-힣])[^\s(){}\[\]<>\"`,;=/\\\\:|]{5,64}"
)
_PARTICIPLE = defer_pattern(
    r"[A-Za-z0-9]+-(?:[a-z]+ed|based|only|bit|char(?:acter)?s?|digit|long|free|style|like|way"
    r"|factor|time|safe|word|step|day|hour|minute|letter|year|month|week)s?"
)
#: A number and several words are a password (`55-lantern-quay`), a number and one are a term
#: (`12-character`).
_NUMBERED_ROW = defer_pattern(r"\d{2,}(?:-[a-z]{3,}){2,}")
_MEASURE = defer_pattern(r"\d+(?:\.\d+)?[A-Za-z]{1,5}$")
#: Names of products, of tickets and of networks, which end with their band: `VoyageAI`, `OAuth`,
#: `SigV4`, `OPS-123`, `HomeNet_2.4G`, `iptime5G-guest`.
_PRODUCT = defer_pattern(
    r"[A-Z]?(?:[A-Z][a-z]+){1,3}[A-Z]{0,3}s?|[A-Za-z]+[vV]\d{1,2}|[A-Z]{2,10}-\d{1,6}"
    r"|[A-Za-z][\w-]*?[_-]?(?:2(?:\.4)?|5|6)(?:G|GHz|GHZ|ghz)"
    r"(?:[_-](?i:ext|guest|[0-9A-F]{2,6}))?"
)
_DATE = defer_pattern(r"[A-Z]\.\d{2,4}|\d{4}[-.]\d{1,2}(?:[-.]\d{1,2})?\w{0,2}|[A-Z]{2,10}-\d{1,6}")


def is_state(value: str) -> bool:
    """Say whether a word describes a password rather than is one: `required`."""
    word = value.lower().strip("!?")
    return word in _STATES or word.endswith(_ENDS_STATE) or is_name_of_secret(value)


def is_row(value: str) -> bool:
    """Say whether a value is a row of words as people choose for a passphrase:
    `violet-harbor-lantern-crow`.
    """
    is_joined_row = re.fullmatch(r"[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){2,6}", value) is not None
    return (
        is_joined_row
        and not is_word_of_interface(value)
        and not set(re.split(r"[-_.]", value.lower())) & _FUNCTION_WORD
    )


def is_product(value: str) -> bool:
    """Say whether a value is written as names of products or networks are: `VoyageAI`,
    `nabi-5G`.
    """
    return _PRODUCT.fullmatch(value) is not None


def is_shaped(value: str) -> bool:
    """Say whether a value may be a secret where a sentence says that it is one: letters and a
    digit, no term, no date, no count.
    """
    if not _SHAPED.fullmatch(value) or is_stand_in(value):
        return False
    core = value.strip(".,;:!?*#_-'")
    is_term = _TERM.fullmatch(core) and not _NUMBERED_ROW.fullmatch(core)
    if (
        is_term
        or _MEASURE.match(core)
        or _PARTICIPLE.fullmatch(core)
        or _DATE.fullmatch(core)
        or _FILE.fullmatch(core)
    ):
        return False
    return not (_NAMES_ONE.search(core) and sum(map(str.isdigit, core)) < _LEAST_DIGITS)


_LEAST_DIGITS = 2


#: Words that say that a value is a secret's name or describe it, and a few that documents put in
#: its place.
_NAMING = frozenset(
    "password passwords passwd pass pwd pw passphrase passcode secret secrets token tokens "
    "key keys apikey credential credentials "
    "cred creds auth authentication authorization login logout prompt vault env environment "
    "oauth oauth2 jwt bearer sha md5 "
    "passwort kennwort wachtwoord contrasena bcrypt header cookie sessionid param parameter "
    "scheme api".split()
)
_DOCUMENTED = frozenset(
    "string str text int integer number bool boolean object array list dict map bytes binary "
    "any optional never unknown type "
    "value values none null nil undefined empty unset void true false yes no on off true auto "
    "hidden masked disabled enabled "
    "required foobar foobared foo bar baz example sample dummy placeholder test testing todo "
    "tbd changeme change-me "
    "change_me replace-me replace_me fixme xxx admin root user username visible url file path "
    "name id email phone date "
    "through short long 123 1234 12345 abc ref stdin ask select submit checkbox button "
    "numeric textbox plain plaintext aes rsa scram md5 trust peer".split()
)
_PLAIN_KOREAN = defer_pattern(
    r"비밀|비번|암호|패스|토큰|입력|변경|확인|필수|오류|없|있|않|다시|초기|설정|분실|찾기|재발|만료|사용|관리|저장|영문|숫자|특수|동일|참고|문의|별도|"
    r"나중|추후|미정|공유|안내|하세요|합니다|입니다|니다$|해요$|하기$|됨$|함$|음$|까$|요$|다$"
)
_ENDS_MESSAGE = (".", ":", "?", "…", "。")
_HAS_FORMAT = defer_pattern(r"%[sdr(]|\\[nt]|\{[\w.]*\}|</")
_MOST_LITERAL = 200


def is_plain_korean(value: str) -> bool:
    """Say whether Korean words label or describe a password rather than are one: `비밀번호를 입력하세요`."""
    return _PLAIN_KOREAN.search(value) is not None


def is_literal(value: str) -> bool:
    """Say whether a value is a secret where its name can name nothing else, whatever its shape.

    Only placeholders, names, types, the words of labels and of documents, and whole sentences are
    spared.
    """
    if len(value) > _MOST_LITERAL or is_placeholder(value) or "://" in value:
        return False
    if _HAS_FORMAT.search(value) or not any(map(str.isalnum, value)):
        return False
    if not value.isascii() and is_plain_korean(value) and not any(map(str.isdigit, value)):
        return False
    words = {part.lower() for part in _HUMP.findall(value)} | set(
        re.split(r"[^A-Za-z]+", value.lower())
    )
    has_signs = sum(map(str.isdigit, value)) > 1 or (
        _SYMBOL.search(value.rstrip("?!")) is not None and " " not in value
    )
    if value.lower().strip("!?") in _DOCUMENTED | _STATES or (
        not has_signs and words & (_NAMING | _INTERFACE)
    ):
        return False
    return " " not in value.strip() or is_phrase_of_literal(value)


def is_phrase_of_literal(value: str) -> bool:
    """Say whether words with blanks between them, in the place of a password, are no message."""
    words = value.lower().split()
    is_sentence = value.endswith(_ENDS_MESSAGE) or (
        value[:1].isupper() and any(word.strip(".,!?") in _FUNCTION_WORD for word in words)
    )
    describing = _STATES | _NAMING | _INTERFACE | _DOCUMENTED - _FUNCTION_WORD
    is_described = any(word.strip(".,!?") in describing for word in words)
    return not is_sentence and not is_described and len(words) <= _MOST_WORDS
