"""Settings of the tiers of memory and of the archive."""

from gieok.settings.option import Option
from gieok.settings.rows.shapes import build_schedule_option

OPTIONS = (
    Option(
        "archive.hot_days",
        90,
        "days after which a memory leaves hot for a file that you can read",
        low=1,
    ),
    Option(
        "archive.hot_mb",
        30,
        "megabytes of a scope's memories in hot; what is more leaves early; 0: all",
        low=0,
    ),
    Option(
        "archive.hot_tokens",
        30_000,
        "tokens of a scope's memories in hot; what is more leaves early; 0: all",
        low=0,
    ),
    Option(
        "archive.journal_days",
        365,
        "days after which what was said leaves the database for a readable file a month; 0: never",
        low=0,
    ),
    Option(
        "archive.warm_days", 365, "days after which such a file may move on to archive.cold", low=1
    ),
    Option(
        "archive.cold",
        "none",
        "where old memory goes in the end: nowhere, a folder, an Obsidian vault, Dropbox",
        choices=("none", "folder", "obsidian", "dropbox"),
    ),
    Option(
        "archive.folder",
        "",
        "the folder or the vault of archive.cold; the vault that Obsidian opened last where empty",
    ),
    Option("archive.subfolder", "Gieok", "the folder in it that is Gieok's own"),
    Option(
        "archive.folder_structure",
        "year_month",
        "folders of new notes in it: by year and month, all in one, or by day",
        choices=("year_month", "flat", "daily"),
    ),
    Option(
        "archive.auto_approve",
        False,
        "move to archive.cold without asking (`gieok archive pending`)",
    ),
    build_schedule_option(
        "archive.schedule_cold",
        "30 3 * * 0",
        "when what is old enough moves to archive.cold, or is asked about",
    ),
    build_schedule_option(
        "archive.schedule_sync",
        "0 4 * * *",
        "when archive.cold and Gieok are synchronised, both ways",
    ),
    build_schedule_option(
        "archive.schedule_warm", "0 3 * * *", "when memories move from hot to warm"
    ),
)
