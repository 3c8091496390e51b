"""Narrative of what a character knows of its user, as the character would tell it.

It tells what holds now, what is near, and what was, within a budget of tokens.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from gieok.character.facts import CHARACTER, USER, Episode, Fact, FactType, Moment
from gieok.character.predicates import PREDICATES, Telling
from gieok.model.conversation import Message
from gieok.text.josa import fill_particles
from gieok.text.tokens import estimate_tokens

#: How many days before its day a plan is near, and how many days after it the plan is just over.
_NEAR_DAYS, _JUST_DAYS = 7, 3
_BRIEF = timedelta(hours=12)
_ALONE = ("솔로", "single", "혼자", "alone", "없음")


_SPOUSES = frozenset("아내 와이프 남편 신랑 마누라 집사람 안사람 바깥양반 wife husband".split())
_ALONE_HOME = ("혼자 삶", "lives alone")
_KIN = frozenset(
    "엄마 아빠 어머니 아버지 언니 오빠 누나 형 동생 남동생 여동생 조카 할머니 할아버지 친구 sister brother mom mum mother dad "
    "father son"
    " daughter niece nephew cousin aunt uncle husband wife".split()
)


class Section(NamedTuple):
    """Heading in Korean and English, and whether the lines below it hold now."""

    ko: str
    en: str
    holds: bool


NOW = Section("지금 알고 있는 것", "What holds now", True)
NEAR = Section("곧 있을 일, 막 지난 일", "Coming up, or just over", True)
PLANNED = Section("지나간 일정", "Plans that are over", False)
PAST = Section("전에는 그랬지만 이제는 아닌 것", "What was so, and is no more", False)
THOUGHT = Section("생각만 해 본 것", "What was only thought of", False)
US = Section("우리 사이에 있었던 일", "What happened between us", False)
TALKS = Section("지난 이야기", "Earlier talks", False)
#: Predicates told first: those that the character's first sentence shows, and those that do harm
#: where they are forgotten.
_FIRST = ("speech_level", "address_form", "name", "allergy")
_ORDER = (NOW, NEAR, US, TALKS, PLANNED, THOUGHT, PAST)
_HEAD = Telling("나는 {who:을/를} 이렇게 기억한다.", "This is what I remember of {who}.")
_SELF = {
    "likes": ("나는 {o:을/를} 좋아한다고 말했다", "I said that I like {o}"),
    "drink": ("나는 {o:을/를} 마신다고 말했다", "I said that I drink {o}"),
}
_NEAR_KO = {-3: "사흘 전", -2: "그저께", -1: "어제", 0: "오늘", 1: "내일", 2: "모레"}
_NEAR_EN = {
    -3: "three days ago",
    -2: "the day before yesterday",
    -1: "yesterday",
    0: "today",
    1: "tomorrow",
}
_NOT_ASKED = ("아직 이야기하지 않았다", "not talked about yet")
_DROPPED = ("이제는 그만두었다", "given up since")
#: A word by which a plan is known in a message; its last one counts.
_PLAN_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
_ONLY = ("아직 생각만 하고 있다", "only a thought so far")


class NarrativeMemories(NamedTuple):
    """Memories in order of time, and the keys that the present message recalls, best first."""

    facts: Sequence[Fact]
    moments: Sequence[Moment] = ()
    episodes: Sequence[Episode] = ()
    recalled: Sequence[str] = ()


class NarrativeLine(NamedTuple):
    """One line of a narrative, its section, and the memory that it tells."""

    section: Section
    text: str
    key: str


class Narrative(NamedTuple):
    """Narrative as text, its lines that hold now, and the keys of the memories that it tells."""

    text: str = ""
    now: str = ""
    keys: tuple[str, ...] = ()


class NarrativeView(NamedTuple):
    """Circumstances of a narrative.

    These are the language, the time, the user's zone, and the messages of the window, which tell
    whether a plan was talked about since its day.
    """

    lang: str
    now: datetime
    zone: tzinfo
    window: Sequence[Message] = ()

    @property
    def today(self) -> date:
        """Return the date in the user's zone."""
        return self.now.astimezone(self.zone).date()

    def say(self, ko: str, en: str) -> str:
        """Return the text in the language of the narrative."""
        return ko if self.lang == "ko" else en

    def was_talked_about(self, fact: Fact) -> bool:
        """Return whether the last word of a plan was said since the plan's day."""
        words = _PLAN_WORD.findall(fact.object)[-1:]
        since = (
            message
            for message in self.window
            if message.at.astimezone(self.zone).date().isoformat() >= fact.day
        )
        return any(word in message.text for message in since for word in words)

    def day(self, at: datetime) -> str:
        """Return a day in words."""
        day = at.astimezone(self.zone).date()
        return f"{day.month}월 {day.day}일" if self.lang == "ko" else f"{day:%B} {day.day}"


def narrative(held: NarrativeMemories, view: NarrativeView, budget_tokens: int) -> Narrative:
    """Return the narrative that fits the budget; empty where nothing is remembered.

    The most needed lines are chosen first, and the chosen lines are shown by section.
    """
    who = whom(held.facts, view)
    head = fill_particles(view.say(_HEAD.now, _HEAD.past), who=who)
    left = budget_tokens - estimate_tokens(head)
    chosen: list[NarrativeLine] = []
    seen: set[str] = set()
    opened: set[Section] = set()
    for line in _by_need(held, view, who):
        cost = estimate_tokens(line.text) + 2
        cost += (
            0
            if line.section in opened
            else estimate_tokens(view.say(line.section.ko, line.section.en)) + 2
        )
        if line.key in seen or cost > left:
            continue
        left -= cost
        seen.add(line.key)
        opened.add(line.section)
        chosen.append(line)
    if not chosen:
        return Narrative()
    parts = [
        (section, [chosen_line for chosen_line in chosen if chosen_line.section == section])
        for section in _ORDER
    ]
    blocks = [
        "\n".join(
            (
                f"[{view.say(section.ko, section.en)}]",
                *(f"- {chosen_line.text}" for chosen_line in lines),
            )
        )
        for section, lines in parts
        if lines
    ]
    now = "\n".join(chosen_line.text for chosen_line in chosen if chosen_line.section.holds)
    return Narrative(
        "\n".join((head, *blocks)), now, tuple(chosen_line.key for chosen_line in chosen)
    )


def whom(facts: Sequence[Fact], view: NarrativeView) -> str:
    """Return how the character refers to the user.

    That is the current form of address, the name, or a plain word.
    """
    return called(facts) or view.say("그 사람", "this person")


def called(facts: Sequence[Fact]) -> str:
    """Return the current form of address, else the name; '' for neither."""
    for predicate in ("address_form", "name"):
        for fact in facts:
            if fact.predicate == predicate and fact.subject == USER and fact.is_current:
                return _strip_vocative(fact.object, facts)
    return ""


def _strip_vocative(form: str, facts: Sequence[Fact]) -> str:
    """Return a Korean name without the vocative 아 or 야, because particles follow the name."""
    known = "".join(
        fact.object for fact in facts if fact.predicate == "name" and fact.subject == USER
    )
    return form[:-1] if form[-1:] in ("아", "야") and len(form) > 2 and form[:-1] in known else form


def _by_need(held: NarrativeMemories, view: NarrativeView, who: str) -> Iterator[NarrativeLine]:
    """Yield lines, the most needed first; a memory may appear twice."""
    facts = [fact for fact in held.facts if fact.predicate in PREDICATES]
    lines = {fact.key: _fact_line(fact, view, who) for fact in facts}
    current = [fact for fact in facts if fact.is_current and not fact.is_idea]
    for predicate in _FIRST:
        yield from (lines[fact.key] for fact in current if fact.predicate == predicate)
    yield from (line for line in lines.values() if line.section == NEAR)
    told_once = {moment.message_ids: moment for moment in reversed(held.moments)}
    lines |= {moment.key: _moment_line(moment, view) for moment in told_once.values()}
    lines |= {episode.key: _episode_line(episode, view) for episode in held.episodes}
    yield from (lines[key] for key in held.recalled if key in lines)
    by_weight = sorted(
        current, key=lambda fact: (-fact.importance, -fact.mentions, -fact.at.timestamp())
    )
    yield from (lines[fact.key] for fact in by_weight)
    over = sorted(
        (fact for fact in facts if (not fact.is_current or fact.is_idea) and not _was_brief(fact)),
        key=lambda fact: fact.at,
        reverse=True,
    )
    yield from (lines[fact.key] for fact in over)
    yield from (lines[moment.key] for moment in reversed(held.moments) if moment.key in lines)
    yield from (lines[episode.key] for episode in reversed(held.episodes))


def _was_brief(fact: Fact) -> bool:
    """Return whether a fact never held, or was replaced on the day it was told, so that nobody asks
    for it again.
    """
    if fact.until is None:
        return False
    return fact.until <= fact.at or (bool(fact.replaced_by) and fact.until - fact.at < _BRIEF)


def _fact_line(fact: Fact, view: NarrativeView, who: str) -> NarrativeLine:
    if fact.is_idea:
        status = _DROPPED if not fact.is_current else _ONLY
        return NarrativeLine(
            THOUGHT, f'{view.day(fact.at)}: "{fact.object}" — {view.say(*status)}', fact.key
        )
    name = _name_subject(fact.subject, view, who)
    row = PREDICATES[fact.predicate]
    telling = row.ko if view.lang == "ko" else row.en
    if not fact.is_current:
        return _past_line(fact, view, fill_particles(telling.past, who=name, o=fact.object))
    if fact.type is FactType.PLAN and fact.day:
        return _plan_line(fact, view, name)
    text = _told_otherwise(fact, view, name) or fill_particles(telling.now, who=name, o=fact.object)
    return NarrativeLine(NOW, text, fact.key)


def _told_otherwise(fact: Fact, view: NarrativeView, name: str) -> str:
    """Return special wording for a fact that the table would word clumsily; '' for other facts."""
    if fact.predicate == "partner" and fact.object in _SPOUSES:
        return view.say(
            fill_particles("{who}에게는 {o:이/가} 있다", who=name, o=fact.object),
            f"{name} has a {fact.object}",
        )
    if fact.predicate == "roommate" and fact.object in _ALONE_HOME:
        return view.say(fill_particles("{who:은/는} 혼자 산다", who=name), f"{name} lives alone")
    if fact.subject == CHARACTER and fact.predicate in _SELF:
        return fill_particles(view.say(*_SELF[fact.predicate]), o=fact.object)
    return ""


def _name_subject(subject: str, view: NarrativeView, who: str) -> str:
    """Return the words for a fact's subject: a word for kin means the user's kin."""
    if subject in _KIN:
        return view.say(f"{who}의 {subject}", f"{who}'s {subject}")
    return {USER: who, CHARACTER: view.say("나", "I")}.get(subject, subject)


def _past_line(fact: Fact, view: NarrativeView, told: str) -> NarrativeLine:
    until = view.day(fact.until) if fact.until else ""
    if fact.predicate == "partner" and fact.object.startswith(_ALONE):
        told = view.say(
            f"만나는 사람이 없었다 ({fact.object})", f"there was nobody ({fact.object})"
        )
    if fact.is_dropped:
        return NarrativeLine(THOUGHT, f"{fact.object}: {view.say(*_DROPPED)} ({until})", fact.key)
    return NarrativeLine(PAST, f"{told} ({view.say(f'{until}까지', f'until {until}')})", fact.key)


def _plan_line(fact: Fact, view: NarrativeView, name: str) -> NarrativeLine:
    """Return the line of a plan with a day: future, near, just over, or over."""
    ahead = (date.fromisoformat(fact.day) - view.today).days
    near = (_NEAR_KO if view.lang == "ko" else _NEAR_EN).get(ahead) or view.say(
        f"{ahead}일 뒤" if ahead > 0 else f"{-ahead}일 전",
        f"in {ahead} days" if ahead > 0 else f"{-ahead} days ago",
    )
    what = fact.object if fact.subject == USER else f"{fact.object} ({name})"
    if ahead < -_JUST_DAYS:
        return NarrativeLine(PLANNED, what, fact.key)
    text = f"{near}: {what}"
    if ahead < 0:
        return NarrativeLine(
            NEAR,
            text if view.was_talked_about(fact) else f"{text} — {view.say(*_NOT_ASKED)}",
            fact.key,
        )
    return NarrativeLine(NEAR if ahead <= _NEAR_DAYS else NOW, text, fact.key)


def _moment_line(moment: Moment, view: NarrativeView) -> NarrativeLine:
    felt = f" ({', '.join(moment.emotions)})" if moment.emotions else ""
    return NarrativeLine(US, f'{view.day(moment.at)}: "{moment.text}"{felt}', moment.key)


def _episode_line(episode: Episode, view: NarrativeView) -> NarrativeLine:
    return NarrativeLine(
        TALKS, f"{view.day(episode.start)}–{view.day(episode.end)}: {episode.text}", episode.key
    )
