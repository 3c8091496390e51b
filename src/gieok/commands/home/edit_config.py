"""`gieok config edit`: edit the user's settings file; faulty settings take no effect."""

from dataclasses import dataclass

from gieok import fs, paths
from gieok.commands.command import Effect, Style, command
from gieok.commands.editor import edit_in_editor
from gieok.commands.encode import Hidden
from gieok.errors import BadConfig, Phrase
from gieok.home.call import Call
from gieok.settings.file import find_settings_errors
from gieok.text.messages import Words

_NEW = Words(
    "# Settings of Gieok. `gieok config show` lists all of them: name: value, or group: "
    "{name: value}.\n"
)


@dataclass(frozen=True, slots=True)
class EditedConfig:
    """Settings file, and whether it changed."""

    path: str
    changed: bool
    found: Hidden[bool] = True


def render_edited_config(result: EditedConfig, style: Style) -> str:
    """Say whether the settings changed."""
    if not result.changed:
        return style.say("nothing was changed")
    return style.say("in force: {path}", path=style.path(result.path))


@command(
    "config edit",
    Words(
        "Edit the settings in your editor ($VISUAL, $EDITOR); what is wrong does not take effect"
    ),
    present=render_edited_config,
    when_stopped=Words("nothing was changed"),
    examples=("gieok config edit",),
    effect=Effect.WRITE,
    forgives_config=True,
)
def edit_user_config(call: Call) -> EditedConfig:
    """Open the settings file in an editor, check the text, and put it in place.

    Raises BadConfig, and keeps the old file and a draft.
    """
    file = paths.locate_user_config(call.home.folder)
    draft = file.with_name("config.draft.yaml")
    before = file.read_text(encoding="utf-8") if file.is_file() else _NEW.say(call.lang)
    text = draft.read_text(encoding="utf-8") if draft.is_file() else before
    while True:
        text = edit_in_editor(
            call,
            text,
            "config.yaml",
            f"write in {str(file)!r}, or `gieok config set NAME VALUE`",
        )
        if not (wrong := find_settings_errors(call.home.folder, text)):
            break
        error_lines = [f"✗ {error}" for error in wrong]
        question = call.words("Edit again? [y/N] ")
        if call.ask is None or not call.agrees(error_lines, question, ""):
            fs.replace_private(draft, text)
            hint = Phrase(
                "nothing was changed; what you wrote is in {draft!r}, and `gieok "
                "config edit` goes on with it",
                draft=draft,
            )
            raise BadConfig(str(wrong[0]), hint=hint)
    changed = text != (before if file.is_file() else "") and text != _NEW.say(call.lang)
    if changed:
        with fs.lock_resource(call.home.folder, file):
            if before != (
                file.read_text(encoding="utf-8") if file.is_file() else _NEW.say(call.lang)
            ):
                fs.replace_private(draft, text)
                hint = Phrase(
                    "what you wrote is in {draft!r}, and `gieok config edit` goes on with it",
                    draft=draft,
                )
                raise BadConfig("{file!r} was changed meanwhile", file=file, hint=hint)
            fs.replace_private(file, text)
    draft.unlink(missing_ok=True)
    return EditedConfig(str(file), changed)
