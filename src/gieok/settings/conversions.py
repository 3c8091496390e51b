"""Names in a document of what Gieok says in another unit, and our value for each.

The sidecar's document gives shares of a threshold where Gieok has tokens, a frequency and a time
where Gieok has five fields, and says what needs a person's word where Gieok says what needs none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gieok.errors import BadConfig, Phrase

_RUN_TOKENS = ("observe.run_tokens", "observer.message_threshold")
_BUFFERED = "observer.async_buffering.enabled"
_CHUNK_SHARE = "observer.async_buffering.buffer_tokens"
_HARD_STOP_SHARE = "observer.async_buffering.block_after"
_APPROVAL = "ttl_manager.schedule.warm_to_cold.require_approval"
_TRIES = "error_notification.retry_count"
_PAUSES = "error_notification.retry_delays"
_OBSIDIAN = "obsidian.enabled"
#: The document says it in two places.
_DROPBOX = ("dropbox.enabled", "memory.cold.dropbox_enabled")
#: What the document has where a file gives one part and leaves out the other.
_USUAL_RUN_TOKENS = 30_000
_USUAL_PAUSES_S = (2, 4, 8)
_MOST_TRIES = 10
#: More than any conversation: a number of tokens that somebody took for a multiple.
_MOST_MULTIPLE = 100
_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")


class _DocumentSchedule(NamedTuple):
    """Setting of a schedule, the document's names for its parts, and the document's values."""

    setting: str
    frequency: str
    time: str
    day: str
    usual_frequency: str
    usual_time: str


_SCHEDULES = (
    *(
        _DocumentSchedule(
            setting=setting,
            frequency=f"ttl_manager.schedule.{move}.frequency",
            time=f"ttl_manager.schedule.{move}.time",
            day=f"ttl_manager.schedule.{move}.day",
            usual_frequency=frequency,
            usual_time=time,
        )
        for setting, move, frequency, time in (
            ("archive.schedule_warm", "hot_to_warm", "daily", "03:00"),
            ("archive.schedule_cold", "warm_to_cold", "weekly", "02:00"),
            ("archive.schedule_sync", "cold_sync", "daily", "04:00"),
        )
    ),
    _DocumentSchedule(
        setting="archive.schedule_sync",
        frequency="dropbox.sync_schedule",
        time="dropbox.sync_time",
        day="",
        usual_frequency="daily",
        usual_time="04:00",
    ),
)
#: Name in a document → the setting that its value, converted, is for.
CONVERTED = {
    _BUFFERED: "observe.chunk_tokens",
    _CHUNK_SHARE: "observe.chunk_tokens",
    _HARD_STOP_SHARE: "observe.hard_stop_tokens",
    _APPROVAL: "archive.auto_approve",
    _TRIES: "observe.retry_delays_s",
    _OBSIDIAN: "archive.cold",
    **dict.fromkeys(_DROPBOX, "archive.cold"),
    **{
        name: schedule.setting
        for schedule in _SCHEDULES
        for name in (schedule.frequency, schedule.time, schedule.day)
        if name
    },
}


class ConvertedSetting(NamedTuple):
    """A setting of ours, and its value as a text."""

    name: str
    text: str


def convert_document_values(
    entries: Mapping[str, object], origin: str, wrong: list[BadConfig]
) -> Iterator[ConvertedSetting]:
    """Yield our settings for what a file says in a document's units.

    `entries` are all names and values of the file, ours too. The error of each value that cannot be
    converted is added to `wrong`.
    """
    conversions = [
        _convert_chunks,
        _convert_hard_stop,
        _convert_approval,
        _convert_tries,
        _convert_place,
    ]
    for conversion in conversions:
        try:
            yield from conversion(entries, origin)
        except BadConfig as error:
            wrong.append(error)
    written: dict[str, str] = {}
    for schedule in _SCHEDULES:
        try:
            for setting in _convert_schedule(schedule, entries, origin):
                _require_same(written, setting, schedule, origin)
                yield setting
        except BadConfig as error:
            wrong.append(error)


def _convert_chunks(entries: Mapping[str, object], origin: str) -> Iterator[ConvertedSetting]:
    run_tokens = _find_run_tokens(entries)
    if _CHUNK_SHARE in entries:
        share = _require_number(entries, _CHUNK_SHARE, origin, 0, 1)
        yield ConvertedSetting("observe.chunk_tokens", str(round(run_tokens * share)))
    if _BUFFERED in entries and not _require_switch(entries, _BUFFERED, origin):
        # Nothing is observed ahead where what is observed ahead is a whole run.
        yield ConvertedSetting("observe.chunk_tokens", str(run_tokens))


def _convert_hard_stop(entries: Mapping[str, object], origin: str) -> Iterator[ConvertedSetting]:
    if _HARD_STOP_SHARE in entries:
        share = _require_number(entries, _HARD_STOP_SHARE, origin, 1, _MOST_MULTIPLE)
        tokens = round(_find_run_tokens(entries) * share)
        yield ConvertedSetting("observe.hard_stop_tokens", str(tokens))


def _find_run_tokens(entries: Mapping[str, object]) -> int:
    """Return the threshold that shares are of; where its value is wrong, its own error says so."""
    for name in _RUN_TOKENS:
        if str(tokens := entries.get(name, "")).isdigit():
            return int(str(tokens))
    return _USUAL_RUN_TOKENS


def _convert_approval(entries: Mapping[str, object], origin: str) -> Iterator[ConvertedSetting]:
    if _APPROVAL in entries:
        is_needed = _require_switch(entries, _APPROVAL, origin)
        yield ConvertedSetting("archive.auto_approve", str(not is_needed))


def _convert_tries(entries: Mapping[str, object], origin: str) -> Iterator[ConvertedSetting]:
    """Yield as many pauses as tries; each that the file does not give doubles the one before."""
    if _TRIES not in entries:
        return
    count = int(_require_number(entries, _TRIES, origin, 0, _MOST_TRIES))
    given = entries.get(_PAUSES)
    pauses = list(given) if isinstance(given, list) else list(_USUAL_PAUSES_S)
    try:
        while len(pauses) < count:
            pauses.append(2 * float(pauses[-1] if pauses else _USUAL_PAUSES_S[0] / 2))
    except (TypeError, ValueError):
        return  # the error of the pauses themselves says what is wrong
    yield ConvertedSetting("observe.retry_delays_s", ", ".join(map(str, pauses[:count])))


def _convert_place(entries: Mapping[str, object], origin: str) -> Iterator[ConvertedSetting]:
    """Yield where memories go in the end.

    The document keeps them in a vault and at Dropbox too. Gieok has one place, and there they are
    edited both ways. So the vault counts, and Dropbox is refused with what there is instead.
    """
    is_in_vault = _OBSIDIAN in entries and _require_switch(entries, _OBSIDIAN, origin)
    if is_in_vault:
        yield ConvertedSetting("archive.cold", "obsidian")
    for name in _DROPBOX:
        if name not in entries or not _require_switch(entries, name, origin):
            continue
        if is_in_vault:
            raise BadConfig(
                "{setting!r} in {origin!r} names a second place for cold memory, and Gieok has one",
                hint=(
                    "take out {setting!r}, and let Dropbox's own program hold the vault; or take "
                    "out {other!r}"
                ),
                other=_OBSIDIAN,
                setting=name,
                origin=origin,
            )
        yield ConvertedSetting("archive.cold", "dropbox")


def _convert_schedule(
    schedule: _DocumentSchedule, entries: Mapping[str, object], origin: str
) -> Iterator[ConvertedSetting]:
    if not {schedule.frequency, schedule.time, schedule.day} & set(entries):
        return
    frequency = str(entries.get(schedule.frequency, schedule.usual_frequency)).lower()
    day = str(entries.get(schedule.day, _DAYS[0])).lower()
    minutes = _parse_time(entries.get(schedule.time, schedule.usual_time))
    wrong = (
        (schedule.frequency, frequency, "daily, weekly", frequency in ("daily", "weekly")),
        (schedule.day, day, ", ".join(_DAYS), day in _DAYS),
        (schedule.time, str(entries.get(schedule.time)), '"03:00"', minutes is not None),
    )
    for name, text, choices, is_right in wrong:
        if not is_right:
            raise BadConfig(
                "{setting} is {text!r} in {origin!r}; Gieok knows {choices} there",
                hint="or set {other!r} itself: minute hour day month weekday",
                text=text,
                choices=choices,
                other=schedule.setting,
                setting=name,
                origin=origin,
            )
    hour, minute = divmod(minutes or 0, 60)
    weekday = str(_DAYS.index(day)) if frequency == "weekly" else "*"
    yield ConvertedSetting(schedule.setting, f"{minute} {hour} * * {weekday}")


def _parse_time(value: object) -> int | None:
    """Return the minutes after midnight of a time; None for what is none.

    YAML reads 10:30 without quotes as a number of base 60, which is these minutes.
    """
    if isinstance(value, int) and 0 <= value < 24 * 60:
        return value
    match = re.fullmatch(r"(\d\d?):(\d\d)", str(value))
    if not match or int(match[1]) >= 24 or int(match[2]) >= 60:
        return None
    return 60 * int(match[1]) + int(match[2])


def _require_same(
    written: dict[str, str], setting: ConvertedSetting, schedule: _DocumentSchedule, origin: str
) -> None:
    """Note what a setting was given; raise BadConfig where it was given something else before."""
    if written.setdefault(setting.name, setting.text) != setting.text:
        raise BadConfig(
            "{setting!r} in {origin!r} contradicts another name there for {other!r}",
            hint="take one of the two out",
            other=setting.name,
            setting=schedule.frequency,
            origin=origin,
        )


def _require_switch(entries: Mapping[str, object], name: str, origin: str) -> bool:
    value = entries[name]
    if isinstance(value, bool):
        return value
    raise BadConfig(
        "{setting} is {text!r} in {origin!r}; {wrong}",
        hint="write true or false",
        text=str(value),
        wrong=Phrase("it must be true or false"),
        setting=name,
        origin=origin,
    )


def _require_number(
    entries: Mapping[str, object], name: str, origin: str, low: int, high: int
) -> float:
    value = entries[name]
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
        return value
    raise BadConfig(
        "{setting} is {text!r} in {origin!r}; it must be a number from {low} to {high}",
        hint="or set {other!r} itself",
        text=str(value),
        low=low,
        high=high,
        other=CONVERTED[name],
        setting=name,
        origin=origin,
    )
