"""Records that a person, or an agent for them, decides to keep: one Markdown file each.

The files lie below the project's `.gieok/`:

    .gieok/memory/decision/use-ruff.md     indexed and injected
    .gieok/retired/decision/use-ruff.md    no longer injected; deleted after the grace period
    .gieok/archive/decision/use-ruff.md    no longer injected; kept forever

The files are the source of truth, made to be committed and merged; the index is derived. A move
writes the new file before it removes the old one, so that a crash leaves at least one good copy.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.errors import BadRequest, Phrase
from gieok.hook.matches import CATEGORIES
from gieok.places.home import SHELF
from gieok.text.inert import cut_line
from gieok.text.keywords import normalise
from gieok.text.markdown import front_matter
from gieok.text.restatement import Restatement

MEMORY, RETIRED, ARCHIVE = SHELF, "retired", "archive"
SHELVES = (MEMORY, RETIRED, ARCHIVE)
GRACE_DAYS = 30
#: The category of summaries of sessions.
SUMMARY = "session-summary"
#: The category of records that state what must or must not be done.
RULES = "constraint"
#: Front matter field with the days on which a person told the record; only where there are several.
TOLD = "told"
_TITLE_CHARS = 80
#: Longest file name in bytes; a Korean syllable takes three bytes, and a file system allows 255.
_SLUG_BYTES = 120
_MOST_NAMESAKES = 10_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_CREATED_LINE = re.compile(r"^created: [\dTZ:-]+\n", re.MULTILINE)
_UNTIL_LINE = re.compile(r"^until:.*\n", re.MULTILINE)
_TOLD_LINE = re.compile(r"^told:.*\n", re.MULTILINE)
_RETIRED_LINE = re.compile(r"^retired:.*\n", re.MULTILINE)


class Record(NamedTuple):
    """Record of a project or user.

    `tags` are single words or short phrases; `created` is in UTC; `until` is the last day on which
    the record holds.
    """

    category: str
    title: str
    text: str
    tags: tuple[str, ...]
    created: datetime
    until: date | None = None
    #: The day on which the record was told, in the time zone of the person.
    told: date | None = None

    @property
    def day(self) -> date:
        """Return the day on which a person told the record, else the UTC day on which it was
        created.
        """
        return self.told or self.created.date()

    def markdown(self) -> str:
        """Return the text of the record's file."""
        head = [f"title: {_quote_record_title(self.title)}", f"category: {self.category}"]
        head += [f"tags: [{', '.join(self.tags)}]"] if self.tags else []
        head.append(f"created: {_format_record_time(self.created)}")
        head += [f"until: {self.until}"] if self.until else []
        is_told = self.text.lstrip("# ").startswith(self.title.removesuffix("…"))
        body = self.text if is_told else f"# {self.title}\n\n{self.text}"
        return "---\n" + "\n".join(head) + f"\n---\n{body}\n"


def make(
    category: str,
    title: str,
    text: str,
    tags: list[str],
    now: datetime,
    until: date | None = None,
    told: date | None = None,
) -> Record:
    """Return a record; its title defaults to the first line of the text. Raises BadRequest."""
    if category not in CATEGORIES:
        raise BadRequest(
            "unknown category {category!r}",
            category=category,
            categories=", ".join(CATEGORIES),
            hint="categories: {categories}",
        )
    text = _CONTROL.sub("", normalise(text)).strip()
    if not text:
        raise BadRequest(
            "there is nothing to remember", hint='say it: `gieok remember "…" --category decision`'
        )
    title = " ".join(normalise(title).split()) or _derive_record_title(text)
    words = [" ".join(re.sub(r"[\[\],:#\"']", " ", normalise(tag)).split()) for tag in tags]
    named = tuple(dict.fromkeys(filter(None, words)))
    return Record(
        category=category, title=title, text=text, tags=named, created=now, until=until, told=told
    )


def _derive_record_title(text: str) -> str:
    return cut_line(text.split("\n", 1)[0].lstrip("#"), _TITLE_CHARS)


def _quote_record_title(title: str) -> str:
    # The reader takes the text between quotes literally, without escapes.
    return title if re.fullmatch(r"[\w가-힣][^\"':#\[\]]*", title) else f'"{title}"'


def _format_record_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Saved(NamedTuple):
    """Saved record: its file, whether it is new, and the days on which it was told."""

    file: Path
    is_new: bool
    days: tuple[date, ...]


def save_record(
    base: Path, record: Record, is_known: Callable[[Path], bool] = lambda file: True
) -> Saved:
    """Write a record below `base` (a `.gieok` folder), or update the record that says the same.

    The existing record gets the new day, new tags and a new `until`; a record whose `until` has
    passed holds again when it is told anew. A file that `is_known` denies counts as the same only
    if its text and its front matter are the same.
    """
    folder = _make_record_folder(base, base / MEMORY / record.category)
    for known, text in _iter_restating_records(base, record):
        if is_known(known) or (
            _read_record_body(text) == _read_record_body(record.markdown())
            and _strip_record_dates(text) == _strip_record_dates(record.markdown())
        ):
            new_text = _told_again(text, record, is_rule=known.parent.name == RULES)
            if new_text != text:
                fs.replace(known, new_text)
            return Saved(known, False, told_days(front_matter(new_text).fields))
    day = f"{record.created:%Y-%m-%d}-" if record.category == SUMMARY else ""
    file = _create_record_file(folder, day + slug(record.title), record.markdown())
    return Saved(file, True, (record.day,))


def _iter_restating_records(base: Path, record: Record) -> Iterator[tuple[Path, str]]:
    """Yield the records that say the same as `record`, with their texts.

    Records of its own category come first.
    """
    mine, statement = _read_record_body(record.markdown()), Restatement(record.text)
    files = list_records(base)
    for file in sorted(files, key=lambda one: one.parent.name != record.category):
        category = file.parent.name
        if category != record.category and SUMMARY in (category, record.category):
            continue  # what a session was about is no statement
        text = file.read_text(encoding="utf-8", errors="replace")
        is_same = _read_record_body(text) == mine
        if is_same or (
            record.category != SUMMARY and statement.says_same(Restatement(own_text(text)))
        ):
            yield file, text


def told_days(fields: Mapping[str, str]) -> tuple[date, ...]:
    """Return the days on which a record was told, by its front matter, in order."""
    days = {
        day
        for name in ("created", TOLD)
        for word in fields.get(name, "").split(",")
        if (day := _parse_record_day(word))
    }
    return tuple(sorted(days))


def read_created(file_text: str) -> tuple[str, str]:
    """Return what puts records of the same text in order: when they were made, and the text."""
    return front_matter(file_text).fields.get("created", ""), file_text


def merge_told(first: str, second: str) -> str:
    """Return one record of two files that say the same, `first` being the older one.

    It was told on the days of both, has the tags of both, and holds as long as the longer of them.
    """
    fields, others = front_matter(first).fields, front_matter(second).fields
    ends = (fields.get("until", ""), others.get("until", ""))
    named = {tag.lower(): tag for tag in sorted((*_list_tags(fields), *_list_tags(others)))}
    days = tuple(sorted({*told_days(fields), *told_days(others)}))
    tags = ", ".join(named[name] for name in sorted(named))
    # All fields are written anew, so that the order of merges leaves no trace.
    text = with_field(first, "until", max(ends) if all(ends) else "")
    text = with_field(text, "tags", f"[{tags}]" if tags else "")
    return with_field(text, TOLD, f"[{', '.join(map(str, days))}]" if len(days) > 1 else "")


def _list_tags(fields: Mapping[str, str]) -> list[str]:
    return [tag.strip() for tag in fields.get("tags", "").split(",") if tag.strip()]


def _parse_record_day(word: str) -> date | None:
    try:
        return date.fromisoformat(word.strip()[:10])
    except ValueError:
        return None


def _told_again(text: str, record: Record, *, is_rule: bool = False) -> str:
    """Return the text of a record's file after its statement was told again.

    An agent may tell it again: that gives a rule no earlier end (`gieok edit` and `gieok rules
    until` are for people).
    """
    fields = front_matter(text).fields
    until, days = fields.get("until", ""), told_days(fields)
    is_shorter = is_rule and (not until or str(record.until) < until)
    if record.until and until != str(record.until) and not is_shorter:
        text = with_field(text, "until", str(record.until))
    elif not record.until and until and (last := _parse_record_day(until)) and last < record.day:
        text = with_field(text, "until", "")
    tags = _list_tags(fields)
    if more := [tag for tag in record.tags if tag.lower() not in map(str.lower, tags)]:
        text = with_field(text, "tags", f"[{', '.join((*tags, *more))}]")
    if days and record.day not in days:
        text = with_field(text, TOLD, f"[{', '.join(map(str, (*days, record.day)))}]")
    return text


def with_field(file_text: str, name: str, value: str) -> str:
    """Return a record's file with a field of its front matter set; the value '' removes the
    field.
    """
    end = front_matter(file_text).end
    line = f"{name}: {value}\n" if value else ""
    if not end:
        return f"---\n{line}---\n{file_text}" if value else file_text
    opening, _, rest = file_text[:end].partition("\n")
    field = re.compile(rf"^{name}:.*\n(?:[ \t]+-.*\n)*", re.MULTILINE)
    return f"{opening}\n{line}{field.sub('', rest, count=1)}{file_text[end:]}"


def _make_record_folder(base: Path, folder: Path) -> Path:
    """Make a folder below `base`, with the permissions of `base`."""
    if base.exists() and not base.stat().st_mode & 0o077:
        return fs.make_private(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not is_inside(base, folder):
        raise BadRequest(
            "{folder!r} is a link that leads out of {base!r}",
            folder=folder,
            base=base,
            hint="replace it by a folder",
        )
    return folder


def _create_record_file(folder: Path, stem: str, text: str) -> Path:
    """Write a file under the first free name. Raises BadRequest."""
    for name in (stem, *(f"{stem}-{n}" for n in range(2, _MOST_NAMESAKES))):
        file = folder / f"{name}.md"
        if fs.create_new_file(file, text):
            return file
    raise BadRequest(
        "too many records are named {stem!r}", stem=stem, hint="give this one another --title"
    )


def rewritten(file: Path, title: str, text: str) -> Path:
    """Rewrite a record, under a new name if its title changed; return its file."""
    stem = slug(title)
    if stem == file.stem:
        fs.replace(file, text)
        return file
    return _create_record_file(file.parent, stem, text)


def with_text(file_text: str, text: str) -> str:
    """Return the file of a record with another text.

    The title is replaced too, if it was the first line of the old text. Raises BadRequest.
    """
    text = _CONTROL.sub("", normalise(text)).strip()
    if not text:
        raise BadRequest(
            "nothing is left of it", hint="`gieok retire` or `gieok forget` takes a record out"
        )
    matter = front_matter(file_text)
    head, body = file_text[: matter.end], file_text[matter.end :].strip()
    title = matter.fields.get("title", "")
    has_heading = bool(title) and body.startswith(f"# {title}\n")
    old_text = body.removeprefix(f"# {title}\n").strip() if has_heading else body
    if title and (
        title == _derive_record_title(old_text) or _tells_what_is_gone(title, old_text, text)
    ):
        new = _derive_record_title(text)
        head = head.replace(
            f"title: {_quote_record_title(title)}\n", f"title: {_quote_record_title(new)}\n", 1
        )
        return f"{head}{text}\n"
    return f"{head}# {title}\n\n{text}\n" if has_heading else f"{head}{text}\n"


def _tells_what_is_gone(title: str, before: str, after: str) -> bool:
    """Say whether a title has a word that only the old text has: the value that was corrected."""
    gone = set(re.findall(r"\w+", before.lower())) - set(re.findall(r"\w+", after.lower()))
    return not gone.isdisjoint(re.findall(r"\w+", title.lower()))


def renamed(base: Path, file: Path) -> Path:
    """Give a record the file name of its title, if its name came from an earlier title.

    Returns the record's file; the old one is still there, for the caller to remove. Links to the
    record in other records of the shelf (`[[name]]`) are updated.
    """
    text = file.read_text(encoding="utf-8")
    title = front_matter(text).fields.get("title", "")
    stem = slug(title) if title else file.stem
    day = re.match(r"\d{4}-\d\d-\d\d-", file.stem)
    stem = (day[0] if day else "") + stem
    if file.stem == stem or re.fullmatch(rf"{re.escape(stem)}-\d+", file.stem):
        return file
    target = _create_record_file(file.parent, stem, text)
    for other in list_records(base):
        other_text = other.read_text(encoding="utf-8", errors="replace")
        linked = re.sub(
            rf"\[\[{re.escape(file.stem)}(?=[\]|#])", lambda _: f"[[{target.stem}", other_text
        )
        if linked != other_text and other != file:
            fs.replace(other, linked)
    return target


def own_text(file_text: str) -> str:
    """Return a record's text without its front matter and the heading that repeats its title.

    `with_text` takes a text of this form.
    """
    title, body = front_matter(file_text).fields.get("title", ""), _read_record_body(file_text)
    return body.removeprefix(f"# {title}\n").strip() if title else body


def _read_record_body(text: str) -> str:
    return text[front_matter(text).end :].strip()


def _strip_record_dates(text: str) -> str:
    return _UNTIL_LINE.sub(
        "", _TOLD_LINE.sub("", _CREATED_LINE.sub("", text, count=1), count=1), count=1
    )


def slug(title: str) -> str:
    """Return the file name of a title, without its ending."""
    words = re.sub(r"[^\w]+", "-", title.lower()).strip("-_") or "record"
    return words.encode()[:_SLUG_BYTES].decode("utf-8", "ignore").strip("-_")


def find_record(base: Path, shelf: str, name: str) -> Path:
    """Return the record with that path, `category/name` or file name on a shelf.

    Raises BadRequest.
    """
    root = base / shelf
    stem = Path(name.partition("#")[0]).as_posix().removesuffix(".md")
    is_named = bool(stem.strip("./"))
    records = list_records(base, shelf)
    matching = [
        file for file in records if f"/{file.with_suffix('').as_posix()}".endswith(f"/{stem}")
    ]
    if is_named and len(matching) == 1:
        return matching[0]
    if is_named and matching:
        names = ", ".join(_format_record_name(file) for file in matching)
        raise BadRequest(
            "{name!r} names several records", name=name, names=names, hint="name one: {names}"
        )
    known = ", ".join(_format_record_name(file) for file in records[:10]) or "none"
    raise BadRequest(
        "no record {name!r} in {root!r}",
        name=name,
        root=root,
        known=Phrase(known),
        hint="records there: {known}",
    )


def _format_record_name(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def move_record(base: Path, file: Path, shelf: str, now: datetime) -> Path:
    """Move a record to another shelf; return its file.

    A retired record notes the time, from which the grace period counts.
    """
    text = file.read_text(encoding="utf-8")
    end = front_matter(text).end
    text = _RETIRED_LINE.sub("", text[:end], count=1) + text[end:]
    if shelf == RETIRED:
        opening, _, rest = text.partition("\n") if end else ("---", "", f"---\n{text}")
        text = f"{opening}\nretired: {_format_record_time(now)}\n{rest}"
    folder = _make_record_folder(base, base / shelf / file.parent.name)
    if shelf == MEMORY and (folder / file.name).exists():
        raise BadRequest(
            "the record {name!r} exists already",
            name=_format_record_name(file),
            hint="rename one of them",
        )
    target = _create_record_file(folder, file.stem, text)
    file.unlink()
    return target


def copy_record(base: Path, file: Path) -> Path:
    """Copy a record to the shelf of another `.gieok` folder; return its file.

    When a record there says the same already, that record's file is returned.
    """
    text = file.read_text(encoding="utf-8")
    folder = _make_record_folder(base, base / MEMORY / file.parent.name)
    known = folder / file.name
    if known.is_file() and known.read_text(encoding="utf-8", errors="replace") == text:
        return known
    return _create_record_file(folder, file.stem, text)


def list_expired(base: Path, now: datetime) -> list[Path]:
    """Return the retired records whose grace period is over."""
    return [file for file in list_records(base, RETIRED) if _is_grace_over(file, now)]


def _is_grace_over(file: Path, now: datetime) -> bool:
    stamp = front_matter(file.read_text(encoding="utf-8", errors="replace")).fields.get(
        "retired", ""
    )
    try:
        retired = datetime.fromisoformat(stamp)
    except ValueError:
        return False  # put here by hand: only its owner deletes it
    return now - retired.astimezone(UTC) > timedelta(days=GRACE_DAYS)


def list_records(base: Path, shelf: str = MEMORY) -> list[Path]:
    """Return the records on a shelf, sorted.

    Links that lead out of the shelf (Git keeps links) and special files are left out.
    """
    return [
        file
        for file in sorted((base / shelf).glob("*/*.md"))
        if is_inside(base, file) and file.is_file()
    ]


def list_all_records(base: Path) -> list[Path]:
    """Return the records on all shelves, shelf by shelf, each sorted."""
    return [file for shelf in SHELVES for file in list_records(base, shelf)]


def read_record_text(file: Path) -> str:
    """Return what stands in a record's file; bytes that are no UTF-8 come back when it is written.

    Raises OSError.
    """
    return file.read_bytes().decode("utf-8", "surrogateescape")


def is_inside(base: Path, path: Path) -> bool:
    """Say whether a path lies below a `.gieok` folder, links resolved."""
    return path.resolve().is_relative_to(base.resolve())
