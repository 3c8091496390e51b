"""Conversion of the shipped weights into the model that runs, stored in the models folder.

It runs once and takes about three seconds.

The vocabulary is pruned to Korean, ASCII, Han, symbols and single characters of any script: 112,000
of 250,000 pieces, which takes 26 MB off the table and changes no Korean or English text's tokens.
The encoder becomes 8-bit; its vectors are then compared with the float graph's, because on
processors without VNNI the 8-bit products can overflow; if they do, the weights are made again in 7
bits, which cannot.
"""

from functools import cache
from pathlib import Path

from gieok.models.local import encoder, languages, tokenizer
from gieok.models.local.adapter import FIND, hash_adapter, open_adapter
from gieok.models.local.encoder import DIMENSION, Encoder, TokenTable, open_session
from gieok.models.local.folder import build_model_folder, seal_model_folder
from gieok.models.local.graph import build_encoder_graph, save_graph
from gieok.models.local.manifest import (
    FILES,
    ModelManifest,
    describe_model_files,
    read_e5_manifest,
)
from gieok.models.local.platforms import PINNED
from gieok.models.local.probes import embed_probe_sentences, neighbour_cosines
from gieok.models.local.releases import Release
from gieok.models.local.weights import SHA256, Vocabulary, Weights, find_weights

#: Where 8-bit products overflow, a probe falls far below this; 0.97 to 0.98 is what 8 bits cost.
_LEAST_COSINE = 0.96

_BOUNDARY = "\u2581"
#: ASCII, precomposed and single Hangul letters, and Han.
_KEPT_LETTERS = (
    (0, 0x7F),
    (0xAC00, 0xD7A3),
    (0x1100, 0x11FF),
    (0x3130, 0x318F),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
)


def convert_e5_model(models: Path, release: Release, *, again: bool = False) -> None:
    """Build a release under `models` unless a finished one is there; `again` replaces it too.

    Raises EmbedderFailed: the weights are missing or not the pinned ones, or the folder cannot be
    written.
    """

    def is_whole() -> bool:
        return not again and read_e5_manifest(models / release.folder) is not None

    def build(folder: Path) -> None:
        _build_model_files(folder, Weights(find_weights(models)), release)

    build_model_folder(models / release.folder, is_whole, build)


def _build_model_files(folder: Path, weights: Weights, release: Release) -> None:
    _save_rows(folder, weights, _save_vocabulary(folder, weights.vocabulary))
    bits, least, cosines = _save_encoder(folder, weights, release)
    manifest = ModelManifest(
        package=PINNED,
        source_sha256=SHA256,
        adapters={FIND: hash_adapter(FIND)} if release.strength else {},
        weight_bits=bits,
        least_cosine=least,
        probe_cosines=cosines,
        files=describe_model_files(folder, FILES),
    ).write(folder)
    seal_model_folder(folder, [*(folder / name for name in FILES), manifest])


def _save_vocabulary(folder: Path, full: Vocabulary) -> list[int]:
    """Write the tokenizer; return the row of the full table for each id of it."""
    mask = len(full.pieces) - 1
    never_text = {full.begin, full.end, full.pad, full.unknown, mask}
    kept_pieces = {
        piece: i for i, piece in enumerate(full.pieces) if i not in never_text and _is_kept(piece)
    }
    pieces = tokenizer.save_tokenizer_tables(
        folder, {piece: full.scores[i] for piece, i in kept_pieces.items()}, full.replacements
    )
    return [full.begin, full.end, full.unknown, *(kept_pieces[piece] for piece in pieces)]


def _is_kept(piece: str) -> bool:
    letters = piece.removeprefix(_BOUNDARY)
    return len(letters) == 1 or letters.isascii() or not any(map(_is_foreign_letter, letters))


@cache  # 250,000 pieces have some 15,000 characters
def _is_foreign_letter(character: str) -> bool:
    return character.isalpha() and not any(
        first <= ord(character) <= last for first, last in _KEPT_LETTERS
    )


def _save_rows(folder: Path, weights: Weights, kept: list[int]) -> None:
    import numpy as np

    scales, nibbles = weights.blocks("emb.word", DIMENSION)
    positions = (
        weights.floats("emb.pos").reshape(-1, DIMENSION) + weights.floats("emb.type")[:DIMENSION]
    )
    np.save(folder / encoder.SCALES, scales[kept].view("<f2"))
    np.save(folder / encoder.ROWS, nibbles[kept])
    np.save(folder / encoder.POSITIONS, positions.astype("<f2"))


def _save_encoder(
    folder: Path, weights: Weights, release: Release
) -> tuple[int, float, list[float]]:
    """Write the encoder and the language means.

    Returns the encoder's bits, the lowest cosine and the exact probe cosines.
    """
    import numpy as np

    table, adapter = TokenTable(folder), open_adapter(FIND, release.strength)
    exact = embed_probe_sentences(
        Encoder(
            open_session(build_encoder_graph(weights, adapter, None).SerializeToString(), 1),
            table,
        )
    )
    for bits in (8, 7):
        graph = build_encoder_graph(weights, adapter, bits)
        small = Encoder(open_session(graph.SerializeToString(), 1), table)
        least = float((exact * embed_probe_sentences(small)).sum(axis=1).min())
        if least >= _LEAST_COSINE:
            break
    save_graph(graph, folder / encoder.ENCODER, encoder.CONSTANTS)
    np.save(folder / languages.FILE, languages.means(small))
    return bits, round(least, 6), neighbour_cosines(exact)
