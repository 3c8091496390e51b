"""Conversion of the shipped weights into the model that runs, stored in the models folder.

It runs once and takes about three seconds.

The vocabulary is pruned to Korean, ASCII, Han, symbols and single characters of any script: 112,000
of 250,000 pieces, which takes 26 MB off the table and changes no Korean or English text's tokens.
The encoder becomes 8-bit; its vectors are then compared with the float graph's, because on
processors without VNNI the 8-bit products can overflow; if they do, the weights are made again in 7
bits, which cannot.

The folder appears by one rename, complete and on disk, or not at all. One process converts at a
time; the leftovers of killed processes are removed by the next.
"""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from gieok import fs
from gieok.errors import EmbedderFailed
from gieok.models.embedders.e5 import encoder, languages, tokenizer
from gieok.models.embedders.e5.encoder import DIMENSION, Encoder, open_session
from gieok.models.embedders.e5.graph import build_encoder_graph, save_graph
from gieok.models.embedders.e5.manifest import (
    FILES,
    FOLDER,
    ModelManifest,
    hash_model_file,
    read_e5_manifest,
)
from gieok.models.embedders.e5.platforms import PINNED
from gieok.models.embedders.e5.probes import embed_probe_sentences, neighbour_cosines
from gieok.models.embedders.e5.tokenizer import Tokenizer
from gieok.models.embedders.e5.weights import SHA256, Vocabulary, Weights, find_weights

_LEAST_COSINE = 0.98
_MINE = f".{FOLDER}."

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


def convert_e5_model(models: Path, *, again: bool = False) -> None:
    """Build the model under `models` unless a finished one is there; `again` replaces it too.

    Raises EmbedderFailed: the weights are missing or not the pinned ones, or the folder cannot be
    written.
    """
    folder = models / FOLDER
    try:
        with fs.exclusive(models / f"{_MINE}lock"):
            if again or read_e5_manifest(folder) is None:
                _remove_leftovers(models)
                _replace_model_folder(folder)
    except OSError as error:
        hint = f"make {models} writable, with 100 MB to spare, and run the command again"
        raise EmbedderFailed(
            f"the embedding model cannot be written: {error}", hint=hint
        ) from error


def _replace_model_folder(folder: Path) -> None:
    weights = Weights(find_weights(folder.parent))
    new_folder = Path(tempfile.mkdtemp(prefix=_MINE, suffix=".new", dir=folder.parent))
    try:
        _build_model_files(new_folder, weights)
        if folder.exists():
            folder.rename(new_folder.with_suffix(".old"))
        new_folder.rename(folder)
        _fsync_model_path(folder.parent)
    finally:
        _remove_leftovers(folder.parent)


def _remove_leftovers(models: Path) -> None:
    """Remove the leftovers of this process and of killed ones.

    The lock is held, so no other process is converting.
    """
    for leftover in [*models.glob(f"{_MINE}*.new"), *models.glob(f"{_MINE}*.old")]:
        shutil.rmtree(leftover, ignore_errors=True)


def _build_model_files(folder: Path, weights: Weights) -> None:
    _save_rows(folder, weights, _save_vocabulary(folder, weights.vocabulary))
    bits, least, cosines = _save_encoder(folder, weights)
    files = {
        name: ((folder / name).stat().st_size, hash_model_file(folder / name)) for name in FILES
    }
    manifest = ModelManifest(
        package=PINNED,
        source_sha256=SHA256,
        weight_bits=bits,
        least_cosine=least,
        probe_cosines=cosines,
        files=files,
    ).write(folder)
    for file in (*(folder / name for name in FILES), manifest, folder):
        file.chmod(0o700 if file.is_dir() else 0o600)
        _fsync_model_path(file)


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


def _save_encoder(folder: Path, weights: Weights) -> tuple[int, float, list[float]]:
    """Write the encoder and the language means.

    Returns the encoder's bits, the lowest cosine and the exact probe cosines.
    """
    import numpy as np

    tokens = Tokenizer(folder)
    exact = embed_probe_sentences(
        Encoder(
            open_session(build_encoder_graph(weights, None).SerializeToString(), 1), tokens, folder
        )
    )
    for bits in (8, 7):
        graph = build_encoder_graph(weights, bits)
        small = Encoder(open_session(graph.SerializeToString(), 1), tokens, folder)
        least = float((exact * embed_probe_sentences(small)).sum(axis=1).min())
        if least >= _LEAST_COSINE:
            break
    save_graph(graph, folder / encoder.ENCODER, encoder.CONSTANTS)
    np.save(folder / languages.FILE, languages.means(small))
    return bits, round(least, 6), neighbour_cosines(exact)


def _fsync_model_path(path: Path) -> None:
    """Flush a file or folder to disk; skip a folder that Windows cannot open."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
