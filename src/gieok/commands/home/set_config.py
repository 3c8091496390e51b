"""`gieok config set`, `gieok config unset`: change one setting in the user's file.

The rest of the file stays unchanged.
"""

from dataclasses import dataclass
from typing import Annotated

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, Omitted
from gieok.errors import BadRequest, Phrase
from gieok.home.call import Call
from gieok.home.setting_rows import SettingRow, list_setting_rows
from gieok.settings import user_file
from gieok.settings.synonyms import NAMES
from gieok.settings.table import refuse_known_otherwise
from gieok.text.messages import Words

#: Settings that are changed by moving data first.
_MOVED_BY = {"store": "store switch", "journal": "journal switch"}
#: Where the data of each of them is as shipped.
_SHIPPED_PLACE = "sqlite"


@dataclass(frozen=True, slots=True)
class SetResult:
    """Old and new value of the setting, and the server that was started before the change."""

    name: str
    before: str
    value: str
    server: Omitted[str] = None
    found: Hidden[bool] = True


def render_set_config(result: SetResult, style: Style) -> str:
    """Show the change."""
    before, value = (printable(text) or '""' for text in (result.before, result.value))
    was = style.dim(style.say("(before: {before})", before=before))
    lines = [f"{style.bold(result.name)}: {value}  {was}"]
    if result.server:
        lines.append(
            style.say(
                "The server at {url} read its settings when it started: start it anew.",
                url=result.server,
            )
        )
    return "\n".join(lines)


@command(
    "config set",
    Words("Change a setting for good"),
    present=render_set_config,
    effect=Effect.WRITE,
    forgives_config=True,
    examples=("gieok config set search.limit 5",),
)
def set_config_value(
    call: Call,
    *,
    name: Annotated[
        str,
        Parameter(
            Words("the setting (gieok config show)"),
            positional=True,
            needed="gieok config set search.limit 5",
        ),
    ] = "",
    value: Annotated[str, Parameter(Words("its new value"), positional=True)] = "",
) -> SetResult:
    """Change a setting.

    Raises BadRequest for an unknown setting, BadConfig for a wrong value and for a document's name
    that no setting has the meaning of.
    """
    return _change_setting(call, _find_setting_row(call, name, value), value)


@command(
    "config unset",
    Words("Set a setting back to its default"),
    present=render_set_config,
    examples=("gieok config unset search.limit",),
    effect=Effect.WRITE,
    forgives_config=True,
)
def unset_config_value(
    call: Call,
    *,
    name: Annotated[
        str,
        Parameter(Words("the setting"), positional=True, needed="gieok config unset search.limit"),
    ] = "",
) -> SetResult:
    """Set a setting back to its default."""
    row = _find_setting_row(call, name, _SHIPPED_PLACE)
    return _change_setting(call, row, row.default)


def _find_setting_row(call: Call, name: str, value: str) -> SettingRow:
    name = NAMES.get(name, name)
    if name in _MOVED_BY:
        raise BadRequest(
            "{name!r} is where data is, which has to move",
            name=name,
            command=f"{_MOVED_BY[name]} {value}".strip(),
            hint="run `gieok {command}`",
        )
    rows = {row.name: row for row in list_setting_rows(call.home.settings)}
    if name not in rows:
        refuse_known_otherwise(name, "gieok config")
        from difflib import get_close_matches

        near = get_close_matches(name, rows, 1)
        raise BadRequest(
            "there is no setting {name!r}",
            name=name,
            hint=Phrase("did you mean `{near}`?", near=near[0])
            if near
            else "`gieok config show` lists them",
        )
    return rows[name]


def _change_setting(call: Call, row: SettingRow, value: str) -> SetResult:
    user_file.choose(call.home.settings, row.name, value)
    if row.name == "hook.action":
        call.home.supposing({row.name: value}, {}).follow_action_notes()
    server = call.home.daemon.server() if call.home.daemon else None
    return SetResult(row.name, row.value, value, server.url if server else None)
