"""Scheduled jobs: a table of jobs, and the one rule of when each is due.

The daemon sleeps until the next job (`daemon/schedules`); `gieok archive run` runs the due jobs
without a daemon. The journal keeps the time of each job's last run: a job missed while the machine
slept or no daemon ran is run once. A job that fails is an incident, and is tried again later.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from platform import node
from typing import NamedTuple
from zlib import crc32

from gieok.commands.home import cold, housekeeping
from gieok.commands.memory.vault import follow_corrections
from gieok.commands.observe.run import settle_scope
from gieok.errors import ArchiveFailed, GieokError, NotifierFailed, Phrase, unexpected
from gieok.flow.incidents import Incidents
from gieok.flow.schedule import Schedule
from gieok.home.call import Call
from gieok.memory.tiers import sweep
from gieok.memory.tiers.tiers import INCIDENT, Outcome
from gieok.model.conversation import Incident
from gieok.ports.journal import ArchivedTalk
from gieok.ports.store import ManagedStore
from gieok.text.messages import Words
from gieok.text.redact import redact

_REALM = "jobs"
WARM = "warm"
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=5), timedelta(hours=6)
_WAITS = Words("gieok: {name} failed and is tried again")
#: Says whether to stop, because the process is about to end.
Stopped = Callable[[], bool]


class HomeJob(NamedTuple):
    """Scheduled job; `setting` holds its schedule.

    `work` returns a report, '' where it did nothing; it may be killed. `is_local`: the job is about
    this machine's files, and each machine of a journal on a server runs it. `is_long`: the daemon
    runs it beside the others, which would wait for it.
    """

    name: str
    setting: str
    doc: Words
    work: Callable[[Call, Stopped], str]
    is_local: bool = False
    is_long: bool = False


class Ran(NamedTuple):
    """Job that was run: its report, or why it failed."""

    name: str
    ok: bool
    said: str


class Planned(NamedTuple):
    """Job with its times, in UTC: None for never; `failed` is why it is tried again at
    `next_at`.
    """

    job: HomeJob
    expression: str
    next_at: datetime | None
    last_at: datetime | None
    said: str
    failed: str


class _JobRecord(NamedTuple):
    """Stored record of a job.

    The start from which its times count, its last run ('': never), and the report of that run.
    """

    since: datetime
    last: str = ""
    said: str = ""


def run_due(
    call: Call, jobs: Sequence[HomeJob] | None = None, *, is_stopped: Stopped = lambda: False
) -> list[Ran]:
    """Run the due jobs, one after the other; return those that were run.

    Never raises for a job that fails. Raises StoreError.
    """
    journal, runs = call.home.journal, list[Ran]()
    for job in JOBS if jobs is None else jobs:
        if is_stopped() or not _is_job_due(call, job):
            continue
        with journal.exclusive(_format_incident_name(call, job), wait=False) as held:
            if held and _is_job_due(call, job):  # no other process was faster
                runs.append(_run_job(call, job, is_stopped))
    return runs


def note_job_done(call: Call, name: str, said: str) -> None:
    """Record that a person ran a job now: its next time is the following one."""
    now = call.clock.now()
    call.home.journal.keep(
        _REALM, {name: _format_job_record(_JobRecord(now, now.isoformat(), said))}
    )


def plan_jobs(call: Call, jobs: Iterable[HomeJob] | None = None) -> list[Planned]:
    """Return every job with its times; nothing is written."""
    has_journal = call.home.stores.has_journal()
    kept_records = call.home.journal.kept(_REALM) if has_journal else {}
    incidents = (
        {incident.name: incident for incident in call.home.journal.incidents()}
        if has_journal
        else {}
    )
    now = call.clock.now()
    return [
        _build_planned_job(
            call,
            job,
            _parse_job_record(kept_records.get(_format_job_key(call, job)), now),
            incidents.get(_format_incident_name(call, job)),
        )
        for job in (JOBS if jobs is None else jobs)
    ]


def _build_planned_job(
    call: Call, job: HomeJob, record: _JobRecord, failed: Incident | None
) -> Planned:
    schedule = _build_job_schedule(call, job)
    next_at = schedule.after(record.since)
    last = datetime.fromisoformat(record.last) if record.last else None
    if failed is None:
        return Planned(
            job=job,
            expression=schedule.expression,
            next_at=next_at,
            last_at=last,
            said=record.said,
            failed="",
        )
    return Planned(
        job=job,
        expression=schedule.expression,
        next_at=next_at and max(next_at, failed.next_try),
        last_at=last,
        said=record.said,
        failed=failed.detail,
    )


def _is_job_due(call: Call, job: HomeJob) -> bool:
    """Say whether a job is due. The times of a job that is new here count from now on."""
    journal, now = call.home.journal, call.clock.now()
    name = _format_job_key(call, job)
    text = journal.kept(_REALM).get(name)
    record = _parse_job_record(text, now)
    if text is None or record.since != _parse_record_since(text):  # new, or the clock was set back
        journal.keep(_REALM, {name: _format_job_record(record)})
    if not _build_job_schedule(call, job).is_due(record.since, now):
        return False
    return not _build_job_incidents(call).waits(_format_incident_name(call, job))


def _run_job(call: Call, job: HomeJob, is_stopped: Stopped) -> Ran:
    incidents, name = _build_job_incidents(call), _format_incident_name(call, job)
    begun = call.clock.now()
    try:
        result_text = redact(job.work(call, is_stopped))
    # A failing job must not delay the others.
    except Exception as error:  # noqa: BLE001
        failed = error if isinstance(error, GieokError | OSError) else unexpected(error)
        title = _WAITS.say(call.lang).format(name=job.doc.say(call.lang))
        incidents.failed(name, failed, title, first=_FIRST_WAIT, longest=_LONGEST_WAIT)
        return Ran(job.name, False, redact(str(failed)))
    if not is_stopped():  # what was broken off is due still
        # Counted from the start of the run: a time that came during the run is due.
        record = _JobRecord(begun, begun.isoformat(), result_text)
        call.home.journal.keep(_REALM, {_format_job_key(call, job): _format_job_record(record)})
    incidents.resolved(name)
    return Ran(job.name, True, result_text)


def _build_job_schedule(call: Call, job: HomeJob) -> Schedule:
    return Schedule(call.home.settings.text(job.setting), call.zone)


def _build_job_incidents(call: Call) -> Incidents:
    return Incidents(call.home.journal, call.clock, call.home.notices)


def _format_job_key(call: Call, job: HomeJob) -> str:
    """Return the key of a job's record.

    It includes a hash of the machine and its home where others share the journal.
    """
    if not job.is_local or not call.home.stores.has_journal():
        return job.name
    if Path(call.home.journal.location).is_relative_to(call.home.folder):
        return job.name
    return (
        f"{job.name}@{crc32(f'{node()} {call.home.folder}'.encode('utf-8', 'surrogateescape')):08x}"
    )


def _format_incident_name(call: Call, job: HomeJob) -> str:
    """Return the name of a job's incident, which is also the name of its lock."""
    return f"job {_format_job_key(call, job)}"


def _parse_job_record(text: str | None, now: datetime) -> _JobRecord:
    """Return the record of a job.

    A time in the future is from before the clock was set back, and counts from now.
    """
    if text is None:
        return _JobRecord(now)
    row = json.loads(text)
    return _JobRecord(min(_parse_record_since(text), now), row["last"], row["said"])


def _parse_record_since(text: str) -> datetime:
    return datetime.fromisoformat(json.loads(text)["since"]).astimezone(UTC)


def _format_job_record(record: _JobRecord) -> str:
    row = {"since": record.since.isoformat(), "last": record.last, "said": record.said}
    return json.dumps(row, ensure_ascii=False)


def _reflect_due_scopes(call: Call, is_stopped: Stopped) -> str:
    """Run the reflection of each scope that is due; the sidecar decides which are."""
    for scope in call.home.sidecar.scopes():
        if not is_stopped():
            settle_scope(call, scope, flush=False, is_stopped=is_stopped)
    return ""


def _warm_due_memories(call: Call, is_stopped: Stopped) -> str:
    """Move due memories to warm; notify once of faulty files."""
    del is_stopped  # it may be killed
    before = {incident.name for incident in call.home.journal.incidents()}
    outcome = move_due_to_warm(call)
    if outcome.wrong and INCIDENT not in before:
        title = Words("gieok: something is wrong with the archive")
        call.home.notices.notify(title.say(call.lang), "; ".join(outcome.wrong[:5]))
    return format_move_counts(outcome)


def move_due_to_warm(call: Call) -> Outcome:
    """Move due memories to warm, and take in people's corrections in files. Raises StoreError."""
    outcome = sweep.tier_due_memories(call.home.tiers)
    follow_corrections(call, outcome.corrected)
    return outcome


def format_move_counts(done: Outcome) -> str:
    """Return the outcome of moves in a few words."""
    counts = {"moved": done.moved, "corrected": done.corrected, "wrong": len(done.wrong)}
    return ", ".join(f"{what} {count:,}" for what, count in counts.items() if count)


def _back_up_home(call: Call, is_stopped: Stopped) -> str:
    """Make a backup, in the folder of backups, else beside the home."""
    del is_stopped  # killed at any moment there is a whole one, or none
    return str(call.home.backups.create().file.path)


def _archive_old_talk(call: Call, is_stopped: Stopped) -> str:
    """Move whole months of old message texts from the database to files."""
    journal, days = call.home.journal, call.home.settings.integer("archive.journal_days")
    if not days or not isinstance(journal, ArchivedTalk):
        return ""
    before = (call.clock.now() - timedelta(days=days)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    archived = journal.archive_talk(before, is_stopped)
    freed = journal.compact(archived.bytes) if archived.bytes else 0
    if archived.wrong:
        raise ArchiveFailed("; ".join(archived.wrong[:5]))
    return f"moved {archived.messages:,}, {freed / 1e6:.1f} MB" if archived.messages else ""


def _compare_service_copy(call: Call, is_stopped: Stopped) -> str:
    """Bring the copy at a service in line with the local data; the service is asked what it
    holds.
    """
    del is_stopped  # killed at any moment, the next run goes on
    store = call.home.store
    moved = store.push(verify=True) if isinstance(store, ManagedStore) else 0
    return f"moved {moved:,}" if moved else ""


def _validate_projects(call: Call, is_stopped: Stopped) -> str:
    # code intelligence, which no other job needs: 150 ms
    from gieok.commands.code.upkeep import validate_watched_projects

    return validate_watched_projects(call, is_stopped)


def _remind_inactive_accounts(call: Call, is_stopped: Stopped) -> str:
    """Remind users who stay away, drop episodes, and finish deletions past their undo time."""
    if not call.home.stores.has_accounts():
        return ""
    house = call.home.house
    house.control.tidy()
    house.erasing.finish()
    report = house.inactivity.run(is_stopped=is_stopped)
    if failed := [step for step in report.steps if not step.ok and step.stage]:
        raise NotifierFailed(
            "{count} users could not be told: {said}",
            count=len(failed),
            said=Phrase(failed[0].said),
        )
    return ", ".join(f"{what} {count:,}" for what, count in report.counts().items() if count)


JOBS = (
    HomeJob("reflect", "reflect.schedule", Words("weekly reflection"), _reflect_due_scopes),
    HomeJob(WARM, "archive.schedule_warm", Words("hot to warm"), _warm_due_memories),
    HomeJob("talk", "archive.schedule_warm", Words("talk to files"), _archive_old_talk),
    HomeJob("backup", "backup.schedule", Words("backup"), _back_up_home, is_local=True),
    HomeJob(
        "housekeeping",
        "housekeeping.schedule",
        Words("housekeeping"),
        housekeeping.tidy_home,
        is_local=True,
    ),
    HomeJob(
        "cold",
        "archive.schedule_cold",
        Words("moving to cold"),
        cold.move_days_to_cold,
    ),
    HomeJob(
        "inactivity",
        "character.schedule_inactivity",
        Words("users who stay away"),
        _remind_inactive_accounts,
    ),
    HomeJob(
        "service",
        "gemini.schedule",
        Words("comparing with the service"),
        _compare_service_copy,
        is_local=True,
    ),
    HomeJob(
        "validate",
        "code.validate_schedule",
        Words("validating code"),
        _validate_projects,
        is_local=True,
        is_long=True,
    ),
    HomeJob(
        "sync",
        "archive.schedule_sync",
        Words("synchronising cold"),
        cold.sync_cold_at_its_time,
    ),
)
SHORT_JOBS = tuple(job for job in JOBS if not job.is_long)
LONG_JOBS = tuple(job for job in JOBS if job.is_long)
