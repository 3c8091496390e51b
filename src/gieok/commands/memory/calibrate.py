"""`gieok calibrate`: fit the scores of the models in use to the user's own turns.

The user's turns give questions and answers. A question of a conversation is asked of the
memory; the next turn is its answer. The line of the
question itself is not counted. The question is asked again with that conversation withheld, when
nothing answers: so there are both kinds of questions. A correction is kept only where it does
better on questions that it was not fitted on.
"""

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import Hidden
from gieok.errors import BadRequest
from gieok.flow import lifecycle
from gieok.home import rerankers
from gieok.home.call import Call
from gieok.memory.talk import turns
from gieok.model.memory import Scope
from gieok.model.retrieval import Hit
from gieok.ports.models import Embedder
from gieok.ports.store import Store, VectorSearch
from gieok.ranking import calibration
from gieok.ranking.calibration import Calibration, Judged
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, recall
from gieok.ranking.rerank import Reranking
from gieok.text.embedform import text_to_embed
from gieok.text.messages import Words

#: More questions take longer and change the two fitted figures little.
_MOST_QUESTIONS = 200
_LEAST_QUESTIONS = 30
_HITS = 20
_SHORTEST, _LONGEST, _SHORTEST_ANSWER = 10, 240, 15
#: Number of random passages and questions: they show the cosine of unrelated texts in a model.
_PASSAGES, _BACKGROUND_QUESTIONS = 64, 24
_AT_ONCE = 200


class Fit(NamedTuple):
    """Fit of a model: errors before and after, on questions that it was not fitted on."""

    model: str
    kind: str
    error_before: float
    error_after: float
    kept: bool


@dataclass(frozen=True, slots=True)
class CalibrateResult:
    """Number of questions, and the outcome for each model's scores."""

    questions: int
    fits: tuple[Fit, ...]
    forgotten: tuple[str, ...] = ()
    dry_run: Hidden[bool] = False
    found: Hidden[bool] = True


class AskedQuestion(NamedTuple):
    """Question of a conversation, with the places of its own line and of the answering lines."""

    text: str
    scope: Scope
    key: str
    line: int
    answers: frozenset[int]


def render_calibration(result: CalibrateResult, style: Style) -> str:
    """Show the fits, and the errors of the scores before and after."""
    if result.forgotten:
        names = ", ".join(result.forgotten)
        return style.say("forgotten for {names}", names=names)
    lines = [
        style.say(
            (
                "{questions} questions of your own conversations, each asked with and without its "
                "answer"
            ),
            questions=result.questions,
        )
    ]
    if result.questions < _LEAST_QUESTIONS:
        lines.append(
            style.say(
                (
                    "  fewer than {LEAST_QUESTIONS}: too few to correct probabilities; only "
                    "cosines of another model are scaled"
                ),
                LEAST_QUESTIONS=_LEAST_QUESTIONS,
            )
        )
    lines += [
        style.say(
            "  {model} ({kind}): scores were off by {error_before:.3f}, now by {error_after:.3f}",
            model=fit.model,
            kind=fit.kind,
            error_before=fit.error_before,
            error_after=fit.error_after,
        )
        for fit in (result.fits if result.questions >= _LEAST_QUESTIONS else ())
    ]
    if result.dry_run:
        lines.append(style.say("Nothing was kept."))
    return "\n".join(lines)


@command(
    "calibrate",
    Words("Fit what scores mean for your own embedder and reranker, on your own conversations"),
    present=render_calibration,
    examples=("gieok calibrate --dry-run", "gieok calibrate"),
    effect=Effect.WRITE,
)
def calibrate_scores(
    call: Call,
    *,
    dry_run: Annotated[bool, Parameter(Words("measure, and keep nothing"))] = False,
    reset: Annotated[
        bool, Parameter(Words("forget what was fitted for the models in use"))
    ] = False,
) -> CalibrateResult:
    """Fit the models, compare, and keep the better corrections."""
    store, followed, by = (
        call.home.store,
        call.home.open_embedder(),
        call.home.open_reranking(),
    )
    if followed is None or not isinstance(store, VectorSearch):
        raise BadRequest(
            "no embedder is used, so there is nothing to calibrate", hint="set `embedder`"
        )
    embedder = lifecycle.for_store(followed, store)
    if reset:
        names = (embedder.model, *([by.reranker.model] if by else []))
        for name in names:
            rerankers.keep_calibration(call.home.folder, name, None)
        return CalibrateResult(0, (), names)
    questions = _select_calibration_questions(store)
    profile = replace(
        call.home.build_profile("").with_limit(_HITS).with_least_score(0.0), snippet_chars=0
    )
    fits = [_of_embedder(call, store, embedder, profile, questions, keep=not dry_run)]
    if by is not None and len(questions) >= _LEAST_QUESTIONS:
        fits.append(_of_reranker(call, store, embedder, by, questions, keep=not dry_run))
    return CalibrateResult(len(questions), tuple(fits), dry_run=dry_run)


def _of_embedder(
    call: Call,
    store: Store,
    embedder: Embedder,
    profile: Profile,
    asked: Sequence[AskedQuestion],
    *,
    keep: bool,
) -> Fit:
    """Fit the embedder's cosines to the bundled model's scale, and correct the probabilities."""
    model = embedder.model
    own = (
        Calibration()
        if model == calibration.FITTED_ON
        else _fit_cosine_scale(store, embedder, asked)
    )
    if len(asked) < _LEAST_QUESTIONS:
        if keep and own.spread:
            rerankers.keep_calibration(call.home.folder, model, own)
        return Fit(
            model=model,
            kind="embedder",
            error_before=0.0,
            error_after=0.0,
            kept=keep and bool(own.spread),
        )
    uncorrected = replace(profile, calibrations={**profile.calibrations, model: own})
    best = _judge_best_hits(call, store, embedder, uncorrected, None, asked)
    judged = [Judged(hit.score, is_right) for hit, is_right in best]
    slope, shift = calibration.fitted(judged)
    held_out = calibration.held_out(judged)
    if calibration.log_loss(held_out) < calibration.log_loss(judged):
        own = own._replace(slope=slope, shift=shift)
    else:
        held_out = judged
    own = own._replace(questions=len(asked))
    if keep:
        rerankers.keep_calibration(call.home.folder, model, own)
    return Fit(
        model=model,
        kind="embedder",
        error_before=calibration.measure_calibration_error(judged),
        error_after=calibration.measure_calibration_error(held_out),
        kept=keep,
    )


def _of_reranker(
    call: Call,
    store: Store,
    embedder: Embedder,
    by: Reranking,
    asked: Sequence[AskedQuestion],
    *,
    keep: bool,
) -> Fit:
    """Fit the reranker's scores to probabilities."""
    plain = by._replace(calibrations={})
    profile = replace(
        call.home.build_profile("").with_limit(_HITS).with_least_score(0.0), snippet_chars=0
    )
    best = _judge_best_hits(call, store, embedder, profile, plain, asked)
    judged = [
        Judged(hit.signals["reranker"], is_right)
        for hit, is_right in best
        if "reranker" in hit.signals
    ]
    if len(judged) < _LEAST_QUESTIONS:
        return Fit(
            model=by.reranker.model, kind="reranker", error_before=0.0, error_after=0.0, kept=False
        )
    slope, shift = calibration.fitted(judged)
    held_out = calibration.held_out(judged)
    if keep:
        rerankers.keep_calibration(
            call.home.folder,
            by.reranker.model,
            Calibration(slope=slope, shift=shift, questions=len(asked)),
        )
    return Fit(
        model=by.reranker.model,
        kind="reranker",
        error_before=calibration.measure_calibration_error(judged),
        error_after=calibration.measure_calibration_error(held_out),
        kept=keep,
    )


def _fit_cosine_scale(
    store: Store, embedder: Embedder, asked: Sequence[AskedQuestion]
) -> Calibration:
    """Return the scale of a model's cosines, from random questions and passages."""
    texts = _some_passages(store)
    questions = [question.text for question in asked[:_BACKGROUND_QUESTIONS]] or texts[
        :_BACKGROUND_QUESTIONS
    ]
    vectors = [
        array("f", vector)
        for vector in embedder.embed_passages([text_to_embed(text) for text in texts])
    ]
    question_vectors = [array("f", embedder.embed_query(text)) for text in questions]
    centre, spread = calibration.background(vectors, question_vectors)
    return Calibration(centre=centre, spread=spread)


def _judge_best_hits(
    call: Call,
    store: Store,
    embedder: Embedder,
    profile: Profile,
    by: Reranking | None,
    asked: Sequence[AskedQuestion],
) -> list[tuple[Hit, bool]]:
    """Return the best hit of each question, and whether it answers.

    Each question is asked once as it is, and once with its conversation withheld.
    """
    judged_hits = []
    say = call.progress("questions")
    reader = call.home.open_help_reader() if embedder else None
    for number, asked_question in enumerate(asked):
        question = Question(asked_question.text, (asked_question.scope,))
        hits = recall(store, embedder, question, profile, call.clock, call.zone, by, reader).hits
        others = [hit for hit in hits if hit.passage.text.partition(": ")[2] != asked_question.text]
        if others:
            judged_hits.append((others[0], _is_answering_hit(others[0], asked_question)))
        elsewhere = [
            hit
            for hit in others
            if hit.passage.key.partition("#")[0] != asked_question.key.partition("#")[0]
        ]
        if elsewhere:
            judged_hits.append((elsewhere[0], False))
        say(number + 1)
    return judged_hits


def _is_answering_hit(hit: Hit, one: AskedQuestion) -> bool:
    p = hit.passage
    return (p.scope, p.key) == (one.scope, one.key) and p.start_line in one.answers


def _select_calibration_questions(store: Store) -> list[AskedQuestion]:
    """Return a sample of the questions of all conversations: the same sample every time."""

    def place(one: AskedQuestion) -> bytes:
        return hashlib.sha1(one.text.encode("utf-8", "replace"), usedforsecurity=False).digest()

    question_by_text = {
        one.text: one for scope in store.scopes() for one in _iter_store_questions(store, scope)
    }
    return sorted(question_by_text.values(), key=place)[:_MOST_QUESTIONS]


def _iter_store_questions(store: Store, scope: Scope) -> Iterator[AskedQuestion]:
    keys = sorted(key for key in store.hashes(scope) if turns.is_turns(key))
    for start in range(0, len(keys), _AT_ONCE):
        for document in store.get(scope, keys[start : start + _AT_ONCE]):
            yield from extract_answered_questions(document.text.split("\n"), scope, document.key)


def extract_answered_questions(
    lines: Sequence[str], scope: Scope, key: str
) -> Iterator[AskedQuestion]:
    """Yield the questions among lines of turns that the other speaker answered."""
    speaker_lines = [line.partition(": ") for line in lines]
    for at, (speaker, _, text) in enumerate(speaker_lines[:-1]):
        is_question = text.rstrip().endswith(("?", "？")) and _SHORTEST <= len(text) <= _LONGEST
        other, _, answer = speaker_lines[at + 1]
        if not is_question or other == speaker or len(answer) < _SHORTEST_ANSWER:
            continue
        end = next(
            (n for n in range(at + 1, len(speaker_lines)) if speaker_lines[n][0] != other),
            len(speaker_lines),
        )
        yield AskedQuestion(
            text=text, scope=scope, key=key, line=at + 1, answers=frozenset(range(at + 2, end + 1))
        )


def _some_passages(store: Store) -> list[str]:
    """Return a sample of passages, spread over all documents: the same sample every time."""
    keys = [(scope, key) for scope in store.scopes() for key in sorted(store.hashes(scope))]
    step = max(len(keys) // _PASSAGES, 1)
    texts = []
    for scope, key in keys[::step][:_PASSAGES]:
        for entry in store.entries(scope, [key]):
            texts += [entry.document.text[p.start : p.end] for p in entry.passages[:1]]
    return texts
