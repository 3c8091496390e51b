"""Port of `gieok setup`: survey the machine, try answers unsaved, and save them at once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from gieok.ports.keys import Trial


class Provider(NamedTuple):
    """Provider of models that could observe.

    `variable` is the variable of its key, '' for none, and `place` where the key is set. `program`
    is the command of an installed agent; `needs` how to install what is missing, '' where nothing
    is.
    """

    name: str
    variable: str = ""
    place: str = ""
    address: str = ""
    program: str = ""
    is_program: bool = False
    needs: str = ""


class SetupAccess(Protocol):
    """Trial and saving of answers: trials use answers as if they were saved.

    `settings` is name → text, `secrets` variable → value.
    """

    def providers(self) -> Sequence[Provider]:
        """Return the providers that could observe."""

    def ollama(self) -> Sequence[str] | None:
        """Return the models of the Ollama that runs here; None where none answers."""

    def has_secret(self, variable: str) -> str:
        """Return where a secret is set; '' where it is not."""

    def wrong(self, setting: str, text: str) -> str:
        """Return why a setting cannot have a value; '' where it can."""

    def try_model(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Trial:
        """Ask the model that observes for one word."""

    def try_notice(
        self,
        settings: Mapping[str, str],
        secrets: Mapping[str, str],
        way: str,
        told: tuple[str, str],
    ) -> Trial:
        """Send a notification (title, text) through one channel; nothing of it is stored."""

    def try_archive(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Trial:
        """Open the archive and look into it."""

    def save(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Sequence[str]:
        """Save permanently: secrets first, then all settings in one step; return the changed files.

        Raises BadRequest, BadConfig before anything is written.
        """
