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
        "tiered: sure memories in full, the others by title; full: all in full",
        in_project=True,
        choices=("tiered", "full"),
    ),
    Option(
        "hook.floor",
        -1.0,
        "least probability of a memory that is shown in full; -1: calibrated, 0: off",
        in_project=True,
        low=-1,
    ),
    Option(
        "hook.low_ratio",
        0.25,
        "a further memory is shown if its probability is at least this share of the best one's",
        in_project=True,
        low=0,
        high=1,
    ),
    Option(
        "hook.high_ratio",
        0.0,
        (
            "a further memory is shown in full if its probability is at least this share "
            "of the best one's, else by title; 0: the probability alone decides"
        ),
        in_project=True,
        low=0,
        high=1,
    ),
    Option(
        "hook.limit", 12, "most memories that an agent gets at a prompt", in_project=True, low=0
    ),
    Option(
        "hook.budget_tokens",
        900,
        "most tokens of memory that an agent gets at a prompt",
        in_project=True,
        low=0,
    ),
    Option(
        "hook.session_tokens",
        2_500,
        "most tokens of memory that a session begins with; 0: none",
        in_project=True,
        low=0,
    ),
    Option(
        "hook.half_life_days",
        HALF_LIFE_DAYS,
        ("half-life of the age penalty on dated notes and summaries, in days; 0: no penalty"),
        in_project=True,
        low=0,
    ),
    Option(
        "hook.deadline_ms", 600, "milliseconds after which the hook gives what is ready", low=10
    ),
    Option(
        "hook.scopes",
        "agent:main",
        "scopes whose memories are recalled beside the project's, joined by commas",
        pattern=rf"\s*({_SCOPE})?(\s*,\s*({_SCOPE})?)*\s*",
    ),
    Option(
        "hook.asked_only",
        "",
        (
            "folders of notes that a search finds and no prompt gets, joined by commas; * "
            "is any name"
        ),
    ),
    Option(
        "hook.action",
        False,
        "before an edit, give the agent the memories that name the file",
    ),
    Option(
        "gates.stops",
        False,
        "let a rule of yours without an exception stop an agent's tool; off: the rule asks you",
    ),
    Option(
        "gates.reminds",
        True,
        "remind an agent of your words where its tool does what may be near to a rule",
    ),
    Option(
        "daemon.autostart",
        "auto",
        "start the daemon with a session; auto: after an agent was installed, and not in CI",
        choices=("auto", "on", "off"),
    ),
    Option("judge.enabled", False, "let a model check the memories that the hook would give"),
    Option(
        "judge.api",
        "openai",
        "protocol of the judge's service: openai (and compatible), anthropic",
        choices=("openai", "anthropic"),
    ),
    Option("judge.model", "", "name of the judge, the model that checks what the hook would give"),
    Option("judge.base_url", "", "address of the judge's service; empty: the provider's own"),
    Option(
        "judge.key_variable",
        "",
        "environment variable with the judge's key; empty: the provider's usual one",
    ),
    Option(
        "judge.deadline_ms",
        3000,
        "milliseconds for the judge; after that, unchecked memories are given as they are",
        low=50,
    ),
)
#: Settings of other parts that the hook uses too: where the texts are, and what is cut out of them.
STORE = Option(
    "store",
    "sqlite",
    "where memory is kept for searches",
    choices=tuple(registry.STORES),
    synonyms={"gemini-file-search": "gemini"},
)
JOURNAL = Option(
    "journal",
    "sqlite",
    "where messages, and what Gieok made of them, are kept",
    choices=tuple(registry.JOURNALS),
)
HYBRID = Option(
    "hybrid", False, "with a store on a server, also answer from an index on this machine"
)
ACTIVE = Option(
    "active_memory.path",
    "",
    "file for active memory; empty: active_memory.md in the home",
)
RULES = Option(
    "redact.rules",
    "",
    (
        "your own rules for what is cut out of texts: a list of name, pattern, "
        "example, counter_example"
    ),
    is_list=True,
    check=_parse_redaction_rules,
    hint="each rule: name, pattern, example, counter_example (docs/privacy.md)",
)
ZONE = Option(
    "zone",
    AUTO_ZONE,
    "time zone of your days, such as Asia/Seoul; auto: the machine's",
    check=_parse_zone_setting,
    hint="a name of the IANA time zones, such as Asia/Seoul or America/Los_Angeles, or auto",
)
EXCLUDED_FOLDERS = Option(
    "exclude.folders",
    "",
    "folders that are excluded with all below them, joined by commas; * is any name",
)
EXCLUDED_AGENTS = Option(
    "exclude.agents",
    "",
    "agents that are excluded, joined by commas: Gieok does not read them and gives them nothing",
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
