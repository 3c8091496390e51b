"""Kilo CLI: opencode's kin, with the same plugin, in folders of its own.

The database is `~/.local/share/kilo/kilo.db`. Kilo began with the database, so there are no files
of older sessions.
"""

from collections.abc import Mapping
from pathlib import Path

from gieok.agents.agent import URL, Rehearsal
from gieok.agents.opencode import OpencodeAgent, OpencodeFormat
from gieok.agents.transcripts.place import TranscriptPlace

NAME = "kilo"


class KiloFormat(OpencodeFormat):
    """Events of Kilo's database, which its reader marks as Kilo's."""

    name = NAME
    host = NAME


class KiloAgent(OpencodeAgent):
    """Kilo: its database, and its settings with a plugin, a server and a command."""

    name = NAME
    schema = "https://app.kilo.ai/config.json"
    format = KiloFormat()
    tried_release = "7.7.9"
    rehearsal = Rehearsal(
        "kilo",
        ("run",),
        {"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1"},
        {
            ".config/kilo/kilo.json": '{"model": "loopback/one", "small_model": "loopback/one", '
            '"share": "disabled", "provider": {"loopback": {"npm": "@ai-sdk/openai-compatible", '
            f'"name": "loopback", "options": {{"baseURL": "{URL}/v1", "apiKey": "loopback"}}, '
            '"models": {"one": {"name": "one"}}}}}'
        },
    )

    def find_place(self, home: Path, environment: Mapping[str, str]) -> TranscriptPlace:
        """Return the folder of the database."""
        folder = self.find_own_folder(home, environment)
        return TranscriptPlace(folder, databases=f"{NAME}*.db", is_watched=False)

    def find_other_places(
        self, home: Path, environment: Mapping[str, str]
    ) -> tuple[TranscriptPlace, ...]:
        """Return no other place."""
        del home, environment
        return ()


AGENT = KiloAgent()
