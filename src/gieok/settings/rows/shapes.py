"""Shapes of rows that several groups of settings share: a schedule, a model."""

from functools import partial

from gieok import registry
from gieok.flow import schedule
from gieok.settings.option import Option
from gieok.settings.synonyms import MODELS


def build_schedule_option(name: str, default: str, doc: str) -> Option:
    """Return the option of a setting that holds a schedule."""
    return Option(
        name,
        default,
        f"{doc}: minute hour day month weekday, or never",
        check=schedule.check_cron_expression,
        hint=(
            'five fields, such as "0 3 * * *": every day at 03:00, or "30 3 * * 0": Sundays at '
            "03:30; or never"
        ),
    )


def build_model_option(
    name: str, doc: str, default: str = "", alone: tuple[str, ...] = ("",)
) -> Option:
    """Return the option of a setting that names a model; setting an unknown provider is refused."""
    return Option(
        name,
        default,
        doc,
        check=partial(registry.check_model, registry.GENERATORS, alone),
        hint=registry.MODEL_HINT,
        synonyms=MODELS,
    )
