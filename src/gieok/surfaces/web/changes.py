"""Other changes from the pages; each runs a command and reports its result."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from gieok.commands.archive.answer import approve_pending, reject_pending
from gieok.commands.archive.run import run_archive_jobs
from gieok.commands.command import Command, P, ResultT, Style
from gieok.commands.home.backup import create_backup
from gieok.commands.home.daemon import start_home_daemon
from gieok.commands.memory.index import index_memory
from gieok.commands.memory.remember import RememberResult, remember_record
from gieok.commands.observe.run import observe_transcripts
from gieok.commands.prompt.install import install_agent
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest, GieokError
from gieok.home.calls import rescope_call
from gieok.places.scope import USER_SCOPE
from gieok.surfaces.web.acts import OF_MEMORIES
from gieok.surfaces.web.jobs import PageJob
from gieok.surfaces.web.site import PageRequest, join_query
from gieok.surfaces.web.views.code import sync_code_project
from gieok.surfaces.web.views.health import show_health_page
from gieok.surfaces.web.views.injection import CHANGES as OF_INJECTION
from gieok.surfaces.web.views.talk import CHANGES as OF_TALK
from gieok.text.messages import Words


def remember(seen: PageRequest) -> Response:
    """Keep a sentence for the chosen scope, and go back to the page where it was written.

    From the first page it leads to how the sentence is found and what an agent is given of it. What
    cannot be kept stays in the form, with the reason.
    """
    text = seen.sent("text")
    scope = seen.sent("to") if "to" in seen.form else seen.call.scope.path
    try:
        remembered = _remember_for_scope(seen, text, scope)
    except GieokError as error:
        return seen.failed("add.html", error, text=text, to=scope, back=seen.sent("back"))
    if back := seen.sent("back"):
        notice = seen.words("Remembered: {title}", title=remembered.title)
        if seen.has_scopes:
            notice = seen.words(
                "Remembered ({scope}): {title}",
                scope=name_scope(remembered.scope),
                title=remembered.title,
            )
        if not remembered.created:
            notice = seen.words("It was known already: {title}", title=remembered.title)
        return seen.back_to(join_query(back, told=notice))
    notice = seen.words("Remembered. This is how it is found:")
    return seen.back_to(f"/first?{urlencode({'q': remembered.title, 'told': notice})}")


def _remember_for_scope(seen: PageRequest, text: str, scope: str) -> RememberResult:
    """Keep a sentence. Raises BadRequest for a scope that nothing can be kept for."""
    if scope not in seen.scopes_to_keep:
        raise BadRequest(
            "nothing can be remembered for {scope!r}",
            scope=scope,
            hint="choose one of those that are there",
        )
    is_users = scope == USER_SCOPE
    memory = seen.site.memory("auto" if is_users or scope == seen.scopes[0] else scope)
    return memory.run(remember_record, text=[text], user=is_users)


def index(seen: PageRequest) -> Response:
    """Index a folder of notes, as a job beside the server."""
    folder = seen.sent("folder")

    def work(job: PageJob) -> str:
        return _run_reporting_command(seen, job, index_memory, paths=[folder])

    if not folder:
        return seen.back_to("/first")
    seen.site.jobs.start(Words.of("Indexing {folder}", folder=folder), work)
    return seen.back_to(f"/first?{urlencode({'folder': folder})}")


def take_in_past_sessions(seen: PageRequest) -> Response:
    """Index all past sessions of agents, and observe them."""

    def work(job: PageJob) -> str:
        lines = _run_reporting_command(seen, job, index_memory, sessions=True)
        return f"{lines}\n{_run_reporting_command(seen, job, observe_transcripts, once=True)}"

    seen.site.jobs.start(Words("Reading what was said to agents"), work)
    return seen.back_to("/first")


def run_home_command(seen: PageRequest) -> Response:
    """Run a command on the home as a job beside the server."""
    verb = seen.request.path_params["verb"]
    if verb in _HOME_COMMANDS:
        what, command = _HOME_COMMANDS[verb]

        def work(job: PageJob) -> str:
            return _run_reporting_command(seen, job, command)

        seen.site.jobs.start(what, work)
    return seen.back_to("/status#job")


def _run_reporting_command(
    seen: PageRequest,
    job: PageJob,
    command: Command[P, ResultT],
    *args: P.args,
    **values: P.kwargs,
) -> str:
    """Run a command that reports its progress to a job; return the command's last words."""
    call = replace(
        rescope_call(seen.memory.call),
        lang=seen.lang,
        say=job.say,
        tell=job.tell,
    )
    return command.present(command(call, *args, **values), Style(seen.lang, colour=False))


def install_chosen_agent(seen: PageRequest) -> Response:
    """Install Gieok in the settings of an agent."""
    agent = seen.sent("agent")
    try:
        installed = seen.memory.run(install_agent, agent=agent)
    except GieokError as error:
        return seen.back_to(f"/first?{urlencode({'told': f'{error} ({error.hint})'})}#agents")
    files = ", ".join(
        seen.short(file.path) for file in installed.files if file.status != "unchanged"
    )
    notice = seen.words(
        "{agent} is connected ({files}).", agent=agent, files=files or Words("it was already")
    )
    note = installed.note.say(seen.lang) if installed.note else ""
    return seen.back_to(f"/first?{urlencode({'told': f'{notice} {note}'.strip()})}#agents")


def answer_archive_question(seen: PageRequest) -> Response:
    """Approve or reject the change that an archive waits for."""
    verb = seen.request.path_params["verb"]
    try:
        seen.memory.run(_ANSWERS[verb], names=[seen.sent("what")])
    except GieokError as error:
        return show_health_page(seen, error)
    return seen.back_to(f"/status?told={quote(seen.words('Done.'))}")


#: Word of the address → what the page calls it, and the command.
_HOME_COMMANDS: dict[str, tuple[Words, Command[[], Any]]] = {
    "backup": (Words("Backing up"), create_backup),
    "daemon": (Words("Starting the daemon"), start_home_daemon),
    "index": (Words("Reading what changed in notes"), index_memory),
    "jobs": (Words("Running the jobs that are due"), run_archive_jobs),
}
#: Word of the address → the command that answers.
_ANSWERS = {"approve": approve_pending, "reject": reject_pending}
CHANGES: dict[str, Callable[[PageRequest], Response]] = {
    "/remember": remember,
    "/first/index": index,
    "/first/talk": take_in_past_sessions,
    "/install": install_chosen_agent,
    "/archive/{verb}": answer_archive_question,
    "/status/run/{verb}": run_home_command,
    **OF_MEMORIES,
    "/code/sync": sync_code_project,
    **OF_TALK,
    **OF_INJECTION,
}
