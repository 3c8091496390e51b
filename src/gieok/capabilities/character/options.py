"""The settings of a service of characters."""

from gieok.option import Option


def _slot_prices(text: str) -> object:
    from gieok.capabilities.character import points  # only where it is set

    return points.prices_of(text)


OPTIONS = (
    Option("character.daily_points", 10, "points that a user gets for a check-in, once a day", low=0),
    Option("character.reply_points", 1, "points that a reply costs", low=0),
    Option(
        "character.slot_prices", "1=10, 10=9, 30=8", "points that a memory slot costs, for so many at once or more",
        check=_slot_prices, hint='write `character.slot_prices: "1=10, 30=8"`: 10 each, from 30 on 8 each',
    ),
    Option("character.webhook_key_variable", "POINTS_WEBHOOK_KEY", "variable that holds the key that payments are signed with"),
    Option("character.webhook_tolerance_s", 300, "how old a payment's message may be", low=1),
)  # fmt: skip
