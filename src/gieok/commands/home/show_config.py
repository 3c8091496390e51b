"""`gieok config show`: every setting, its value, its origin, and faults of the set values."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, NamedTuple

from gieok.commands.command import TRUST_HINT, Parameter, Style, command, waiting_words
from gieok.commands.encode import INLINE, As, Hidden, Omitted
from gieok.commands.memory import untrusted
from gieok.errors import BadConfig, BadRequest, Phrase
from gieok.home.call import Call
from gieok.home.setting_rows import SettingRow, list_setting_rows
from gieok.settings.groups import group_settings
from gieok.text.messages import Words


class SettingValue(NamedTuple):
    """Value with its origin, and the fault of another value that was set, with its remedy."""

    value: str
    origin: str
    error: Omitted[str] = None
    hint: Omitted[str] = None


def _index_settings_by_name(rows: tuple[SettingRow, ...]) -> dict[str, SettingValue]:
    return {
        row.name: SettingValue(row.value, row.origin, *((row.wrong, row.hint) if row.wrong else ()))
        for row in rows
    }


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """All settings in order."""

    rows: Annotated[tuple[SettingRow, ...], As(_index_settings_by_name), INLINE]
    found: Hidden[bool] = True


def render_settings(result: ConfigResult, style: Style) -> str:
    """Show the settings by their groups, a line each."""
    rows = {row.name: row for row in result.rows}
    groups = group_settings(rows)
    lines = list[str]()
    for group, names in groups:
        if group is not None and len(groups) > 1:
            lines += ["", style.bold(group.heading.say(style.lang)), group.about.say(style.lang)]
        lines += _render_setting_rows([rows[name] for name in names], style)
    return "\n".join(lines).lstrip("\n")


def _render_setting_rows(rows: Sequence[SettingRow], style: Style) -> list[str]:
    """Return a line for each setting, and its faults below."""
    name_width = max(len(row.name) for row in rows)
    value_width = max(len(str(row.value)) for row in rows)
    lines = list[str]()
    for row in rows:
        name, value = style.bold(row.name.ljust(name_width)), row.value.ljust(value_width)
        lines.append(f"{name}  {value}  {row.origin}  {style.dim(style.told(row.doc))}".rstrip())
        if row.wrong:
            lines += [f"  ✗ {style.told(row.wrong)}", f"    → {style.told(row.hint)}"]
    return lines


@command(
    "config show",
    Words("Print every setting with its value and where it comes from"),
    present=render_settings,
    examples=("gieok config show", "gieok config show search observe.model"),
    forgives_config=True,
)
def show_settings(
    call: Call,
    *,
    names: Annotated[
        Sequence[str],
        Parameter(Words("only these settings, or groups of them (default: all)"), positional=True),
    ] = (),
) -> ConfigResult:
    """Return the settings in force. Raises BadRequest for an unknown name."""
    root = call.project
    if root and untrusted.find_waiting_content(call.home.folder, root).settings is not None:
        call.tell(f"{waiting_words(0, has_settings=True).say(call.lang)}: {TRUST_HINT}")
    wrong = {error.setting or error.origin: error for error in call.troubles}
    rows = [
        _mark_wrong_setting(row, wrong.pop(row.name, None))
        for row in list_setting_rows(call.home.settings)
    ]
    # The rest are unknown names, and files that cannot be read.
    rows += [
        _mark_wrong_setting(SettingRow(name, "", wrong[name].origin, ""), wrong[name])
        for name in wrong
    ]
    for name in names:
        if not any(_is_in_setting_group(row, name) for row in rows):
            near = next(iter(get_close_matches(name, [row.name for row in rows], 1)), "")
            hint = (
                Phrase("did you mean {near}?", near=near)
                if near
                else "`gieok config show` lists them"
            )
            raise BadRequest("there is no setting {name!r}", name=name, hint=hint)
    chosen = [
        row for row in rows if not names or any(_is_in_setting_group(row, name) for name in names)
    ]
    return ConfigResult(tuple(chosen))


def _is_in_setting_group(row: SettingRow, name: str) -> bool:
    return row.name == name or row.name.startswith(f"{name.rstrip('.')}.")


def _mark_wrong_setting(row: SettingRow, error: BadConfig | None) -> SettingRow:
    return row if error is None else row._replace(wrong=str(error), hint=error.hint)
