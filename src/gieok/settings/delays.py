"""Waits before further tries of a call, as a setting gives them."""

_MOST_DELAY_S = 3600.0


def parse_delays(text: str) -> tuple[float, ...]:
    """Return the waits before further tries, of numbers joined by commas. Raises ValueError."""
    delays = tuple(float(part) for part in text.split(",") if part.strip())
    if not all(0 <= delay <= _MOST_DELAY_S for delay in delays):
        raise ValueError("each wait is a number of seconds, an hour at most")
    return delays
