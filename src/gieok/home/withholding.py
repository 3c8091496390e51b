"""Checks whether something may be stored now.

Nothing is stored while memory is paused, from a private session, or from an excluded folder.
"""

from datetime import datetime, tzinfo

from gieok import private
from gieok.errors import Withheld
from gieok.home.call import Call
from gieok.text.messages import Words


def check_caller_withheld(call: Call) -> None:
    """Raise Withheld where nothing may be stored from this caller now."""
    check_session_withheld(call)
    if call.caller.is_placed:
        check_folder(call, str(call.caller.folder))


def check_session_withheld(call: Call) -> None:
    """Raise Withheld while memory is paused, and in a private session."""
    call.privacy.check_pause(call.clock.now(), call.zone)
    if private.is_asked_for(call.caller.environment):
        raise Withheld(
            "this session is private: nothing was kept",
            variable=private.VARIABLE,
            hint="say it in a session that was started without {variable}",
        )


def check_folder(call: Call, folder: str) -> None:
    """Raise Withheld where a folder is excluded."""
    if call.privacy.excludes_folder(folder):
        raise Withheld(
            "the folder {folder!r} is excluded: nothing of it was kept",
            folder=folder,
            hint=(
                "`gieok config show exclude` shows what is excluded, `gieok config set "
                "exclude.folders …` changes it"
            ),
        )


def format_local_time(at_s: float, zone: tzinfo) -> str:
    """Return a time as a person reads it."""
    return datetime.fromtimestamp(at_s, zone).strftime("%Y-%m-%d %H:%M")


def format_withheld_notice(why: str, lang: str) -> str:
    """Return the notice at the start of a withheld session; `why` is of
    `surfaces.hook.withheld`.
    """
    why, _, until = why.partition(" ")
    return _build_withheld_notice(why, until).say(lang)


def find_withheld_notice(call: Call, *, agent: str = "", session: str = "") -> Words | None:
    """Return why an agent is given nothing from here now; None where memory is open."""
    now_s = call.clock.now().timestamp()
    folder = str(call.caller.folder) if call.caller.is_placed else ""
    if call.privacy.excludes_folder(folder) or call.privacy.excludes_agent(agent):
        return _build_withheld_notice("excluded")
    is_private = private.is_asked_for(call.caller.environment)
    if is_private or call.privacy.is_private(agent, session, now_s):
        return _build_withheld_notice("private")
    pause = call.privacy.pause(now_s)
    if pause is None:
        return None
    until = "" if pause.until is None else format_local_time(pause.until, call.zone)
    return _build_withheld_notice("paused", until)


def _build_withheld_notice(why: str, until: str = "") -> Words:
    return {
        "paused": Words.of(
            "memory is paused until {until}; nothing is kept or recalled. `gieok resume` ends it",
            until=until,
        )
        if until
        else Words("memory is paused; nothing is kept or recalled. `gieok resume` ends it"),
        "private": Words("this session is private; nothing of it is kept or recalled"),
        "excluded": Words(
            "this folder or agent is excluded; nothing is kept or recalled (`gieok config show "
            "exclude`)"
        ),
    }[why]
