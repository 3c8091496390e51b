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
        "what answers for characters: provider:model, or scripted (short replies by rules)",
        check=partial(registry.check_model, registry.CHATS, ("scripted",)),
        hint=_HINT,
    ),
    Option(
        "character.models",
        "",
        "other models that characters of users may name, joined by commas; *: any",
        check=_check_chat_models,
        hint=_HINT,
    ),
    Option(
        "character.base_url",
        "",
        "as observe.base_url, for character.model and models of the same provider",
        is_address=True,
    ),
    Option(
        "character.key_variable",
        "",
        "as observe.key_variable, for character.model and models of the same provider",
    ),
    Option(
        "character.temperature", 0.8, "temperature of replies, where the caller gives none", low=0
    ),
    Option("character.max_reply_tokens", 800, "longest reply", low=1),
    Option(
        "character.context_tokens",
        8_192,
        "tokens that the model reads and writes for a reply",
        low=512,
    ),
    Option(
        "character.narrative_memories",
        5,
        "memories that are told for a message, beside names, allergies and what is due",
        low=0,
    ),
    Option("character.narrative_tokens", 500, "longest narrative of memories", low=50),
    Option(
        "character.memory_model",
        "",
        (
            "what finds facts and writes summaries: provider:model, rules (no model); empty: "
            "character.model"
        ),
        check=partial(registry.check_model, registry.GENERATORS, ("", "rules", "scripted")),
        hint=registry.MODEL_HINT,
    ),
    Option(
        "character.memory_base_url",
        "",
        "as character.base_url, which it is where this is empty",
        is_address=True,
    ),
    Option(
        "character.memory_key_variable",
        "",
        "as character.key_variable, which it is where this is empty",
    ),
    Option(
        "character.daily_tokens",
        1_000_000,
        "model tokens that finding facts and summaries may use in a day",
        low=0,
    ),
    Option(
        "character.daily_points", 10, "points that a user gets for a check-in, once a day", low=0
    ),
    Option(
        "character.welcome_points",
        10,
        "points that a new user starts with, before the first check-in",
        low=0,
    ),
    Option(
        "character.slots",
        30,
        "episodes that a memory has room for, beside those bought; more are told as one",
        low=1,
    ),
    Option(
        "character.undo_days",
        7,
        "days for which an edit or a deletion of a memory can be taken back",
        low=0,
    ),
    Option(
        "character.schedule_inactivity",
        "40 4 * * *",
        (
            "when users who stay away are reminded, and episodes of those away for 90 days go: "
            "minute hour day month weekday, or never"
        ),
        check=schedule.check_cron_expression,
        hint='five fields, such as "40 4 * * *": every day at 04:40; or never',
    ),
    Option("character.reply_points", 1, "points that a reply costs", low=0),
    Option(
        "character.slot_prices",
        "1=10, 10=9, 30=8",
        "points that a memory slot costs, for so many at once or more",
        check=parse_slot_prices,
        hint='write `character.slot_prices: "1=10, 30=8"`: 10 each, from 30 on 8 each',
    ),
    Option(
        "character.webhook_key_variable",
        "POINTS_WEBHOOK_KEY",
        "variable that holds the key that payments are signed with",
    ),
    Option("character.webhook_tolerance_s", 300, "how old a payment's message may be", low=1),
    Option(
        "serve.host",
        "127.0.0.1",
        "address that `gieok serve` listens on; another than this machine's own needs keys",
    ),
    Option("serve.port", 8377, "its port; 0: any that is free", low=0),
    Option("serve.with_daemon", False, "`gieok up` serves too: pages, API and /mcp"),
    Option(
        "serve.threads",
        40,
        "requests that are worked on at once, and replies that are streamed at once",
        low=1,
    ),
    Option(
        "serve.hosts",
        "",
        "names by which it is reached, such as memory.example.org, joined by commas",
    ),
    Option(
        "serve.origins",
        "",
        "pages of other servers that may ask, such as https://chat.example.org, joined by commas",
    ),
    Option(
        "serve.body_kb",
        1024,
        "kilobytes that the body of a request may have; files 32 times, /v1 4 times as many",
        low=1,
    ),
    Option("serve.body_s", 20.0, "seconds within which a body must come", low=1),
    Option(
        "serve.per_minute", 240, "requests a minute that one key may make; 0: any number", low=0
    ),
    Option(
        "serve.jwt_jwks",
        "",
        (
            "JWKS file with the public keys of signed tokens (RS256); HS256: GIEOK_JWT_SECRET in "
            "`.env`"
        ),
    ),
    Option("serve.jwt_issuer", "", "what `iss` of a token must be; empty: anything"),
    Option("serve.jwt_audience", "", "what `aud` of a token must hold; empty: anything"),
)
#: Shown before the settings of the archive.
WINDOWS = Option(
    "character.windows",
    "memory",
    "where messages after the last summary are held once they were read",
    choices=(*registry.CACHES, "none"),
)
