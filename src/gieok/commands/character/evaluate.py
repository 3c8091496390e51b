"""`gieok character eval`: compare memories of a conversation file with the file's facts."""

from dataclasses import dataclass
from typing import NamedTuple

from gieok.character.play import play
from gieok.character.play.measure import Score
from gieok.character.play.play import PlayedAnswer, PlayedClock
from gieok.commands.command import Operation, Style, argument, printable
from gieok.errors import BadRequest
from gieok.home import character
from gieok.home.call import Call
from gieok.text.messages import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterEvalRequest:
    """Parameters of `gieok character eval`."""

    data: str = argument(
        Words("the conversation file (docs/character.md)"),
        "",
        needed="gieok character eval --data chats.json",
    )
    vectors: bool = argument(
        Words("find memories with the configured embedder, too"),
        False,
    )
    misses: bool = argument(Words("list what was missed or wrong"), False)
    narratives: bool = argument(Words("show the narrative at each question"), False)


class FactFigures(NamedTuple):
    """Shares of facts: precision and recall against the file, and current facts that are right.

    Precision: the share of kept facts that the file has. Recall: the share of the file's facts that
    were kept. `current_right`: the share of those that are rightly marked as holding now.
    """

    precision: float
    recall: float
    current_right: float


class MomentFigures(NamedTuple):
    """The share of the file's moments that were kept."""

    recall: float


class QuestionFigures(NamedTuple):
    """Shares of questions with the answer in their context, and of those told an old value.

    The old value is told as holding now.
    """

    holds: float
    stale: float


class PlayCounts(NamedTuple):
    """Counts of an evaluation, one per kind: conversations, facts, moments, questions and more."""

    conversations: int
    facts: int
    kept: int
    traps: int
    moments: int
    moments_kept: int
    questions: int


@dataclass(frozen=True, slots=True)
class CharacterEvalResult:
    """Figures of an evaluation, as shares of 1."""

    facts: FactFigures
    traps_kept: float
    moments: MomentFigures
    questions: QuestionFigures
    extractor: str
    counts: PlayCounts
    misses: tuple[str, ...] = ()
    narratives: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """True where a conversation was played."""
        return self.counts.conversations > 0


def evaluate_character(call: Call, request: CharacterEvalRequest) -> CharacterEvalResult:
    """Play every conversation into an empty memory of its own."""
    file = call.caller.path(request.data)
    try:
        rows = play.conversations(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(
            f"cannot read {file}: {error}", hint="name a conversation file with --data"
        ) from error
    scores, asked_questions, extractor = list[Score](), list[PlayedAnswer](), ""
    for row in rows:
        clock = PlayedClock()
        with character.open_playground(call.home, clock, request.vectors) as characters:
            score, questions = play.play(row, characters, clock)
            extractor = characters.extractor
        scores.append(score)
        asked_questions += questions
    return build_eval_result(play.total(scores), len(rows), extractor, asked_questions, request)


def build_eval_result(
    score: Score,
    conversations: int,
    extractor: str,
    asked: list[PlayedAnswer],
    request: CharacterEvalRequest,
) -> CharacterEvalResult:
    """Convert counts to shares."""
    question_texts = (
        f"{answer.at:%Y-%m-%d %H:%M} {answer.question}\n{answer.narrative}" for answer in asked
    )
    return CharacterEvalResult(
        facts=FactFigures(
            _compute_eval_share(score.right, score.kept),
            _compute_eval_share(score.found, score.wanted),
            _compute_eval_share(score.chains_right, score.chains),
        ),
        traps_kept=_compute_eval_share(score.traps_kept, score.traps),
        moments=MomentFigures(_compute_eval_share(score.moments_found, score.moments)),
        questions=QuestionFigures(
            _compute_eval_share(score.held, score.questions),
            _compute_eval_share(score.stale, score.questions),
        ),
        extractor=extractor,
        counts=PlayCounts(
            conversations=conversations,
            facts=score.wanted,
            kept=score.kept,
            traps=score.traps,
            moments=score.moments,
            moments_kept=score.moments_kept,
            questions=score.questions,
        ),
        misses=tuple(score.misses) if request.misses else (),
        narratives=tuple(question_texts) if request.narratives else (),
    )


def _compute_eval_share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def render_character_eval(result: CharacterEvalResult, style: Style) -> str:
    """Show one line per figure."""
    rows = (
        (Words("facts: precision"), result.facts.precision),
        (Words("facts: recall"), result.facts.recall),
        (Words("facts: current value right"), result.facts.current_right),
        (Words("traps kept as facts"), result.traps_kept),
        (Words("moments: recall"), result.moments.recall),
        (
            Words("questions: context holds the answer"),
            result.questions.holds,
        ),
        (
            Words("questions: old value told as current"),
            result.questions.stale,
        ),
    )
    lines = [f"{value:>6.3f}  {words.say(style.lang)}" for words, value in rows]
    return "\n".join([*lines, *map(printable, (*result.misses, *result.narratives))])


OPERATION = Operation(
    name="character eval",
    examples=("gieok character eval --data conversations.json",),
    handler=evaluate_character,
    present=render_character_eval,
    doc=Words("Measure what a character remembers of the conversations in a file"),
)
