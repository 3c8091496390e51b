"""What agents wrote last: taken in before a command answers, where no daemon follows them."""

from gieok.home.home import Home
from gieok.memory.capture import freshness
from gieok.memory.capture.freshness import Backlog


def catch_up_agents(home: Home) -> Backlog:
    """Read the newest transcript lines of the agents, within a small budget.

    A process that follows the agents does nothing here.
    """
    settings, folder = home.settings, str(home.settings.home)
    agents, folders = settings.text("observe.agents"), settings.text("observe.folders")
    is_followed = home.resident is not None and home.resident.follows
    if is_followed or not settings.flag("index.sessions") or (agents == "none" and not folders):
        return Backlog()
    whose, began_s = (
        freshness.build_freshness_key(agents, folders, home.caller.environment),
        home.clock.now().timestamp(),
    )
    if not freshness.is_new(folder, whose):
        return Backlog()
    from gieok.memory import catch_up

    sidecar = home.sidecar
    left = catch_up.catch_up(sidecar)
    freshness.store_freshness_mark(
        folder, whose, catch_up.patterns(sidecar), 0.0 if left else began_s
    )
    return left
