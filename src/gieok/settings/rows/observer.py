"""Settings of transcripts that are read, of the observer and of the reflector."""

from gieok import registry
from gieok.settings.delays import parse_delays
from gieok.settings.hook import EXCLUDED_AGENTS, EXCLUDED_FOLDERS
from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_model_option, build_schedule_option


def _check_agent_names(text: str) -> None:
    from gieok.agents.agent import list_readable_agents  # as above

    registry.check_names(list_readable_agents(), ("auto", "none"), text)


OPTIONS = (
    Option(
        "observe.agents",
        "auto",
        "agents whose transcripts are read: auto, none, or names joined by commas",
        check=_check_agent_names,
        hint="agents: as `gieok install --help` lists them, or auto, or none",
    ),
    EXCLUDED_FOLDERS,
    EXCLUDED_AGENTS,
    Option("observe.folders", "", "further folders of JSONL transcripts, joined as in PATH"),
    Option(
        "observe.notes",
        "",
        "folders of Markdown notes that are copied for an agent, joined by commas",
    ),
    Option(
        "observe.notes_target",
        "",
        "folder for these copies; empty: the memory folder of OpenClaw's workspace",
    ),
    build_model_option(
        "observe.model",
        "what observes: rules (no model), provider:model, or claude-code or codex (no key)",
        "rules",
        ("rules",),
    ),
    Option(
        "observe.base_url",
        "",
        (
            "address of the observing model's provider, which compatible needs; or the "
            "path of claude or codex"
        ),
    ),
    Option(
        "observe.key_variable",
        "",
        (
            "environment variable with the key of the observing model; empty: the "
            "provider's usual one"
        ),
    ),
    Option("observe.temperature", 0.3, "temperature of the observing model", low=0),
    Option(
        "observe.run_tokens",
        30_000,
        "tokens of messages that a model observes together",
        low=100,
    ),
    Option(
        "observe.chunk_tokens",
        6_000,
        "tokens of messages that a model observes ahead in the background",
        low=20,
    ),
    Option(
        "observe.activation",
        0.8,
        (
            "share of these messages that becomes memory at once; the newest ones wait for "
            "the next messages"
        ),
        low=0.1,
        high=1,
    ),
    Option(
        "observe.most_observations",
        20,
        "most observations that a model may make of 6,000 tokens of messages",
        low=1,
        high=400,
    ),
    Option(
        "observe.output_tokens",
        2_000,
        "most tokens that a model may write about 6,000 tokens of messages",
        low=100,
        high=12_000,
    ),
    Option(
        "observe.hard_stop_tokens",
        36_000,
        "tokens of messages at which a model observes them all",
        low=120,
    ),
    Option(
        "observe.idle_minutes",
        30,
        "minutes without a message after which the rest of a conversation is observed",
        low=1,
    ),
    Option(
        "observe.retry_delays_s",
        "2, 4, 8",
        "seconds before each further try of a model that failed, joined by commas; empty: one try",
        check=parse_delays,
        hint='seconds, such as "2, 4, 8"',
    ),
    Option(
        "observe.daily_tokens",
        1_000_000,
        "most tokens of models in a day; characters have a limit of their own",
        low=0,
    ),
    Option(
        "observe.price_in",
        -1.0,
        "dollars per million input tokens, of all models; -1: the price that Gieok knows",
        low=-1,
    ),
    Option(
        "observe.price_out",
        -1.0,
        "dollars per million output tokens, of all models; set observe.price_in too",
        low=-1,
    ),
)
REFLECTOR_OPTIONS = (
    build_model_option(
        "reflect.model",
        "what reflects, as observe.model; empty: observe.model",
        alone=("", "rules"),
    ),
    Option("reflect.base_url", "", "address of the provider of reflect.model, as observe.base_url"),
    Option(
        "reflect.key_variable",
        "",
        "environment variable with the key of reflect.model, as observe.key_variable",
    ),
    Option("reflect.temperature", 0.0, "temperature of the reflecting model", low=0),
    Option(
        "reflect.tokens",
        40_000,
        "tokens of a scope's observations at which Gieok reflects",
        low=100,
    ),
    Option(
        "reflect.ratio",
        0.5,
        "share of the observations' tokens that a reflection may leave",
        low=0.05,
        high=0.95,
    ),
    build_schedule_option(
        "reflect.schedule",
        "0 2 * * 0",
        "when Gieok reflects although there are fewer observations",
    ),
)
