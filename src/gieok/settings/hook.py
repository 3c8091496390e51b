"""Settings that the prompt hook uses. Imported by the hook: see `gieok.hook`."""

from collections.abc import Mapping

from gieok import registry
from gieok.agents.table import NAMES
from gieok.places.scope import SCOPE_PATTERN
from gieok.process_zone import AUTO_ZONE
from gieok.ranking.age import HALF_LIFE_DAYS
from gieok.settings.option import Option, Value

#: One of several values, so without a comma.
_SCOPE = SCOPE_PATTERN.replace(r"\s", r"\s,")


def _parse_redaction_rules(text: str) -> object:
    from gieok.text.redact import user_rules  # a third of what a cold search has

    return user_rules.parse_own_rules(text)


def _parse_zone_setting(text: str) -> object:
    from gieok.zone import find_zone  # only where it is set

    return find_zone(text)


def _check_excluded_agents(text: str) -> None:
    registry.check_names(NAMES, ("",), text)


OPTIONS = (
    Option(
        "hook.output_mode",
        "tiered",
        "tiered: sure memories in full, others by title; full: all",
        in_project=True,
        choices=("tiered", "full"),
    ),
    Option(
        "hook.floor",
        -1.0,
        "least probability for a memory to be shown in full; -1: calibrated, 0: off",
        in_project=True,
        low=-1,
    ),
    Option(
        "hook.low_ratio",
        0.25,
        "least share of the best memory's probability for a further one to be shown at all",
        in_project=True,
        low=0,
        high=1,
    ),
    Option(
        "hook.high_ratio",
        0.0,
        "least share of it to be shown in full, others by title; 0: the probability alone decides",
        in_project=True,
        low=0,
        high=1,
    ),
    Option("hook.limit", 12, "most memories that a prompt gets", in_project=True, low=0),
    Option(
        "hook.budget_tokens",
        900,
        "most tokens that an agent is given at a prompt",
        in_project=True,
        low=0,
    ),
    Option(
        "hook.session_tokens",
        2_500,
        "most tokens of what a session begins with; 0: nothing",
        in_project=True,
        low=0,
    ),
    Option(
        "hook.half_life_days",
        HALF_LIFE_DAYS,
        "half-life of what dated notes and summaries lose with age; 0: none",
        in_project=True,
        low=0,
    ),
    Option("hook.deadline_ms", 600, "after this the hook prints what is ready", low=10),
    Option(
        "hook.scopes",
        "agent:main",
        "scopes that are recalled beside the project's, joined by commas",
        pattern=rf"\s*({_SCOPE})?(\s*,\s*({_SCOPE})?)*\s*",
    ),
    Option(
        "hook.asked_only",
        "",
        "folders of notes that are searched and never given at a prompt, joined by commas; * is "
        "any name",
    ),
    Option(
        "hook.action",
        False,
        "say before an edit what was said or kept that names the file",
    ),
    Option(
        "gates.stops",
        False,
        "a rule of yours that leaves no exception stops an agent's tool; off: it asks you",
    ),
    Option(
        "gates.reminds",
        True,
        "remind an agent of your words where its tool does what may be near to a rule",
    ),
    Option(
        "daemon.autostart",
        "auto",
        "a session start brings the daemon up; auto: once an agent was installed, not in CI",
        choices=("auto", "on", "off"),
    ),
    Option("judge.enabled", False, "let a model judge what the hook would give"),
    Option(
        "judge.api",
        "openai",
        "protocol of the judge: openai (and compatible), anthropic",
        choices=("openai", "anthropic"),
    ),
    Option("judge.model", "", "the judging model"),
    Option("judge.base_url", "", "its endpoint; empty: the provider's own"),
    Option(
        "judge.key_variable",
        "",
        "the environment variable that holds its key; empty: the provider's usual one",
    ),
    Option("judge.deadline_ms", 3000, "after this what was not judged is given unjudged", low=50),
)
#: Settings of other parts that the hook uses too: where the texts are, and what is cut out of them.
STORE = Option(
    "store",
    "sqlite",
    "where memory is kept",
    choices=tuple(registry.STORES),
    synonyms={"gemini-file-search": "gemini"},
)
JOURNAL = Option(
    "journal",
    "sqlite",
    "where raw messages and what was made of them are kept",
    choices=tuple(registry.JOURNALS),
)
HYBRID = Option("hybrid", False, "beside a remote store, answer from a local index too")
ACTIVE = Option(
    "active_memory.path",
    "",
    "where active memory is written; else active_memory.md in Gieok's home",
)
RULES = Option(
    "redact.rules",
    "",
    "your own redaction rules: a list of name, pattern, example, counter_example",
    is_list=True,
    check=_parse_redaction_rules,
    hint="each rule: name, pattern, example, counter_example (docs/privacy.md)",
)
ZONE = Option(
    "zone",
    AUTO_ZONE,
    "where your days are, such as Asia/Seoul; auto: as the machine",
    check=_parse_zone_setting,
    hint="a name of the IANA time zones, such as Asia/Seoul or America/Los_Angeles, or auto",
)
EXCLUDED_FOLDERS = Option(
    "exclude.folders",
    "",
    "excluded folders, with all below them, joined by commas; * is any name",
)
EXCLUDED_AGENTS = Option(
    "exclude.agents",
    "",
    "excluded agents, joined by commas: they are not read and get nothing",
    check=_check_excluded_agents,
    hint=f"agents: {', '.join(NAMES)}",
)
USED = (*OPTIONS, ZONE, STORE, JOURNAL, HYBRID, RULES, ACTIVE, EXCLUDED_FOLDERS, EXCLUDED_AGENTS)


class HookSettings:
    """Values of the settings by name; a setting without a value has its default."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = {option.name: option.default for option in USED} | {**values}

    def supposing(self, values: Mapping[str, Value]) -> "HookSettings":
        """Return the settings with these values set."""
        return HookSettings({**self._values, **values})

    def number(self, name: str) -> float:
        """Return a number setting."""
        return float(self._values[name])

    def text(self, name: str) -> str:
        """Return a text setting."""
        return str(self._values[name])

    def is_on(self, name: str) -> bool:
        """Return a switch."""
        return bool(self._values[name])
