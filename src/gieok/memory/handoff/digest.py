"""Digest of a session: what was asked, decided and left open, what ran and which files changed.

Extractive: every sentence is quoted as it was said. What counts as decided is what the observer
without a model would keep of the user's statements (`observer.rules`), in its categories: rules
that bind, decisions, preferences, facts and tasks. What follows a question of the agent's is its
answer only if it speaks of the same thing, or is a bare value.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from gieok.flow.distil import MessageSpan
from gieok.memory.handoff import tool_log
from gieok.memory.handoff.tool_log import LoggedStep
from gieok.memory.observation import Category
from gieok.memory.observer import categories, repeats
from gieok.memory.observer.rules import RulesObserver, WorthyStatement
from gieok.memory.observer.sentences import split_sentences
from gieok.memory.observer.standalone import is_question_sentence
from gieok.model.conversation import Journalled, Message, Role
from gieok.model.memory import Scope
from gieok.text.assent import accepts, is_small_talk
from gieok.text.echo import strip_echo
from gieok.text.language import detect_text_language
from gieok.text.turns import is_answer

#: Of a longer turn, only so much is quoted.
_QUOTE_CHARS = 400
_LANGUAGE_CHARS = 20_000
#: Words of a bare value, which answers a question without speaking of its subject: "9090".
_VALUE_WORDS = 2
#: Fewest words that a statement shares with a task that it reports as done, or with what it takes
#: back.
_SHARED_WORDS = 2


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
    endings = _Endings(found)
    standing = [
        one
        for one in _drop_repeated(worthy)
        if one.said.message.id not in ended and not endings.end(one)
    ]
    requests = _list_requests(messages)
    stated = {one.said.message.id for one in worthy}
    before = _find_words_before(messages)
    return SessionDigest(
        language=_detect_session_language(messages),
        began=messages[0].at,
        ended=messages[-1].at,
        asked=tuple(
            _quote_message(messages[place])
            for place in requests
            if messages[place].id not in stated
        ),
        rules=tuple(_build_quote(one) for one in standing if one.stated.is_rule),
        decided=tuple(_build_quote(one, before) for one in standing if _is_decision(one)),
        told=tuple(
            _build_quote(one)
            for one in standing
            if not (one.stated.is_rule or one.is_done or _is_decision(one))
            and one.category in (Category.PREFERENCE, Category.STATE)
        ),
        open=(
            *(
                _build_quote(one)
                for one in standing
                if one.category is Category.TASK
                and not (one.stated.is_rule or one.is_done or _is_decision(one))
            ),
            *_list_pending(messages, requests, stated),
        ),
        commands=tuple(_sum_up_commands(steps)),
        files=tuple(_sum_up_changes(messages, requests, steps)),
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


def _is_decision(one: WorthyStatement) -> bool:
    """Say whether a statement decides something that is no rule: also a choice that was offered."""
    if one.stated.is_rule or one.is_done:
        return False
    if one.stated.is_agreed or _is_answer(one):
        return True
    return one.category is Category.DECISION


def _is_answer(one: WorthyStatement) -> bool:
    """Say whether a statement answers the agent's question that it is joined with.

    It does if it speaks of something that the question names, or is a bare value.
    """
    if not one.stated.alone or one.text != one.stated.text:
        return False
    question, _, answer = one.text.partition(" – ")
    own = repeats.content(answer)
    return bool(own & repeats.content(question)) or (0 < len(own) <= _VALUE_WORDS)


def _part_from_question(one: WorthyStatement) -> WorthyStatement:
    """Return a statement by itself where it follows a question that it does not answer."""
    if not one.stated.alone or one.text != one.stated.text or _is_answer(one):
        return one
    alone = one.stated.alone
    return one._replace(
        text=alone,
        category=categories.classify_statement(alone),
        is_done=categories.is_done(alone),
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
    """What users reported as done or took back in a session, by its words."""

    def __init__(self, found: Sequence[Journalled]) -> None:
        self._said: list[tuple[int, repeats.Content, bool]] = []
        self._by_word: dict[str, list[int]] = {}
        for one in found:
            if one.message.role is Role.USER:
                for sentence in split_sentences(strip_echo(one.message.text)):
                    self._read(one.place, sentence)

    def _read(self, place: int, sentence: str) -> None:
        is_done = categories.is_done(sentence)
        content = repeats.content(sentence)
        if (is_done or repeats.is_negated(content)) and not is_question_sentence(sentence):
            for word in content:
                self._by_word.setdefault(word, []).append(len(self._said))
            self._said.append((place, content, is_done))

    def end(self, one: WorthyStatement) -> bool:
        """Say whether a later sentence reports a task as done, or takes a statement back."""
        own = repeats.content(one.text)
        is_task = one.category is Category.TASK and not one.stated.is_rule
        shared = Counter(number for word in own for number in self._by_word.get(word, ()))
        for number, count in shared.items():
            place, content, is_done = self._said[number]
            if place > one.said.place and (
                (is_task and is_done and count >= min(_SHARED_WORDS, len(own)))
                or repeats.is_opposite(content, own)
            ):
                return True
        return False


def _find_words_before(messages: Sequence[Message]) -> dict[str, str]:
    """Return what the agent said last before each of the user's messages, by their ids."""
    said, last = dict[str, str](), ""
    for message in messages:
        if message.role is Role.ASSISTANT:
            last = message.text
        elif message.role is Role.USER:
            said[message.id], last = last, ""
    return said


def _build_quote(one: WorthyStatement, before: Mapping[str, str] | None = None) -> Quote:
    """Return a statement in the user's words, with the agent's words that it answers beside it."""
    message = one.said.message
    if one.stated.is_agreed:
        proposal = one.text.rpartition(" (")[0]
        if not repeats.content(proposal):
            proposal = _add_sentence_before(proposal, (before or {}).get(message.id, ""))
        return Quote(Role.USER, _cut_quote(strip_echo(message.text)), message.at, proposal)
    if _is_answer(one):
        question, _, answer = one.text.partition(" – ")
        if not repeats.content(question):
            question = _add_sentence_before(question, (before or {}).get(message.id, ""))
        return Quote(Role.USER, answer, message.at, question)
    return Quote(Role.USER, _cut_quote(one.text), message.at)


def _add_sentence_before(question: str, said: str) -> str:
    """Return a question without content behind the sentence of the agent's that it asks of."""
    sentences = list(split_sentences(said.strip()[-_QUOTE_CHARS * 4 :]))
    place = sentences.index(question) if question in sentences else 0
    return f"{sentences[place - 1]} {question}" if place else question


def _list_requests(messages: Sequence[Message]) -> list[int]:
    """Return the places of the users' turns that are more than small talk, assent or an answer."""
    places: list[int] = []
    before = ""
    for place, message in enumerate(messages):
        if message.role is Role.ASSISTANT:
            before = message.text
        elif message.role is Role.USER:
            text = strip_echo(message.text).strip()
            if text and not (is_small_talk(text) or accepts(text) or is_answer(text, before)):
                places.append(place)
            before = ""
    return places


def _quote_message(message: Message) -> Quote:
    return Quote(message.role, _cut_quote(strip_echo(message.text)), message.at)


def _list_pending(
    messages: Sequence[Message], requests: Sequence[int], stated: set[str]
) -> list[Quote]:
    """Return what the session ends with: a request without an answer, or the agent's question."""
    spoken = [place for place, message in enumerate(messages) if message.role is not Role.TOOL]
    if not spoken:
        return []
    last = messages[spoken[-1]]
    if last.role is Role.USER:
        is_request = spoken[-1] in requests and last.id not in stated
        is_request = is_request and not categories.is_done(strip_echo(last.text))
        return [_quote_message(last)] if is_request else []
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
        if step.deed == tool_log.RUN and not tool_log.is_looking(step.text):
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
    ]


def _sum_up_changes(
    messages: Sequence[Message], requests: Sequence[int], steps: Sequence[LoggedStep]
) -> list[ChangedFile]:
    """Return the changed files in the order of their last change; what surely worked."""
    changes: dict[str, tuple[str, int, str]] = {}
    for step in steps:
        if step.deed == tool_log.RUN or not step.worked:
            continue
        _, times, _ = changes.pop(step.text, ("", 0, ""))
        before = bisect_left(requests, step.place)
        asked = _quote_message(messages[requests[before - 1]]).text if before else ""
        changes[step.text] = (step.deed, times + 1, asked)
    return [ChangedFile(path, *change) for path, change in changes.items()]


def _detect_session_language(messages: Iterable[Message]) -> str:
    said = " ".join(message.text for message in messages if message.role is Role.USER)
    return detect_text_language(said[:_LANGUAGE_CHARS])


def _cut_quote(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTE_CHARS else text[: _QUOTE_CHARS - 1].rstrip() + "…"
