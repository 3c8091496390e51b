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
        (
            "seconds that `gieok doctor` waits for a model or an archive at a service, all "
            "tries together"
        ),
        low=0.1,
    ),
    Option(
        "daemon.idle_hours",
        3.0,
        "hours without use after which a daemon ends that a session started; 0: never",
        low=0,
    ),
)
HOUSEKEEPING_OPTIONS = (
    Option(
        "logs.max_mb",
        5.0,
        "megabytes of daemon.log from which the daemon begins a new one at its start",
        low=0.1,
        high=10_000,
    ),
    Option(
        "logs.keep",
        1,
        "how many earlier daemon.log are kept; the newest is daemon.log.1",
        low=1,
        high=100,
    ),
    build_schedule_option(
        "housekeeping.schedule", "30 4 * * *", "when Gieok deletes what is no longer needed"
    ),
    Option(
        "housekeeping.keep",
        "",
        "other days for which logs, runs and the like are kept: logs=14, runs=0 (for ever)",
        check=_kept_days,
        hint='write `housekeeping.keep: "logs=14, history=0"`; 0: for ever',
    ),
)
OPTIONS = (
    Option(
        "backup.folder",
        "",
        "folder for backups of `gieok backup`; empty: `.gieok-backups` beside the home",
    ),
    build_schedule_option("backup.schedule", "", "when a backup is made"),
    Option("backup.keep", 7, "how many of the newest backups are kept; 0: all", low=0),
    Option(
        "sync.turns",
        True,
        "let `gieok sync` also send each turn of your conversations",
    ),
    Option(
        "keys.store",
        "file",
        "where `gieok keys set` puts keys: `.env`, or the system's keyring",
        choices=("file", "keyring"),
    ),
    Option(
        "notify.to",
        "log",
        (
            "ways of telling you that something waits for you: log, desktop, openclaw, "
            "smtp, joined by commas"
        ),
        check=partial(registry.check_names, registry.NOTIFIERS, ()),
        hint=f"one or more of {', '.join(registry.NOTIFIERS)}",
    ),
    Option("notify.timeout_s", 10.0, "seconds that each way of telling may take", low=1),
    Option(
        "notify.openclaw_url",
        "",
        "address of OpenClaw's gateway; empty: as OpenClaw's configuration says",
        is_address=True,
    ),
    Option(
        "notify.openclaw_route",
        "wake",
        (
            "how OpenClaw is told: `wake` (its next turn), `agent` (a run that answers "
            "you), or the path of a mapping"
        ),
    ),
    Option(
        "notify.smtp_host",
        "",
        "mail server that sends your mail; its password is SMTP_PASSWORD (environment or `.env`)",
    ),
    Option(
        "notify.smtp_port",
        0,
        "port of the mail server; 0: the usual one of notify.smtp_security",
        low=0,
    ),
    Option(
        "notify.smtp_security",
        "starttls",
        "how the connection to the mail server is encrypted",
        choices=("starttls", "tls", "none"),
    ),
    Option("notify.smtp_user", "", "name for the login at the mail server; empty: no login"),
    Option(
        "notify.mail_from",
        "",
        "sender of mails; empty: notify.smtp_user, or else the first recipient",
    ),
    Option("notify.mail_to", "", "recipients of mails, joined by commas"),
)
ACTIVE_MEMORY_OPTIONS = (
    ACTIVE,
    Option("active_memory.budget_tokens", 2_500, "most tokens of active memory", low=200),
    Option(
        "active_memory.template",
        "",
        "template of your own for active memory; empty: the built-in one",
    ),
)
