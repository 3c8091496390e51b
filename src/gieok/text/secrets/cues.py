"""Cues: words beside which a secret may stand, by what they announce."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from gieok.text.secrets.placeholder import PLACEHOLDER


class Cue(NamedTuple):
    """Word that announces a secret; `start` and `end` are its place in a line."""

    start: int
    end: int
    name: str


class CueRow(NamedTuple):
    """Words of one kind, with one that they must find and one that they must not."""

    name: str
    pattern: str
    example: str
    counter_example: str


CUES = (
    CueRow(
        "password",
        r"pass(?:word|wd|wort|phrase|code|key)?s?(?![a-z])|(?<![a-z])pwd?(?![a-z])|(?<![a-z])psk"
        r"|pswd|passw|패스워드|비밀번호|비밀번|비번|암호|패스프레이즈|비밀문구"
        r"|(?<![a-z])creds?(?![a-z])|credentials?|kennwort|열쇠말|wachtwoord|숫자키",
        "DB_PASSWORD",
        "passenger",
    ),
    CueRow(
        "pin",
        r"(?<![a-z])pins?(?![a-z])|핀번호|(?<![가-힣])핀(?![가-힣]{2})|잠금|패턴|otp|인증번호"
        r"|인증 번호|인증코드|verification|combination|combo",
        "the pin of the card",
        "spinning",
    ),
    CueRow(
        "door",
        r"door|gate|alarm|entrance|lock ?box|locker|safe(?![a-z])|shed|garage|keypad|keybox|현관"
        r"|도어락|도어록|대문|창고|금고|자물쇠|키박스|열쇠함|사물함|출입|세콤|경비",
        "공동현관",
        "window",
    ),
    CueRow("code", r"(?<![a-z])codes?(?![a-z])|코드", "the code is", "decoder"),
    CueRow(
        "network",
        r"wi-?fi|wlan|와이파이|공유기|ssid|router|hotspot|무선|guest net",
        "Wi-Fi",
        "wife",
    ),
    CueRow(
        "word",
        r"(?<![a-z])(?:word|phrase|sentence)s?(?![a-z])|문구|문장|단어|구문|seed|시드|mnemonic"
        r"|니모닉",
        "the word is",
        "password",
    ),
    CueRow(
        "answer",
        r"answer|security question|maiden|first pet|보안 ?질문|본인확인|질문|(?<![가-힣])답",
        "보안 질문",
        "대답",
    ),
    CueRow(
        "recovery",
        r"recover|backup code|rescue|복구|백업 ?코드|비상|emergency|unlock",
        "recovery sheet",
        "discover",
    ),
    CueRow(
        "key",
        r"(?<![a-z])keys?(?![a-z])|apikey|인증키|라이선스|시리얼|(?<![가-힣])키(?![가-힣]{2})"
        r"|licen[sc]e|serial",
        "api_key",
        "monkey",
    ),
    CueRow(
        "token",
        r"tokens?|토큰|secret|시크릿|bearer|auth(?![a-z]{2,})|session|세션|cookie|쿠키|jwt",
        "bot token",
        "author",
    ),
    CueRow(
        "account",
        r"log ?-?in|sign ?-?in|로그인|접속|계정|아이디|account|user(?:name)?(?![a-z])|어드민|admin"
        r"|관리자",
        "log in as",
        "lodging",
    ),
    CueRow(
        "bank",
        r"계좌|iban|bank|입금|통장|sort code|은행|농협|신협|새마을|(?<![a-z])card",
        "IBAN",
        "discard",
    ),
    CueRow(
        "identity",
        r"주민|여권|passport|외국인등록|운전면허|ssn|social security|national id|personal number"
        r"|rrn",
        "주민번호",
        "identical",
    ),
    CueRow("link", r"webhook|invite|(?<![a-z])hook(?![a-z])|초대|https?://", "webhook", "hooked"),
    CueRow(
        "typing",
        r"(?<![a-z])(?:type|enter|press|dial|punch)(?![a-z])|누르|눌러|치면|치고|입력|넣으면|맞추",
        "then type",
        "prototype",
    ),
)
#: Cues that announce a secret by themselves.
_STRONG = frozenset("password pin network recovery identity".split())
#: Cues that do so in what people say; in documents they stand in every fourth line.
_SPOKEN = _STRONG | frozenset("door code key token bank answer word".split())
_NAMES = frozenset(row.name for row in CUES)
#: Lines whose cues are kept: those of a window are asked for each of its values.
_LINES_KEPT = 64


@lru_cache(_LINES_KEPT)
def find_cues(line: str) -> tuple[Cue, ...]:
    """Return the cues of a line, in order."""
    cues = (
        Cue(match.start(), match.end(), name)
        for name, pattern in _compile_patterns()
        for match in pattern.finditer(line)
    )
    return tuple(sorted(cue for cue in cues if not is_replaced(line, cue.start, cue.end)))


def is_replaced(line: str, start: int, end: int) -> bool:
    """Say whether a part of a line overlaps the placeholder of a secret that is cut already."""
    return any(match.start() < end and start < match.end() for match in PLACEHOLDER.finditer(line))


def announces_secret(text: str, *, is_said: bool) -> bool:
    """Say whether a text holds a cue for which its values are read.

    `is_said`: somebody said it, so that weaker cues, or two of any kind, are enough. Every text
    that is taken in is asked, so it is one search of the folded text, not one a pattern.
    """
    folded = PLACEHOLDER.sub(" ", text).casefold()
    enough = _SPOKEN if is_said else _STRONG
    if _compile_any(enough).search(folded):
        return True
    return (
        is_said
        and sum(bool(_compile_any(frozenset((name,))).search(folded)) for name in _NAMES - enough)
        > 1
    )


@cache
def _compile_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row.name, re.compile(row.pattern, re.IGNORECASE)) for row in CUES)


@cache
def _compile_any(names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern that any cue of these names matches in folded text."""
    return re.compile("|".join(row.pattern for row in CUES if row.name in names))
