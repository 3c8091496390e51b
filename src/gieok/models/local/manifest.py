"""Manifest of a converted model: its files, and the check that a folder holds it whole."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gieok.models.local import encoder, languages, tokenizer

FILES = (*encoder.FILES, *tokenizer.FILES, languages.FILE)
_FILE = "manifest.json"
#: Larger files are checked by size alone where a model is opened.
HASHED_BYTES = 2_000_000


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
    #: adapter → SHA-256
    adapters: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the manifest into `folder` and return its path."""
        file = folder / _FILE
        file.write_bytes(json.dumps(asdict(self), indent=1).encode())
        return file

    def damaged(self, folder: Path, *, largest: int | None = None) -> list[str]:
        """Return the names of files whose content differs from the manifest.

        Files above `largest` bytes are compared by size alone.
        """
        return [
            name for name in FILES if not is_model_file_whole(folder, self.files, name, largest)
        ]


def read_e5_manifest(folder: Path) -> ModelManifest | None:
    """Return the manifest if the folder holds a finished model.

    The table and the encoder (46 MB) are checked by size alone: hashing them takes as long as the
    rest of a cold start.
    """
    try:
        manifest = ModelManifest(**json.loads((folder / _FILE).read_bytes()))
        return None if manifest.damaged(folder, largest=HASHED_BYTES) else manifest
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def hash_model_file(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def describe_model_files(folder: Path, names: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return file → (bytes, SHA-256)."""
    return {
        name: ((folder / name).stat().st_size, hash_model_file(folder / name)) for name in names
    }


def is_model_file_whole(
    folder: Path, files: Mapping[str, tuple[int, str]], name: str, largest: int | None
) -> bool:
    """Say whether a file is as a manifest's row says; above `largest` bytes by size alone."""
    size, digest = files[name]
    if (folder / name).stat().st_size != size:
        return False
    return (largest is not None and size > largest) or hash_model_file(folder / name) == digest
