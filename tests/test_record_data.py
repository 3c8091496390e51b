"""What the benchmark of a record counts as binding was really said in its transcript."""

import gzip
import json
import sys
from pathlib import Path

import pytest

_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(_BENCHMARKS))

import record  # noqa: E402 - what the benchmark reads
import told  # noqa: E402

_OWN = sorted((_BENCHMARKS / "data/record").glob("*.txt"))
#: Those that say where each statement was made, so that a scripted model can observe them.
_WITH_PLACES = [file for file in _OWN if file.stem != "studio"]


@pytest.mark.parametrize("file", _OWN, ids=lambda file: file.stem)
def test_all_that_binds_of_our_own_transcripts_was_said_in_them(file: Path) -> None:
    ((name, transcript),) = record.read_transcripts(file).items()
    said = "\n".join(turn["text"] for row in transcript.sessions for turn in row["turns"])
    missing = [row["what"] for row in transcript.binding if not told.is_recalled(row, said)]
    assert (name, missing) == (file.stem, [])
    assert len(transcript.binding) > 25


@pytest.mark.parametrize("file", _WITH_PLACES, ids=lambda file: file.stem)
def test_a_scripted_model_is_asked_for_all_that_binds_in_the_words_it_is_known_by(
    file: Path,
) -> None:
    ((_, transcript),) = record.read_transcripts(file).items()
    assert transcript.told is not None
    facts = {fact["id"]: fact for fact in transcript.told["facts"]}
    asked = {
        fact
        for session in transcript.told["sessions"]
        for turn in session["turns"]
        if turn["role"] == "user"
        for fact in turn["facts"]
    }
    assert asked == facts.keys()
    assert {fact["replaces"] for fact in facts.values()} - {None} <= facts.keys()
    statements = "\n".join(fact["statement"] for fact in facts.values())
    assert all(told.is_recalled(row, statements) for row in transcript.binding)


def test_a_transcript_without_places_has_nothing_for_a_scripted_model() -> None:
    assert record.list_told_facts([], [{"what": "x", "want": ["x"]}]) is None


def test_a_transcript_that_is_filled_keeps_its_own_sessions_and_gains_no_duty(
    tmp_path: Path,
) -> None:
    own = record.Transcript(
        [
            {
                "id": "a",
                "at": "2026-05-01T09:00:00+00:00",
                "turns": [{"role": "user", "text": "x"}],
            },
            {
                "id": "b",
                "at": "2026-06-01T09:00:00+00:00",
                "turns": [{"role": "user", "text": "y"}],
            },
        ],
        [{"what": "x", "want": ["x"], "match": "any"}],
    )
    others = [
        {"id": str(n), "at": "2023-01-01", "turns": [{"role": "user", "text": "other talk " * 50}]}
        for n in range(9)
    ]
    file = tmp_path / "sessions.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in others)
    filled = record.fill_transcript(own, file, 300)
    assert filled.binding == own.binding
    assert {row["id"] for row in own.sessions} < {row["id"] for row in filled.sessions}
    assert sum(map(record._count_session_tokens, filled.sessions)) >= 300
    days = [row["at"][:10] for row in filled.sessions]
    assert min(days) == "2026-05-01"
    assert max(days) == "2026-06-01"
