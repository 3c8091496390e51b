"""Passwords in sentences, English and Korean: after the word that names them, or before it."""

import re

from gieok.text.redact.rule import Rule, after, compiled
from gieok.text.redact.value import is_code, is_joined, is_password, is_random, is_stand_in

_EN_KEYS = "api access private auth bot secret license product recovery backup service encryption"
_EN_CODES = "door alarm gate entry lock access security unlock safe garage keypad recovery backup"
_KO_KEYS = "api API 액세스 접근 비밀 개인 보안 라이선스 서비스 발급 복구 인증 시크릿"
_KO_CODES = "도어락 현관 출입 출입문 금고 접속 보안 잠금 사물함 인증 핀 발급 복구"
_EN = (
    r"(?<![A-Za-z0-9_])(?i:pass(?:wor[dt]|code|phrase|wd|key)s?|pass(?= (?:is|was|=)|[:=])|pwd|pw|pin(?: ?(?:codes?|number|no\.?))?|secret(?: key)?|(?<!-)tokens?|"
    rf"credentials?|creds?|{after(_EN_KEYS, '[ _-]')}(?:key|token)s?|{after(_EN_CODES, ' ')}(?:codes?|pin|combination))(?![A-Za-z0-9_])"
)
_EN_HINTS = ("pass", "pw", "pin", "secret", "token", "cred", "key", "code", "combination")
_KO = (
    r"(?:비밀 ?번호|비번|암호(?!화|학|문|해|자산|통화)|패스 ?(?:워드|프레이즈|코드)|시크릿(?: ?키)?|토큰(?!화|나이|이저|라이)|핀 ?(?:번호|코드)|"
    rf"{after(_KO_KEYS, '[ -]')}(?i:키|key|토큰)|{after(_KO_CODES, ' ')}(?:번호|코드)|"
    r"(?<![A-Za-z0-9_])(?i:passwords?|passcode|passphrase|pwd?|pin|tokens?|secret(?: key)?)(?=[가-힣]|\([가-힣]))(?![A-Za-z0-9_])"
)
_KO_HINTS = tuple("비밀 비번 암호 패스 시크릿 토큰 핀 키 key 번호 코드 pass pw pin token secret".split())
_OPENS = r"[\"'`“‘「<(*]{0,3}"
_TOLD = rf"{_OPENS}(?P<secret>[!-~]{{4,200}})"
#: At most six words between the name and the link to its value: `the password for the staging database is …`.
_WORDS = r"(?: ?\([^()\n]{1,40}\))?(?: [A-Za-z0-9'’_/&-]{1,24}){0,6}?(?: \([^()\n]{1,40}\))?"
_LINK = (
    r"(?:['’]s | ?(?:: ?\n? ?(?<![A-Za-z]:)|:(?=[\"'`])| = |→ ?|=> ?|-> ?|– |— )| - |, (?=[^\s,]{4,64},)|,? (?i:it['’]s|it is|which is|that is) (?i:now )?|"
    r" (?i:is|was|are|be|been|becomes|remains|equals)(?: (?i:now|still|set to|changed to|reset to|just|simply|currently|again))? |"
    r" (?i:(?:has been |have been |was |were |got )?(?:changed|set|reset|updated|rotated|switched|renewed) (?:to|from)) )"
)
_NEAR = r"(?: (?i:to|as|now|from|works?|becomes) | )"
_EN_LEAD = rf"(?<!\S){_OPENS}(?P<secret>[!-~]{{4,64}}),? (?i:(?:to log ?in,? )?(?:is|as|was|when|if|works as|that['’]s|it['’]s) |(?:please )?\()(?i:[a-z']{{1,12}} ){{0,5}}\Z"
_KO_LEAD = rf"(?<![!-~]){_OPENS}(?P<secret>[!-~]{{5,64}})(?:이라는|라는|이|가|을|를|로|으로|은|는|도) (?:[가-힣]{{1,6}} ){{0,2}}\Z"
#: A unit after a number, which is then no code: `12 characters`, `4자리`.
_COUNTS = re.compile(
    r"\s?(?:자|글자|개|번|회|일|년|월|시|분|초|명|원|줄|비트|바이트|살|대|건|차|층|%|퍼|(?i:char|digit|letter|bit|byte|day|hour|min|sec|"
    r"month|year|week|time|times|attempt|word|token|item|request|user|tri|p\b|am\b|pm\b|won\b|people|k\b))"
)
_AS_CODE = re.compile(r"(?i) as (?:the|my|our|your|a) (?:pin|pass|code|(?:door|gate|alarm) )")
_NUMBERED = re.compile(r"(?i)pass|pin|pw|code|combination|번호|비번|암호|코드|현관|출입|도어락|금고")


def _told(found: re.Match[str]) -> tuple[int, int] | None:
    """Cut a value that looks like a password after its name."""
    text, start = found.string, found.start()
    if start and (text[start - 1].isascii() and text[start - 1].isalnum()) and text[start].isascii():
        return None
    return _value(found, numbers=bool(_NUMBERED.search(found["name"])))


def _before(found: re.Match[str]) -> tuple[int, int] | None:
    text, end = found.string, found.end()
    return _value(found, numbers=bool(_AS_CODE.search(text, max(0, end - 12), end + 12)))


def _value(found: re.Match[str], *, numbers: bool) -> tuple[int, int] | None:
    """Return the span of the value without quotes and punctuation around it."""
    start, end = found.span("secret")
    text = found.string
    value = text[start:end]
    raw = value if text[end : end + 1].isascii() else value.removesuffix("(")  # `…(으)로`
    value = compiled(r"[\"'`”’」>)*,;:.\]]{0,6}$|\(.{0,3}$").sub("", value) if value else value
    while value.endswith((".", ",", ";", ":", '"', "'", "`", "(", ")", ">", "*")) and len(value) > 3:
        value = value[:-1]
    end = start + len(value)
    if value.isdigit():
        is_number = numbers and 4 <= len(value) <= 12 and not _COUNTS.match(text, end)
        return (start, end) if is_number and len(set(value)) > 1 else None
    if (is_code(raw) and not is_joined(value)) or compiled(r"[\\`\"]|\('|'\)|^[\](){}.,|=<>:;'\[+-]").search(value):
        return None
    if is_stand_in(value) or _is_address(value) or (_COUNTS.match(text, end) and value[0].isdigit() and len(value) < 6):
        return None
    return (start, end) if is_password(value) or is_random(value, 8) or (numbers and _is_pin(value)) else None


def _is_pin(value: str) -> bool:
    """Say whether a value is a keypad code: `0923*`."""
    return bool(compiled(r"[*#]?[0-9]{4,8}[*#]").fullmatch(value))


def _is_address(value: str) -> bool:
    """Say whether a value is an e-mail address, a path, an option or a call."""
    if value.startswith(("/", "./", "~/", "--", "@", "#", "&", "$")) and value[1:2] != "!":
        return not is_random(value[1:], 8)
    return bool(compiled(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[\w.]+\([^)]*\)?|[A-Za-z]:\\.*|[\w.-]+=.*").fullmatch(value))


PROSE = (
    Rule("password", _EN_HINTS, rf"(?P<name>{_EN}){_WORDS}{_LINK}{_TOLD}",
         "The staging password for the database is h7Kqx2vP!", "The password must be at least twelve characters.",
         cut=_told, in_source=False),
    Rule("password", _EN_HINTS, rf"(?P<name>{_EN})(?: (?i:for|of|to) [^\s.,:;=]{{1,24}})?{_NEAR}{_TOLD}",
         "set the root password to h7Kqx2vP on the box", "password reset e-mails are sent within a minute", cut=_told,
         in_source=False),
    Rule("password", _EN_HINTS, _EN,
         "Use h7Kqx2vP as the wifi password.", "Use sha256 as the password hash.", lead=_EN_LEAD, cut=_before,
         in_source=False),
    Rule("password", _KO_HINTS,
         rf"(?P<name>{_KO})(?: ?\([^()\n]{{1,20}}\))?[가-힣]{{0,3}}(?: [가-힣]{{1,8}}[.,?!]?){{0,3}} ?(?:[:=,→-]|=>|->)? ?\n?{_TOLD}",
         "스테이징 비밀번호는 h7Kqx2vP! 이다", "비밀번호는 여덟 자 이상이어야 한다. SHA256으로 해시한다.", cut=_told, in_source=False),
    Rule("password", _KO_HINTS, _KO,
         "h7Kqx2vP를 새 비밀번호로 쓴다", "db01에서 비밀번호를 바꾼다", lead=_KO_LEAD, cut=_before, in_source=False),
    Rule("password", ("log", "sign", "ssh", "cred", "account", "user", "wifi", "wi-fi", "계정", "접속", "와이파이", "로그인", "아이디"),
         r"(?i:log(?:ged)? ?[io]n|sign(?:ed)? in|ssh|creds?|credentials?|accounts?|user(?:name)?|wi-?fi|계정|접속|와이파이|로그인|아이디)"
         rf"[^\n/]{{0,30}}?(?<=\s)(?!arn:|https?:|id:)[\w.@+-]{{2,32}}(?: / |/|:){_TOLD}",
         "Log in with admin / h7Kqx2vP", "log in at host:8080", cut=_before, in_source=False),
)  # fmt: skip
