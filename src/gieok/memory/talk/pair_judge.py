"""Judge of pairs of statements: the rules of `statements.relation`, and the reader beside them.

The rules see how a change is worded and on what subject; the reader sees what both statements say.
Each knows what the other misses: the rules mark 2 in 100 of the changes that other people told, and
the reader takes what two long turns have in common for a change now and then. So the evidence of
both is summed, and a pair is a change where the sum is so high, for the whole statements and for
the two sentences alone, that hardly any neighbours are marked where nothing changed: 5 of 1,900 in
other people's talk, 3 of 1,750 statements that change nothing, and 180 of 750 changes and ends by
authors whom the reader has not seen.

Below that sum lies what is likely and not sure: a later statement with another value of the same
subject, of all of it or of a part. It marks nothing; both are told, the later one first
(`find_likely_change`).
"""

from functools import partial

from gieok.memory.talk.fact_finder import FactFinder
from gieok.memory.talk.kept_answers import KeptAnswers
from gieok.memory.talk.statements.relation import (
    SURE,
    UNRELATED,
    UNSURE,
    Relation,
    denies_for_day,
    has_common_subject,
    is_for_now,
    is_for_while,
    list_anchored_pairs,
    names_coming_day,
    relation,
    states_something,
)
from gieok.memory.talk.statements.statement import read_sentences
from gieok.memory.talk.subject_finder import SubjectFinder
from gieok.model.conversation import CORRECTED_MARK
from gieok.ports.models import ChangeReading, Embedder, Reader, Vector
from gieok.ranking.calibration import bound_log_odds

#: Log-odds that the rules add to the reader's.
_BY_RULE = {SURE: 5.0, UNSURE: 1.5, UNRELATED: 0.0}
#: And where the later statement names a subject that the earlier one lacks.
_DIFFERING = -1.5
#: Sum from which a pair is a change. At 5 and 6, of those neighbours 10 and 5 are marked, of the
#: changes 331 and 274.
_SURE_FROM = 5.5
#: Shares of two sentences and of the whole statements in the evidence for a likely change, the sum
#: from which it is one, a part's included, and what a subject that differs takes from it
#: (docs/figures.md).
_SENTENCES_SHARE, _WHOLE_SHARE = 0.5, 0.5
_LIKELY_FROM, _LIKELY_DIFFERING = 1.5, -1.0
#: What a person's correction of the later statement adds to it: its words are those of the person,
#: and say no more what they changed.
_BY_CORRECTION = 1.5
#: Log-odds of the whole statements from which one that is far nearer than all others is likely
#: changed without a word that says so.
_AHEAD_FROM = 3.0
#: Pairs of sentences of two turns that are read for a likely change.
_MOST_SENTENCES = 6
#: Characters of a statement that are read.
_MOST_CHARS = 400
#: Pairs that one step reads, some 20 ms each.
_MOST_READ = 200


class PairJudge:
    """Judge by rules, and by a reader where there is one.

    An `embedder` tells which fact of a sentence changed, and what a statement is about; without
    one, shared words do.
    """

    def __init__(self, reader: Reader | None, embedder: Embedder | None = None) -> None:
        self._facts = FactFinder(embedder)
        self._subjects = SubjectFinder(embedder)
        self._readings = KeptAnswers(partial(_read_change, reader) if reader else None)

    @property
    def missed(self) -> int:
        """Return the number of pairs and texts that were to be read after `close`."""
        return self._readings.missed + self._facts.vectors.missed + self._subjects.missed

    @property
    def reads(self) -> bool:
        """Say whether there is a reader, and it can run."""
        return self._readings.can_answer

    @property
    def is_tired(self) -> bool:
        """Say whether enough was read for one step."""
        return len(self._readings) >= _MOST_READ

    def close(self) -> None:
        """Ask the models for nothing more: only pairs that were read before are weighed."""
        self._readings.close()
        self._facts.vectors.close()
        self._subjects.close()

    def find_subject_vector(self, text: str, own: Vector, model: str) -> Vector | None:
        """Return the vector of a statement's subject, for a store with vectors of `model`.

        None where no embedder can tell; `own` is the statement's vector in the store.
        """
        return self._subjects.find(text, own, model)

    def review(self, judgement: Relation, earlier: str, later: str) -> Relation:
        """Return a judgement of the rules with the reader's weighed in, if there is one.

        Of a sentence that tells several facts, the one that changed is the claim; where it cannot
        be told which one did, nothing is sure.
        """
        reviewed = self._weigh_reading(judgement, earlier, later)
        if not reviewed.is_sure:
            return reviewed
        fact = self._facts.find(reviewed.claim, reviewed.by)
        return reviewed._replace(sureness=UNSURE) if fact is None else reviewed._replace(claim=fact)

    def _weigh_reading(self, judgement: Relation, earlier: str, later: str) -> Relation:
        if not (judgement.is_sure or _has_possible_change(earlier, later)):
            return judgement
        chance = self._change(earlier, later)
        if chance is None:
            return judgement
        if _weigh_evidence(chance, judgement) < _SURE_FROM:
            return judgement._replace(sureness=UNSURE) if judgement.is_sure else judgement
        return judgement if judgement.is_sure else self._locate(judgement, earlier, later)

    def find_likely_change(
        self, earlier: str, later: str, *, is_ahead: bool = False
    ) -> Relation | None:
        """Return the sentences of a later statement that likely says something else on a subject.

        People change a fact in passing, so sentences are read beside the whole turns: of sentences
        alone, the reader takes twice as many of other people's neighbours for a change. None
        without a reader, and without a word that may name the subject in both: a statement such as
        "that is off, too" fits everything. `is_ahead`: the earlier statement is far nearer to the
        later one than all others are, and so needs no such word. Of a sentence that tells several
        facts, the one that the later statement is about is read in its place, where it is known.
        """
        sentences = read_sentences(earlier)
        pairs = list_anchored_pairs(earlier, later)[:_MOST_SENTENCES]
        if not pairs and not (is_ahead and any(map(states_something, sentences))):
            return None
        said = earlier
        if len(sentences) == 1:
            said = self._facts.find(earlier, later) or earlier
        whole = self._read_likely(said, later)
        if whole is None:
            return None
        if not pairs:
            if whole < _AHEAD_FROM:
                return None
            claim = self._facts.find(earlier, later) or earlier
            return relation(claim, later)._replace(claim=claim, by=later)
        best: Relation | None = None
        most = _LIKELY_FROM - (_BY_CORRECTION if CORRECTED_MARK in later else 0.0)
        for sentence, by in pairs:
            claim = self._facts.find(sentence, by) or sentence
            judgement = relation(claim, by)
            read = self._read_likely(claim, by)
            if read is None:
                return None
            evidence = _SENTENCES_SHARE * read + _WHOLE_SHARE * whole
            evidence += _weigh_rules(judgement, _LIKELY_DIFFERING)
            if evidence >= most:
                best, most = judgement._replace(claim=claim, by=by), evidence
        return best

    def _read_likely(self, earlier: str, later: str) -> float | None:
        """Return the reader's log-odds of a change, of a part too; None where nothing was read."""
        reading = self._read(earlier, later)
        return bound_log_odds(min(1.0, reading.whole + reading.part)) if reading else None

    def _locate(self, judgement: Relation, earlier: str, later: str) -> Relation:
        """Return a sure relation of the two sentences that the change is about.

        The judgement of the rules stands where no two sentences are a change by themselves: of long
        turns, a sum over the whole is no evidence for a part. A question or a request for one piece
        of work states nothing that could end. Where no rule ties the two sentences, a word has to
        be in both that may name their subject: without one, the reader is as certain of some
        sentences that have nothing in common as it is of changes.
        """
        claims = [
            sentence.text for sentence in read_sentences(earlier) if states_something(sentence)
        ]
        if not claims:
            return judgement
        claim = max(claims, key=lambda text: self._change(text, later) or 0.0)
        changes = [sentence.text for sentence in read_sentences(later)]
        by = max(changes, key=lambda text: self._change(claim, text) or 0.0)
        chance, tie = self._change(claim, by), relation(claim, by)
        if chance is None or _weigh_evidence(chance, tie) < _SURE_FROM:
            return judgement
        if not _is_possible_change(claim, by, tie):
            return judgement
        return judgement._replace(
            sureness=SURE, claim=claim, by=by, spoke_for=judgement.spoke_for or ("the reader",)
        )

    def _change(self, earlier: str, later: str) -> float | None:
        """Return the probability of a whole change by the reader; None where nothing was read."""
        reading = self._read(earlier, later)
        return reading.whole if reading is not None else None

    def _read(self, earlier: str, later: str) -> ChangeReading | None:
        """Return what the reader says of a pair; None without one, or where it cannot run."""
        return self._readings.find((earlier[:_MOST_CHARS], later[:_MOST_CHARS]))


def _read_change(reader: Reader, pair: tuple[str, str]) -> ChangeReading:
    return reader.read_change(*pair)


def _has_possible_change(earlier: str, later: str) -> bool:
    """Say whether two sentences of two statements may be a change, whatever the reader says.

    Most neighbours have nothing in common that names a subject; reading them takes some 15 ms each.
    """
    return any(
        _is_possible_change(claim.text, by.text, relation(claim.text, by.text))
        for claim in read_sentences(earlier)
        if states_something(claim)
        for by in read_sentences(later)
    )


def _is_possible_change(claim: str, by: str, tie: Relation) -> bool:
    """Say whether a sentence may change an earlier one to which it has a relation by the rules."""
    if tie.sureness == UNRELATED and not has_common_subject(claim, by):
        return False
    return tie.is_sure or not _is_passing(claim, by)


def _is_passing(claim: str, by: str) -> bool:
    """Say whether a later sentence tells of a day or a while, and the earlier one of no such time.

    "No deploys today" ends no standing rule about deploys, "for now just file an issue" none on how
    they are titled, and "while I'm away Noor merges" says not who merges thereafter.
    """
    return (
        (denies_for_day(by) and not names_coming_day(claim))
        or is_for_now(by)
        or (is_for_while(by) and not is_for_while(claim))
    )


def _weigh_evidence(chance: float, judgement: Relation) -> float:
    """Return the evidence for a change, the reader's and the rules' together."""
    return bound_log_odds(chance) + _weigh_rules(judgement, _DIFFERING)


def _weigh_rules(judgement: Relation, of_differing: float) -> float:
    """Return the evidence of the rules; `of_differing` is that of a subject which differs."""
    return _BY_RULE[judgement.sureness] + (of_differing if judgement.differing else 0.0)
