"""Names of secrets: which identifiers and phrases say that what they hold is one.

A name is read by its parts, whatever joins them (`DB_PASSWORD`, `dbPassword`, `db-password`,
`dbpassword`, `db password`).
Its last noun decides: `password_prod` holds a password, `password_length` and `compass` hold none.
"""

import string
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from gieok.text.late_pattern import defer_pattern


class NounKind(Enum):
    """What a name says that it holds."""

    PASSWORD = "password"
    SECRET = "secret"
    KEY = "key"
    TOKEN = "token"
    SESSION = "session"
    PIN = "pin"
    SALT = "salt"
    API = "api"


class Noun(NamedTuple):
    """The kind of a name; `is_whole`: it can name nothing but a secret, so that any literal is
    one.
    """

    kind: NounKind
    is_whole: bool


class NameRow(NamedTuple):
    """A part of names with a name that it makes one of a secret and one that it does not."""

    kind: NounKind
    words: str
    example: str
    counter_example: str


_PASSWORDS = (
    "password passwords passwd passwds passwort passphrase passcode pass pwd pw psk pswd passw "
    "phrase kennwort wachtwoord"
)
#: Words before `key` that make it a secret whatever its value looks like.
_KEYS = frozenset(
    (
        "api access private account shared signing sign signature encryption encrypt "
        "decryption encoder master consumer auth "
        "service license licence crypt crypto cipher app rest client admin webhook "
        "subscription application secret unseal storage "
        "product activation security deploy bot integration wifi wpa wep network pairing hmac "
        "aes jwt root ssh vpn preshared "
        "recovery backup bitlocker wallet device provisioning maps server project stripe "
        "openai anthropic"
    ).split()
)
#: Words before `key` that make it one of a service where its value is random, and else an address.
_OPEN_KEYS = frozenset("routing integration ingest ingestion instrumentation write upload".split())
_TOKENS = frozenset(
    (
        "api access auth authentication authorization bot refresh bearer secret service deploy "
        "personal private push security admin login jwt oauth vault"
    ).split()
)
_PINS = "pin pins pincode otp code codes"
#: Words before `code` that make it one for a door or a login.
_CODES = frozenset(
    (
        "door gate alarm access lock entry safe pin security unlock garage keypad recovery backup "
        "verification otp sms mfa"
    ).split()
)

#: Words before `phrase` that make it a secret.
_PHRASES = frozenset(
    (
        "pass ap wifi wlan wpa psk salt secret unlock vault auth login master ota encryption "
        "crypt key"
    ).split()
)

NAMES = (
    NameRow(NounKind.PASSWORD, _PASSWORDS, "DB_PASSWORD", "password_length"),
    NameRow(
        NounKind.SECRET,
        "secret secrets credential credentials cred creds",
        "clientSecret",
        "secret_name",
    ),
    NameRow(
        NounKind.KEY,
        "key keys apikey secretkey accesskey privatekey authkey masterkey",
        "NTRIP_KEY",
        "primary_key",
    ),
    NameRow(
        NounKind.TOKEN,
        "token tokens jwt bearer csrf xsrf auth authtoken accesstoken",
        "botToken",
        "max_tokens",
    ),
    NameRow(NounKind.SESSION, "sid session sessionid sessid", "sessionid", "inside"),
    NameRow(NounKind.PIN, _PINS, "sim-pin", "LED_PIN_COUNT"),
    NameRow(NounKind.API, "api", "STORE_API", "api"),
    NameRow(NounKind.SALT, "salt pepper", "PASSWORD_SALT", "saltshaker"),
)
_KINDS = {word: row.kind for row in NAMES for word in row.words.split()}
#: Nouns that are whole without a qualifier.
_LONG = (
    "password",
    "passwords",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "kennwort",
    "wachtwoord",
)
#: What a short noun may be written together with: `dbpass`, `rootpw`, `PGPASSWORD`.
_OWNERS = (
    r"(?:db|pg|my|mysql|sql|root|admin|user|usr|wifi|wlan|ftp|sftp|ssh|smtp|imap|mail|vpn|app"
    r"|api|auth|access|secret|private|"
    r"client|redis|mongo|rabbit|server|host|login|bot|k|g|m|s|new|old|default|test|key|store"
    r"|sa|bind|ldap|proxy|http|web)"
)
_JOINED = defer_pattern(rf"{_OWNERS}{{1,2}}(pass|pwd|pw|psk|pin|key|token|secret)")
#: Ends of a name that still names the secret: `password_prod`, `SECRET_KEY_BASE`.
_TAILS = frozenset(
    "value values prod production dev development test tests staging stage live db root admin "
    "user app old new hex b64 base base64 "
    "string str text plain plaintext env s primary secondary default main master service "
    "server client current confirm "
    "confirmation again raw data code id override here".split()
)
#: Tails that make of a key, a token or a secret something else.
_NOT_AFTER_KEY = frozenset("code id data string str text user value values raw default".split())
_NO_TOKEN = frozenset(
    "next page paging pagination continuation starting start sync cursor change lock client "
    "request idempotency cancel "
    "cancellation stop end eos bos pad mask special resume import export action unit update "
    "sequence position max min num "
    "total count input output prompt completion tokens unk sep cls new last first prev "
    "previous current syntax lex ast sub bad design".split()
)
_NO_KEY = frozenset(
    "primary foreign sort partition cache public hot map dict lookup index group join object "
    "bucket item json header field "
    "config setting settings translation i18n state query shortcut locale message routing "
    "route idempotency host hash range "
    "column row tag label sort order unique composite natural surrogate registry reg arrow "
    "enter return space tab escape esc "
    "shift ctrl alt meta cmd function fn modifier home end delete backspace left right up "
    "down any this that which sub parent "
    "child dedup dedupe event topic redis session storage attr attribute property prop env "
    "option param context cookie "
    "metadata data result results response cert type name id pub test mock file path key keys "
    "value url log sorting filter "
    "grouping search feature flag lang language text string menu access_key_id icon image img "
    "color style theme section "
    "dictionary entity record document doc model table schema node edge graph cluster shard "
    "job task queue lock rate limit "
    "plot legend axis input output required missing unknown invalid extra default first last "
    "next prev new old trigger "
    "musical major minor answer scoring turn low high main short long piano house car spare "
    "office master_id issue project_id".split()
)
#: Verbs that make a name one of a function or a state: `get_token`, `hasPassword`.
_VERBS = frozenset(
    "set get is has have had check verify validate hash show hide require requires need needs "
    "use uses no ask prompt read parse make "
    "generate gen build load find fetch compare print encode decode on handle create delete "
    "remove can should with without toggle "
    "extract decrypt mask redact strip".split()
)
_PART = defer_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BEFORE = defer_pattern(r"([A-Za-z]{2,16})[ _-]?$")
_MOST_QUALIFIER = 17
_MOST_NAME = 64
_NAME_CHARS = string.ascii_letters + string.digits + "_-.$"
_MOST_KEPT = 4096


def begin_of(text: str, at: int) -> int:
    """Return where the name begins that a noun at `at` is part of."""
    before = text[max(0, at - _MOST_NAME) : at]
    return at - len(before) + len(before.rstrip(_NAME_CHARS))


def qualifier_of(text: str, at: int) -> str:
    """Return the word that qualifies the name at `at` from outside of it: `api` before `key`."""
    before = text[max(0, at - _MOST_QUALIFIER) : at]
    match = _BEFORE.search(before) if before[-1:] in (" ", "_", "-") else None
    return match[1].lower() if match else ""


@lru_cache(_MOST_KEPT)
def read_name(name: str, qualifier: str = "") -> Noun | None:
    """Return what a name holds, None where it is no secret. `qualifier`: the word before it."""
    parts = [part.lower() for part in _PART.findall(name)]
    while parts and parts[-1].isdigit():
        parts.pop()
    verb = _PART.match(name.rpartition(".")[2])
    if (
        len(parts) > 1
        and verb
        and verb[0].lower() in _VERBS
        and verb[0].lower() != parts[-1]
        and not name.isupper()
    ):
        return None
    cut = _without_tails(parts)
    if not cut:
        return None
    head, rest = _split_head_noun(cut)
    kind = _KINDS.get(head)
    if kind is None:
        return None
    if not rest and qualifier:
        rest = [qualifier]
    return _weigh_noun_qualifiers(kind, head, rest, is_loud=name.isupper())


def _without_tails(parts: list[str]) -> list[str]:
    """Return the parts as far as the noun that names a secret; none where what follows makes it
    something else.
    """
    for at in range(len(parts) - 1, -1, -1):
        head, _ = _split_head_noun(parts[: at + 1])
        kind = _KINDS.get(head)
        if kind is not None:
            after = parts[at + 1 :]
            strict = kind not in (NounKind.PASSWORD, NounKind.SECRET)
            is_end = all(
                p.isdigit() or (p in _TAILS and not (strict and p in _NOT_AFTER_KEY)) for p in after
            )
            return (
                parts[: at + 1] if is_end or (kind is NounKind.SECRET and after == ["id"]) else []
            )
    return []


def _split_head_noun(parts: list[str]) -> tuple[str, list[str]]:
    """Return the noun of a secret that a name ends with and the parts before it, else no parts."""
    last = parts[-1]
    if last in _KINDS:
        return last, parts[:-1]
    for noun in _LONG:
        if last.endswith(noun):
            return noun, [*parts[:-1], last.removesuffix(noun)]
    if match := _JOINED.fullmatch(last):
        return match[1], [*parts[:-1], last.removesuffix(match[1])]
    return last, []


def _weigh_noun_qualifiers(
    kind: NounKind, head: str, rest: list[str], *, is_loud: bool
) -> Noun | None:
    """Return the noun with its qualifiers weighed. `is_loud`: written in capitals, as settings
    are.
    """
    near = rest[-1] if rest else ""
    if "public" in rest or (head in ("code", "codes") and near not in _CODES):
        return None
    if kind is NounKind.API and not (rest and is_loud):
        return None
    if kind is NounKind.KEY:
        return _weigh_key_noun(head, near, is_loud=is_loud)
    if kind is NounKind.TOKEN:
        is_named = near in _TOKENS or (is_loud and bool(rest))
        is_other = any(part in _NO_TOKEN for part in rest[-2:])
        return None if is_other else Noun(kind, is_whole=head.startswith("token") and is_named)
    if head == "phrase" and near not in _PHRASES:
        return None
    is_whole = kind is NounKind.PASSWORD or (kind is NounKind.SECRET and (is_loud or bool(near)))
    return Noun(kind, is_whole=is_whole)


def _weigh_key_noun(head: str, near: str, *, is_loud: bool) -> Noun | None:
    """Return the noun of a key: most keys are no secrets."""
    if head not in ("key", "keys") or near in _KEYS:
        return Noun(NounKind.KEY, is_whole=True)
    if near in _OPEN_KEYS:
        return Noun(NounKind.KEY, is_whole=False)
    is_named = is_loud and head == "key" and near and near not in _NO_KEY
    return Noun(NounKind.KEY, is_whole=False) if is_named else None
