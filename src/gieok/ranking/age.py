"""Decay of a score with age.

The prompt hook ranks with this module too: standard library, nothing slow to import.
"""

#: Half-life for files and the hook, unless a setting says otherwise.
HALF_LIFE_DAYS = 30.0
#: The share of its score that a very old dated memory keeps: age breaks ties and hides nothing.
FLOOR = 0.7
_DAY_S = 86_400.0
_FADES_S = 120 * _DAY_S


def age_factor(age_s: float | None, half_life_days: float, floor: float = FLOOR) -> float:
    """Return the share of its score that a memory of that age keeps, from 1 down to `floor`.

    With None the memory is undated, and keeps all.
    """
    if age_s is None or half_life_days <= 0:
        return 1.0
    return float(floor + (1 - floor) * 0.5 ** (max(age_s, 0.0) / _DAY_S / half_life_days))


def compute_faded_value(value: float, at_s: float, now_s: float) -> float:
    """Return a value decayed to a time: half of it after four months."""
    return float(value * 0.5 ** (max(0.0, now_s - at_s) / _FADES_S))
