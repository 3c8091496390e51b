"""Digest of a session: what was asked, decided and left open, what ran and which files changed.

Extractive: every sentence is quoted as it was said. What counts as decided is what the observer
without a model would keep of the user's statements (`observer.rules`), in its categories: rules
that bind, decisions, preferences, facts and tasks. What follows a question of the agent's is its
answer only if it speaks of the same thing, is a bare value, or refuses (`observer.standalone`).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from gieok.flow.distil import MessageSpan
from gieok.memory.handoff import tool_log
from gieok.memory.handoff.tool_log import LoggedStep
from gieok.memory.observation import Category
from gieok.memory.observer import categories, repeats
from gieok.memory.observer.rules import RulesObserver, WorthyStatement
from gieok.memory.observer.sentences import split_sentences, strip_filler
from gieok.memory.observer.standalone import (
    find_questions,
    is_mere_reply,
    is_question_sentence,
    is_short_reply,
)
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.text import binding
from gieok.text.assent import accepts, is_small_talk
from gieok.text.echo import strip_echo
from gieok.text.inert import cut_line
from gieok.text.language import detect_text_language
from gieok.text.times import ahead

#: Of a longer turn, only so much is quoted.
_QUOTE_CHARS = 400
_LANGUAGE_CHARS = 20_000
#: Words of a task, or of a statement, that what ends it need not say.
_MOST_UNSAID = 1
#: A rule in a short reply with fewer words may not say what it is about.
_FEWEST_RULE_WORDS = 3
#: What is not yet so, or was not, takes nothing back.
_NOT_YET = re.compile(r"\b(?:(?:have|has|had|did)(?: not|n['’]?t)|yet)\b|아직", re.IGNORECASE)
_TO_BE_DONE = re.compile(r"\bto [a-z]", re.IGNORECASE)
#: Words that make a task of a deed, which a report that it is done does not repeat.
_DUTY = frozenset("must need still todo ought due deadlin forget remind also".split())
_CLAUSE_END = re.compile(r"[,;:]\s+|\s(?:but|and)\s|(?<=[가-힣](?:만|고|데))\s")


class Quote(NamedTuple):
    """Words as they were said: by whom, when, and the agent's words that they answer ('': none)."""

    who: str
    text: str
    at: datetime
    answers: str = ""


class CommandRun(NamedTuple):
    """Command line of a session: how often it worked and failed, and how it ended last.

    `worked` is None where the last outcome is not known. `said` is the last line of a failure.
    """

    command: str
    runs: int
    failures: int
    worked: bool | None
    said: str


class ChangedFile(NamedTuple):
    """File that a session changed: what was done last, how often, and the request before it."""

    path: str
    deed: str
    times: int
    asked: str


class _Part(Enum):
    """Part of a digest that quotes statements."""

    RULE = auto()
    DECIDED = auto()
    OPEN = auto()
    TOLD = auto()


class SessionDigest(NamedTuple):
    """What a session asked, decided and left open, ran and changed; each part oldest first."""

    language: str
    began: datetime
    ended: datetime
    #: What the user asked for.
    asked: tuple[Quote, ...]
    #: Rules that bind.
    rules: tuple[Quote, ...]
    decided: tuple[Quote, ...]
    #: Preferences and facts that the user stated.
    told: tuple[Quote, ...]
    open: tuple[Quote, ...]
    commands: tuple[CommandRun, ...]
    files: tuple[ChangedFile, ...]


def digest_session(
    scope: Scope,
    found: Sequence[Journalled],
    observer: RulesObserver,
    ended: frozenset[str] = frozenset(),
    gaps: Sequence[int] = (),
    most: int = 0,
) -> SessionDigest:
    """Return the digest of a session's messages, at least one.

    `ended` are the ids of messages whose statement holds no more: they are decided no longer.
    `gaps` are the places of messages that are missing, in order: nothing behind one answers what
    stands before it. With `most`, only so many of the newest statements are judged worth keeping.
    """
    messages = [one.message for one in found]
    steps = tool_log.read_tool_steps(messages)
    spans = [MessageSpan(scope, 0, run[-1].seq, run) for run in _split_at_gaps(found, gaps)]
    worthy = [
        _part_from_question(one) for one in observer.judge(spans, keeps_choices=True, most=most)
    ]
    said = {one.id: strip_echo(one.text) for one in messages if one.role is Role.USER}
    endings = _Endings(found, said)
    before = _find_words_before(messages)
    quotes: dict[_Part, list[Quote]] = {part: [] for part in _Part}
    for one in _drop_repeated(worthy):
        if one.said.message.id not in ended and not endings.end(one):
            quotes[_classify_part(one)].append(_build_quote(one, said, before))
    requests = _list_requests(messages, said, before)
    pending = _list_pending(messages, said, requests, quotes)
    return SessionDigest(
        language=_detect_session_language(messages),
        began=messages[0].at,
        ended=messages[-1].at,
        asked=tuple(_quote_requests(messages, said, requests, worthy, before)),
        rules=tuple(quotes[_Part.RULE]),
        decided=tuple(quotes[_Part.DECIDED]),
        told=tuple(quote for quote in quotes[_Part.TOLD] if quote not in pending),
        open=(*quotes[_Part.OPEN], *pending),
        commands=tuple(_sum_up_commands(steps)),
        files=tuple(_sum_up_changes(messages, said, requests, steps)),
    )


def _split_at_gaps(
    found: Sequence[Journalled], gaps: Sequence[int]
) -> Iterator[tuple[Journalled, ...]]:
    """Yield the runs of messages between which one is missing."""
    run: list[Journalled] = []
    for one in found:
        if run and bisect_left(gaps, run[-1].place) < bisect_left(gaps, one.place):
            yield tuple(run)
            run = []
        run.append(one)
    yield tuple(run)


def _classify_part(one: WorthyStatement) -> _Part:
    """Return the part under which a statement is quoted."""
    if one.stated.is_rule:
        return _Part.RULE
    own = one.stated.own
    if not one.is_done and own and categories.classify_statement(own) is Category.TASK:
        return _Part.OPEN
    if one.replies_to_agent:
        return _Part.DECIDED
    if one.is_done:
        return _Part.TOLD
    if one.category is Category.TASK:
        return _Part.OPEN
    return _Part.DECIDED if one.category is Category.DECISION else _Part.TOLD


def _part_from_question(one: WorthyStatement) -> WorthyStatement:
    """Return a statement by itself where it follows a question that it does not answer."""
    stated = one.stated
    if not one.is_joined or one.replies_to_agent or stated.is_rule:
        return one
    return one._replace(
        text=stated.own,
        category=categories.classify_statement(stated.own),
        is_done=categories.is_done(stated.own),
    )


def _drop_repeated(worthy: Sequence[WorthyStatement]) -> list[WorthyStatement]:
    """Return the statements without those that an earlier one says already."""
    known = repeats.HeldStatements()
    kept = []
    for one in worthy:
        own = repeats.content(one.text)
        if not known.is_repeated_by(own):
            known.add(own)
            kept.append(one)
    return kept


class _Endings:
    """What users reported as done or took back in a session, found by its words.

    `said` are the words of users' messages without Gieok's output, by the messages' ids.
    """

    def __init__(self, found: Sequence[Journalled], said: Mapping[str, str]) -> None:
        self._done = LaterWords()
        #: Last places at which words were said to be not so.
        self._taken_back: dict[frozenset[str], int] = {}
        for one in found:
            if one.message.role is Role.USER:
                for sentence in split_sentences(said[one.message.id]):
                    if not is_question_sentence(sentence):
                        self._read(one.place, sentence)

    def _read(self, place: int, sentence: str) -> None:
        if categories.is_done(sentence):
            for clause in _CLAUSE_END.split(sentence):
                if categories.is_done(clause):
                    self._done.add_sentence(place, repeats.content(clause))
        if not _NOT_YET.search(sentence):
            for bare in repeats.list_denied_words(repeats.content(sentence)):
                self._taken_back[bare] = place

    def end(self, one: WorthyStatement) -> bool:
        """Say whether a later sentence reports a task as done, or takes another statement back.

        Where less than all but one word of it is said again, it stays.
        """
        is_decided = one.category is Category.DECISION or not _TO_BE_DONE.search(one.text)
        if one.category is not Category.TASK:
            return is_decided and any(
                self._taken_back.get(bare, -1) > one.said.place
                for bare in repeats.list_opposites(repeats.content(one.text))
            )
        if one.stated.is_rule or one.is_done:
            return False
        deed = _find_deed(one)
        return any(
            len(deed - later) <= _MOST_UNSAID
            for later in self._done.iter_candidates(deed, one.said.place)
        )


class LaterWords:
    """Words of sentences by their places, to find those behind a statement that may end it."""

    def __init__(self) -> None:
        self._said: list[repeats.Content] = []
        self._places: list[int] = []
        self._by_word: dict[str, list[int]] = {}

    def add_sentence(self, place: int, content: repeats.Content) -> None:
        """Hold the words of a sentence; places do not decrease."""
        for word in content:
            self._by_word.setdefault(word, []).append(len(self._said))
        self._said.append(content)
        self._places.append(place)

    def iter_candidates(self, own: AbstractSet[str], place: int) -> Iterator[repeats.Content]:
        """Yield the words of the sentences behind a place that have one of the two rarest words.

        Among them is every sentence that lacks at most one of the words.
        """
        first = bisect_right(self._places, place)
        rarest = sorted((self._by_word.get(word, []) for word in own), key=len)
        for numbers in rarest[: _MOST_UNSAID + 1]:
            yield from (self._said[number] for number in numbers[bisect_left(numbers, first) :])


def _find_deed(one: WorthyStatement) -> frozenset[str]:
    """Return the words of what is to be done, without the days and the words of duty."""
    text = one.text
    for _, days in ahead.each(text, one.said.message.at.date()):
        text = text.replace(days.words, " ", 1)
    return frozenset(repeats.content(text) - _DUTY)


def _find_words_before(messages: Sequence[Message]) -> dict[str, str]:
    """Return what the agent said last before each of the user's messages, by their ids."""
    said, last = dict[str, str](), ""
    for message in messages:
        if message.role is Role.ASSISTANT:
            last = message.text
        elif message.role is Role.USER:
            said[message.id], last = last, ""
    return said


def _build_quote(one: WorthyStatement, said: Mapping[str, str], before: Mapping[str, str]) -> Quote:
    """Return a statement in the user's words, with the agent's words that it answers beside it."""
    message, stated = one.said.message, one.stated
    turn, words_before = said[message.id].strip(), before.get(message.id, "")
    own = stated.own or one.text
    is_reply = bool(words_before) and is_short_reply(turn) and _is_whole_turn(one, turn)
    asked = stated.asked or (find_questions(words_before) if is_reply else "")
    if not repeats.content(asked):
        asked = _add_sentence_before(asked, words_before)
    is_bare = len(repeats.content(own) - repeats.NEGATIONS) < _FEWEST_RULE_WORDS
    has_yes_or_no = is_reply and strip_filler(turn) != turn
    return Quote(
        who=Role.USER,
        text=_cut_quote(turn if is_reply or stated.is_agreed else own),
        at=message.at,
        answers=asked if one.replies_to_agent or is_bare or has_yes_or_no else "",
    )


def _is_whole_turn(one: WorthyStatement, turn: str) -> bool:
    """Say whether a statement is all of a turn: joined with what it replies to, or one sentence."""
    return one.is_joined or len(list(split_sentences(turn))) == 1


def _add_sentence_before(question: str, said: str) -> str:
    """Return a question without content behind the sentence of the agent's that it asks of."""
    sentences = list(split_sentences(said.strip()[-_QUOTE_CHARS * 4 :]))
    place = sentences.index(question) if question in sentences else 0
    return f"{sentences[place - 1]} {question}" if place else question


def _list_requests(
    messages: Sequence[Message], said: Mapping[str, str], before: Mapping[str, str]
) -> list[int]:
    """Return the places of the users' turns that are more than small talk, a reply or a report."""
    return [
        place
        for place, message in enumerate(messages)
        if message.role is Role.USER
        and (text := said[message.id].strip())
        and not (is_small_talk(text) or accepts(text) or _is_mere_report(text))
        and not is_mere_reply(text, before.get(message.id, ""))
    ]


def _is_mere_report(text: str) -> bool:
    """Say whether a turn reports what is done, and neither asks nor asks for work."""
    sentences = list(split_sentences(text))
    return all(map(categories.is_done, sentences)) and not any(
        is_question_sentence(clause) or binding.asks_for_work(clause)
        for sentence in sentences
        for clause in _CLAUSE_END.split(sentence)
    )


def _quote_requests(
    messages: Sequence[Message],
    said: Mapping[str, str],
    requests: Sequence[int],
    worthy: Sequence[WorthyStatement],
    before: Mapping[str, str],
) -> Iterator[Quote]:
    """Yield the requests; of a turn that states something, only where it asks for more than that.

    What a later turn repeats or takes back is not asked for either.
    """
    stated: dict[str, list[WorthyStatement]] = {}
    for one in worthy:
        stated.setdefault(one.said.message.id, []).append(one)
    for place in requests:
        message = messages[place]
        if message.id not in stated or _asks_for_more(said[message.id], stated[message.id]):
            yield _quote_request(message, said, before)


def _asks_for_more(turn: str, stated: Sequence[WorthyStatement]) -> bool:
    """Say whether a turn asks a question, or for work, beside what it states."""
    contents = [repeats.content(one.text) for one in stated]
    return any(
        (is_question_sentence(sentence) or binding.asks_for_work(sentence))
        and not any(repeats.content(sentence) <= one for one in contents)
        for sentence in split_sentences(turn)
    )


def _quote_request(message: Message, said: Mapping[str, str], before: Mapping[str, str]) -> Quote:
    """Return a turn; a short one with the agent's question to which it may be a reply."""
    quote = _quote_message(message, said)
    is_reply = is_short_reply(said[message.id])
    return quote._replace(answers=find_questions(before.get(message.id, "")) if is_reply else "")


def _quote_message(message: Message, said: Mapping[str, str]) -> Quote:
    return Quote(message.role, _cut_quote(said[message.id]), message.at)


def _list_pending(
    messages: Sequence[Message],
    said: Mapping[str, str],
    requests: Sequence[int],
    quotes: Mapping[_Part, Sequence[Quote]],
) -> list[Quote]:
    """Return what the session ends with: a request without an answer, or the agent's question.

    A turn that is quoted whole as a statement is none, but for what is told and asks for work.
    """
    spoken = [place for place, message in enumerate(messages) if message.role is not Role.TOOL]
    if not spoken:
        return []
    last = messages[spoken[-1]]
    if last.role is Role.USER:
        quote = _quote_message(last, said)
        is_told = quote in quotes[_Part.TOLD] and not binding.asks_for_work(quote.text)
        is_stated = any(quote in some for part, some in quotes.items() if part is not _Part.TOLD)
        return [quote] if spoken[-1] in requests and not (is_told or is_stated) else []
    sentences = list(split_sentences(last.text.strip()[-_QUOTE_CHARS * 4 :]))[-1:]
    return [
        Quote(Role.ASSISTANT, _cut_quote(sentence), last.at)
        for sentence in sentences
        if is_question_sentence(sentence)
    ]


def _sum_up_commands(steps: Sequence[LoggedStep]) -> list[CommandRun]:
    """Return the commands that do more than look, each once, in the order of their last runs."""
    runs: dict[str, list[LoggedStep]] = {}
    for step in steps:
        if step.deed == tool_log.RUN:
            runs[step.text] = [*runs.pop(step.text, []), step]
    return [
        CommandRun(
            command=command,
            runs=len(every),
            failures=sum(step.worked is False for step in every),
            worked=every[-1].worked,
            said=every[-1].said,
        )
        for command, every in runs.items()
        if not tool_log.is_looking(command)
    ]


def _sum_up_changes(
    messages: Sequence[Message],
    said: Mapping[str, str],
    requests: Sequence[int],
    steps: Sequence[LoggedStep],
) -> list[ChangedFile]:
    """Return the changed files in the order of their last change; what surely worked."""
    changes: dict[str, tuple[str, int, str]] = {}
    for step in steps:
        if step.deed == tool_log.RUN or not step.worked:
            continue
        _, times, _ = changes.pop(step.text, ("", 0, ""))
        before = bisect_left(requests, step.place)
        asked = _cut_quote(said[messages[requests[before - 1]].id]) if before else ""
        changes[step.text] = (step.deed, times + 1, asked)
    return [ChangedFile(path, *change) for path, change in changes.items()]


def _detect_session_language(messages: Iterable[Message]) -> str:
    said = " ".join(message.text for message in messages if message.role is Role.USER)
    return detect_text_language(said[:_LANGUAGE_CHARS])


def _cut_quote(text: str) -> str:
    return cut_line(text, _QUOTE_CHARS)
