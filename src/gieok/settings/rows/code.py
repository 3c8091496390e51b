"""Settings of project intelligence over code."""

from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_model_option, build_schedule_option

OPTIONS = (
    build_model_option(
        "code.model",
        (
            "strong model of `gieok ask`, `code init --full` and `code escalate`, as "
            "provider:model; empty: none"
        ),
    ),
    Option("code.base_url", "", "address of the provider of code.model, as observe.base_url"),
    Option(
        "code.key_variable",
        "",
        "environment variable with the key of code.model, as observe.key_variable",
    ),
    Option(
        "code.summary_tokens",
        200_000,
        "most tokens for summaries in one `code init --full` or `code escalate`",
        low=0,
    ),
    Option(
        "code.embed_passages",
        2_000,
        (
            "most passages that get vectors in one `code init` or `code sync`; the rest "
            "waits for the next one; 0: all"
        ),
        low=0,
    ),
    build_model_option(
        "code.upkeep_model",
        "cheap model that summarises at every sync what changed; empty: none",
    ),
    Option(
        "code.upkeep_base_url",
        "",
        (
            "address of the provider of code.upkeep_model; empty: code.base_url if the "
            "provider is the same"
        ),
    ),
    Option(
        "code.upkeep_key_variable",
        "",
        (
            "environment variable with the key of code.upkeep_model; empty: "
            "code.key_variable if the provider is the same"
        ),
    ),
    Option(
        "code.upkeep_tokens",
        20_000,
        "most tokens for summaries in one sync; the rest waits for the next sync",
        low=0,
    ),
    build_schedule_option(
        "code.validate_schedule",
        "0 * * * *",
        "when the daemon validates the projects that it watches, if they changed",
    ),
    Option(
        "code.escalate_by_itself",
        False,
        (
            "let the daemon run `code escalate` then, once for each reason; this costs "
            "tokens, within `observe.daily_tokens` a day"
        ),
    ),
)
