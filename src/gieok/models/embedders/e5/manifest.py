"""Manifest of a converted model: its files, and the check that a folder holds it whole."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from gieok.models.embedders.e5 import encoder, languages, tokenizer

#: The name changes with the format and with the pinned weights, so another version never finds this
#: one's files.
FOLDER = "e5-small-koen-int8-v1"
FILES = (*encoder.FILES, *tokenizer.FILES, languages.FILE)
_FILE = "manifest.json"
_HASHED_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class ModelManifest:
    """Record of a converted model's source and files; written last."""

    package: str
    source_sha256: str
    #: 8, or 7 on a processor whose 8-bit products overflow.
    weight_bits: int
    #: The lowest cosine between a probe's vector and the float graph's.
    least_cosine: float
    #: The cosine of each probe to the one before it, by the float graph.
    probe_cosines: list[float]
    #: file → (bytes, SHA-256)
    files: dict[str, tuple[int, str]]

    def write(self, folder: Path) -> Path:
        """Write the manifest into `folder` and return its path."""
        file = folder / _FILE
        file.write_bytes(json.dumps(asdict(self), indent=1).encode())
        return file

    def damaged(self, folder: Path, *, largest: int | None = None) -> list[str]:
        """Return the names of files whose content differs from the manifest.

        Files above `largest` bytes are compared by size alone.
        """
        return [name for name in FILES if not self._is_whole(folder, name, largest)]

    def _is_whole(self, folder: Path, name: str, largest: int | None) -> bool:
        size, digest = self.files[name]
        if (folder / name).stat().st_size != size:
            return False
        return (largest is not None and size > largest) or hash_model_file(folder / name) == digest


def read_e5_manifest(folder: Path) -> ModelManifest | None:
    """Return the manifest if the folder holds a finished model.

    The table and the encoder (46 MB) are checked by size alone: hashing them takes as long as the
    rest of a cold start.
    """
    try:
        manifest = ModelManifest(**json.loads((folder / _FILE).read_bytes()))
        return None if manifest.damaged(folder, largest=_HASHED_BYTES) else manifest
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def hash_model_file(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
