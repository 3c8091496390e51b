"""Bundled embedder: loads the model at the first text, and converts it on the very first run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from gieok import paths
from gieok.errors import EmbedderFailed, Phrase
from gieok.models.local import room
from gieok.models.local.releases import CURRENT, EARLIER, Release
from gieok.opening import ModelOpening
from gieok.precedence import PROMPTS

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from gieok.models.local.encoder import Encoder

#: Cosines of unrelated texts lie between 0 and .4, so rounding to 8 bits moves them by up to .03.
_COSINE_TOLERANCE = 0.06


class E5Embedder:
    """`Embedder` on multilingual-e5-small. Cheap to make, safe to share between threads.

    A text's vector depends on the text alone. Text beyond about 8,000 tokens is not read.
    """

    dimension = 384

    def __init__(
        self,
        models: Path,
        *,
        release: Release = CURRENT,
        threads: int = 1,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Use a release of the model under `models`; a missing one is made there.

        Two threads were slower than one on busy cores.
        """
        self.model = release.model
        self._release = release
        self._models = models
        self._threads = threads
        self._say = say
        self._lock = Lock()
        self._loaded: Encoder | None = None
        self._errors: tuple[type[Exception], ...] = ()
        self._means: NDArray[float32] | None = None
        #: The last question: a prompt is judged and then searched with the same vector.
        self._last = "", b""

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return one unit vector per text, in order, little-endian float32.

        Raises EmbedderFailed.
        """
        from gieok.models.local.encoder import PASSAGE

        vectors = []
        for text in texts:
            # a passage takes some milliseconds, a batch of them more than a hook has
            PROMPTS.give_way()
            vectors.append(self._vector(PASSAGE, text))
        return vectors

    def embed_query(self, text: str) -> bytes:
        """Return the unit vector of a question, little-endian float32. Raises EmbedderFailed."""
        from gieok.models.local.encoder import QUERY

        last_text, vector = self._last
        if last_text != text or not vector:
            vector = self._vector(QUERY, text)
            self._last = text, vector
        return vector

    def check(self) -> list[str]:
        """Return the faults of the model on this machine, empty for none. Raises EmbedderFailed."""
        from gieok.models.local.manifest import read_e5_manifest
        from gieok.models.local.probes import embed_probe_sentences, neighbour_cosines

        encoder, folder = self._encoder(), self._models / self._release.folder
        manifest = read_e5_manifest(folder)
        if manifest is None:
            return [f"{folder} is not complete; remove it and run the command again"]
        if damaged := manifest.damaged(folder):
            return [
                f"{folder / name} is damaged; remove {folder} and run the command again"
                for name in damaged
            ]
        cosines = neighbour_cosines(embed_probe_sentences(encoder))
        worst = max(abs(a - b) for a, b in zip(cosines, manifest.probe_cosines, strict=True))
        if worst > _COSINE_TOLERANCE:
            return [
                (
                    f"8-bit vectors are off by {worst:.3f} on this processor; remove {folder} and "
                    "run the command again"
                )
            ]
        return []

    def _vector(self, form: str, text: str) -> bytes:
        encoder = self._encoder()
        from gieok.models.local.languages import centred

        try:
            vector = centred(encoder.vector(form, text), self._language_means(), form, text)
        except self._errors as error:
            raise EmbedderFailed("the embedding model failed: {error}", error=error) from error
        return (vector / (vector @ vector) ** 0.5).astype("<f4").tobytes()

    def _encoder(self) -> "Encoder":
        if self._loaded is None:
            from gieok.models.onnx_errors import run_errors

            with self._lock:
                if self._loaded is None:
                    try:
                        loaded = _open_e5_encoder(
                            self._models, self._release, self._threads, self._say
                        )
                    except MemoryError as error:
                        raise room.build_memory_shortage_error(
                            "it ran out while the model was loaded"
                        ) from error
                    self._errors = (MemoryError, *run_errors())
                    self._loaded = loaded
        return self._loaded

    def _language_means(self) -> "NDArray[float32]":
        if self._means is None:
            import numpy as np

            from gieok.models.local import languages

            self._means = np.load(self._models / self._release.folder / languages.FILE)
        return self._means


def open_e5_embedder(opening: ModelOpening) -> E5Embedder:
    """Return the embedder of a home folder: the release that `model` names, or the current one."""
    named = [release for release in EARLIER if release.model == opening.model]
    return E5Embedder(
        paths.locate_models(opening.home),
        release=named[0] if named else CURRENT,
        threads=opening.threads,
        say=opening.say,
    )


def _open_e5_encoder(
    models: Path, release: Release, threads: int, say: Callable[[str], None]
) -> "Encoder":
    """Open the converted model; convert it if it is missing, and again if it is damaged."""
    from gieok.models.local import encoder
    from gieok.models.local.manifest import read_e5_manifest

    folder = models / release.folder
    room.require_address_space(room.LOADED_BYTES)
    try:
        errors = encoder.load_errors()
    except ImportError as error:
        raise _build_missing_package_error(error) from error
    if read_e5_manifest(folder) is None:
        say("preparing the embedding model, once (a few seconds)")
        _convert_checked_model(models, release)
    try:
        return encoder.open_encoder(folder, threads)
    except errors:
        _convert_checked_model(models, release, again=True)
    try:
        return encoder.open_encoder(folder, threads)
    except errors as error:
        hint = Phrase("remove {folder} and run the command again", folder=folder)
        raise EmbedderFailed(
            "the embedding model in {folder} cannot be loaded: {error}",
            folder=folder,
            error=error,
            hint=hint,
        ) from error


def _convert_checked_model(models: Path, release: Release, *, again: bool = False) -> None:
    room.require_address_space(room.CONVERTED_BYTES)
    # Imported here: what only conversion needs (shutil, tempfile) is not paid for by every cold
    # start.
    from gieok.models.local.convert import convert_e5_model

    try:
        convert_e5_model(models, release, again=again)
    except ImportError as error:
        raise _build_missing_package_error(error) from error


def _build_missing_package_error(error: ImportError) -> EmbedderFailed:
    from gieok.models.local import platforms

    hint = platforms.here().for_runtime()
    return EmbedderFailed(
        "the bundled embedder needs a package that is not there: {error}", error=error, hint=hint
    )
