"""Opens the embedders that make vectors.

That is the embedder which the settings ask for, or, while a store holds vectors of another model,
the embedder of that model. How a model is opened is stored under its name in the home folder, so
that the existing vectors answer until the vectors of the wanted model are complete (`gieok index
--rebuild`).
"""

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gieok import fs, paths, registry
from gieok.errors import EmbedderFailed, GieokError, ModelFailed, Phrase
from gieok.home.home import Home
from gieok.opening import ModelOpening
from gieok.ports.models import Embedder, SelfCheck
from gieok.ports.store import VectorCopy

if TYPE_CHECKING:
    from gieok.flow import service
    from gieok.home.resident import Resident
    from gieok.ports.models import Reader

#: Settings that decide how vectors are made; stored for each model.
_DECIDING = (
    "embedder",
    "embedder.model",
    "embedder.base_url",
    "embedder.key_variable",
    "embedder.dimension",
    "embedder.query_prompt",
    "embedder.passage_prompt",
    "embedder.pooling",
)
_BUNDLED = {"embedder": "e5"}
_UPGRADE = (
    "vectors of the model's earlier release answer until the new ones are made: `gieok up` makes "
    "them, `gieok index` makes them now, of code `gieok code init`"
)
#: More models than a person tries; older records are never opened.
_MOST_KEPT = 20

Values = Mapping[str, str]


def open_embedder(home: Home) -> "FollowingEmbedder | None":
    """Return the embedder for the configured store; None where the user wants none.

    Nothing is opened yet.
    """
    if home.settings.text("embedder") == "none":
        return None
    return FollowingEmbedder(home, home.stores.configured)


def open_reader(home: Home) -> "Reader | None":
    """Return the reader of statements; None where the user wants no model.

    Nothing is opened yet. A process that stays keeps its heads in memory.
    """
    if home.settings.text("embedder") == "none":
        return None
    if home.resident is not None:
        return open_resident_reader(
            home.resident, home.folder, home.settings.integer("threads"), home.say
        )
    if home.reader is None:
        home.reader = _create_reader(home.folder, home.settings.integer("threads"), home.say)
    return home.reader


def open_help_reader(home: Home) -> "Reader | None":
    """Return the reader that judges which lines help with a prompt.

    None where another model than the bundled one makes the vectors: the weights that know what it
    says were fitted beside those.
    """
    return open_reader(home) if home.settings.text("embedder") in _BUNDLED.values() else None


def open_bundled_embedder(home: Home) -> Embedder | None:
    """Return the embedder that sends nothing anywhere; None where another one is set.

    It follows no store: the vectors of a store may be of a service.
    """
    if home.settings.text("embedder") not in _BUNDLED.values():
        return None
    return _open_shared_embedder(home, {name: home.settings.text(name) for name in _DECIDING})


def open_resident_reader(
    resident: "Resident", folder: Path, threads: int, say: Callable[[str], None]
) -> "Reader":
    """Return the reader that a process keeps for all callers of one home."""
    return resident.reader(str(folder), lambda: _create_reader(folder, threads, say))


def _create_reader(folder: Path, threads: int, say: Callable[[str], None]) -> "Reader":
    from gieok.models.local.reader import LocalReader

    return LocalReader(paths.locate_models(folder), threads=threads, say=say)


def try_embedder(embedder: Embedder) -> str:
    """Use an embedder once, and let it check itself where it can. Raises EmbedderFailed."""
    embedder.embed_query("기억")
    wrong = embedder.check() if isinstance(embedder, SelfCheck) else []
    if wrong:
        raise EmbedderFailed(Phrase("; ".join(wrong)))
    return "it embeds"


class FollowingEmbedder:
    """`Embedder` and `Followed` of the model that made a store's vectors; opened at the first
    use.
    """

    def __init__(self, home: Home, store: Callable[[], object]) -> None:
        self._home = home
        self._store = store
        self._now: Embedder | None = None
        self._behind = ""

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self._opened().model

    @property
    def dimension(self) -> int:
        """Return how many numbers a vector has."""
        return self._opened().dimension

    @property
    def behind(self) -> str:
        """Return how the store's model differs from the settings; '' where it does not."""
        self._opened()
        return self._behind

    @property
    def is_upgrade(self) -> bool:
        """Say whether the store's vectors are of an earlier release of the model that is wanted."""
        return self.behind == _UPGRADE

    def embed_passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text, in order."""
        return self._opened().embed_passages(texts)

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a question."""
        return self._opened().embed_query(text)

    def check(self) -> list[str]:
        """Return what is wrong with the model on this machine, where the model can tell."""
        embedder = self._opened()
        return embedder.check() if isinstance(embedder, SelfCheck) else []

    def of(self, store: object) -> "FollowingEmbedder":
        """Return a new embedder for a store, following the store's present model."""
        return FollowingEmbedder(self._home, lambda: store)

    def wanted(self) -> Embedder:
        """Return the embedder that the settings ask for, and store how it is opened.

        Other processes will need that record.
        """
        embedder = _open_shared_embedder(
            self._home, {name: self._home.settings.text(name) for name in _DECIDING}
        )
        _store_embedder_values(self._home, embedder.model)
        return embedder

    def _opened(self) -> Embedder:
        if self._now is None:
            self._now, self._behind = self._found()
        return self._now

    def _found(self) -> tuple[Embedder, str]:
        """Return the embedder of the store's model, and how that model differs from the
        settings.
        """
        store = self._store()
        active = store.active_model() if isinstance(store, VectorCopy) else None
        try:
            configured, wrong = self.wanted(), ""
            name = configured.model
        except EmbedderFailed as error:
            if active is None:
                raise
            configured, wrong, name = None, error.in_full, ""
        if active is not None and name != active[0]:
            reopened = _reopen_kept_embedder(self._home, active[0])
            # Other machines read the vectors of a shared store: a person decides when it changes.
            is_own = not self._home.stores.is_remote
            if reopened is not None and is_own and _is_earlier_release(active[0], name):
                return reopened, _UPGRADE
            if reopened is not None:
                return reopened, Phrase(
                    "vectors are of {model!r}, {wrong}"
                    if wrong
                    else "vectors are of {model!r}, `embedder` asks for {wanted!r}: run "
                    "`gieok index --rebuild`",
                    model=active[0],
                    wanted=name,
                    wrong=wrong,
                )
        if configured is None:
            raise EmbedderFailed(wrong)
        return configured, ""


def _is_earlier_release(model: str, wanted: str) -> bool:
    """Say whether `model` is an earlier release of the bundled model `wanted`."""
    from gieok.models.local.releases import CURRENT, EARLIER

    return wanted == CURRENT.model and model in {release.model for release in EARLIER}


def _open_shared_embedder(home: Home, values: Values) -> Embedder:
    """Open the embedder of these settings, once for a call or once for a long-lived process."""
    key = (
        tuple(sorted(values.items())),
        home.settings.integer("threads"),
        _find_embedder_key(home, values)[0],
    )
    if home.resident is None:
        if key not in home.embedders:
            home.embedders[key] = _create_embedder(home, values)
        return home.embedders[key]
    return home.resident.embedder(key, lambda: _create_embedder(home, values))


def _create_embedder(home: Home, values: Values) -> Embedder:
    settings, provider = home.settings, values["embedder"]
    row = registry.EMBEDDERS[provider]
    key, variable = _find_embedder_key(home, values)
    opening = ModelOpening(
        provider=provider,
        model=values.get("embedder.model", ""),
        home=settings.home,
        address=values.get("embedder.base_url") or row.address,
        key=key,
        key_variable=variable,
        dimension=int(values.get("embedder.dimension", 0)),
        query_prompt=values.get("embedder.query_prompt", "auto"),
        passage_prompt=values.get("embedder.passage_prompt", "auto"),
        pooling=values.get("embedder.pooling", "auto"),
        timeout_s=settings.number("embedder.timeout_s"),
        threads=settings.integer("threads"),
        say=home.say,
    )
    if row.is_service:
        verify_key(opening, row)
    model = registry.load_backend(registry.EMBEDDERS, provider)(opening)
    if row.is_service:
        from gieok.flow import service  # a tenth of a cold search; most never ask a service

        metered = metered_by(home, service.EMBEDDER, EmbedderFailed)
        return service.ServiceEmbedder(model, metered, opening.dimension)
    embedder: Embedder = model
    return embedder


def _find_embedder_key(home: Home, values: Values) -> tuple[str, str]:
    """Return the key of a service, and the variable that holds it."""
    variable = (
        values.get("embedder.key_variable") or registry.EMBEDDERS[values["embedder"]].key_variable
    )
    return (home.settings.secret(variable) if variable else ""), variable


def verify_key(
    opening: ModelOpening, row: registry.ModelBackend, failed: type[ModelFailed] = EmbedderFailed
) -> None:
    """Raise `failed` where a service that needs a key would be asked without one."""
    if not opening.key and opening.key_variable and opening.address == row.address:
        raise failed(
            "{provider!r} needs a key: {variable} is not set",
            provider=opening.provider,
            variable=opening.key_variable,
            hint="run `gieok keys set {variable}`",
        )


def metered_by(home: Home, role: str, failed: type[ModelFailed]) -> "service.Metered":
    """Return the meter that counts and limits the tokens of a role."""
    daily_tokens = home.settings.integer(f"{role}.daily_tokens")
    from gieok.flow import service

    return service.Metered(
        role=role,
        ledger=home.stores.journal,
        clock=home.clock,
        zone=home.zone,
        wait=home.wait,
        daily_tokens=daily_tokens,
        failed=failed,
    )


def _reopen_kept_embedder(home: Home, model: str) -> Embedder | None:
    """Return the embedder of a model that was used here before.

    None where it cannot be opened any more.
    """
    bundled = {**_BUNDLED, "embedder.model": model}
    values = _read_embedder_rows(_locate_embedder_file(home)).get(model, bundled)
    if values["embedder"] not in registry.EMBEDDERS:
        return None
    try:
        embedder = _open_shared_embedder(home, values)
        is_same = embedder.model == model
    except GieokError:
        return None
    return embedder if is_same else None


def _store_embedder_values(home: Home, model: str) -> None:
    """Store how a model is opened.

    The bundled model needs no record, and a read-only home gets none.
    """
    values = {name: home.settings.text(name) for name in _DECIDING}
    if values["embedder"] == _BUNDLED["embedder"]:
        return
    file = _locate_embedder_file(home)
    if _read_embedder_rows(file).get(model) == values:
        return
    with contextlib.suppress(OSError), fs.lock_resource(home.settings.home, file):
        known = _read_embedder_rows(file)
        known.pop(model, None)
        rows = dict([*known.items(), (model, values)][-_MOST_KEPT:])
        fs.replace_private(file, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


def _locate_embedder_file(home: Home) -> Path:
    return home.settings.home / "embedders.json"


def _read_embedder_rows(file: Path) -> dict[str, Values]:
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: row for name, row in rows.items() if isinstance(row, dict) and "embedder" in row}
