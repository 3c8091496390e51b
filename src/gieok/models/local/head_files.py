"""Files of a reader's head: its graph and constants, built on this machine from the adapter.

The folder's name changes with the adapter, so another release never finds this one's files, and
vectors need not be made anew for a better head.
"""

import json
import shutil
from pathlib import Path

from gieok.models.local.adapter import OF_STATES, hash_adapter, open_adapter
from gieok.models.local.convert import convert_e5_model
from gieok.models.local.folder import build_model_folder, seal_model_folder
from gieok.models.local.graph import build_head_graph, build_states_graph, save_graph
from gieok.models.local.manifest import (
    HASHED_BYTES,
    describe_model_files,
    is_model_file_whole,
    read_e5_manifest,
)
from gieok.models.local.releases import CURRENT
from gieok.models.local.weights import Weights, find_weights

_GRAPH, _CONSTANTS, _MANIFEST = "head.onnx", "head.bin", "manifest.json"
_FILES = (_GRAPH, _CONSTANTS)
_DIGITS = 8


def build_head(models: Path, name: str, *, again: bool = False) -> Path:
    """Build a head unless it is there; return its graph. Raises EmbedderFailed.

    Its weights are of as many bits as the embedder's, whose conversion tried them on this machine.
    """
    convert_e5_model(models, CURRENT)
    encoder = read_e5_manifest(models / CURRENT.folder)
    bits = encoder.weight_bits if encoder else 7

    def is_whole() -> bool:
        return not again and find_whole_head(models, name) is not None

    def build(folder: Path) -> None:
        build_graph = build_states_graph if name in OF_STATES else build_head_graph
        graph = build_graph(Weights(find_weights(models)), open_adapter(name), bits)
        save_graph(graph, folder / _GRAPH, _CONSTANTS)
        manifest = folder / _MANIFEST
        manifest.write_text(json.dumps(describe_model_files(folder, _FILES), indent=1))
        seal_model_folder(folder, [*(folder / file for file in _FILES), manifest])

    folder = _locate_head(models, name)
    build_model_folder(folder, is_whole, build)
    for other in models.glob(f"reader-{name}-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)  # of an earlier release
    return folder / _GRAPH


def find_whole_head(models: Path, name: str) -> Path | None:
    """Return the graph of a finished head; None where there is none."""
    folder = _locate_head(models, name)
    try:
        files = json.loads((folder / _MANIFEST).read_bytes())
        is_whole = all(is_model_file_whole(folder, files, file, HASHED_BYTES) for file in _FILES)
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return folder / _GRAPH if is_whole else None


def _locate_head(models: Path, name: str) -> Path:
    return models / f"reader-{name}-{hash_adapter(name)[:_DIGITS]}"
