"""The observer without a model: rules for Korean and English sentences.

It extracts whole sentences and never summarises: weaker than a model, as `observe stats` says. A sentence is extracted for a
stated reason: a preference, a decision, a task, a date, an error, a version change. Of tools it reports calls (`deeds`), never
output.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta, tzinfo
from itertools import chain
from typing import NamedTuple

from gieok.capabilities.observe import deeds
from gieok.capabilities.observe.observation import Category, Observation, Observed, Priority, most_important
from gieok.engine.distil import MessageSpan
from gieok.model.conversation import Journalled, Role
from gieok.text.dates import find_span

_MOST_OBSERVATIONS = 20
_SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
_SHORTEST, _LONGEST = 6, 300
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


class _Rule(NamedTuple):
    category: Category
    priority: Priority
    expression: re.Pattern[str]
    roles: frozenset[Role] = frozenset((Role.USER,))
    is_done: bool = False


def _rule(category: Category, priority: Priority, words: str, *roles: Role, is_done: bool = False) -> _Rule:
    expression = re.compile(words, re.IGNORECASE | re.VERBOSE)
    return _Rule(category, priority, expression, frozenset(roles or (Role.USER,)), is_done)


#: The first match wins.
_RULES = (
    _rule(
        Category.DECISION, Priority.HIGH,
        r"""\b(?:we|i)(?:'ve|\ have)?\ (?:decided|chose|settled\ on|agreed)\b
        | \blet'?s\ (?:go\ with|use|switch\ to)\b
        | \b(?:we'?ll|i'?ll|we\ will|i\ will)\ (?:use|go\ with|switch\ to|stick\ with)\b | \binstead\ of\b
        | 결정(?:했|하였|함|됐|되었|하자) | (?:기로|로)\ ?(?:했|하자|합시다|정했|확정)
        | (?:으?로)\ (?:가자|갑시다|바꾸자|바꿨|변경(?:했|하자)) | \s대신\s""",
    ),
    _rule(
        Category.PREFERENCE, Priority.HIGH,
        r"""\bi(?:\ really)?\ (?:prefer|like|love|hate|dislike|don'?t\ like|can'?t\ stand)\b | \b(?:always|never)\ \w+
        | \bplease\ (?:always|never|don'?t)\b | \bmy\ (?:favou?rite|preference)\b | \bfrom\ now\ on\b
        | (?:좋아|싫어|선호)(?:하|해|한|합) | (?:이|가)\ (?:더\ )?(?:좋|싫|편하) | 앞으로(?:는|도)?\s | 항상\s
        | 절대(?:로)?\s | 하지\ ?마(?:세요|라|십시오)? | 알레르기""",
    ),
    _rule(
        Category.TASK, Priority.MEDIUM,
        r"""\b(?:todo|to-do)\b | \bremind\ me\b | \b(?:i|we)\ (?:need|have|must|should)\ (?:to\ )?\w+
        | \bdeadline\b | \bdue\ (?:on|by)\b
        | 해야\ ?(?:해|한다|합니다|돼|됩니다|겠) | (?:까지|내로)\ .{0,20}(?:끝|마감|제출|완료|해야) | 할\ ?일
        | 잊지\ ?(?:마|말) | 마감 | 예정(?:이|입|임)""",
    ),
    _rule(
        Category.TASK, Priority.MEDIUM,
        r"""\b(?:all\ tests\ pass|is\ now\ fixed|has\ been\ (?:fixed|deployed|released|merged))\b
        | \b(?:i(?:'ve|\ have)?\ |we(?:'ve|\ have)?\ )(?:fixed|finished|completed|deployed|released|merged)\b
        | (?:완료|배포|수정|해결|반영|병합)(?:했|하였|됐|되었|함) | 고쳤 | 끝냈 | 마쳤""",
        Role.USER, Role.ASSISTANT, is_done=True,
    ),
    _rule(
        Category.STATE, Priority.HIGH,
        r"""\b\w*(?:error|exception|traceback)\b\s*[:(] | \[\w+\ failed\] | \bfailed\ (?:with|to)\b
        | \bexit\ (?:code|status)\ [1-9]
        | (?:에러|오류|예외)(?:가|는|:|\ 발생) | 실패(?:했|하였|함)""",
        Role.USER, Role.ASSISTANT,
    ),
    _rule(
        Category.STATE, Priority.MEDIUM,
        r"""\b(?:upgraded?|updated?|downgraded?|migrated?|renamed?|moved?)\b.{0,60}\b(?:to|from)\b
        | \bv?\d+\.\d+(?:\.\d+)?\s*(?:→|->|to)\s*v?\d+\.\d+
        | (?:업그레이드|업데이트|마이그레이션|이전|이사)(?:했|하였|함|할) | 버전(?:을|이)\s
        | (?:으?로)\ (?:옮겼|올렸|내렸|변경됐)""",
        Role.USER, Role.ASSISTANT,
    ),
    _rule(
        Category.STATE, Priority.HIGH,
        r"""\bmy\ (?:name|birthday|wife|husband|son|daughter|dog|cat|job|address|team|company|project)\b\ \w+
        | \bi(?:'m|\ am)\ (?:a|an|the|from|working|based)\b
        | \bi\ (?:work|live|moved)\b
        | (?:제|내|저의|나의)\ (?:이름|생일|직업|회사|팀|아내|남편|아들|딸|강아지|고양이|집)
        | (?:살고|일하고|다니고)\ 있""",
    ),
    _rule(
        Category.STATE, Priority.MEDIUM,
        r"""\b(?:launch|release|meeting|deadline|appointment|birthday|flight|exam|interview|trip|demo)\b.{0,40}
            \b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d|tomorrow|next\ week|\d{1,2}(?:st|nd|rd|th))\b
        | (?:출시|회의|약속|마감|생일|시험|면접|여행|미팅|점검|발표|출장)[은는이가]?\ .{0,20}
            (?:요일|\d{1,2}월\ ?\d{1,2}일|\d{4}-\d\d-\d\d|내일|모레|다음\ ?주)""",
    ),
)  # fmt: skip
#: Categories of instructions.
_INSTRUCTIONS = frozenset((Category.DECISION, Category.PREFERENCE))
_QUESTION = re.compile(r"\?\s*$|(?:까요|나요|ㄹ까|인가요|할까|은가)\s*\??$")


def observe(span: MessageSpan, zone: tzinfo) -> Observed:
    """Return the observations of a span's sentences and tool calls."""
    found: dict[str, Observation] = {}
    told = (o for journalled in span.messages for o in _observations(journalled, zone))
    for o in chain(deeds.observations(span.messages), told):
        found.setdefault(o.text, o)
    return Observed(most_important(found.values(), _MOST_OBSERVATIONS))


def is_instruction(text: str) -> bool:
    """Say whether a text reads like a decision or a preference, which an agent would follow."""
    return any(rule.category in _INSTRUCTIONS and rule.expression.search(text) for rule in _RULES)


def _observations(journalled: Journalled, zone: tzinfo) -> Iterator[Observation]:
    message = journalled.message
    if message.role is Role.TOOL:
        return  # tool output is data, whatever it claims
    for sentence in _SENTENCE.split(_CODE.sub("\n", message.text)):
        text = sentence.strip(" \t-*>#")
        if not _SHORTEST <= len(text) <= _LONGEST or _QUESTION.search(text):
            continue
        if message.role is Role.ASSISTANT and is_instruction(text):
            continue  # the user decides; an assistant may be quoting tool output
        rule = next((r for r in _RULES if message.role in r.roles and r.expression.search(text)), None)
        if rule is not None:
            shown = _dated(text, journalled, zone)
            yield Observation(shown, message.at, rule.priority, rule.category, rule.is_done, (message.id,))


#: Relative dates with one meaning. `Friday` alone may be the last or the next one: it stays unchanged.
_PAST = re.compile(
    r"어제|그제|그저께|오늘|지난 ?(?:주|달|해)|작년|올해|\b(?:yesterday|today|last (?:week|month|year|\w+day))\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"(?P<tomorrow>내일|\btomorrow\b)|(?P<after>모레|day after tomorrow)"
    r"|다음 ?주 ?(?P<ko>[월화수목금토일])요일|\bnext week,? (?:on )?(?P<en>mon|tue|wed|thu|fri|sat|sun)\w*",
    re.IGNORECASE,
)
_DAYS = {name: n for names in ("월화수목금토일", "mon tue wed thu fri sat sun".split()) for n, name in enumerate(names)}


def _dated(text: str, journalled: Journalled, zone: tzinfo) -> str:
    """Append the date to a text with a relative date."""
    said = journalled.message.at.astimezone(zone).date()
    if ahead := _AHEAD.search(text):
        first = last = _day_ahead(ahead, said)
    elif _PAST.search(text) and (days := find_span(text, said)) is not None:
        first, last = days.first, days.last
    else:
        return text
    shown = f"{first}" if first == last else f"{first} to {last}"
    return text if str(first) in text else f"{text} ({shown})"


def _day_ahead(found: re.Match[str], said: date) -> date:
    if found["after"]:
        return said + timedelta(days=2)
    if found["tomorrow"]:
        return said + timedelta(days=1)
    monday = said - timedelta(days=said.weekday()) + timedelta(days=7)
    return monday + timedelta(days=_DAYS[(found["ko"] or found["en"]).lower()])
