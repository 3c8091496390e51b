"""Settings of upkeep: the daemon, trials, housekeeping, backups, keys, notices."""

from functools import partial

from gieok import registry
from gieok.settings.hook import ACTIVE
from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_schedule_option


def _kept_days(text: str) -> object:
    from gieok.flow import housekeeping  # only where it is set

    return housekeeping.parse_days_by_kind(text)


PROCESS_OPTIONS = (
    Option(
        "doctor.timeout_s",
        20.0,
        "how long a trial waits for a model or an archive at a service, all tries together",
        low=0.1,
    ),
    Option(
        "daemon.idle_hours",
        3.0,
        "a daemon that a session start brought up ends after so long unused; 0: never",
        low=0,
    ),
)
HOUSEKEEPING_OPTIONS = (
    Option(
        "logs.max_mb",
        5.0,
        "megabytes of daemon.log, above which a start of the daemon begins a new one",
        low=0.1,
        high=10_000,
    ),
    Option(
        "logs.keep",
        1,
        "how many earlier daemon.log stay, the newest as daemon.log.1",
        low=1,
        high=100,
    ),
    build_schedule_option(
        "housekeeping.schedule", "30 4 * * *", "when what is not needed any more is cleared away"
    ),
    Option(
        "housekeeping.keep",
        "",
        "days that logs, runs … are kept, where you want others: logs=14, runs=0 (for ever)",
        check=_kept_days,
        hint='write `housekeeping.keep: "logs=14, history=0"`; 0: for ever',
    ),
)
OPTIONS = (
    Option(
        "backup.folder",
        "",
        "where `gieok backup` puts backups; empty: beside the home, as `.gieok-backups`",
    ),
    build_schedule_option("backup.schedule", "", "when a backup is made"),
    Option("backup.keep", 7, "how many of the newest backups stay; 0: all", low=0),
    Option(
        "sync.turns",
        True,
        "whether `gieok sync` sends what was said, turn by turn, beside what was made of it",
    ),
    Option(
        "keys.store",
        "file",
        "where `gieok keys set` puts keys: .env or the system's keyring",
        choices=("file", "keyring"),
    ),
    Option(
        "notify.to",
        "log",
        "how you are told of what waits for you: log, desktop, openclaw, smtp, joined by commas",
        check=partial(registry.check_names, registry.NOTIFIERS, ()),
        hint=f"one or more of {', '.join(registry.NOTIFIERS)}",
    ),
    Option("notify.timeout_s", 10.0, "how long each way of telling may take", low=1),
    Option(
        "notify.openclaw_url",
        "",
        "address of OpenClaw's gateway; empty: as its own configuration says",
        is_address=True,
    ),
    Option(
        "notify.openclaw_route",
        "wake",
        "`wake` (its next turn), `agent` (a run that answers you), or the path of a mapping",
    ),
    Option(
        "notify.smtp_host",
        "",
        "server that takes your mail; the password: SMTP_PASSWORD (environment, or .env)",
    ),
    Option("notify.smtp_port", 0, "its port; 0: the usual one of notify.smtp_security", low=0),
    Option(
        "notify.smtp_security",
        "starttls",
        "how the way there is encrypted",
        choices=("starttls", "tls", "none"),
    ),
    Option("notify.smtp_user", "", "name to log in with; empty: without"),
    Option("notify.mail_from", "", "sender; empty: notify.smtp_user, else the first recipient"),
    Option("notify.mail_to", "", "who gets mail, joined by commas"),
)
ACTIVE_MEMORY_OPTIONS = (
    ACTIVE,
    Option("active_memory.budget_tokens", 2_500, "size of active memory", low=200),
    Option("active_memory.template", "", "a file to use instead of the built-in template"),
)
