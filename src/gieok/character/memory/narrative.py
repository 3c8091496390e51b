"""Narrative of what a character knows of its user, in prose, as the character would tell it.

Names, allergies, the form of address and what is due are always in it; beside these the few
memories that bear on the present message, within a budget of tokens.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, tzinfo
from enum import IntEnum
from typing import NamedTuple

from gieok.character.facts import CHARACTER, USER, Episode, Fact, FactType, Moment
from gieok.character.memory.said_words import UserQuote
from gieok.character.memory.voice import Voice, choose_voice, is_well_supported
from gieok.character.predicates import PREDICATES
from gieok.model.conversation import Message
from gieok.text import persons
from gieok.text.persons import alternatives
from gieok.text.tokens import estimate_tokens

#: How many days before its day a plan is near, and how many days after it the plan is just over.
_NEAR_DAYS, _JUST_DAYS = 7, 3
_ALONE = ("솔로", "single", "혼자", "alone", "없음")


_SPOUSES = frozenset("아내 와이프 남편 신랑 마누라 집사람 안사람 바깥양반 wife husband".split())
_ALONE_HOME = ("혼자 삶", "lives alone")
_KIN = alternatives(
    persons.RELATIVES_KO,
    persons.SPOUSES_KO,
    persons.CHILDREN_KO,
    persons.CIRCLE_KO,
    persons.RELATIVES_EN,
    persons.SPOUSES_EN,
    persons.CHILDREN_EN,
)


#: Predicates told first: those that the character's first sentence shows, and those that do harm
#: where they are forgotten.
_FIRST = ("speech_level", "address_form", "name", "allergy")
_NEAR_KO = {-3: "사흘 전", -2: "그저께", -1: "어제", 0: "오늘", 1: "내일", 2: "모레"}
_NEAR_EN = {
    -3: "three days ago",
    -2: "the day before yesterday",
    -1: "yesterday",
    0: "today",
    1: "tomorrow",
}
#: A word by which a plan is known in a message; its last one counts.
_PLAN_WORD = re.compile(r"[가-힣]{2,}|[A-Za-z]{4,}")
#: Longest words told beside a fact, and longest words quoted for themselves.
_LONGEST_QUOTE, _LONGEST_SAID = 80, 200
#: Predicate → how it is told first, in plain and polite Korean and in English: as known, and as
#: what may have been said.
_MANNERS = {
    "address_form": (
        "나는 {who:을/를} '{o}' 하고 불러.",
        "저는 {who:을/를} '{o}' 하고 불러요.",
        "I call {who} '{o}'.",
    ),
    "name": ("이름은 {o:이야/야}.", "이름은 {o:이에요/예요}.", "The name is {o}."),
    "allergy": (
        "{who:은/는} {o:이/가} 있으니까 꼭 조심해야 해.",
        "{who:은/는} {o:이/가} 있으니까 꼭 조심해야 해요.",
        "{who} must not eat or drink this: {o}.",
    ),
}
_UNSURE_MANNERS = {
    "address_form": (
        "'{o}' 하고 불러 달라고 했던 것 같아.",
        "'{o}' 하고 불러 달라고 했던 것 같아요.",
        "I was to say '{o}', I think.",
    ),
    "name": (
        "이름은 {o:이라고/라고} 했던 것 같아.",
        "이름은 {o:이라고/라고} 했던 것 같아요.",
        "The name is {o}, I think.",
    ),
    "allergy": (
        "{o} 이야기를 했으니 조심해야 해.",
        "{o} 이야기를 했으니 조심해야 해요.",
        "There was talk of this, so take care: {o}.",
    ),
}
#: The words that a statement came from, behind it.
_SOURCE = re.compile(r" \([^()“]*“[^”]*”\)(?=\.$)")
#: Type of a moment → its wording in plain and polite Korean and in English; the words said are `q`.
_MOMENTS = {
    "comfort": (
        "{d}에 {who:이/가} 이렇게 말한 게 마음에 남아: “{q}”",
        "{d}에 {who:이/가} 이렇게 말한 게 마음에 남아요: “{q}”",
        "What {who} said on {d} has stayed with me: “{q}”",
    ),
    "fight": (
        "{d}에는 나한테 서운한 것 같았어: “{q}”",
        "{d}에는 저한테 서운한 것 같았어요: “{q}”",
        "On {d} {who} seemed upset with me: “{q}”",
    ),
    "reconcile": (
        "{d}에 우리 화해했어. “{q}” 하면서.",
        "{d}에 우리 화해했어요. “{q}” 하면서요.",
        "On {d} we made up: “{q}”",
    ),
    "milestone": (
        "{d}에는 좋은 소식 같았어: “{q}”",
        "{d}에는 좋은 소식 같았어요: “{q}”",
        "On {d} this sounded like good news: “{q}”",
    ),
    "confession": (
        "{d}에 {who:이/가} 나한테 털어놓은 것 같았어: “{q}”",
        "{d}에 {who:이/가} 저한테 털어놓은 것 같았어요: “{q}”",
        "On {d} {who} seemed to open up to me: “{q}”",
    ),
    "promise": (
        "{d}에 우리 약속한 게 있어. “{q}”",
        "{d}에 우리 약속한 게 있어요. “{q}”",
        "On {d} a promise was made: “{q}”",
    ),
    "address_change": (
        "{d}에 서로 부르고 말하는 게 달라졌어. “{q}” 하고.",
        "{d}에 서로 부르고 말하는 게 달라졌어요. “{q}” 하고요.",
        "On {d} the way we speak to each other changed: “{q}”",
    ),
}
_OTHER_MOMENT = (
    "{d}에 이런 일이 있었어. “{q}”",
    "{d}에 이런 일이 있었어요. “{q}”",
    "On {d} this happened between us: “{q}”",
)


class NarrativeMemories(NamedTuple):
    """Memories in order of time, and the keys that the present message recalls, best first.

    `quotes` are what the user said that bears on the message, in order of time.
    """

    facts: Sequence[Fact]
    moments: Sequence[Moment] = ()
    episodes: Sequence[Episode] = ()
    recalled: Sequence[str] = ()
    quotes: Sequence[UserQuote] = ()


class Part(IntEnum):
    """Part of a narrative, in the order in which the parts are told."""

    MANNERS = 0
    NEAR = 1
    NOW = 2
    BEFORE = 3
    US = 4
    SAID = 5
    TALKS = 6


#: Parts whose sentences hold now.
_HOLDING = (Part.MANNERS, Part.NEAR, Part.NOW)


class NarrativeLine(NamedTuple):
    """Sentences about one memory, and the part of the narrative to which they belong.

    `key` is the memory's, or that of a quoted message where `is_quote`. `said` are the words of a
    message that is quoted alone, without the question that it answers.
    """

    part: Part
    text: str
    key: str
    is_quote: bool = False
    said: str = ""


class Narrative(NamedTuple):
    """Narrative as text, what it states as holding now, and the keys of the memories in it.

    `quoted` are the messages of the user that are quoted for themselves.
    `now` leaves out the words that a statement came from: they may name what it replaced.
    """

    text: str = ""
    now: str = ""
    keys: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()


class NarrativeView(NamedTuple):
    """Circumstances of a narrative.

    These are the language, the time, the user's zone, and the messages of the window, which tell
    whether a plan was talked about since its day.
    """

    lang: str
    now: datetime
    zone: tzinfo
    window: Sequence[Message] = ()
    #: How many memories bear on a message, beside what is always told.
    memories: int = 5

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

    The most needed memories are chosen first, and told part by part.
    """
    teller = Teller(view, choose_voice(view.lang, held.facts), whom(held.facts, view))
    head = teller.voice.say(
        "{who:을/를} 나는 이렇게 기억해.",
        "{who:을/를} 저는 이렇게 기억해요.",
        "This is what I remember of {who}.",
        who=teller.who,
    )
    left = budget_tokens - estimate_tokens(head)
    chosen: list[NarrativeLine] = []
    for line in _iter_needed_lines(held, teller):
        cost = estimate_tokens(line.text) + 1
        if cost <= left:
            left -= cost
            chosen.append(line)
    chosen = [line for line in chosen if not _is_told_beside(line, chosen)]
    if not chosen:
        return Narrative()
    paragraphs = [
        " ".join(line.text for line in chosen if line.part is part) for part in sorted(Part)
    ]
    now = "\n".join(_SOURCE.sub("", line.text) for line in chosen if line.part in _HOLDING)
    keys = tuple(line.key for line in chosen if not line.is_quote)
    quoted = tuple(line.key for line in chosen if line.is_quote)
    return Narrative("\n".join((head, *filter(None, paragraphs))), now, keys, quoted)


def _is_told_beside(line: NarrativeLine, chosen: Sequence[NarrativeLine]) -> bool:
    """Return whether the words of a quoted message stand beside a fact or an event, whole.

    In the summary of a talk they are one of many lines, and what was asked for is told by itself.
    """
    beside = [other for other in chosen if not other.is_quote and other.part is not Part.TALKS]
    return bool(line.said) and any(f"“{line.said}”" in other.text for other in beside)


def whom(facts: Sequence[Fact], view: NarrativeView) -> str:
    """Return how the character refers to the user.

    That is the current form of address, the name, or a plain word.
    """
    return called(facts) or view.say("그 사람", "this person")


def called(facts: Sequence[Fact]) -> str:
    """Return the current form of address, else the name; '' where neither is well supported."""
    for predicate in ("address_form", "name"):
        for fact in facts:
            is_told = fact.predicate == predicate and fact.subject == USER and fact.is_current
            if is_told and is_well_supported(fact):
                return _strip_vocative(fact.object, facts)
    return ""


def _strip_vocative(form: str, facts: Sequence[Fact]) -> str:
    """Return a Korean name without the vocative 아 or 야, because particles follow the name."""
    known = "".join(
        fact.object for fact in facts if fact.predicate == "name" and fact.subject == USER
    )
    return form[:-1] if form[-1:] in ("아", "야") and len(form) > 2 and form[:-1] in known else form


def _iter_needed_lines(held: NarrativeMemories, teller: "Teller") -> Iterator[NarrativeLine]:
    """Yield what is always told, then the memories that bear on the message.

    Where the message recalls fewer, the weightiest of what holds now is told too.
    """
    facts = [one for one in held.facts if one.predicate in PREDICATES and not _never_held(one)]
    current = [one for one in facts if one.is_current and not one.is_idea]
    always = [one for name in _FIRST for one in current if one.predicate == name]
    always += [one for one in facts if teller.is_near(one)]
    told = {one.key for one in always}
    yield from map(teller.tell_fact, always)
    yield from map(teller.tell_quote, held.quotes)
    memories: list[Fact | Moment | Episode] = [*facts, *held.moments, *held.episodes]
    others = {one.key: one for one in memories if one.key not in told}
    by_weight = sorted(current, key=lambda one: (-one.weight, -one.mentions, -one.at.timestamp()))
    thoughts = [one for one in reversed(facts) if one.is_idea]
    rest: list[Fact | Moment | Episode] = [
        *by_weight,
        *reversed(held.moments),
        *reversed(held.episodes),
        *thoughts,
    ]
    keys = dict.fromkeys((*held.recalled, *(one.key for one in rest)))
    bearing = [others[key] for key in keys if key in others][: teller.view.memories]
    for one in bearing:
        if isinstance(one, Fact):
            yield teller.tell_fact(one)
        elif isinstance(one, Moment):
            yield teller.tell_moment(one)
        else:
            yield teller.tell_episode(one)


def _never_held(fact: Fact) -> bool:
    """Return whether a fact was taken back: it never was so."""
    return fact.until is not None and fact.until <= fact.at


class Teller(NamedTuple):
    """How memories are told: the circumstances, the voice, and how the user is called."""

    view: NarrativeView
    voice: Voice
    who: str

    def is_near(self, fact: Fact) -> bool:
        """Return whether a plan is near, or just over."""
        if fact.type is not FactType.PLAN or not (fact.day and fact.is_current) or fact.is_idea:
            return False
        return -_JUST_DAYS <= self._days_ahead(fact) <= _NEAR_DAYS

    def tell_fact(self, fact: Fact) -> NarrativeLine:
        """Return a fact as the character tells it."""
        if fact.is_idea:
            return NarrativeLine(Part.BEFORE, self._tell_idea(fact), fact.key)
        if not fact.is_current:
            return NarrativeLine(Part.BEFORE, self._tell_past(fact), fact.key)
        if fact.type is FactType.PLAN and fact.day:
            part = Part.NEAR if self.is_near(fact) else Part.NOW
            part = Part.BEFORE if self._days_ahead(fact) < -_JUST_DAYS else part
            text = self._tell_plan(fact)
            if part is Part.NEAR and not self.view.was_talked_about(fact):
                # Where, with whom: the words say more than the name of an event.
                said = self.view.say("{d}에 한 말: ", "said on {d}: ").format(
                    d=self.view.day(fact.at)
                )
                text = _append_quote(text, fact.source, said)
            else:
                text = self._quote_source(fact, text)
            return NarrativeLine(part, text, fact.key)
        if fact.predicate in _FIRST and fact.subject == USER:
            return NarrativeLine(Part.MANNERS, self._tell_manner(fact), fact.key)
        row = PREDICATES[fact.predicate]
        wording = row.ko if self.view.lang == "ko" else row.en
        name = self._name_subject(fact.subject)
        text = self.voice.report(
            self._word_otherwise(fact) or wording.now,
            is_sure=is_well_supported(fact),
            who=name,
            o=fact.object,
        )
        return NarrativeLine(Part.NOW, self._quote_source(fact, text), fact.key)

    def tell_moment(self, moment: Moment) -> NarrativeLine:
        """Return a moment as the character tells it."""
        day = self.view.day(moment.at)
        if moment.is_told or moment.edits:
            text = self.voice.say(
                "{d}에 있었던 일이 기억나: {q}.",
                "{d}에 있었던 일이 기억나요: {q}.",
                "I remember {d}: {q}.",
                d=day,
                q=moment.text.rstrip(" ."),
            )
        else:
            plain, polite, en = _MOMENTS.get(moment.type, _OTHER_MOMENT)
            quote = _shorten_quote(moment.text)
            text = self.voice.say(plain, polite, en, d=day, who=self.who, q=quote)
        felt = moment.character_emotion and self.voice.say(
            " 그때 나는 {e:이었어/였어}.",
            " 그때 저는 {e:이었어요/였어요}.",
            " What I felt: {e}.",
            e=moment.character_emotion,
        )
        return NarrativeLine(Part.US, text + felt, moment.key)

    def tell_quote(self, quote: UserQuote) -> NarrativeLine:
        """Return what the user said, as the character quotes it."""
        day, words = self.view.day(quote.at), _shorten_quote(quote.text, _LONGEST_SAID)
        if quote.asked:
            text = self.voice.say(
                "{d}에 내가 “{a}” 하니까 {who:이/가} “{q}” 했어.",
                "{d}에 제가 “{a}” 하니까 {who:이/가} “{q}” 했어요.",
                "On {d}, when I said “{a}”, {who} said “{q}”.",
                d=day,
                a=_shorten_quote(quote.asked),
                q=words,
                who=self.who,
            )
        else:
            text = self.voice.say(
                "{d}에 {who:이/가} 이렇게 말했어: “{q}”",
                "{d}에 {who:이/가} 이렇게 말했어요: “{q}”",
                "On {d} {who} said: “{q}”",
                d=day,
                q=words,
                who=self.who,
            )
        said = "" if quote.asked else words
        return NarrativeLine(Part.SAID, text, quote.message_id, is_quote=True, said=said)

    def tell_episode(self, episode: Episode) -> NarrativeLine:
        """Return an episode as the character tells it."""
        text = episode.text.replace(" / ", ". ").rstrip(" .")
        told = self.voice.say(
            "{d}쯤 이야기를 떠올리면: {t}.",
            "{d}쯤 이야기를 떠올리면: {t}.",
            "Around {d}: {t}.",
            d=self.view.day(episode.start),
            t=text,
        )
        return NarrativeLine(Part.TALKS, told, episode.key)

    def _tell_manner(self, fact: Fact) -> str:
        """Return how the two speak to each other, the name, or what does harm."""
        if fact.predicate == "speech_level":
            return self._quote_source(fact, self._tell_speech_level(fact.object))
        rows = _MANNERS if is_well_supported(fact) else _UNSURE_MANNERS
        told = self.voice.say(*rows[fact.predicate], who=self.who, o=fact.object)
        return self._quote_source(fact, told)

    def _tell_speech_level(self, level: str) -> str:
        if level not in ("반말", "존댓말"):
            return self.voice.say(
                "말은 이렇게 하기로 했어: {o}.",
                "말은 이렇게 하기로 했어요: {o}.",
                "How I am to talk: {o}.",
                o=level,
            )
        return self.voice.say(
            "우리는 {o:으로/로} 이야기해.",
            "우리는 {o:으로/로} 이야기해요.",
            "How I am to talk: {o}.",
            o=level,
        )

    def _tell_plan(self, fact: Fact) -> str:
        """Return a plan with a day: future, today, just over, or over."""
        what = fact.object if fact.subject == USER else f"{fact.object} ({fact.subject})"
        is_sure = is_well_supported(fact)
        if self.view.lang != "ko" and not is_sure:
            what = f"{what}, I think"
        ahead, when = self._days_ahead(fact), self._say_when(fact)
        if ahead >= 0:
            return self.voice.say(
                "{when}: {what:이/가} 있다고 했어.",
                "{when}: {what:이/가} 있다고 했어요.",
                "{when}: {what}.",
                when=when,
                what=what,
            )
        was = "있었" if is_sure or self.view.was_talked_about(fact) else "있다고 했"
        if ahead < -_JUST_DAYS or self.view.was_talked_about(fact):
            return self.voice.say(
                "{when}: {what:이/가} {was}어.",
                "{when}: {what:이/가} {was}어요.",
                "{when}: {what}.",
                when=when,
                what=what,
                was=was,
            )
        return self.voice.say(
            "{when}: {what:이/가} {was}는데, 어땠는지 아직 이야기하지 않았어.",
            "{when}: {what:이/가} {was}는데, 어땠는지 아직 이야기하지 않았어요.",
            "{when}: {what}, and we have not talked about how it went yet.",
            when=when,
            what=what,
            was=was,
        )

    def _say_when(self, fact: Fact) -> str:
        ahead = self._days_ahead(fact)
        near = (_NEAR_KO if self.view.lang == "ko" else _NEAR_EN).get(ahead)
        later = self.view.say(
            f"{ahead}일 뒤" if ahead > 0 else f"{-ahead}일 전",
            f"in {ahead} days" if ahead > 0 else f"{-ahead} days ago",
        )
        when = near or later
        return when if self.view.lang == "ko" else when[:1].upper() + when[1:]

    def _tell_past(self, fact: Fact) -> str:
        until = self.view.day(fact.until) if fact.until else ""
        if fact.is_dropped:
            return self.voice.say(
                "{o:은/는} 이제 그만뒀다고 했어 ({until}).",
                "{o:은/는} 이제 그만뒀다고 했어요 ({until}).",
                "{o}: given up since ({until}).",
                o=fact.object,
                until=until,
            )
        row = PREDICATES[fact.predicate]
        wording = row.ko if self.view.lang == "ko" else row.en
        name = self._name_subject(fact.subject)
        past = wording.past
        if fact.predicate == "partner" and fact.object.startswith(_ALONE):
            past = self.view.say("그때는 만나는 사람이 없었다 ({o})", "there was nobody then ({o})")
        told = self.voice.report(past, who=name, o=fact.object).rstrip(".")
        return f"{told} ({self.view.say(f'{until}까지', f'until {until}')})."

    def _tell_idea(self, fact: Fact) -> str:
        if fact.is_current:
            return self.voice.say(
                "“{o}”, 이건 아직 생각만 하고 있다고 했어.",
                "“{o}”, 이건 아직 생각만 하고 있다고 했어요.",
                "“{o}”: only a thought so far.",
                o=fact.object,
            )
        return self.voice.say(
            "“{o}”, 이건 이제 그만뒀다고 했어.",
            "“{o}”, 이건 이제 그만뒀다고 했어요.",
            "“{o}”: given up since.",
            o=fact.object,
        )

    def _quote_source(self, fact: Fact, text: str) -> str:
        """Return a sentence with the words that it came from, where it may be wrong."""
        return text if is_well_supported(fact) else _append_quote(text, fact.source)

    def _word_otherwise(self, fact: Fact) -> str:
        """Return special wording for a fact that the table would word clumsily; '' for others."""
        if fact.predicate == "partner" and fact.object in _SPOUSES:
            return self.view.say("{who}에게는 {o:이/가} 있다", "{who} has a {o}")
        if fact.predicate == "partner" and fact.object.startswith(_ALONE):
            return self.view.say("{who}의 연애 상태는 {o}", "{who} is {o}")
        if fact.predicate == "roommate" and fact.object in _ALONE_HOME:
            return self.view.say("{who:은/는} 혼자 산다", "{who} lives alone")
        return ""

    def _name_subject(self, subject: str) -> str:
        """Return the words for a fact's subject: a word for kin means the user's kin."""
        if re.fullmatch(_KIN, subject):
            return self.view.say(f"{self.who}의 {subject}", f"{self.who}'s {subject}")
        return {USER: self.who, CHARACTER: self.view.say("나", "I")}.get(subject, subject)

    def _days_ahead(self, fact: Fact) -> int:
        return (date.fromisoformat(fact.day) - self.view.today).days


def _append_quote(text: str, words: str, lead: str = "") -> str:
    return f"{text.rstrip('.')} ({lead}“{_shorten_quote(words)}”)." if words else text


def _shorten_quote(text: str, most: int = _LONGEST_QUOTE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
