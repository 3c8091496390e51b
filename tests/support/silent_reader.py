"""A reader that finds nothing, for tests that say what they need of one."""

from collections.abc import Sequence

from gieok.ports.models import ChangeReading, RuleStretch, SentenceReading


class SilentReader:
    """`Reader` to which no line says anything."""

    rules_model = "none"

    def read_sentence(self, text: str, before: str = "") -> SentenceReading:
        """Return that a sentence is hardly worth keeping."""
        return SentenceReading(0.1, 0.1)

    def read_change(self, earlier: str, later: str) -> ChangeReading:
        """Return that nothing changes."""
        return ChangeReading(0.0, 0.0)

    def find_secrets(self, text: str, *, is_said: bool) -> list[tuple[int, int]]:
        """Return no places."""
        return []

    def find_rules(self, text: str, before: str = "") -> list[RuleStretch]:
        """Return no stretches."""
        return []

    def measure_breaks(self, rules: Sequence[str], use: str) -> list[float]:
        """Return that nothing breaks a rule."""
        return [0.0] * len(rules)

    def measure_help(self, question: str, lines: Sequence[str]) -> list[float]:
        """Return no figures."""
        return []

    def measure_told(
        self, line: str, before: str, readings: Sequence[tuple[str, str]]
    ) -> list[float]:
        """Return no figures."""
        return []
