"""What the benchmark of a record counts as binding was really said in its transcript."""

import gzip
import json
import sys
from pathlib import Path

_BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(_BENCHMARKS))

import record  # noqa: E402 - what the benchmark reads
import told  # noqa: E402


def test_all_that_binds_of_our_own_transcript_was_said_in_it() -> None:
    file = _BENCHMARKS / "data/record/studio.txt"
    ((name, transcript),) = record.read_transcripts(file).items()
    said = "\n".join(turn["text"] for row in transcript.sessions for turn in row["turns"])
    missing = [row["what"] for row in transcript.binding if not told.is_recalled(row, said)]
    assert (name, missing) == ("studio", [])
    assert len(transcript.binding) > 30


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
