"""Secrets that a place of their own names: lines of a device's console, headers, manifests, seeds
of codes.

What stands before the noun on its line says that the line configures something (`username kim`,
`snmp-server`); then the last word of the line is the secret, whatever its shape.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence

from gieok.text.redact.rule import Rule, compile_on_use, line_before
from gieok.text.redact.value import (
    is_literal,
    is_password,
    is_placeholder,
    is_random,
    is_reference,
    is_row,
    is_shaped,
    is_stand_in,
    is_state,
    is_word_of_interface,
    is_wordy,
)

_MOST_BLOCK = 6_000
#: What opens a line of a router, a switch or a server's management.
_CONFIGURES = (
    r"[ \t]{0,12}(?:[\w.-]{1,30}(?:\([\w-]{1,30}\))?[#>] ?)?(?P<verb>"
    r"username|enable|snmp-server|tacacs(?:-server)?|radius(?:-server)?|neighbor|crypto|ip|ppp"
    r"|standby|"
    r"isis|user|wpa-psk|set|ipmitool|racadm|key|pre-shared-key|authentication|local-user|server|"
    r"community)?(?:[ \t]{1,4}[\w./:@*-]{1,60}){0,7}[ \t]{0,4}(?:wpa-)?"
)
_MARK = (
    r"(?:[ \t](?:[0-9]{1,2}|ascii|hex|encrypted|cleartext|plaintext|simple|cipher"
    r"|irreversible-cipher))"
)


def _of_line(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the last word of a line that configures a device."""
    before = line_before(found.string, found.start())
    line = compile_on_use(_CONFIGURES).fullmatch(before)
    is_marked = found["mark"] and before.strip() in ("", "wpa-")
    if line is None or (line["verb"] is None and not is_marked):
        return None
    value = found["secret"]
    if is_placeholder(value) or is_reference(value):
        return None
    if not (found["mark"] and any(map(str.isdigit, value))) and (
        is_state(value) or not is_literal(value)
    ):
        return None
    is_plain = compile_on_use(r"[a-z]+").fullmatch(value) is not None and not found["mark"]
    is_open = line["verb"] in ("set", "user", "key", "server", "ip", "authentication")
    return None if is_plain and is_open else found.span("secret")


def _of_header(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut what follows a scheme that nobody has to know."""
    value = found["secret"]
    is_one = is_random(value, 12) or (len(value) > 8 and is_shaped(value) and not is_wordy(value))
    return found.span("secret") if is_one and not is_stand_in(value) else None


def _of_manifest(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the values of a manifest's secret: in `data` they are base64, in `stringData` as they
    are.
    """
    reached = -1
    for at in places:
        if at < reached:  # the manifest was read from another line of it
            continue
        end = text.find("\n---", at, at + _MOST_BLOCK)
        end = min(len(text), at + _MOST_BLOCK) if end < 0 else end
        start = max(0, reached, text.rfind("\n---", max(0, at - _MOST_BLOCK), at))
        reached = end
        for block in compile_on_use(_BLOCK).finditer(text, start, end):
            is_plain = block["name"] == "stringData"
            for pair in compile_on_use(_PAIR).finditer(text, *block.span("pairs")):
                value = pair["secret"]
                is_one = is_literal(value) if is_plain else _is_base64(value)
                if is_one and not is_reference(value):
                    yield pair.span("secret")


_BLOCK = (
    r"(?m:^)(?P<in>[ \t]{0,12})(?P<name>data|stringData):[ \t]{0,4}\n"
    r"(?P<pairs>(?:(?P=in)[ \t]{1,8}[^\n]{1,4000}\n?){1,200})"
)
_PAIR = (
    r"(?m:^)[ \t]{1,20}(?!(?i:user(?:name)?|host|port|url|name|type|mode|level|region|env)\b)"
    r"[\w./-]{1,80}:[ \t]{1,4}[\"']?(?P<secret>[^\s\"'|>{$&*#][^\s\"']{2,3999})[\"']?[ "
    r"\t]{0,8}(?m:$)"
)


def _is_base64(value: str) -> bool:
    try:
        return bool(base64.b64decode(value, validate=True)) and len(value) >= 4
    except (binascii.Error, ValueError):
        return False


def _of_literal(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value that is put into a secret by a command."""
    value = found["secret"]
    line = line_before(found.string, found.start())
    is_one = (
        is_shaped(value) or is_password(value) or is_row(value) or "key" in found["key"].lower()
    )
    return found.span("secret") if is_one and "secret" in line and is_literal(value) else None


def _of_flag(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut the flag of an exercise in security, which has digits among its letters."""
    return found.span("secret") if is_shaped(found["secret"]) else None


def _of_seed(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a word of base32, which has digits but no others than those of its alphabet."""
    value = found["secret"].replace(" ", "")
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return found.span("secret") if has_both or len(value) % 8 == 0 else None


#: Names of a password in other languages than English and Korean, as settings and sentences write
#: them.
_FOREIGN = (
    r"(?:(?i:contrase(?:ñ|n)as?|mots? de passe|senhas?|passwor(?:t|ter)|kennwor(?:t|ter)"
    r"|wachtwoord|parola|"
    r"hasło|lösenord|парол[ья])|パスワード|暗証番号|密码|密碼|口令)"
)
_FOREIGN_IS = r"(?i: (?:es|lautet|ist|est|é|is|jest|è|war|era)(?: now)? |は ?|是 ?| ?[:=] ?\n? ?)"


def _of_foreign(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value behind a name in another language; a word alone may be one of that language."""
    value = found["secret"].rstrip(".,;:!?)\"'")
    start = found.start("secret")
    is_one = (
        is_shaped(value)
        or is_password(value)
        or (found["q"] and " " not in value and is_literal(value))
    )
    return (start, start + len(value)) if is_one and not is_word_of_interface(value) else None


DEVICES = (
    Rule(
        name="password",
        hints=(
            "community ",
            "secret ",
            "password ",
            "passphrase ",
            "key ",
            "psk ",
            "plain-text-password",
            "key-string ",
        ),
        pattern=(
            r"(?i:community|secret|password|passphrase|(?:auth-|authentication-)?key|psk"
            rf"|plain-text-password-value|key-string)(?P<mark>{_MARK}{{0,2}}) "
            rf"(?P<secret>[^\s\"'<>$,;()]{{4,120}})(?=(?: (?i:ro|rw|view \S{{1,20}}|privilege "
            rf"\d{{1,2}}|role \S{{1,20}})){{0,2}}[ \t\r]{{0,8}}(?:\n|\Z))"
        ),
        example="snmp-server community c0mmun1ty RO",
        counter_example="set password required",
        cut=_of_line,
        in_source=False,
    ),
    Rule(
        name="authorization",
        hints=("authorization",),
        pattern=(
            r"(?i:authorization)[\"'\]]{0,2} ?[:=,] ?[bf]?[\"'`]?(?!(?i:basic|bearer|digest"
            r"|negotiate|aws4)\b)[A-Za-z][\w-]{1,24}[ "
            r"=:]{1,2}(?P<secret>[A-Za-z0-9._~+/=-]{10,400})"
        ),
        example="Authorization: AcmeAK 9f8e7d6c5b4a39281706f5e4",
        counter_example="Authorization: Custom authentication-scheme",
        cut=_of_header,
    ),
    Rule(
        name="secret-key",
        hints=("kind: secret", 'kind: "secret'),
        pattern=r"(?i:kind: \"?secret)(?![A-Za-z])",
        example="kind: Secret\nstringData:\n  mail: pine-cone\n",
        counter_example="kind: SecretStore\nstringData:\n  mail: pine-cone\n",
        in_source=False,
        search=_of_manifest,
    ),
    Rule(
        name="secret-key",
        hints=("from-literal=",),
        pattern=r"from-literal=(?P<key>[\w.-]{1,60})=[\"']?(?P<secret>[^\s\"'$]{4,200})",
        example="kubectl create secret generic p --from-literal=cookieKey=plum-ladder",
        counter_example="kubectl create configmap p --from-literal=cookieKey=plum-ladder",
        cut=_of_literal,
        in_source=False,
    ),
    Rule(
        name="flag",
        hints=("flag{", "ctf{", "htb{", "thm{"),
        pattern=r"(?i:flag|ctf|htb|thm)\{(?P<secret>[A-Za-z0-9_!@#$?.-]{8,100})\}",
        example="FLAG{n3v3r_trust_a_cr0njob}",
        counter_example="flag{name}",
        cut=_of_flag,
    ),
    Rule(
        name="otp-secret",
        hints=("otp", "2fa", "mfa", "authenticator", "2단계", "인증기"),
        pattern=(
            r"(?:(?i:t?otp|2fa|mfa|authenticator)(?![A-Za-z])|2단계"
            r"|인증기)[^\n]{0,40}?(?<![A-Za-z0-9/+_=-])(?P<secret>[A-Z2-7]{16,64}|[A-Z2-7]{4}(?: "
            r"[A-Z2-7]{4}){3,15}|(?=[a-z]{0,9}[2-7])[a-z2-7]{4}(?: "
            r"[a-z2-7]{4}){3,15})(?![A-Za-z0-9/+_=-])"
        ),
        example="2FA secret (base32) JBSWY3DPEHPK3PXP",
        counter_example="the OTP is sent by SMS",
        cut=_of_seed,
    ),
    Rule(
        name="password",
        hints=(
            "contrase",
            "mots de passe",
            "mot de passe",
            "senha",
            "passwort",
            "kennwort",
            "wachtwoord",
            "parola",
            "hasło",
            "lösenord",
            "парол",
            "パスワード",
            "暗証番号",
            "密码",
            "密碼",
            "口令",
        ),
        pattern=(
            rf"{_FOREIGN}(?: [\w.'’-]{{1,16}}){{0,5}}?{_FOREIGN_IS}(?P<q>[\"'“«]?) "
            rf"?(?P<secret>[!-~]{{4,64}})"
        ),
        example="La contraseña es manzano9",
        counter_example="contraseña incorrecta: inténtelo de nuevo",
        cut=_of_foreign,
        in_source=False,
    ),
)
