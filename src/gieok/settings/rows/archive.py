"""Settings of the tiers of memory and of the archive."""

from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_schedule_option

OPTIONS = (
    Option(
        "archive.hot_days",
        90,
        "days after which a memory moves from hot to a file that you can read",
        low=1,
    ),
    Option(
        "archive.hot_mb",
        30,
        "most megabytes of a scope's memories in hot; more move to warm early; 0: no limit",
        low=0,
    ),
    Option(
        "archive.hot_tokens",
        30_000,
        "most tokens of a scope's memories in hot; more move to warm early; 0: no limit",
        low=0,
    ),
    Option(
        "archive.journal_days",
        365,
        (
            "days after which messages move from the database to readable files, one a "
            "month; 0: never"
        ),
        low=0,
    ),
    Option(
        "archive.warm_days",
        365,
        "days after which a memory may move from warm to archive.cold",
        low=1,
    ),
    Option(
        "archive.cold",
        "none",
        "where old memories go in the end: none, a folder, an Obsidian vault, or Dropbox",
        choices=("none", "folder", "obsidian", "dropbox"),
    ),
    Option(
        "archive.folder",
        "",
        "folder or vault of archive.cold; empty: the vault that Obsidian opened last",
    ),
    Option("archive.subfolder", "Gieok", "Gieok's own folder inside archive.folder"),
    Option(
        "archive.folder_structure",
        "year_month",
        "folders for new notes in archive.subfolder: by year and month, none, or by day",
        choices=("year_month", "flat", "daily"),
    ),
    Option(
        "archive.auto_approve",
        False,
        "move memories to archive.cold without asking you (`gieok archive pending`)",
    ),
    build_schedule_option(
        "archive.schedule_cold",
        "30 3 * * 0",
        "when old memories move to archive.cold, or you are asked about them",
    ),
    build_schedule_option(
        "archive.schedule_sync",
        "0 4 * * *",
        "when Gieok and archive.cold are synchronised, both ways",
    ),
    build_schedule_option(
        "archive.schedule_warm", "0 3 * * *", "when memories move from hot to warm"
    ),
)
