"""`gieok`, `python -m gieok`. The hook goes its own way, because it may import nothing of the rest."""

import os
import sys

#: A session may wait so long for its project to be indexed.
_REFRESH_S = 1.5
#: Commands of the group that people call.
_FOR_PEOPLE = ("measure", "stats")


def main() -> int:
    """Run the command line and return its exit status."""
    arguments = sys.argv[1:]
    if _is_hook(arguments):
        from gieok.surfaces.hook.run import main as hook

        status = hook(arguments[1:], _refresh)
        if _is_refreshing:  # it may wait for a lock, and the end of the interpreter would wait for it
            os._exit(status)
        return status
    from gieok.surfaces import streams
    from gieok.surfaces.cli import main as command_line

    return streams.run(lambda: command_line(arguments))


#: Holds the thread of a refresh that takes longer than a session may wait.
_is_refreshing: list[object] = []


def _is_hook(arguments: list[str]) -> bool:
    """Say whether an agent calls. An event that this version does not know is the hook's too: exit 2 would block a prompt."""
    if arguments[:1] != ["hook"] or {"-h", "--help"} & {*arguments}:
        return False
    return "--agent" in arguments or (len(arguments) > 1 and arguments[1] not in _FOR_PEOPLE)


def _refresh(folder: str) -> None:
    """Index what changed of a project (a pull, an edit by hand), without vectors; a large change goes on without us."""
    import threading

    def refresh() -> None:
        from gieok import places
        from gieok.app import open_context
        from gieok.ops.records import refresh as follow_project
        from gieok.surfaces.hook import trail

        try:
            follow_project(open_context({}), folder)
        except Exception as error:  # noqa: BLE001 - the hook fails open, and says why in its log
            trail.log(places.home(), f"session-start: {type(error).__name__}: {error}")

    # Ended in the middle, nothing is lost: writes are transactions, and the next session goes on.
    thread = threading.Thread(target=refresh, daemon=True)
    thread.start()
    thread.join(_REFRESH_S)
    if thread.is_alive():
        _is_refreshing.append(thread)


if __name__ == "__main__":
    sys.exit(main())
