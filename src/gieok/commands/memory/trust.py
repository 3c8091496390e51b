"""`gieok trust`: let a person review a project's content before Gieok uses that content."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command
from gieok.commands.encode import INLINE, As, OrNull, Reason
from gieok.commands.memory import untrusted
from gieok.commands.memory.records import follow_shelf, project_shelf
from gieok.commands.memory.untrusted import Waiting
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.places.checkout import is_owned
from gieok.places.home import PROJECT_FOLDER
from gieok.places.workplace import project_root
from gieok.settings import grants
from gieok.text.inert import revealed
from gieok.text.messages import Words


class RecordRow(NamedTuple):
    """Record that waits for trust, in full."""

    path: str
    status: str
    sha256: str
    text: str


class WaitingRows(NamedTuple):
    """Content of a project that waits for trust."""

    project: str
    fingerprint: str | None
    records: list[RecordRow]
    settings: str | None
    unread: list[Reason]


def _build_waiting_rows(waits: Waiting) -> WaitingRows:
    records = [
        RecordRow(r.entry.name, _name_record_status(r), r.entry.digest, _decode_record_text(r))
        for r in waits.records
    ]
    unread = [Reason(f.key, f.reason) for f in waits.unread]
    return WaitingRows(
        project=waits.root,
        fingerprint=waits.fingerprint if waits else None,
        records=records,
        settings=waits.settings,
        unread=unread,
    )


@dataclass(frozen=True, slots=True)
class TrustResult:
    """Content of one project that waits or was trusted."""

    status: str
    waits: Annotated[Waiting, As(_build_waiting_rows), INLINE]

    @property
    def found(self) -> bool:
        """False where there is nothing to show."""
        return self.status != "show" or bool(self.waits)


class TrustedProject(NamedTuple):
    """Project with trusted content, and since when."""

    project: str
    records: int
    settings: bool
    at: OrNull[str]


class TrustedProjects(NamedTuple):
    """Trusted content of each project."""

    projects: tuple[TrustedProject, ...]

    @property
    def found(self) -> bool:
        """False where no project has trusted content."""
        return bool(self.projects)


def render_trust(result: TrustResult | TrustedProjects, style: Style) -> str:
    """Show what waits in full, or what was done."""
    if isinstance(result, TrustedProjects):
        return "\n".join(_format_trusted_project(project, style) for project in result.projects)
    w = result.waits
    if result.status != "show":
        return f"{_DONE[result.status].say(style.lang)}: {revealed(w.root)}"
    if not w:
        return "\n".join(
            [
                *_format_waiting_lines(w, style),
                f"{_DONE['nothing'].say(style.lang)}: {revealed(w.root)}",
            ]
        )
    exactly = style.say("to trust just this: ")
    return "\n".join(
        [
            *_format_waiting_lines(w, style),
            w.words().say(style.lang),
            f"{exactly}gieok trust --exactly {w.fingerprint}",
        ]
    )


def _format_trusted_project(trusted: TrustedProject, style: Style) -> str:
    count = trusted.records
    records = style.say("{count} record", plural="{count} records", count=count)
    settings = style.say(" and settings") if trusted.settings else ""
    gone = "" if Path(trusted.project).is_dir() else style.say(", not there any more")
    return f"{style.bold(revealed(trusted.project))}  {records}{settings}  {trusted.at}{gone}"


@command(
    "trust",
    Words("Trust the memory and settings that a project brought along, after looking at them"),
    present=render_trust,
    examples=("gieok trust --show", "gieok trust", "gieok trust --revoke"),
    forgives_config=True,
    effect=Effect.WRITE,
)
def trust_project(
    call: Call,
    *,
    path: Annotated[
        str, Parameter(Words("the project (default: the one here)"), positional=True)
    ] = "",
    show: Annotated[bool, Parameter(Words("print what waits, in full, and trust nothing"))] = False,
    yes: Annotated[bool, Parameter(Words("do not ask"))] = False,
    exactly: Annotated[
        str, Parameter(Words("only what --show printed with this fingerprint"))
    ] = "",
    revoke: Annotated[bool, Parameter(Words("trust nothing of this project any more"))] = False,
    list: Annotated[bool, Parameter(Words("list the projects that are trusted"))] = False,
) -> TrustResult | TrustedProjects:
    """Show what waits for trust, trust that content, or revoke trust."""
    if sum((show, revoke, list)) > 1:
        raise BadRequest("--show, --revoke and --list exclude each other")
    if list:
        call.home.stores.configured()  # takes over what was trusted before
        every = grants.list_grants(call.home.folder)
        return TrustedProjects(
            tuple(
                TrustedProject(g.project, len(g.entries), g.settings is not None, g.at)
                for g in every
            )
        )
    if revoke:
        return _revoke_project_trust(call, path=path)
    waits = find_untrusted_content(call, path)
    if show:
        return TrustResult("show", waits)
    grants.check_home_outside_project(call.home.folder, waits.root)
    if exactly and exactly != waits.fingerprint:
        raise BadRequest(
            "what waits in {root!r} is not what has the fingerprint {exactly!r}",
            root=waits.root,
            exactly=exactly,
            hint="it was changed since: look again with `gieok trust --show`",
        )
    if not waits:
        return TrustResult("nothing", waits)
    if not yes and not _confirm_trust(call, waits):
        return TrustResult("refused", waits)
    untrusted.trust_all(
        call.home.folder, waits, call.clock.now().astimezone(call.zone).date().isoformat()
    )
    follow_shelf(call, project_shelf(waits.root))
    return TrustResult("trusted", waits)


def find_untrusted_content(call: Call, path: str = "") -> Waiting:
    """Return the content that waits in the project at a path; '': the project here."""
    root = _require_project_root(call, path)
    call.home.stores.configured()  # takes over what was trusted before
    return untrusted.find_waiting_content(call.home.folder, root)


def _require_project_root(call: Call, path: str) -> str:
    start = call.caller.path(path).resolve()
    if root := project_root(str(start)):
        return root
    marker = start / PROJECT_FOLDER
    if marker.is_dir() and not is_owned(str(marker)):
        raise BadRequest(
            "{marker!r} belongs to another user",
            marker=marker,
            hint="a project that you share must be a copy of yours",
        )
    raise BadRequest(
        "no project at or above {start!r}",
        start=start,
        hint="go to a folder that has a `.gieok` folder",
    )


def _confirm_trust(call: Call, waits: Waiting) -> bool:
    """Show what waits and ask a person.

    Exactly the content shown is trusted, even if the files change meanwhile.
    """
    question = call.words("Trust this in this folder? [y/N] ")
    lines = _format_waiting_lines(waits, Style(call.lang, colour=False))
    return call.agrees(
        lines, question, "look at it with `gieok trust --show`, then `gieok trust --yes`"
    )


def _revoke_project_trust(call: Call, *, path: str) -> TrustResult:
    start = str(call.caller.path(path).resolve())
    root = project_root(start) or start
    if not grants.forget_grant(call.home.folder, root):
        return TrustResult("nothing", Waiting(root))
    waits = untrusted.find_waiting_content(call.home.folder, root)
    # no notice about what the person just revoked
    grants.claim_trust_notice(call.home.folder, root, waits.fingerprint)
    follow_shelf(call, project_shelf(root))
    return TrustResult("revoked", waits)


def _name_record_status(record: untrusted.WaitingRecord) -> str:
    return "changed" if record.is_change else "new"


def _decode_record_text(record: untrusted.WaitingRecord) -> str:
    return record.data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")


_STATUS = {"new": Words("new"), "changed": Words("changed")}
_DONE = {
    "trusted": Words("trusted"),
    "refused": Words("nothing was trusted"),
    "revoked": Words("trusted no more; nothing of it is recalled"),
    "nothing": Words("nothing waits"),
}


def _format_waiting_lines(waits: Waiting, style: Style) -> list[str]:
    """Return every line that would be trusted, with invisible characters made visible."""
    lines = list[str]()
    for record in waits.records:
        status = _STATUS[_name_record_status(record)].say(style.lang)
        lines += [
            style.bold(f"{revealed(record.entry.name)}  ({status})"),
            *_quote_text_lines(_decode_record_text(record)),
            "",
        ]
    if waits.settings is not None:
        lines += [
            style.bold(f"config.yaml  ({style.say('settings')})"),
            *_quote_text_lines(waits.settings),
            "",
        ]
    skipped = style.say("is not read")
    lines += [f"{revealed(f.key)}  {skipped}: {style.told(f.reason)}" for f in waits.unread]
    return lines


def _quote_text_lines(text: str) -> list[str]:
    return [f"  │ {revealed(line)}" for line in text.removesuffix("\n").split("\n")]
