"""The settings of this rib as plain rows. Imported by the hook: see the package.

A row: name, default, what it means, whether a project's own file may set it, its choices, the least it may be.
"""

from collections.abc import Sequence

Value = str | int | float | bool
Row = tuple[str, Value, str, bool, tuple[str, ...], float | None]

OPTIONS: tuple[Row, ...] = (
    ("hook.output_mode", "tiered", "tiered: sure memories in full, others by title; full: all", True, ("tiered", "full"), None),
    ("hook.high_ratio", 0.75, "a memory this near to the best score may be shown in full", True, (), 0),
    ("hook.medium_ratio", 0.4, "below this share of the best score nothing is shown", True, (), 0),
    ("hook.floor", -1.0, "least coverage of the prompt for certainty; -1: calibrated, 0: off", True, (), -1),
    ("hook.limit", 3, "how many memories a prompt may get", True, (), 0),
    ("hook.budget_tokens", 700, "what an injection may cost", True, (), 0),
    ("hook.session_tokens", 600, "what the index at the start of a session may cost; 0: none", True, (), 0),
    ("hook.half_life_days", 30.0, "age at which half of what fades has faded (dated notes, summaries); 0: none", True, (), 0),
    ("hook.deadline_ms", 200, "after this the hook prints what is ready", False, (), 10),
    ("hook.scopes", "agent:main", "scopes that are recalled beside the project's, joined by commas", False, (), None),
    ("judge.enabled", False, "let a model judge what the hook would inject", False, (), None),
    ("judge.api", "openai", "how to talk to it: openai (and compatible), anthropic", False, ("openai", "anthropic"), None),
    ("judge.model", "", "the judging model", False, (), None),
    ("judge.base_url", "", "its endpoint; empty: the provider's own", False, (), None),
    ("judge.key_variable", "", "the environment variable that holds its key; empty: the provider's usual one", False, (), None),
    ("judge.deadline_ms", 3000, "after this what was not judged is injected unjudged", False, (), 50),
)  # fmt: skip
#: Settings of others that the hook reads: where the texts are.
STORE_OPTIONS: tuple[Row, ...] = (
    ("store", "sqlite", "where memory is kept", False, (), None),
    ("hybrid", False, "whether an index is kept here too", False, (), None),
)
#: What a switch may be set to.
BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
DEFAULTS = {row[0]: row[1] for row in (*OPTIONS, *STORE_OPTIONS)}


class HookSettings:
    """The values by name, and what could not be used of what was set."""

    __slots__ = ("_values", "wrong")

    def __init__(self, values: dict[str, Value], wrong: Sequence[str] = ()) -> None:
        self._values = {**DEFAULTS, **values}
        self.wrong = wrong

    def number(self, name: str) -> float:
        """Return a number setting."""
        return float(self._values[name])

    def text(self, name: str) -> str:
        """Return a text setting."""
        return str(self._values[name])

    def is_on(self, name: str) -> bool:
        """Return a switch."""
        return bool(self._values[name])
