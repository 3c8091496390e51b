"""What `gieok setup` inspects, tries and saves.

It uses the same backends and the same key store as every other command.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from gieok import extras, fs, paths, registry
from gieok.errors import BadConfig, GeneratorFailed, GieokError, MissingExtra, ModelFailed
from gieok.home import archive, notices, trials
from gieok.home.home import Home
from gieok.home.keys import HomeKeys, KeyUse
from gieok.models.http import Service
from gieok.ports.journal import FullJournal
from gieok.ports.keys import Trial, Verdict
from gieok.ports.setup import Provider
from gieok.settings import user_file
from gieok.settings.table import OPTIONS

#: Ollama runs on this machine or not at all, so a short timeout is enough.
_OLLAMA_S = 1.0
#: Verdicts on a key by the HTTP status of a provider's refusal.
_BY_STATUS = {401: Verdict.INVALID, 403: Verdict.INVALID, 402: Verdict.QUOTA, 429: Verdict.QUOTA}


class HomeSetup:
    """Trial and saving of answers in a caller's home: a trial uses answers as if they were saved.

    `settings` is name → text, `secrets` variable → value.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._keys = HomeKeys(home)

    def providers(self) -> Sequence[Provider]:
        """Return the providers that could observe, by the table of generators."""
        providers = []
        for name, row in registry.GENERATORS.items():
            program = (
                registry.find_program(row.program, self._home.caller.environment)
                if row.program
                else ""
            )
            place = self.has_secret(row.key_variable) if row.key_variable else ""
            needs = (
                "" if all(map(extras.is_installed, row.modules)) else extras.install_hint(row.extra)
            )
            providers.append(
                Provider(
                    name=name,
                    variable=row.key_variable,
                    place=place,
                    address=row.address,
                    program=program,
                    is_program=bool(row.program),
                    needs=needs,
                )
            )
        return providers

    def ollama(self) -> Sequence[str] | None:
        """Return the models pulled into Ollama; None where it does not answer."""
        settings = self._home.settings
        is_chosen = settings.text("observe.model").startswith("ollama:")
        address = (settings.text("observe.base_url") if is_chosen else "") or registry.GENERATORS[
            "ollama"
        ].address
        service = Service("Ollama", address.removesuffix("/v1"), {}, _OLLAMA_S, ModelFailed)
        try:
            models = service.get("/api/tags").get("models")
        except ModelFailed:
            return None
        rows = models if isinstance(models, list) else []
        return [str(row["name"]) for row in rows if isinstance(row, dict) and row.get("name")]

    def has_secret(self, variable: str) -> str:
        """Return where a secret is set; '' where it is not."""
        return self._keys.place(variable)

    def wrong(self, setting: str, text: str) -> str:
        """Return why a setting cannot have a value, by its own check; '' where it can."""
        option = next(candidate for candidate in OPTIONS if candidate.name == setting)
        try:
            option.parse(text, "this answer")
        except BadConfig as error:
            return str(error)
        return ""

    def try_model(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Trial:
        """Test whether the key is accepted, then let the model observe a sentence.

        The test uses a journal that is not the home's.
        """
        home = self._home.supposing(settings, secrets)
        model = home.settings.text("observe.model")
        provider = model.partition(":")[0]
        row = registry.GENERATORS.get(provider)
        variable = home.settings.text("observe.key_variable") or (row.key_variable if row else "")
        if row and row.key_variable and provider in registry.KEY_PROBES:
            address = home.settings.text("observe.base_url") or row.address
            use = KeyUse(
                setting="observe.model",
                table=registry.GENERATORS,
                provider=provider,
                variable=variable,
                address=address,
            )
            trial = HomeKeys(home).tried(use, home.settings.secret(variable))
            if trial.verdict in (Verdict.INVALID, Verdict.QUOTA, Verdict.MISSING):
                return trial
        with TemporaryDirectory(prefix="gieok-setup-") as folder:
            journal: FullJournal = registry.load_backend(registry.JOURNALS, "sqlite")(
                Path(folder) / "journal.sqlite"
            )
            try:
                return Trial(
                    provider, variable, Verdict.VALID, trials.observe_sentence(home, journal)
                )
            except GieokError as error:
                return _build_failed_trial(provider, error)
            finally:
                journal.close()

    def try_notice(
        self,
        settings: Mapping[str, str],
        secrets: Mapping[str, str],
        way: str,
        told: tuple[str, str],
    ) -> Trial:
        """Send a notification (title, text) through one channel; nothing of it is stored."""
        home = self._home.supposing(settings, secrets)
        try:
            answer = notices.channel(home, way).send(*told)
        except GieokError as error:
            return _build_failed_trial(way, error)
        return Trial(way, "", Verdict.VALID, answer)

    def try_archive(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Trial:
        """Look for a file in the archive."""
        home = self._home.supposing(settings, secrets)
        cold = home.settings.text("archive.cold")
        try:
            return Trial(cold, "", Verdict.VALID, archive.looked_into(home))
        except GieokError as error:
            return _build_failed_trial(cold, error)

    def save(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Sequence[str]:
        """Write secrets, then the settings that use them; return the changed files.

        After a kill in between, the old settings are in force and nothing uses the secrets. Raises
        BadRequest, BadConfig before anything is written.
        """
        folder = self._home.settings.home
        file = paths.locate_user_config(folder)
        with user_file.changing(folder):
            text = user_file.plan_settings_change(self._home.settings, settings)
            places = [self._keys.keep(secrets)] if secrets else []
            if text:
                fs.replace_private(file, text)
        return [*places, *([str(file)] if text else [])]


def _build_failed_trial(name: str, error: GieokError) -> Trial:
    """Return the failed trial for an error.

    A trial that could not even ask is marked as not tried.
    """
    verdict = (
        Verdict.UNTRIED if isinstance(error, MissingExtra | BadConfig) else Verdict.UNREACHABLE
    )
    if isinstance(error, GeneratorFailed) and (error.status or not error.worth_retrying):
        verdict = _BY_STATUS.get(error.status, Verdict.FAILED)
    return Trial(name=name, variable="", verdict=verdict, said=str(error), hint=error.hint)
