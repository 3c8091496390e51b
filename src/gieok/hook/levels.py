"""Levels of the hook's matches: thresholds of the probability that a memory answers.

Imported by the hook: see the package.
"""

from gieok.ranking.likelihood import HIGH, LOW, MEDIUM, SURE, UNSURE, level

__all__ = ["HIGH", "LOW", "MEDIUM", "level", "select_level_cuts"]


def select_level_cuts(floor: float = -1.0) -> tuple[float, float]:
    """Return the least probability to be shown, and the least for HIGH.

    `floor` is the user's own threshold for HIGH; 0 turns both thresholds off, a negative value
    means the calibrated thresholds.
    """
    return (floor * UNSURE / SURE, floor) if floor >= 0 else (UNSURE, SURE)
