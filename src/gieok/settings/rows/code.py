"""Settings of project intelligence over code."""

from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_model_option, build_schedule_option

OPTIONS = (
    build_model_option(
        "code.model",
        (
            "the strong model: `gieok ask`, `code init --full`, `code escalate`: provider:model; "
            "empty: none"
        ),
    ),
    Option(
        "code.base_url", "", "as observe.base_url, for code.model and models of the same provider"
    ),
    Option(
        "code.key_variable",
        "",
        "as observe.key_variable, for code.model and models of the same provider",
    ),
    Option(
        "code.summary_tokens",
        200_000,
        "tokens that summaries may use in one `code init --full` or `code escalate`",
        low=0,
    ),
    Option(
        "code.embed_passages",
        2_000,
        "passages that one `code init` or `code sync` gives vectors at most, first of what a "
        "search needs first; the rest waits for the next; 0: all",
        low=0,
    ),
    build_model_option(
        "code.upkeep_model",
        "the cheap model that summarises what changed at every sync; empty: none",
    ),
    Option(
        "code.upkeep_base_url",
        "",
        "as code.base_url, which it is where this is empty and the provider the same",
    ),
    Option(
        "code.upkeep_key_variable",
        "",
        "as code.key_variable, which it is where this is empty and the provider the same",
    ),
    Option(
        "code.upkeep_tokens",
        20_000,
        "tokens that summaries may use in one sync; what is left waits for the next",
        low=0,
    ),
    build_schedule_option(
        "code.validate_schedule",
        "0 * * * *",
        "when the daemon validates the projects that it watches, where they have changed",
    ),
    Option(
        "code.escalate_by_itself",
        False,
        "let the daemon run `code escalate` at that time where something waits for it: it is paid",
    ),
)
