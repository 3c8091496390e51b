"""Observer without a language model: keeps users' own statements that the reader selects.

Sentences of users (`sentences`), made intelligible alone (`standalone`), are judged by their
meaning (the reader, else their words by `ranking.learned.heads`); words decide the category
(`categories`). What is kept is written down in a short form (`short_form`).
A statement that is held already is not kept again (`repeats`). Nothing of a tool is kept, and of an
agent only the question or the proposal that a user answered: a tool's output cannot speak here.
However a conversation is cut into spans, the observations are the same: the message that a turn
answers is looked up, and held statements count as said before.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import NamedTuple, Protocol

from gieok.errors import EmbedderFailed
from gieok.flow.distil import MessageSpan
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer import categories, repeats
from gieok.memory.observer.relative_days import dated
from gieok.memory.observer.sentences import strip_filler
from gieok.memory.observer.short_form import (
    shorten_proposal,
    shorten_statement,
    stands_without_question,
    tells_only_secret,
)
from gieok.memory.observer.standalone import (
    UserStatement,
    build_agreed_statement,
    find_user_statements,
)
from gieok.model.conversation import Journalled, Message, Role
from gieok.ports.models import Reader
from gieok.ranking.calibration import bound_log_odds
from gieok.ranking.learned import heads
from gieok.ranking.likelihood import apply_logistic
from gieok.text import binding
from gieok.text.echo import strip_echo
from gieok.text.language import detect_text_language

#: Least probability of a statement that is kept. The probability must be higher for a statement
#: that leans on missing words, and for one that words alone judge.
_WORTH, _WORTH_LEANING, _WORTH_BY_WORDS = 0.6, 0.85, 0.7
#: The same for a report that something is done, and the fewest words of what. The reader, which
#: asks for what lasts, gives "로드밸런서 설정은 끝났어" .13 and "빌드 끝났어" .02. Without the
#: report, a task stays due.
_WORTH_DONE, _FEWEST_DONE_WORDS = 0.05, 2
#: The same for a direction on a thing that it names. The reader takes "목록은 콤마만" (.08) and "긴
#: URL은 그냥 넘치게 둬" (.14) for work of the moment; of 490 statements of plain talk the lower
#: threshold keeps one more.
_WORTH_DIRECTED = 0.05
#: The same for a statement that gives a value. The reader takes "make it 45" (.24), "runs at 02:30
#: UTC on build-07" (.28) and "3.12" (.14) for talk of the moment, because they are short. Of 1,541
#: statements of ten sets the lower threshold keeps 30 more; some 20 of these are of what lasts.
_WORTH_VALUE = 0.1
#: A statement with a lower probability by its words is not read: this halves the cost and loses
#: little.
_WORDS_AT_LEAST = 0.04
#: Added to the reader's log-odds, for the cuts above: of a hand that it has not seen, it then keeps
#: .93 of what is worth keeping, and .88 of what it keeps is; the linear head .88 and .65.
_READER_SHIFT = 0.8
#: Words of assent to a proposal that was accepted, by the language of the proposal.
_ASSENTS = {"en": "Yes, let's do that.", "ko": "응, 그걸로 하자."}
_SURE = 0.85
#: Statements that are judged together where the newest are judged first.
_JUDGED_AT_ONCE = 16
_ABOUT_USER = 0.8


class StatementJudgement(NamedTuple):
    """Probabilities that a statement is worth keeping, and that it is about the person.

    `worth_alone` is that of the user's own words in it, without the question that they answer; 0
    where they say nothing alone.
    """

    worth: float
    about_user: float
    worth_alone: float = 0.0


class WorthyStatement(NamedTuple):
    """User's statement that is worth keeping: its message, its words, and what they are.

    `text` are the words that were judged: those of `stated`, or where `is_joined` is False, those
    of the user without the agent's words that `stated` is joined with.
    """

    said: Journalled
    stated: UserStatement
    text: str
    category: Category
    judgement: StatementJudgement
    is_done: bool = False

    @property
    def is_joined(self) -> bool:
        """Whether `text` begins with words of the agent's that the user replied to."""
        return bool(self.stated.asked) and self.text == self.stated.text

    @property
    def replies_to_agent(self) -> bool:
        """Whether `text` begins with words of the agent's that the user accepted or answered."""
        return self.is_joined and (self.stated.is_agreed or self.stated.is_answer)


class StatementJudge:
    """Judge of statements: by the reader, or by their words alone where it cannot run."""

    def __init__(self, reader: Callable[[], Reader | None]) -> None:
        self._reader = reader
        #: Whether the reader made the last judgements.
        self.is_read = False

    def judge_statements(self, statements: Sequence[UserStatement]) -> list[StatementJudgement]:
        """Return a judgement for each statement."""
        likely = [heads.worth_by_words(stated.text) for stated in statements]
        reader = self._reader() if max(likely, default=0.0) >= _WORDS_AT_LEAST else None
        self.is_read = reader is not None
        if reader is not None:
            try:
                return [
                    _by_reading(reader, stated)
                    if chance >= _WORDS_AT_LEAST
                    else StatementJudgement(0.0, 0.0)
                    for stated, chance in zip(statements, likely, strict=True)
                ]
            except EmbedderFailed:
                self.is_read = False  # the words judge
        return [StatementJudgement(_cut_word_probability(chance), 0.0) for chance in likely]


def _by_reading(reader: Reader, stated: UserStatement) -> StatementJudgement:
    reading = max(reader.read_sentence(*said) for said in _as_said(stated))
    worth = apply_logistic(bound_log_odds(reading.worth) + _READER_SHIFT)
    return StatementJudgement(worth, reading.about_user if worth >= _WORTH else 0.0)


def _as_said(stated: UserStatement) -> list[tuple[str, str]]:
    """Return what the user said of a statement, and what the agent said before it, '' for nothing.

    A proposal that was accepted counts as if the user had made it, too.
    """
    if stated.is_agreed:
        proposal = stated.asked
        return [(_ASSENTS[detect_text_language(proposal)], proposal), (proposal, "")]
    return [(stated.own, stated.asked)] if stated.own else [(stated.text, "")]


def _cut_word_probability(likely: float) -> float:
    """Return the probability that words alone support; 0 if it is below the sure threshold."""
    return likely if likely >= _WORTH_BY_WORDS else 0.0


class SpanContext(Protocol):
    """What a conversation and a memory held before a span."""

    def find_agent_words(self, before: Journalled) -> str:
        """Return the agent's words before a message, '' for none."""

    def list_held_statements(self) -> Sequence[str]:
        """Return the held statements, in order."""


class GivenContext(NamedTuple):
    """`SpanContext` of given words and statements."""

    agent_words: str = ""
    statements: Sequence[str] = ()

    def find_agent_words(self, before: Journalled) -> str:  # noqa: ARG002 - the same for each
        """Return the given words."""
        return self.agent_words

    def list_held_statements(self) -> Sequence[str]:
        """Return the given statements."""
        return self.statements


@dataclass(frozen=True, slots=True)
class RulesObserver:
    """`Observer` without a model."""

    zone: tzinfo
    statement_judge: StatementJudge
    context: SpanContext

    def observe(self, span: MessageSpan) -> Observed:
        """Return the users' statements that are worth keeping."""
        observations = [self._observation(worthy) for worthy in self.judge([span])]
        return (
            Observed(
                tuple(
                    _iter_unrepeated_observations(observations, self.context.list_held_statements())
                )
            )
            if observations
            else Observed(())
        )

    def judge(
        self, spans: Sequence[MessageSpan], *, keeps_choices: bool = False, most: int = 0
    ) -> list[WorthyStatement]:
        """Return the users' statements that are worth keeping, in order, as they were said.

        No statement answers words of a span before its own. With `keeps_choices`, what the user
        accepted, refused, chose of what the agent named, or gave as a bare value, counts whatever
        it is worth: within its session it is decided. Without, a bare refusal is not returned. With
        `most`, the newest are judged first, until so many beside the rules are worth keeping.
        """
        statements = [
            pair
            for span in spans
            for pair in self._told(span)
            if keeps_choices or not pair[1].is_refused
        ]
        if not most:
            return self._select(statements, keeps_choices=keeps_choices)
        bound = {number for number, (_, stated) in enumerate(statements) if stated.is_rule}
        others = [number for number in range(len(statements)) if number not in bound]
        found: list[WorthyStatement] = []
        while others and len(found) < most:
            newest = others[-_JUDGED_AT_ONCE:]
            del others[-_JUDGED_AT_ONCE:]
            some = self._select([statements[n] for n in newest], keeps_choices=keeps_choices)
            found = [*some, *found]
        rules = self._select([statements[number] for number in sorted(bound)])
        return sorted((*rules, *found), key=lambda worthy: worthy.said.place)

    def _select(
        self,
        statements: Sequence[tuple[Journalled, UserStatement]],
        *,
        keeps_choices: bool = False,
    ) -> list[WorthyStatement]:
        """Return the statements that are worth keeping; a rule is not judged."""
        asked = list(
            dict.fromkeys(
                one for _, stated in statements if not stated.is_rule for one in _list_forms(stated)
            )
        )
        judged = dict(
            zip(asked, self.statement_judge.judge_statements(asked) if asked else [], strict=True)
        )
        return [
            worthy
            for journalled, stated in statements
            if (
                worthy := _select_worthy_statement(
                    journalled, stated, judged, is_kept=keeps_choices and stated.is_choice
                )
            )
            is not None
        ]

    def _told(self, span: MessageSpan) -> Iterator[tuple[Journalled, UserStatement]]:
        """Yield the users' statements, each with its message; each conversation by itself."""
        last: dict[tuple[str, str], str] = {}
        for journalled in span.messages:
            message = journalled.message
            if message.role is Role.TOOL:
                continue
            whose = (message.agent, message.session)
            if message.role is Role.ASSISTANT:
                last[whose] = message.text
                continue
            before = last[whose] if whose in last else self.context.find_agent_words(journalled)
            last[whose] = ""
            for stated in _with_rules(strip_echo(message.text), before):
                yield journalled, stated

    def _observation(self, worthy: WorthyStatement) -> Observation:
        said_at = worthy.said.message.at
        short = _shorten_worthy_statement(worthy)
        shown = dated(short, said_at.astimezone(self.zone).date())
        return Observation(
            text=shown,
            at=said_at,
            priority=_choose_statement_priority(worthy, has_day=shown != short),
            category=worthy.category,
            is_done=worthy.is_done,
            message_ids=(worthy.said.message.id,),
        )


def _select_worthy_statement(
    said: Journalled,
    stated: UserStatement,
    judged: Mapping[UserStatement, StatementJudgement],
    *,
    is_kept: bool,
) -> WorthyStatement | None:
    """Return a statement with its category if it is worth keeping, or kept; None if it is not."""
    text = stated.text
    if stated.is_rule:
        return WorthyStatement(
            said=said,
            stated=stated,
            text=text,
            category=Category.PREFERENCE,
            judgement=StatementJudgement(1.0, 0.0),
        )
    if tells_only_secret(text) and not is_kept:
        return None
    forms = _list_forms(stated)
    judgement = judged[stated]._replace(worth_alone=judged[forms[-1]].worth)
    least_whole = _WORTH_VALUE if stated.own and categories.gives_value(stated.own) else _WORTH
    if judgement.worth < least_whole and not is_kept:
        text, judgement = forms[-1].text, judged[forms[-1]]
    is_done = not stated.is_agreed and categories.is_done(text)
    if not is_kept and judgement.worth < _choose_least_worth(stated, text, is_done=is_done):
        return None
    category = categories.classify_statement(text)
    category = Category.TASK if is_done and category is Category.STATE else category
    return WorthyStatement(
        said=said,
        stated=stated,
        text=text,
        category=category,
        judgement=judgement,
        is_done=is_done,
    )


def _shorten_worthy_statement(worthy: WorthyStatement) -> str:
    """Return the words of a statement that bind; a rule is kept in all its words."""
    stated = worthy.stated
    if stated.is_rule:
        return worthy.text
    if not worthy.is_joined:
        return shorten_statement(worthy.text)
    if stated.is_agreed:
        return build_agreed_statement(shorten_proposal(stated.asked)).text
    if worthy.judgement.worth_alone >= _SURE and stands_without_question(stated):
        return shorten_statement(stated.own)
    return worthy.text


def _choose_least_worth(stated: UserStatement, text: str, *, is_done: bool) -> float:
    """Return the least probability with which a statement is worth keeping."""
    if categories.asks_to_keep(text):
        return 0.0
    if stated.is_leaning:
        return _WORTH_LEANING
    if categories.is_labelled(text):
        return 0.0  # who writes "Todo:" before it wants it kept
    if categories.directs_thing(text):
        return _WORTH_DIRECTED
    # Of an answer, the question before it gives no value.
    if categories.gives_value(stated.own if text == stated.text and stated.own else text):
        return _WORTH_VALUE
    names_what = is_done and len(repeats.content(text)) >= _FEWEST_DONE_WORDS
    return _WORTH_DONE if names_what else _WORTH


def _list_forms(stated: UserStatement) -> list[UserStatement]:
    """Return a statement, and the user's own words in it where they say something alone."""
    return [stated, UserStatement(stated.own)] if stated.has_sentence else [stated]


def _with_rules(said: str, before: str) -> list[UserStatement]:
    """Return the statements of a user's turn, with its rules whole.

    A rule is never kept in half, and is kept although its words alone would leave it out. Where it
    stands by itself, it is not kept as an answer, too.
    """
    rules = binding.rules_in(said, before)
    stated = [
        _restore_fillers(statement, rules) for statement in find_user_statements(said, before)
    ]
    bound = [statement for statement in stated if any(rule in statement.text for rule in rules)]
    stated = [one for one in stated if not any(other.text in one.own for other in bound)]
    whole = [statement for statement in stated if statement in bound]
    others = [
        statement
        for statement in stated
        if statement not in whole and not any(statement.text.rstrip(".!") in rule for rule in rules)
    ]
    missed = [rule for rule in rules if not any(rule in statement.text for statement in whole)]
    return [
        *(statement._replace(is_rule=True) for statement in whole),
        *(_build_missed_rule(rule, said, before)._replace(is_rule=True) for rule in missed),
        *others,
    ]


def _build_missed_rule(rule: str, said: str, before: str) -> UserStatement:
    """Return a rule as a statement: in the user's words, or in the agent's that they accepted.

    What a rule quotes stands in its statement.
    """
    is_proposal = rule not in said and rule in before
    if is_proposal:
        return build_agreed_statement(rule)
    return UserStatement(binding.find_own_words(rule, said) or rule)


def _restore_fillers(statement: UserStatement, rules: Sequence[str]) -> UserStatement:
    """Return a statement with its rules in the user's own words.

    A statement has lost the fillers before its sentences ("아, …"), and a rule has not: without
    this, one would not be found in the other, and both would be kept.
    """
    text = statement.text
    for rule in rules:
        bare = strip_filler(rule)
        if bare and rule not in text:
            text = text.replace(bare, rule, 1)
    return statement._replace(text=text)


def _choose_statement_priority(worthy: WorthyStatement, *, has_day: bool) -> Priority:
    judgement, category = worthy.judgement, worthy.category
    if worthy.stated.is_rule:
        return Priority.HIGH
    if worthy.is_done:
        return Priority.MEDIUM
    if category is Category.TASK:
        return Priority.HIGH if has_day else Priority.MEDIUM
    if judgement.about_user >= _ABOUT_USER or (
        category is not Category.STATE and judgement.worth >= _SURE
    ):
        return Priority.HIGH
    return (
        Priority.MEDIUM
        if judgement.worth >= _SURE or category is not Category.STATE
        else Priority.LOW
    )


def _iter_unrepeated_observations(
    found: Sequence[Observation], held: Sequence[str]
) -> Iterator[Observation]:
    """Yield the observations that repeat no held statement and none earlier in the span."""
    known = repeats.HeldStatements(map(repeats.content, held))
    for o in found:
        own = repeats.content(o.text)
        if not known.is_repeated_by(own):
            known.add(own)
            yield o


def of_agent_before(turns: Sequence[Message]) -> str:
    """Return the agent's last words, if the agent spoke last."""
    return turns[-1].text if turns and turns[-1].role is Role.ASSISTANT else ""
