"""Secrets recognised by structure: key blocks, web tokens, URLs with passwords, headers, password
files.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Sequence

from gieok.text.late_pattern import defer_pattern
from gieok.text.redact.nouns import NounKind, read_name
from gieok.text.redact.rule import Cut, Rule, compile_on_use, search_before
from gieok.text.redact.value import (
    is_literal,
    is_password,
    is_phrase_of_literal,
    is_placeholder,
    is_random,
    is_shaped,
    is_stand_in,
    is_state,
    is_wordy,
)

#: A longer block has lost its footer.
_MOST_BLOCK_CHARS = 40_000
_LEAST_URL = 3
_BREAK = r"(?:[ \t\"',+>|#*]|\\[nrt\"]|\r?\n){0,24}"
_KEY_LINE = (
    rf"{_BREAK}(?:[A-Za-z0-9+/]{{16,200}}={{0,2}}|(?:Proc-Type|DEK-Info|Version|Comment|Hash"
    rf"|Charset): ?[^\n\\]{{0,80}})"
)
_LAST_LINE = rf"{_BREAK}[A-Za-z0-9+/]{{2,64}}={{0,2}}(?![A-Za-z0-9+/ ])"
_PLAIN_WORDS = "pass|password|passwd|pw|pwd|secret|token|user|username|pass_word|xxx|\\*+"


def _key_block(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut from header to footer; without a footer, as far as lines look like a key."""
    text, start, body = found.string, *found.span()
    dashes = text.find("-----", body, body + _MOST_BLOCK_CHARS)
    if dashes > body and (
        foot := compile_on_use(r"-----END [A-Z0-9 ]{0,40}-----").match(text, dashes)
    ):
        return (
            (start, foot.end())
            if compile_on_use(r"[A-Za-z0-9+/]{12}").search(text, body, dashes)
            else None
        )
    end = body
    while line := compile_on_use(_KEY_LINE).match(text, end):
        end = line.end()
    if end == body:
        return None
    last = compile_on_use(_LAST_LINE).match(text, end)
    return start, last.end() if last else end


def _url_password(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the password of a URL; a port or a placeholder is none."""
    secret = found["secret"]
    if (
        len(secret) < _LEAST_URL
        or re.match(r"\d{1,5}/", secret)
        or re.fullmatch(_PLAIN_WORDS, secret, re.IGNORECASE)
    ):
        return None
    is_other = is_stand_in(secret) and len(set(secret)) > 2
    return None if is_other else found.span("secret")


def _secret_if(holds: Callable[[str], bool]) -> Cut:
    """Return a cut of the group `secret` where its text passes a test."""
    return lambda found: found.span("secret") if holds(found["secret"]) else None


def _is_pair_in_base64(secret: str) -> bool:
    """Say whether a value is a user and a password in base64."""
    secret = secret.rstrip("=")
    try:
        plain = base64.b64decode(secret + "=" * (-len(secret) % 4))
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii()


def _is_header_token(secret: str) -> bool:
    """Say whether a value looks like a token: `Bearer authentication-scheme` does not."""
    return not is_wordy(secret) and not is_stand_in(secret)


def _cut_cookie_values(found: re.Match[str]) -> tuple[int, int] | None:
    values = compile_on_use(r"=([^;\s\\]{1,400})").findall(found["secret"])
    return (
        found.span("secret")
        if any(is_random(value, 12) for value in values)
        else (found.end(), found.end())
    )


def _is_login(secret: str) -> bool:
    """Say whether a value is a password written out, as in `user:password`."""
    is_word = re.fullmatch(_PLAIN_WORDS, secret, re.IGNORECASE) or is_stand_in(secret)
    return not is_word


_STATEMENT = defer_pattern(r"(?i)\b(?:create|alter|grant|set|update)\b[^;\n]{0,160}$")
_ENTRY = defer_pattern(
    r"(?:machine\s{1,4}\S{1,200}|default)\s{1,8}login\s{1,4}[^\s,]{1,200}\s{1,8}$"
)
_OKTA = defer_pattern(r"(?i)(?:SSWS |okta[\w. -]{0,20}[=:>, ]{1,4}[\"']?)$")


def _is_sql_password(secret: str) -> bool:
    """Say whether a literal of a statement is a password: any is but a placeholder or the word
    itself.
    """
    is_word = (
        re.fullmatch(_PLAIN_WORDS, secret, re.IGNORECASE)
        or is_placeholder(secret)
        or is_state(secret)
    )
    is_sentence = " " in secret and not is_phrase_of_literal(secret)
    return not is_word and not is_sentence and not secret.startswith((":", "?", "@", "%", "$", "&"))


def _of_role(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a password of a statement about a role; without a statement before it, only what looks
    like one.
    """
    before = search_before(_STATEMENT, found.string, found.start())
    if found["set"] or found["call"] or before:
        return found.span("secret") if before and _is_sql_password(found["secret"]) else None
    return (
        found.span("secret") if is_password(found["secret"]) or is_shaped(found["secret"]) else None
    )


def _of_user(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a password without quotes in a statement about a user."""
    is_statement = search_before(_STATEMENT, found.string, found.start())
    return found.span("secret") if is_statement and _is_sql_password(found["secret"]) else None


def _of_machine(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the password of a machine and a login, as `.netrc` has them."""
    is_entry = search_before(_ENTRY, found.string, found.start())
    return found.span("secret") if is_entry and _is_login(found["secret"]) else None


def _of_okta(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a token after the name that it goes by."""
    before = search_before(_OKTA, found.string, found.start())
    return found.span() if before else None


def _iter_inserted_literals(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the literals of statements that go into a column for a secret, of all rows."""
    for at in places:
        if match := compile_on_use(_INSERT).match(text, at):
            yield from _of_rows(match)


def _of_rows(found: re.Match[str]) -> Iterator[tuple[int, int]]:
    nouns = [read_name(column.strip(' \t\n"`[]')) for column in found["columns"].split(",")]
    secret = {
        n
        for n, noun in enumerate(nouns)
        if noun is not None and (noun.is_whole or noun.kind is NounKind.PIN)
    }
    at = 0
    for value in compile_on_use(
        r"(?P<opens>\()|(?P<quote>')(?P<text>(?:[^'\n]|''){0,400})'|[^\s,()']{1,200}|(?P<comma>,)"
    ).finditer(found.string, found.start("rows"), found.end("rows")):
        if value["opens"]:
            at = 0
        elif value["comma"]:
            at += 1
        elif (
            value["quote"]
            and at in secret
            and _is_sql_password(value["text"])
            and len(value["text"]) > 3
        ):
            yield value.span("text")


_INSERT = (
    r"(?i:insert into) [^\s(]{1,80} "
    r"?\((?P<columns>[^()]{3,400})\)\s{0,3}(?i:values)\s{0,8}(?P<rows>\([^;]{3,4000})"
)
_HASH = "aB3dE6.gH9jK2/mN5pQ8sT1vW4zY7xC0"
_B64 = "aB3dE6+gH9jK2/mN5pQ8sT1vW4zY7xC0"
_JWT_BODY = "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"

LONG_STRUCTURES = (
    Rule(
        name="okta-token",
        hints=("00",),
        pattern=r"00(?<![A-Za-z0-9_-]00)[A-Za-z0-9_-]{38,42}(?![A-Za-z0-9_-])",
        example="Authorization: SSWS 00" + _B64.replace("+", "-").replace("/", "_") + "aB3dE6gH",
        counter_example="okta: 00 items",
        cut=_of_okta,
    ),
    Rule(
        name="jwt",
        hints=("eyj",),
        pattern=r"eyJ(?<![A-Za-z0-9_]eyJ)[A-Za-z0-9_-]{10,1000}(?:\.[A-Za-z0-9_-]{10,40000}){1,4}",
        example="eyJ" + _JWT_BODY + ".eyJ" + _JWT_BODY + "." + _JWT_BODY,
        counter_example="eyJhbGciOiJIUzI1NiJ9.test",
    ),
    Rule(
        name="password-hash",
        hints=("$2a$", "$2b$", "$2y$"),
        pattern=r"\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}",
        example="admin:$2y$05$" + _B64.replace("+", ".") + "aB3dE6gH9jK2mN5pQ8sT1",
        counter_example="$2a$ is the prefix",
    ),
    Rule(
        name="password-hash",
        hints=("$apr1$", "$1$", "$5$", "$6$", "$y$", "$7$"),
        pattern=r"\$(?:apr1|[1567]|y)\$[^$\s:]{1,40}\$(?:[^$\s:]{1,40}\$)?[./A-Za-z0-9]{22,}",
        example="root:$6$salt$" + _HASH,
        counter_example="$1$ and $5$",
    ),
)
STRUCTURES = (
    *LONG_STRUCTURES,
    Rule(
        name="private-key",
        hints=("-----begin ",),
        pattern=r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        example="-----BEGIN " + f"RSA PRIVATE KEY-----\n{_B64}\n-----END RSA PRIVATE KEY-----",
        counter_example=(
            "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEB\n-----END PUBLIC KEY-----"
        ),
        cut=_key_block,
    ),
    Rule(
        name="private-key",
        hints=("private-lines:",),
        pattern=(
            r"(?i:private-lines:) ?\d{1,4}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{64}\r?\n){0,"
            r"400}[A-Za-z0-9+/=]{1,64})"
        ),
        example=f"Private-Lines: 1\n{_B64}{_B64}\n",
        counter_example="Private-Lines: none",
    ),
    Rule(
        name="url-password",
        hints=("://",),
        pattern=(
            r"://[^\s:/?#@\"'<>()\[\]{}`]{0,64}:(?P<secret>(?:(?!://)[^\s\"'<>`]){1,"
            r"200})@(?=[A-Za-z0-9.\[_%$-])"
        ),
        example="postgres://app:h7Kq@x/2@db/prod",
        counter_example="postgres://user:password@localhost:5432/db",
        cut=_url_password,
    ),
    Rule(
        name="url-password",
        hints=("jdbc:", "sqlplus "),
        pattern=(
            r"(?i:jdbc:oracle:(?:thin|oci):|sqlplus (?:-\w{1,2} "
            r"){0,3})[\w.$#-]{1,40}/(?P<secret>[^\s\"'/@]{3,100})@"
        ),
        example="jdbc:oracle:thin:app/pear_Tree@//db:1521/X",
        counter_example="jdbc:oracle:thin:@//db:1521/X",
    ),
    Rule(
        name="webhook",
        hints=("hook",),
        pattern=(
            r"hook(?<=[./-]hook)s?[./][\w./-]{0,160}/"
            r"(?P<secret>[A-Za-z0-9_-]{20,100})(?![\w/-])"
        ),
        example="https://chat.example.com/hooks/T04K/B05N/aB3dE6gH9jK2mN5pQ8sT1vW4",
        counter_example="https://x.org/hooks/use-the-latest-release-of-it",
        cut=_secret_if(_is_header_token),
    ),
    Rule(
        name="url-password",
        hints=("://",),
        pattern=r"://(?P<secret>[A-Za-z0-9_-]{20,200})@(?=[A-Za-z0-9])",
        example="https://aB3dE6gH9jK2mN5pQ8sT1@git.example.com/x",
        counter_example="https://medium-sized-host-name-of-mine@example.com",
        cut=_secret_if(_is_header_token),
    ),
    Rule(
        name="azure-key",
        hints=("accountkey=", "sharedaccesskey="),
        pattern=r"(?i:accountkey|sharedaccesskey)=(?P<secret>[A-Za-z0-9+/]{32,200}={0,2})",
        example=f"AccountName=x;AccountKey={_B64}{_B64}==;EndpointSuffix=core.windows.net",
        counter_example="AccountKey=<key>",
    ),
    Rule(
        name="url-signature",
        hints=("sig=", "signature="),
        pattern=(
            r"(?i:(?<=[?&;])sig"
            r"|(?<=[?&-])signature)=(?P<secret>[A-Za-z0-9%+/_-]{24,2000}={0,2})"
        ),
        example="https://x/c?sv=2022&sig=" + _B64 + "%3D",
        counter_example="https://x/c?sig=none",
        cut=_secret_if(_is_header_token),
    ),
    Rule(
        name="basic-auth",
        hints=("basic ",),
        pattern=r"(?i:basic) {1,4}(?P<secret>[A-Za-z0-9+/]{8,4000}={0,2})(?![A-Za-z0-9+/=])",
        example="Authorization: Basic " + base64.b64encode(b"admin:h7Kqx2").decode(),
        counter_example="basic authentication",
        cut=_secret_if(_is_pair_in_base64),
    ),
    Rule(
        name="docker-auth",
        hints=('auth"', "_auth="),
        pattern=(
            r"(?:auth\\?\"\s{0,4}:\s{0,4}\\?\"|_auth=\"?)(?P<secret>[A-Za-z0-9+/]{8,4000}={0,"
            r"2})(?![A-Za-z0-9+/=])"
        ),
        example='{"auths": {"x": {"auth": "' + base64.b64encode(b"kim:h7Kqx2").decode() + '"}}}',
        counter_example='{"auth": "required"}',
        cut=_secret_if(_is_pair_in_base64),
    ),
    Rule(
        name="bearer-token",
        hints=("bearer ", "authorization: token "),
        pattern=(
            r"(?i:bearer|authorization: token) "
            r"{1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,4000}={0,4})"
        ),
        example="Authorization: Bearer " + _B64.replace("+", "-").replace("/", "_"),
        counter_example="bearer authentication-scheme-of-rfc6750 is fine",
        cut=_secret_if(_is_header_token),
    ),
    Rule(
        name="cookie",
        hints=("cookie: ",),
        pattern=r"(?i:cookie): (?P<secret>[^\s\"'=;]{1,60}=[^\n\"']{8,4000})",
        example="Cookie: sessionid=aB3dE6gH9jK2mN5pQ8sT; theme=dark",
        counter_example="Cookie: theme=dark; lang=korean",
        cut=_cut_cookie_values,
    ),
    Rule(
        name="sql-password",
        hints=("identified ",),
        pattern=(
            r"(?i:identified (?:with [\w\"']{1,40} )?by(?: values)?)(?P<set>)(?P<call>) "
            r"?(?P<q>[\"'])(?P<secret>(?:(?!(?P=q))[^\n]){3,128})(?P=q)"
        ),
        example="CREATE USER app IDENTIFIED BY 'pear-tree-5'",
        counter_example="a table identified by 'name'",
        cut=_of_role,
        in_source=False,
    ),
    Rule(
        name="sql-password",
        hints=("password",),
        pattern=(
            r"(?<![A-Za-z0-9])(?i:password(?:(?P<set> for [^\s=]{1,80} ?= ?| ?= ?)| "
            r")(?P<call>password ?\( ?)?)(?P<q>[\"'])(?P<secret>(?:(?!(?P=q))[^\n]){3,128})(?P=q)"
        ),
        example="CREATE ROLE app LOGIN PASSWORD 'pear-tree-5'",
        counter_example="the password 'field' is required",
        cut=_of_role,
        in_source=False,
    ),
    Rule(
        name="sql-password",
        hints=("identified by ",),
        pattern=r"(?i:identified by) (?P<secret>[^\s\"'<$&:;]{4,64})(?=;|[ \t]{0,4}(?:\n|\Z))",
        example="ALTER USER sam IDENTIFIED BY greenhouse7;",
        counter_example="a row identified by its_id2;",
        cut=_of_user,
        in_source=False,
    ),
    Rule(
        name="sql-password",
        hints=("key",),
        pattern=r"(?i:key(?<=pragma key) ?[=(] ?')(?P<secret>[^'\n]{4,200})'",
        example="PRAGMA key = 'pear-tree-5';",
        counter_example="PRAGMA key = ?",
        cut=_secret_if(_is_sql_password),
    ),
    Rule(
        name="sql-password",
        hints=("pgp_sym_",),
        pattern=(
            r"pgp_sym_(?:en|de)crypt(?:_bytea)?\([^\n;]{1,"
            r"120}?, ?'(?P<secret>[^'\n]{4,200})'\)"
        ),
        example="SELECT pgp_sym_decrypt(d, 'pear-tree-5') FROM t;",
        counter_example="pgp_sym_decrypt(d, :key)",
        cut=_secret_if(_is_sql_password),
    ),
    Rule(
        name="sql-password",
        hints=("insert into ",),
        pattern=_INSERT,
        example="INSERT INTO users (email, password) VALUES ('a@b.c', 'pear-tree-5');",
        counter_example="INSERT INTO users (email, name) VALUES ('a@b.c', 'kim5')",
        in_source=False,
        search=_iter_inserted_literals,
    ),
    Rule(
        name="password",
        hints=("cpy(", "cmp("),
        pattern=(
            r"c(?:py|mp)\( ?[\w.>\[\]&-]{0,60}(?i:passw(?:or)?d|passphrase|pass|pwd"
            r"|(?<![A-Za-z])pw|secret|psk|api_?key|token)\w{0,12}\]? ?, "
            r"?\"(?P<secret>[^\"\n]{4,200})\""
        ),
        example='strcpy(cfg.password, "pear-tree-5");',
        counter_example='strcpy(password, "%s");',
        cut=_secret_if(_is_sql_password),
    ),
    Rule(
        name="redis-password",
        hints=("pass ", "masterauth "),
        pattern=r"(?:(?i:pass(?<=requirepass)|masterauth)) (?P<secret>\S{4,200})",
        example="requirepass h7Kqx2vP",
        counter_example="requirepass foobared",
        cut=_secret_if(is_literal),
        in_source=False,
    ),
    Rule(
        name="netrc",
        hints=("password",),
        pattern=r"password\s{1,8}(?P<secret>[^\s=:]\S{2,199})",
        example="machine api.x.com login me password h7Kqx2vP",
        counter_example="machine api.x.com login me, password later",
        cut=_of_machine,
        in_source=False,
    ),
    Rule(
        name="pgpass",
        hints=(),
        pattern=(
            r"(?m:^)[\w.*-]{1,200}:[0-9*]{1,5}:[\w*-]{1,64}:[\w*@.-]{1,64}:(?P<secret>(?:[^\s:\\]"
            r"|\\[:\\]){4,200})(?m:$)"
        ),
        example="db.example.com:5432:prod:app:h7Kqx2vP",
        counter_example="db.example.com:5432:prod",
        needs=(b":0000:", b":*:"),
        before=400,
        in_source=False,
    ),
    Rule(
        name="password-hash",
        hints=("$argon2", "$scrypt$", "$pbkdf2"),
        pattern=r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?)\$[A-Za-z0-9$=,./+-]{32,}",
        example="$argon2id$v=19$m=65536,t=3,p=4$" + _B64,
        counter_example="$argon2id$",
    ),
    Rule(
        name="wifi-password",
        hints=("wifi:",),
        pattern=r"(?i:wifi):(?:[A-Z]:[^;\s]{1,64};){0,4}P:(?P<secret>[^;\s]{4,64});",
        example="WIFI:T:WPA;S:guest;P:h7Kqx2vP;;",
        counter_example="WIFI:T:nopass;S:guest;;",
    ),
    Rule(
        name="otp-secret",
        hints=("otpauth://",),
        pattern=r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=(?P<secret>[A-Z2-7a-z]{8,128})",
        example="otpauth://totp/x:kim?secret=JBSWY3DPEHPK3PXP&issuer=x",
        counter_example="otpauth://totp/x",
    ),
)
