"""What `gieok setup` may do before and when it saves: look around, try answers as if they were
saved, save them at once.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from gieok.ports.keys import Trial


class Provider(NamedTuple):
    """A provider of models that could observe.

    `variable` is that of its key, '' for none, and `place` where that is set. `program` is the
    command of an agent that is here; `needs` how to install what is missing, '' where nothing is.
    """

    name: str
    variable: str = ""
    place: str = ""
    address: str = ""
    program: str = ""
    is_program: bool = False
    needs: str = ""


class SetupAccess(Protocol):
    """Tries answers as if they were saved, and saves them. `settings` is name → text, `secrets`
    variable → value.
    """

    def providers(self) -> Sequence[Provider]:
        """Return who could observe."""

    def ollama(self) -> Sequence[str] | None:
        """Return the models of the Ollama that runs here; None where none answers."""

    def has_secret(self, variable: str) -> str:
        """Return where a secret is set, '' where it is not."""

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
        """Tell a title and a text in one way; nothing is kept of it."""

    def try_archive(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Trial:
        """Look into the archive."""

    def save(self, settings: Mapping[str, str], secrets: Mapping[str, str]) -> Sequence[str]:
        """Save for good: secrets first, then all settings in one step; return the files that
        changed.

        Raises BadRequest, BadConfig before anything is written.
        """
