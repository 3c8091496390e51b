"""Settings as rows for people: value, origin, and what each is for; passwords are left out."""

from typing import NamedTuple

from gieok.settings.file import without_password
from gieok.settings.option import Option
from gieok.settings.table import OPTIONS
from gieok.settings.values import Settings


class SettingRow(NamedTuple):
    """One line of `config show`."""

    name: str
    value: str
    origin: str
    doc: str
    #: Fault of another value that was set, and its remedy; '' for no fault.
    wrong: str = ""
    hint: str = ""
    default: str = ""


def list_setting_rows(settings: Settings) -> list[SettingRow]:
    """Return a row for every setting, in the order of the documentation."""
    return [_build_setting_row(settings, option) for option in OPTIONS]


def _build_setting_row(settings: Settings, option: Option) -> SettingRow:
    setting = settings.values[option.name]
    shown_value = without_password(str(setting.value)) if option.is_address else str(setting.value)
    return SettingRow(
        option.name,
        shown_value,
        setting.origin,
        option.doc,
        default=str(option.default).lower()
        if option.default in (True, False)
        else str(option.default),
    )
