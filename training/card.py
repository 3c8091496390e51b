"""Write the card of the adapters that ship: `python training/card.py`.

`adapters/card.json` beside them says what each was fitted on: a digest of every file of rows, and of
the adapter. A test compares it with what is there, so that rows, figures and weights that no longer
belong together are noticed.
"""

import hashlib
import json
from pathlib import Path

_DATA = Path(__file__).parent / "data"
_ADAPTERS = Path(__file__).parents[1] / "src/gieok/models/local/adapters"
CARD = _ADAPTERS / "card.json"
#: Rows that each shipped adapter was fitted on (README.md says how). Kept out are judge_b,
#: judge_mx4, pairs_en, pairs_ko and told_t4, of *bears* and *relation* judge_j5 too, of *worth*
#: worth_w4, of *spans* spans_s4 and spans_s8: the other weights of the product are fitted on them.
_MEMORIES = ("judge_a", "judge_en3", "judge_ko3", "judge_w1", "judge_w2")
_PAIRS = tuple(f"pairs_p{number}" for number in range(3, 12))
_SENTENCES = ("worth_w3", "worth_w5", "worth_w6", "turns")
_SECRETS = ("spans_s3", "spans_s5", "spans_s6", "spans_s7", "spans_s9", "spans_s11")
#: Lines of these stand for texts without a secret.
_HARMLESS = ("worth_w4", "told_t3", "told_t4", "told_t5")
_CHATS = ("told_t3", "told_t5", "told_t6", "told_t7", "told_t8")
#: Messages with rules in them; kept out are rules_k1 to rules_k3.
_MESSAGES = (
    *(f"rules_r{number}" for number in range(1, 11)),
    *(f"rules_b{number}" for number in range(1, 9)),
)
#: Rules with uses of tools; kept out are uses_k1 to uses_k3.
_USES = tuple(f"uses_b{number}" for number in range(1, 9))
#: Memories by hands that wrote no changes.
_SHORT = ("judge_j6", "judge_j7", "judge_j8")
FITTED_ON = {
    "find": (*_MEMORIES, "pairs_p3"),
    "bears": (*_MEMORIES, *_SHORT, *_PAIRS, *_CHATS),
    "relation": (*_MEMORIES, *_SHORT, *_PAIRS),
    "worth": (*_MEMORIES, *_SENTENCES),
    "spans": (*_MEMORIES, *_SENTENCES, *_SECRETS, *_HARMLESS),
    "rules": (*_MESSAGES, *_SENTENCES, *_MEMORIES, *_SHORT, *_CHATS),
    "breaks": (*_USES, *_MEMORIES, *_SHORT, *_PAIRS, *_CHATS),
}


def describe_adapters() -> dict[str, object]:
    """Return adapter → its digest, and those of the rows that it was fitted on."""
    return {
        name: {
            "sha256": _digest(_ADAPTERS / f"{name}.npz"),
            "rows": {author: _digest(_locate_rows(author)) for author in authors},
        }
        for name, authors in FITTED_ON.items()
    }


def _locate_rows(author: str) -> Path:
    return _DATA / ("turns.tsv" if author == "turns" else f"{author}.jsonl")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    CARD.write_text(json.dumps(describe_adapters(), indent=1) + "\n", encoding="utf-8")
