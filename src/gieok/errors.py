"""Everything that can go wrong, as one tree.

    GieokError
    ├── BadRequest          the caller asked for something that cannot be done as asked
    │   ├── NotIndexed      nothing has been indexed where the caller looks
    │   ├── NotFound        there is no such thing, or it is somebody else's
    │   ├── Conflict        there is one already, or it is another than the caller thinks
    │   ├── NotEnoughPoints   a user's balance does not reach
    │   ├── Unauthorized    no token, or not a good one
    │   ├── Forbidden       a good token that does not open this
    │   ├── TooManyRequests   more than a key may ask
    │   └── Withheld        nothing may be taken in now: paused, private or excluded
    ├── BadConfig           a setting is unknown, mistyped or not allowed where it stands
    ├── MissingExtra        a backend needs a package that is not installed
    ├── StoreError          the store cannot be read or written
    │   ├── StoreBusy       another process held the write lock for too long
    │   ├── StoreReadOnly   the store can be read here, and not written
    │   ├── StoreUnreachable  a server that holds the store does not answer
    │   ├── StoreCorrupt    the database file is damaged or not ours
    │   └── StoreFull       the disk is full
    ├── Damaged             an encrypted file or a backup is not whole
    ├── WrongKey            it was encrypted with another key
    ├── ArchiveFailed       an archive cannot be reached, read or written
    │   ├── ArchiveMissing    there is no such file in it
    │   └── ArchiveConflict   a file in it is another than was expected
    ├── ShapeMismatch       the data was made with another model, chunker or schema
    ├── ModelFailed         a model that embeds or reranks gave nothing usable
    │   ├── EmbedderFailed    no vectors: words still work
    │   └── RerankerFailed    no scores: hits stand in the order without it
    ├── TranscriptUnreadable  an agent's transcripts cannot be read
    ├── OutputLost          the answer could not be written
    └── GeneratorFailed     a language model gave no usable answer
        ├── DegenerateOutput  it answered, but with nothing, with prose, or the same again and again
        ├── AnswerCut       its answer ended at the limit of its length
        └── BudgetReached   the tokens of today are spent

Each error says what happened (the message names the value) and the next step (`hint`).
`code` is stable: surfaces map it to an exit status, an HTTP status or an MCP error through
`STATUS`.

The message and the hint are English templates with named values, `BadRequest("bad scope
{scope!r}", scope=path)`. Whoever shows the error looks the templates up in the reader's language
(`text.messages.in_language`), so no text is put together before it is raised. The prompt hook
imports this module: standard library alone, and of it only what imports fast.
"""

import errno
import math
import operator
import os


class Phrase(str):
    """English text that knows its template and the values in it.

    Values may be phrases, which are translated too, `Words`, errors and paths. A text that names
    none of the values is shown as it is, also where it has braces; else a brace that is meant
    stands twice. A phrase made of a phrase is the same phrase.
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, object]

    def __new__(cls, template: str, /, **values: object) -> "Phrase":
        """Return the text of a template, filled with those of the values that it names."""
        if isinstance(template, Phrase):
            return template
        named = {
            name: _as_phrase_value(value)
            for name, value in values.items()
            if any(f"{{{name}{end}" in template for end in "}!:")
        }
        phrase = super().__new__(cls, template.format(**named) if named else template)
        phrase.template, phrase.values = template, named
        return phrase

    def __str__(self) -> str:
        """Return the phrase itself: `str(error)` still knows the template."""
        return self


def _as_phrase_value(value: object) -> object:
    if isinstance(value, Exception):
        return Phrase(str(value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return getattr(value, "phrase", value)  # of `Words`, which stand above this module


def encode_phrase(text: str) -> "dict[str, object]":
    """Return the template and the values of an English text as JSON.

    A phrase in it is such an object too. A text that knows no template is its own.
    """
    if not isinstance(text, Phrase):
        return {"template": text, "values": {}}
    values = {name: _encode_value(value) for name, value in text.values.items()}
    return {"template": text.template, "values": values}


def decode_phrase(row: "dict[str, object]") -> Phrase:
    """Return the text of a template and values that came as JSON."""
    values: dict[str, object] = row["values"]  # type: ignore[assignment]
    decoded = {name: _decode_value(value) for name, value in values.items()}
    return Phrase(str(row["template"]), **decoded)


def _encode_value(value: object) -> object:
    if isinstance(value, Phrase):
        return encode_phrase(value)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [_encode_value(item) for item in value]
    try:
        return operator.index(value)  # type: ignore[arg-type] # a number of NumPy too
    except TypeError:
        return str(value)


def _decode_value(value: object) -> object:
    if isinstance(value, dict):
        return decode_phrase(value)
    return [_decode_value(item) for item in value] if isinstance(value, list) else value


class GieokError(Exception):
    """Root of every error that Gieok raises on purpose.

    `str(error)` and `hint` are phrases: English texts that know their templates. Both templates
    are filled with `values`.
    """

    code = "error"
    hint = ""

    def __init__(self, template: str, /, *, hint: str | None = None, **values: object) -> None:
        super().__init__(Phrase(template, **values))
        self.hint = Phrase(self.hint if hint is None else hint, **values)

    @property
    def in_full(self) -> Phrase:
        """The message and the next step as one text."""
        return Phrase("{error} ({hint})", error=self, hint=self.hint)


class BadRequest(GieokError):
    """Error of a wrong request: an empty query, an unknown option, a path outside every root."""

    code = "bad_request"
    hint = "see `gieok --help`"


class NotIndexed(BadRequest):
    """Error where there is no index to answer from."""

    code = "not_indexed"
    hint = "run `gieok setup`, or `gieok index DIR`"


class NotFound(BadRequest):
    """Error where the caller can see no such thing.

    Things of other owners are not distinguished from things that do not exist.
    """

    code = "not_found"
    hint = "list what there is, and name one of it"


class Conflict(BadRequest):
    """Error where a thing exists already, or was changed meanwhile; nothing was done."""

    code = "conflict"
    hint = "read it again, and decide"


class NotEnoughPoints(BadRequest):
    """Error where a user's balance is too low; nothing was charged."""

    code = "not_enough_points"
    hint = "check in, which gives points once a day, or ask for points"


class Unauthorized(BadRequest):
    """Error where the caller did not say who they are, or could not prove it."""

    code = "unauthorized"
    hint = "send `Authorization: Bearer TOKEN`"


class Forbidden(BadRequest):
    """Error where the caller is known, but may not do this."""

    code = "forbidden"
    hint = "use an admin key"


class TooManyRequests(BadRequest):
    """Error where a key exceeds its rate limit; `retry_after_s` says when there is room again."""

    code = "too_many_requests"
    hint = "wait, then ask again"

    def __init__(
        self,
        template: str,
        /,
        *,
        hint: str | None = None,
        retry_after_s: float = 0.0,
        **values: object,
    ) -> None:
        super().__init__(template, hint=hint, retry_after_s=retry_after_s, **values)
        self.retry_after_s = retry_after_s


class Withheld(BadRequest):
    """Error where nothing may be taken in.

    Memory is paused, the session is private, or the folder is excluded.
    """

    code = "withheld"
    hint = "`gieok resume` ends the pause"


class BadConfig(GieokError):
    """Error of an unusable configuration value; the message names key, value and origin."""

    code = "bad_config"
    hint = "`gieok config show` prints every value with its origin"

    def __init__(
        self,
        template: str,
        /,
        *,
        hint: str | None = None,
        setting: str = "",
        origin: str = "",
        **values: object,
    ) -> None:
        super().__init__(template, hint=hint, setting=setting, origin=origin, **values)
        #: The setting and the file or variable that are wrong, as far as known.
        self.setting = setting
        self.origin = origin


class MissingExtra(GieokError):
    """Error where a named backend exists but a package that it needs is not installed."""

    code = "missing_extra"


class StoreError(GieokError):
    """Error of the store that no narrower error describes."""

    code = "store_error"
    hint = "run `gieok doctor`"


class StoreBusy(StoreError):
    """Error where the write lock was not free within the busy timeout; nothing was written."""

    code = "store_busy"
    hint = "another gieok process is writing; try again"


class StoreUnreachable(StoreError):
    """Error where the server that holds the store does not answer, or refuses access.

    Local data still answers.
    """

    code = "store_unreachable"
    hint = "check that the server runs and can be reached; `gieok status --deep` tries again"


class StoreReadOnly(StoreError):
    """Error where the store can be read, but not written."""

    code = "store_read_only"
    hint = "make the folder and its files writable, or set GIEOK_HOME to another one; reading works"


class StoreCorrupt(StoreError):
    """Error of a damaged database file, which is left as it is."""

    code = "store_corrupt"
    hint = (
        "run `gieok rebuild`: it sets the file aside and makes another from your files and the "
        "journal; nothing is lost"
    )


class StoreFull(StoreError):
    """Error of a full disk; the transaction was rolled back."""

    code = "store_full"
    hint = "free some space and run the command again; what was indexed before is intact"


class Damaged(GieokError):
    """Error of an encrypted or backed-up file that is not whole; the file is left as it is."""

    code = "damaged"
    hint = "take another copy of it, such as one in a backup"


class WrongKey(GieokError):
    """Error of a file that is encrypted with another key or passphrase."""

    code = "wrong_key"
    hint = "`gieok encryption status` names the key in use"


class NotAuthentic(GieokError):
    """Error of data that no device of the user wrote, as far as the keys that are here tell."""

    code = "not_authentic"
    hint = "`gieok sync status` names it"


class ArchiveFailed(GieokError):
    """Error where an archive cannot be reached, read or written; the message names the archive.

    Nothing is lost: data that was to move stays.
    """

    code = "archive_failed"
    hint = "see `gieok archive status`"


class ArchiveMissing(ArchiveFailed):
    """Error for a file that the archive does not have."""

    code = "archive_missing"


class ArchiveConflict(ArchiveFailed):
    """Error where a file in the archive is not the expected one: somebody wrote it meanwhile."""

    code = "archive_conflict"
    hint = "run it again"


class RemoteUnreachable(GieokError):
    """Error where the place over which devices are synchronised cannot be reached.

    Nothing is lost: what was to be sent goes the next time.
    """

    code = "remote_unreachable"
    hint = "nothing is lost: `gieok sync` sends it when the place can be reached"


class ShapeMismatch(GieokError):
    """Error where stored data and configuration disagree on a setting that shapes the data."""

    code = "shape_mismatch"
    hint = "run `gieok index --rebuild`: the new index is built beside the old one, then swapped in"


class ServiceFailed(GieokError):
    """Error of a service that did not do what it was asked for.

    `status` is its HTTP status, 0 for none. `worth_retrying`: the same request may work later,
    after `retry_after_s` where the service says so. `is_too_long`: a shorter request may work.
    """

    def __init__(
        self,
        template: str,
        /,
        *,
        hint: str | None = None,
        worth_retrying: bool = False,
        is_too_long: bool = False,
        retry_after_s: float = 0.0,
        status: int = 0,
        **values: object,
    ) -> None:
        super().__init__(template, hint=hint, retry_after_s=retry_after_s, status=status, **values)
        self.worth_retrying = worth_retrying
        self.is_too_long = is_too_long
        self.retry_after_s = retry_after_s
        self.status = status


class ModelFailed(ServiceFailed):
    """Error of an embedding or reranking model that returned nothing usable."""


class NotifierFailed(ServiceFailed):
    """Error where a notification failed on one of a person's chosen ways; the log has its text."""

    code = "notifier_failed"
    hint = "`gieok notify test` tries it again"


class EmbedderFailed(ModelFailed):
    """Error where no vectors could be made; keyword search still works."""

    code = "embedder_failed"
    hint = "run `gieok doctor`"


class RerankerFailed(ModelFailed):
    """Error where the configured reranker gave no scores.

    Hits keep the order that they have without the reranker.
    """

    code = "reranker_failed"
    hint = "run `gieok doctor`"


class TranscriptUnreadable(GieokError):
    """Error of unreadable transcripts of an agent: damaged, locked, or of an unknown version."""

    code = "transcript_unreadable"
    hint = (
        "`gieok observe stats` names what cannot be read; the agent's own files are left as they "
        "are"
    )


class GeneratorFailed(GieokError):
    """Error of a language model that gave no usable answer; the input to be read waits.

    `worth_retrying`: the same request may work later. `status` is the status of the provider's
    answer, 0 where there was none. `tries`: how many calls were made for the question; 0 where none
    was made.
    """

    code = "generator_failed"
    tries = 0
    hint = "`gieok observe stats` shows what waits; it goes on by itself once the model answers"

    def __init__(
        self,
        template: str,
        /,
        *,
        hint: str | None = None,
        worth_retrying: bool = False,
        status: int = 0,
        **values: object,
    ) -> None:
        super().__init__(template, hint=hint, status=status, **values)
        self.worth_retrying = worth_retrying
        self.status = status


class DegenerateOutput(GeneratorFailed):
    """Error where the model's answer was unusable twice in a row; nothing of it was kept."""

    code = "degenerate_output"


class AnswerCut(GeneratorFailed):
    """Error where the model's answer reached its length limit, even with twice the room.

    Nothing of the answer was kept.
    """

    code = "answer_cut"
    hint = (
        "a model that thinks less, or writes longer answers, is needed; `gieok config show "
        "observe` names the one in use"
    )


class BudgetReached(GeneratorFailed):
    """Error where the daily cap on model tokens is reached; waiting work goes on tomorrow."""

    code = "budget_reached"
    hint = "raise `observe.daily_tokens`, or wait until tomorrow"


class OutputLost(GieokError):
    """Error where the answer could not be written: standard output is closed or full."""

    code = "output_lost"
    hint = "what the command did is done; free some space, or send the output somewhere else"


def find_os_reason(error: OSError) -> Phrase:
    """Return why the operating system refused, without the name of the file."""
    return Phrase(error.strerror or str(error))


#: Environment variable that shows the traceback of an unexpected error, in place of a message.
TRACEBACK_VARIABLE = "GIEOK_TRACEBACK"


def unexpected(error: Exception) -> GieokError:
    """Return a GieokError for an exception that nobody raised on purpose.

    An unusable file is the caller's error, anything else is Gieok's own.
    """
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull("no space left while writing {path!r}", path=str(error.filename or "?"))
    if isinstance(error, OSError) and error.filename and error.strerror:
        return BadRequest(
            "{path!r}: {reason}",
            path=str(error.filename),
            reason=find_os_reason(error),
            hint="check that it is there, and that you may read and write it",
        )
    return GieokError(
        "unexpected {kind}: {error}",
        kind=type(error).__name__,
        error=error,
        variable=TRACEBACK_VARIABLE,
        hint="run again with {variable}=1 and report what it prints",
    )


#: code → (exit status, HTTP status, JSON-RPC error code)
STATUS: dict[str, tuple[int, int, int]] = {
    "error": (2, 500, -32603),
    "bad_request": (2, 400, -32602),
    "not_indexed": (2, 409, -32602),
    "not_found": (2, 404, -32602),
    "conflict": (2, 409, -32602),
    "not_enough_points": (2, 402, -32602),
    "unauthorized": (2, 401, -32602),
    "forbidden": (2, 403, -32602),
    "too_many_requests": (2, 429, -32602),
    "withheld": (2, 409, -32602),
    "bad_config": (2, 500, -32603),
    "missing_extra": (2, 501, -32603),
    "store_error": (2, 503, -32603),
    "store_busy": (2, 503, -32603),
    "store_read_only": (2, 503, -32603),
    "store_unreachable": (2, 503, -32603),
    "store_corrupt": (2, 500, -32603),
    "store_full": (2, 507, -32603),
    "archive_failed": (2, 503, -32603),
    "archive_missing": (2, 404, -32603),
    "archive_conflict": (2, 409, -32603),
    "remote_unreachable": (2, 503, -32603),
    "damaged": (2, 422, -32603),
    "wrong_key": (2, 403, -32603),
    "not_authentic": (2, 403, -32603),
    "shape_mismatch": (2, 409, -32603),
    "embedder_failed": (2, 503, -32603),
    "reranker_failed": (2, 503, -32603),
    "notifier_failed": (2, 502, -32603),
    "transcript_unreadable": (2, 422, -32603),
    "generator_failed": (2, 502, -32603),
    "degenerate_output": (2, 502, -32603),
    "answer_cut": (2, 502, -32603),
    "output_lost": (2, 500, -32603),
    "budget_reached": (2, 429, -32603),
}
