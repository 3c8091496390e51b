"""Entry point of `gieok` and `python -m gieok`.

Hook calls take a path of their own, because the hook may import nothing of the rest of the package.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gieok.commands.memory.untrusted import Waiting
    from gieok.settings.resolved import FileSettings, SettingsFile

#: How long a session may wait for its project to be indexed, in seconds.
_REFRESH_S = 1.5
#: Subcommands of `gieok hook` that people call.
_FOR_PEOPLE = ("injections", "measure", "refuse", "stats")


def main() -> int:
    """Run the command line and return its exit status."""
    try:
        return _run_command_line(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are loaded: nothing was begun
        return 130


def _run_command_line(arguments: list[str]) -> int:
    if arguments[:2] == ["hook", "pre-tool"] and not {"-h", "--help"} & {*arguments}:
        import gc

        # A tool waits for this process. To collect garbage takes 2 ms of it, and to end the
        # interpreter 5: nothing is left to be written.
        gc.disable()
        from gieok.surfaces.hook.gate import run_gate

        os._exit(run_gate(arguments[1:], _parse_settings_file))
    if _is_agent_hook_call(arguments):
        from gieok.surfaces.hook.run import main as hook

        status = hook(
            arguments[1:],
            _parse_settings_file,
            _refresh_project_index,
            _catch_up_transcripts,
            _notice_of,
            _digest_session,
        )
        # The refresh thread may wait for a lock, and the interpreter would wait for the thread at
        # exit.
        if _is_refreshing:
            os._exit(status)
        return status
    from gieok.surfaces import streams

    # An agent waits for its MCP tools: load neither the argument parser nor any operation.
    if arguments == ["mcp"]:
        from gieok.surfaces import mcp

        return streams.run_process_command(mcp.main)
    from gieok.surfaces.cli import main as command_line

    return streams.run_process_command(lambda: command_line(arguments))


def _parse_settings_file(home: str, file: "SettingsFile") -> "FileSettings":
    """Parse a settings file with the full parser.

    Parsing takes 30 ms, which the hook pays once for each change of the file.
    """
    from gieok.settings.file import parse_settings_file

    return parse_settings_file(home, file)


#: Holds the thread of a refresh that takes longer than a session may wait.
_is_refreshing: list[object] = []


def _is_agent_hook_call(arguments: list[str]) -> bool:
    """Return whether an agent calls the hook, as opposed to a person.

    An event that this version does not know also goes to the hook: exit status 2 would block a
    prompt.
    """
    if arguments[:1] != ["hook"] or {"-h", "--help"} & {*arguments}:
        return False
    return "--agent" in arguments or (len(arguments) > 1 and arguments[1] not in _FOR_PEOPLE)


def _refresh_project_index(folder: str, within_s: float) -> str:
    """Index what changed in a project (a pull, an edit by hand), without vectors.

    The caller waits a limited time; a large change is indexed further in a background thread.

    Return what a person must be told: that the disk is full, or that content of the project waits
    for trust and the person was not told yet.
    """
    if full := _full_disk():
        return full
    pending: list[tuple[Waiting, str]] = []

    def refresh() -> None:
        import os

        from gieok.commands.command import TRUST_HINT
        from gieok.commands.memory import untrusted
        from gieok.commands.memory.records import refresh_project_index as follow_project
        from gieok.home.calls import open_call
        from gieok.places.home import build_home_path
        from gieok.surfaces.hook import trail
        from gieok.surfaces.language import language

        try:
            call = open_call({}, lang=language([], os.environ))
            call.home.stores.configured()  # takes over what is trusted already
            waits = untrusted.find_waiting_content(call.home.folder, folder)
            pending.append((waits, f"Gieok: {waits.words().say(call.lang)}: {TRUST_HINT}"))
            follow_project(call, folder)
        except Exception as error:  # noqa: BLE001 - the hook fails open, and says why in its log
            trail.log_hook_line(
                build_home_path(), f"session-start: {type(error).__name__}: {error}"
            )

    _run_within_budget(refresh, min(_REFRESH_S, within_s))
    return _claim_waiting_words(*pending[0]) if pending and pending[0][0] else ""


def _notice_of(why: str) -> str:
    """Return the notice for a person that memory is withheld from a session, and why."""
    from gieok.home.withholding import format_withheld_notice
    from gieok.surfaces.language import language

    return f"Gieok: {format_withheld_notice(why, language([], os.environ))}"


def _full_disk() -> str:
    """Return the notice that the disk is full and nothing is indexed; '' where there is room."""
    from gieok import fs
    from gieok.places.home import build_home_path

    if not fs.is_volume_full(build_home_path()):
        return ""
    from pathlib import Path

    from gieok.commands.command import full_disk_words
    from gieok.surfaces.language import language

    return f"Gieok: {full_disk_words(Path(build_home_path())).say(language([], os.environ))}"


def _catch_up_transcripts(within_s: float) -> None:
    """Index the newest transcript lines of the agents, within a small budget."""
    from gieok.memory.capture import freshness
    from gieok.places.home import build_home_path

    def catch_up() -> None:
        from gieok.home.calls import open_call
        from gieok.surfaces.hook import trail

        try:
            open_call({}).home.catch_up()
        except Exception as error:  # noqa: BLE001 - the hook fails open, and says why in its log
            trail.log_hook_line(
                build_home_path(), f"session-start: {type(error).__name__}: {error}"
            )

    if freshness.is_new(build_home_path()):
        _run_within_budget(catch_up, min(_REFRESH_S, within_s))


def _digest_session(
    values: "Mapping[str, object]", folder: str, within_s: float
) -> "Mapping[str, object] | None":
    """Return what a session decided and left open, as the JSON of `gieok handoff`.

    What its transcript holds is taken in first.
    """
    digests: list[object] = []

    def digest() -> None:
        from pathlib import Path

        from gieok.commands.command import Surface
        from gieok.commands.run import run_operation
        from gieok.home.calls import open_call
        from gieok.places.home import build_home_path
        from gieok.surfaces.hook import trail

        try:
            answer = run_operation(
                "handoff",
                dict(values),
                lambda found: open_call({}, folder=Path(folder)),
                Surface.HOOK,
            )
            if answer.failure:
                trail.log_hook_line(build_home_path(), f"compaction: {answer.failure.message}")
            else:
                digests.append(answer.data)
        except Exception as error:  # noqa: BLE001 - the hook fails open, and says why in its log
            trail.log_hook_line(build_home_path(), f"compaction: {type(error).__name__}: {error}")

    if not _run_within_budget(digest, within_s):
        from gieok.places.home import build_home_path
        from gieok.surfaces.hook import trail

        trail.log_hook_line(build_home_path(), f"compaction: not read within {within_s:.1f} s")
    found = digests[0] if digests else None
    return found if isinstance(found, dict) else None


def _run_within_budget(work: "Callable[[], None]", most_s: float) -> bool:
    """Run the work in a thread, wait for it as long as the host may wait, and say if it ended.

    Nothing is lost if the process ends in the middle of the work: writes are transactions.
    """
    import threading

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(most_s)
    if is_alive := thread.is_alive():
        _is_refreshing.append(thread)
    return not is_alive


def _claim_waiting_words(waits: "Waiting", words: str) -> str:
    """Return the notice on content that waits for trust, once for each content; '' after that."""
    from gieok import paths
    from gieok.settings import grants

    try:
        return (
            words
            if grants.claim_trust_notice(paths.locate_home(), waits.root, waits.fingerprint)
            else ""
        )
    except OSError:  # a read-only home: better never than at every session
        return ""


if __name__ == "__main__":
    sys.exit(main())
