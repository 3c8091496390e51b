"""Secrets recognised by structure: key blocks, web tokens, URLs with passwords, headers, password files."""

import base64
import binascii
import re
from collections.abc import Callable
from functools import partial

from gieok.text.redact.rule import Cut, Rule, compiled
from gieok.text.redact.value import is_password, is_random, is_stand_in, is_wordy

#: A longer block has lost its footer.
_MOST_BLOCK_CHARS = 40_000
_BREAK = r"(?:[ \t\"',+>|#*]|\\[nrt\"]|\r?\n){0,24}"
_KEY_LINE = rf"{_BREAK}(?:[A-Za-z0-9+/]{{16,200}}={{0,2}}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\n\\]{{0,80}})"
_LAST_LINE = rf"{_BREAK}[A-Za-z0-9+/]{{2,64}}={{0,2}}(?![A-Za-z0-9+/ ])"
_PLAIN_WORDS = "pass|password|passwd|pw|pwd|secret|token|user|username|pass_word|xxx|\\*+"


def _key_block(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut from header to footer; without a footer, as far as lines look like a key."""
    text, start, body = found.string, *found.span()
    dashes = text.find("-----", body, body + _MOST_BLOCK_CHARS)
    if dashes > body and (foot := compiled(r"-----END [A-Z0-9 ]{0,40}-----").match(text, dashes)):
        return (start, foot.end()) if compiled(r"[A-Za-z0-9+/]{12}").search(text, body, dashes) else None
    end = body
    while line := compiled(_KEY_LINE).match(text, end):
        end = line.end()
    if end == body:
        return None
    last = compiled(_LAST_LINE).match(text, end)
    return start, last.end() if last else end


def _url_password(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the password of a URL; a port or a placeholder is none."""
    start, end = found.span("secret")
    secret = found["secret"]
    if (again := secret.find("://")) >= 0:
        end = start + secret.find("@") if 0 <= secret.find("@") < again else start
        secret = found.string[start:end]
    if len(secret) < 3 or re.match(r"\d{1,5}/", secret) or re.fullmatch(_PLAIN_WORDS, secret, re.IGNORECASE):
        return None
    return None if is_stand_in(secret) and len(set(secret)) > 2 else (start, end)


def _secret_if(holds: Callable[[str], bool]) -> Cut:
    """Return a cut of the group `secret` where its text passes a test."""
    return lambda found: found.span("secret") if holds(found["secret"]) else None


def _is_pair_in_base64(secret: str) -> bool:
    """Say whether a value is a user and a password in base64."""
    secret = secret.rstrip("=")
    try:
        plain = base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii()


def _is_header_token(secret: str) -> bool:
    """Say whether a value looks like a token: `Bearer authentication-scheme` does not."""
    return not is_wordy(secret) and not is_stand_in(secret)


def _cookie(found: re.Match[str]) -> tuple[int, int] | None:
    values = compiled(r"=([^;\s\\]{1,400})").findall(found["secret"])
    return found.span("secret") if any(is_random(value, 12) for value in values) else (found.end(), found.end())


def _is_login(secret: str) -> bool:
    """Say whether a value is a password written out, as in `user:password`."""
    is_word = re.fullmatch(_PLAIN_WORDS, secret, re.IGNORECASE) or is_stand_in(secret)
    return not is_word and not (secret.isdigit() and len(secret) < 6)


_is_password = partial(is_password, least=4)
_B64 = "aB3dE6+gH9jK2/mN5pQ8sT1vW4zY7xC0"
_JWT_BODY = "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"

STRUCTURES = (
    Rule("private-key", ("-----begin ",), r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
         "-----BEGIN " + f"RSA PRIVATE KEY-----\n{_B64}\n-----END RSA PRIVATE KEY-----",
         "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEB\n-----END PUBLIC KEY-----", cut=_key_block),
    Rule("private-key", ("private-lines:",),
         r"(?i:private-lines:) ?\d{1,4}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{64}\r?\n){0,400}[A-Za-z0-9+/=]{1,64})",
         f"Private-Lines: 1\n{_B64 * 2}\n", "Private-Lines: none"),
    Rule("jwt", ("eyj",), r"eyJ(?<![A-Za-z0-9_]eyJ)[A-Za-z0-9_-]{10,1000}(?:\.[A-Za-z0-9_-]{10,40000}){1,4}",
         "eyJ" + _JWT_BODY + ".eyJ" + _JWT_BODY + "." + _JWT_BODY, "eyJhbGciOiJIUzI1NiJ9.test"),
    Rule("url-password", ("://",),
         r"://[^\s:/?#@\"'<>()\[\]{}`]{0,64}:(?P<secret>[^\s\"'<>`]{1,200})@(?=[A-Za-z0-9.\[_%$-])",
         "postgres://app:h7Kq@x/2@db/prod", "postgres://user:password@localhost:5432/db", cut=_url_password),
    Rule("url-password", ("://",), r"://(?P<secret>[A-Za-z0-9_-]{20,200})@(?=[A-Za-z0-9])",
         "https://aB3dE6gH9jK2mN5pQ8sT1@git.example.com/x", "https://medium-sized-host-name-of-mine@example.com",
         cut=_secret_if(lambda secret: is_random(secret, 20))),
    Rule("azure-key", ("accountkey=", "sharedaccesskey="),
         r"(?i:accountkey|sharedaccesskey)=(?P<secret>[A-Za-z0-9+/]{32,200}={0,2})",
         f"AccountName=x;AccountKey={_B64 * 2}==;EndpointSuffix=core.windows.net", "AccountKey=<key>"),
    Rule("url-signature", ("sig=", "signature="),
         r"(?i:(?<=[?&;])sig|(?<=[?&-])signature)=(?P<secret>[A-Za-z0-9%+/_-]{24,2000}={0,2})",
         "https://x/c?sv=2022&sig=" + _B64 + "%3D", "https://x/c?sig=none", cut=_secret_if(lambda secret: is_random(secret.rstrip("="), 16))),
    Rule("basic-auth", ("basic ",), r"(?i:basic) {1,4}(?P<secret>[A-Za-z0-9+/]{8,4000}={0,2})(?![A-Za-z0-9+/=])",
         "Authorization: Basic " + base64.b64encode(b"admin:h7Kqx2").decode(), "basic authentication", cut=_secret_if(_is_pair_in_base64)),
    Rule("docker-auth", ('auth"', "_auth="),
         r"(?:auth\\?\"\s{0,4}:\s{0,4}\\?\"|_auth=\"?)(?P<secret>[A-Za-z0-9+/]{8,4000}={0,2})(?![A-Za-z0-9+/=])",
         '{"auths": {"x": {"auth": "' + base64.b64encode(b"kim:h7Kqx2").decode() + '"}}}', '{"auth": "required"}',
         cut=_secret_if(_is_pair_in_base64)),
    Rule("bearer-token", ("bearer ", "authorization: token "),
         r"(?i:bearer|authorization: token) {1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,4000}={0,4})",
         "Authorization: Bearer " + _B64.replace("+", "-").replace("/", "_"),
         "bearer authentication-scheme-of-rfc6750 is fine", cut=_secret_if(_is_header_token)),
    Rule("okta-token", ("ssws ", "okta"),
         r"(?i:SSWS |okta[\w. -]{0,20}[=:>, ]{1,4}[\"']?)(?P<secret>00[A-Za-z0-9_-]{38,42})(?![A-Za-z0-9_-])",
         "Authorization: SSWS 00" + _B64.replace("+", "-").replace("/", "_") + "aB3dE6gH", "okta: 00 items"),
    Rule("cookie", ("cookie: ",), r"(?i:cookie): (?P<secret>[^\s\"'=;]{1,60}=[^\n\"']{8,4000})",
         "Cookie: sessionid=aB3dE6gH9jK2mN5pQ8sT; theme=dark", "Cookie: theme=dark; lang=korean", cut=_cookie),
    Rule("curl-password", ("curl ", "wget ", "http "),
         r"(?i:curl|wget|http) (?:[^\n]{0,300}? )??(?:-u|--user|-a|--auth)[ =]?[\"']?[^\s:\"'=]{1,64}:(?P<secret>[^\s\"']{3,})",
         "curl -u admin:h7Kqx2vP https://x", "curl -u user:password https://x", cut=_secret_if(_is_login), in_source=False),
    Rule("cli-password", ("mysql", "mariadb", "sshpass", "docker login", "ldapsearch"),
         r"(?:mysql\w{0,8}|mariadb[\w-]{0,8}|sshpass|docker login|ldapsearch)(?: [^\n]{0,200}?)?? -[pwP] ?[\"']?(?P<secret>[^\s\"'-][^\s\"']{3,})",
         "mysql -u root -ph7Kqx2vP db", "mysql -u root -p db", cut=_secret_if(_is_password), in_source=False),
    Rule("sql-password", ("identified ", "password '", 'password "'),
         r"(?i:identified (?:with [\w\"']{1,40} )?by|password) [\"'](?P<secret>[^\"'\n]{3,128})[\"']",
         "CREATE USER app IDENTIFIED BY 'h7Kqx2vP'", "CREATE USER app IDENTIFIED BY 'password'", cut=_secret_if(_is_password),
         in_source=False),
    Rule("redis-password", ("requirepass ", "masterauth "), r"(?:requirepass|masterauth) (?P<secret>\S{4,200})",
         "requirepass h7Kqx2vP", "requirepass foobared", cut=_secret_if(_is_password), in_source=False),
    Rule("netrc", ("machine ",),
         r"machine\s{1,4}\S{1,200}\s{1,8}login\s{1,4}\S{1,200}\s{1,8}password\s{1,4}(?P<secret>\S{3,200})",
         "machine api.x.com login me password h7Kqx2vP", "machine api.x.com login me", cut=_secret_if(_is_login), in_source=False),
    Rule("pgpass", (":5432:", ":6432:", ":*:", ":3306:", ":5433:"),
         r"(?m:^)[\w.*-]{1,200}:[0-9*]{1,5}:[\w*-]{1,64}:[\w*@.-]{1,64}:(?P<secret>[^\s:]{4,200})(?m:$)",
         "db.example.com:5432:prod:app:h7Kqx2vP", "db.example.com:5432:prod", before=200, in_source=False),
    Rule("password-hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}",
         "admin:$2y$05$" + (_B64 * 2).replace("+", ".")[:53], "$2a$ is the prefix"),
    Rule("password-hash", ("$apr1$", "$1$", "$5$", "$6$", "$y$", "$7$"),
         r"\$(?:apr1|[1567]|y)\$[^$\s:]{1,40}\$(?:[^$\s:]{1,40}\$)?[./A-Za-z0-9]{22,}",
         "root:$6$salt$" + _B64.replace("+", ".") * 2, "$1$ and $5$"),
    Rule("password-hash", ("$argon2", "$scrypt$", "$pbkdf2"),
         r"\$(?:argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?)\$[A-Za-z0-9$=,./+-]{32,}",
         "$argon2id$v=19$m=65536,t=3,p=4$" + _B64, "$argon2id$"),
    Rule("wifi-password", ("wifi:",), r"(?i:wifi):(?:[A-Z]:[^;\s]{1,64};){0,4}P:(?P<secret>[^;\s]{4,64});",
         "WIFI:T:WPA;S:guest;P:h7Kqx2vP;;", "WIFI:T:nopass;S:guest;;"),
    Rule("otp-secret", ("otpauth://",), r"otpauth://[^\s\"'<>]{1,200}?[?&]secret=(?P<secret>[A-Z2-7a-z]{8,128})",
         "otpauth://totp/x:kim?secret=JBSWY3DPEHPK3PXP&issuer=x", "otpauth://totp/x"),
)  # fmt: skip
