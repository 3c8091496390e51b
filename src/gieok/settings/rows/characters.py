"""Settings of characters, and of the server for them."""

from functools import partial

from gieok import registry
from gieok.flow import schedule
from gieok.settings.option import Option

_HINT = f"write provider:model, or scripted; providers: {', '.join(sorted(registry.CHATS))}"


def parse_slot_prices(text: str) -> tuple[tuple[int, int], ...]:
    """Return the prices of slots from a text such as `1=10, 30=8`. Raises ValueError."""
    prices: list[tuple[int, int]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        least, _, price = (piece.strip() for piece in part.partition("="))
        if (
            not (least.isascii() and least.isdigit() and price.isascii() and price.isdigit())
            or int(least) < 1
        ):
            raise ValueError(f"{part!r} is no `number=points`")
        prices.append((int(least), int(price)))
    if len({least for least, _ in prices}) < len(prices):
        raise ValueError("a number stands there twice")
    return tuple(sorted(prices))


def _check_chat_models(text: str) -> None:
    for name in filter(None, (part.strip() for part in text.split(","))):
        registry.check_model(registry.CHATS, ("*", "scripted"), name)


OPTIONS = (
    Option(
        "character.model",
        "scripted",
        (
            "what answers for characters: provider:model, or scripted (short replies "
            "without a model)"
        ),
        check=partial(registry.check_model, registry.CHATS, ("scripted",)),
        hint=_HINT,
    ),
    Option(
        "character.models",
        "",
        "other models that users may name for their own characters, joined by commas; *: any",
        check=_check_chat_models,
        hint=_HINT,
    ),
    Option(
        "character.base_url",
        "",
        "address of the provider of character.model, as observe.base_url",
        is_address=True,
    ),
    Option(
        "character.key_variable",
        "",
        "environment variable with the key of character.model, as observe.key_variable",
    ),
    Option("character.temperature", 0.8, "temperature of replies, if the caller gives none", low=0),
    Option("character.max_reply_tokens", 800, "most tokens of a reply", low=1),
    Option(
        "character.context_tokens",
        8_192,
        "most tokens that the model reads and writes for a reply",
        low=512,
    ),
    Option(
        "character.narrative_memories",
        5,
        (
            "most memories that match a message and are given to the model; names, "
            "allergies and what is due come on top"
        ),
        low=0,
    ),
    Option(
        "character.narrative_tokens",
        500,
        "most tokens of memory that the model gets for a reply",
        low=50,
    ),
    Option(
        "character.memory_model",
        "",
        (
            "what finds facts and writes summaries: provider:model, or rules (no model); "
            "empty: character.model"
        ),
        check=partial(registry.check_model, registry.GENERATORS, ("", "rules", "scripted")),
        hint=registry.MODEL_HINT,
    ),
    Option(
        "character.memory_base_url",
        "",
        "address of the provider of character.memory_model; empty: character.base_url",
        is_address=True,
    ),
    Option(
        "character.memory_key_variable",
        "",
        (
            "environment variable with the key of character.memory_model; empty: "
            "character.key_variable"
        ),
    ),
    Option(
        "character.daily_tokens",
        1_000_000,
        "most tokens of the model for facts and summaries in a day",
        low=0,
    ),
    Option(
        "character.daily_points", 10, "points that a user gets for a check-in, once a day", low=0
    ),
    Option(
        "character.welcome_points",
        10,
        "points that a new user starts with",
        low=0,
    ),
    Option(
        "character.slots",
        30,
        (
            "how many episodes a user keeps with a character, besides bought ones; further "
            "ones are merged"
        ),
        low=1,
    ),
    Option(
        "character.undo_days",
        7,
        "days for which a change or a deletion of a memory can be undone",
        low=0,
    ),
    Option(
        "character.schedule_inactivity",
        "40 4 * * *",
        "when absent users are reminded, and episodes of users away for 90 days are deleted",
        check=schedule.check_cron_expression,
        hint='five fields, such as "40 4 * * *": every day at 04:40; or never',
    ),
    Option("character.reply_points", 1, "points that a reply costs", low=0),
    Option(
        "character.slot_prices",
        "1=10, 10=9, 30=8",
        "points for room for one more episode, by how many are bought at once: number=points",
        check=parse_slot_prices,
        hint='write `character.slot_prices: "1=10, 30=8"`: 10 each, from 30 on 8 each',
    ),
    Option(
        "character.webhook_key_variable",
        "POINTS_WEBHOOK_KEY",
        "environment variable with the key that signs payments",
    ),
    Option(
        "character.webhook_tolerance_s",
        300,
        "most seconds between the signing of a payment and its arrival",
        low=1,
    ),
    Option(
        "serve.host",
        "127.0.0.1",
        "address that `gieok serve` listens on; an address beyond this machine needs keys",
    ),
    Option("serve.port", 8377, "port that `gieok serve` listens on; 0: any free one", low=0),
    Option("serve.with_daemon", False, "let `gieok up` also serve pages, API and /mcp"),
    Option(
        "serve.threads",
        40,
        "most requests, and most streamed replies, at the same time",
        low=1,
    ),
    Option(
        "serve.hosts",
        "",
        "further names of this server, such as memory.example.org, joined by commas",
    ),
    Option(
        "serve.origins",
        "",
        (
            "other sites whose pages may send requests, such as https://chat.example.org, "
            "joined by commas"
        ),
    ),
    Option(
        "serve.body_kb",
        1024,
        "most kilobytes of a request's body; files may have 32 times, /v1 4 times as many",
        low=1,
    ),
    Option("serve.body_s", 20.0, "seconds in which a request's body must arrive", low=1),
    Option("serve.per_minute", 240, "most requests of one key in a minute; 0: no limit", low=0),
    Option(
        "serve.jwt_jwks",
        "",
        (
            "JWKS file with the public keys of signed tokens (RS256); for HS256, set "
            "GIEOK_JWT_SECRET in `.env`"
        ),
    ),
    Option("serve.jwt_issuer", "", "value that `iss` of a token must have; empty: any"),
    Option("serve.jwt_audience", "", "value that `aud` of a token must contain; empty: any"),
)
#: Shown before the settings of the archive.
WINDOWS = Option(
    "character.windows",
    "memory",
    "where the messages after the last summary are cached",
    choices=(*registry.CACHES, "none"),
)
