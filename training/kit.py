"""Write the kit that training reads: `python training/kit.py --models FOLDER --out KIT`.

The kit holds the weights of the bundled model (4 bits, as they are distributed), the embedding rows
of the pieces that occur, the tokens of every text, the rows, the measuring sets and the scripts: 20
MB that train on any machine with torch and numpy. This script alone needs the product installed,
whose tokenizer and weights it uses.
"""

import argparse
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rows import ChatLine, Sentence, read_rows
from sets import read_sets
from shape import LAYERS, LINEARS
from tells import FILE, read_readings, write_readings
from texts import text_key

from gieok.models.local.encoder import BLOCK, POSITIONS, ROWS, SCALES
from gieok.models.local.releases import CURRENT
from gieok.models.local.runtime import E5Embedder
from gieok.models.local.tokenizer import BEGIN, END, UNKNOWN, Tokenizer
from gieok.models.local.weights import Weights, find_weights

_HERE = Path(__file__).parent
#: Code of the product that a head is fitted with: it names the values of a text and describes them.
_BROUGHT = "gieok/text/secrets"
_LABELS = ("query:", "passage:", "User:", "Assistant:", "earlier:", "later:", "rule:", "use:")


def main() -> None:
    """Write the kit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--models", type=Path, required=True, help="holds the converted model, or gets it"
    )
    parser.add_argument("--sets", type=Path, help="folder of measuring sets (README.md)")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    shutil.copytree(
        _HERE,
        options.out / "training",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    _copy_product_code(options.out / "src")
    if options.sets:
        _copy_sets(options.sets, options.out / "sets")
    E5Embedder(options.models).embed_query("")  # converts the model where it is not there
    write_readings(options.out / FILE, read_rows(options.out / "training" / "data").chats)
    texts = sorted(set(list_texts(options.out)))
    used = write_texts(options.out, options.models / CURRENT.folder, texts)
    write_base(options.out, options.models, used)
    size = sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file())
    print(f"{len(texts)} texts, {len(used)} pieces, {size / 1e6:.1f} MB in {options.out}")


def list_texts(kit: Path) -> Iterator[str]:
    """Yield every text that training or measuring turns into tokens."""
    yield from _LABELS
    rows = read_rows(kit / "training" / "data")
    for memory in rows.memories:
        said = (memory.text, *memory.near, *memory.chatter, memory.same, memory.update)
        yield from _twice((*said, *memory.not_update, memory.before))
        yield from (ask.text for ask in memory.asks)
        yield from memory.absent
    for pair in rows.pairs:
        yield from _twice((pair.earlier, *(text for _, text in pair.later)))
        yield pair.ask
    lines: list[Sentence | ChatLine] = [*rows.sentences, *rows.chats]
    for row in lines:
        yield from _twice((row.before, row.text))
    yield from (row.text for row in rows.secrets)
    for message in rows.rules:
        yield from filter(None, (message.before, message.text))
    for rule in rows.uses:
        yield from (rule.text, rule.stated)
        yield from (use.text for use in rule.uses)
    for talk in rows.talks:
        yield from (*(line for _, line in talk.talk), talk.text)
    for reading in read_readings(kit / FILE):
        yield f"{reading.predicate}:"
        yield reading.value
    for found in read_sets(kit / "sets"):
        for group in found.groups:
            yield from _twice(group.passages.values()) if found.turns else group.passages.values()
            yield from (question.text for question in group.questions)
        yield from found.silent


def write_texts(kit: Path, model: Path, texts: list[str]) -> np.ndarray:
    """Write the tokens of `texts`; return the bundled ids of the kit's rows, in order."""
    tokenizer = Tokenizer(model)
    ids: list[int] = []
    places: list[tuple[int, int]] = []
    stops = []
    for text in texts:
        assert unicodedata.is_normalized("NFC", text), text
        for piece in tokenizer.pieces(text):
            ids.append(piece.id)
            places.append((piece.start, piece.end))
        stops.append(len(ids))
    used = np.unique([BEGIN, END, UNKNOWN, *ids])
    assert used[0] == BEGIN
    assert used[1] == END
    assert len(used) < 1 << 16
    found = np.array(places, np.uint16)
    covered: dict[str, Any] = {"from": found[:, 0], "to": found[:, 1]}
    np.savez_compressed(
        kit / "texts.npz",
        keys=np.array([list(text_key(text)) for text in texts], np.uint8),
        stops=np.array(stops, np.uint32),
        ids=np.searchsorted(used, ids).astype(np.uint16),
        **covered,
    )
    return used


def write_base(kit: Path, models: Path, used: np.ndarray) -> None:
    """Write the weights: matrices as scales and nibbles, the rest as float16 or float32."""
    weights = Weights(find_weights(models))
    folder = models / CURRENT.folder
    arrays = {
        "rows.scales": np.load(folder / SCALES)[used],
        "rows.nibbles": np.load(folder / ROWS)[used],
        "positions": np.load(folder / POSITIONS),
        "epsilon": np.float32(weights.shape.epsilon),
    }
    for layer in range(LAYERS):
        for part, (inputs, _) in LINEARS.items():
            scales, nibbles = weights.blocks(f"l{layer}.{part}.w", inputs)
            arrays[f"l{layer}.{part}.w.scales"] = scales.view("<f2")
            arrays[f"l{layer}.{part}.w.nibbles"] = nibbles
            arrays[f"l{layer}.{part}.b"] = weights.floats(f"l{layer}.{part}.b")
        for part in ("aln.w", "aln.b", "oln.w", "oln.b"):
            arrays[f"l{layer}.{part}"] = weights.floats(f"l{layer}.{part}")
    for part in ("emb.ln.w", "emb.ln.b"):
        arrays[part] = weights.floats(part)
    assert BLOCK == 32
    np.savez(kit / "base.npz", **arrays)


def _twice(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as they are and as a turn quotes them."""
    for text in texts:
        if text:
            yield text
            yield f'"{text}"'


def _copy_product_code(target: Path) -> None:
    """Copy the modules that training imports, which need the standard library alone."""
    shutil.copytree(
        _HERE.parent / "src" / _BROUGHT,
        target / _BROUGHT,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for package in Path(_BROUGHT).parents:
        if package.name:
            (target / package / "__init__.py").write_text("")


def _copy_sets(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for file in sorted(source.rglob("*.json")):
        if file.stem in {"locomo", "xquad_en_sent", "cosqa_dev", "told_dev"} or file.stem in {
            "tatoeba_en_ko",
            "tatoeba_ko_en",
            "korsts_paraphrase",
        }:
            shutil.copy(file, target / file.name)


if __name__ == "__main__":
    main()
