"""Archive in a Dropbox folder, by Dropbox's own SDK.

Uses Dropbox's revisions, checksums and cursors, and uploads that continue after a break.
"""

import re
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import dropbox
import requests
from dropbox import exceptions
from dropbox import files as api
from dropbox.content_hash import content_hash

from gieok.errors import ArchiveConflict, ArchiveFailed, ArchiveMissing
from gieok.opening import ArchiveOpening
from gieok.ports.archive import ArchiveChanges, ArchivedFile

#: Files larger than this are uploaded in parts: Dropbox takes 150 MB at once, and a break costs one
#: part.
MOST_AT_ONCE_BYTES = 8 << 20
PART_BYTES = 4 << 20
#: Waits before another try, in seconds. Where the service asks for a longer pause, the next try is
#: in the next run.
_DELAYS_S = (1.0, 4.0, 15.0)
_LONGEST_WAIT_S = 60.0
_TOKEN, _KEY, _SECRET = "DROPBOX_REFRESH_TOKEN", "DROPBOX_APP_KEY", "DROPBOX_APP_SECRET"
_HINT = "get it as docs/archive.md says, then `gieok keys set {variable}`"
_REV = re.compile("[0-9a-f]{9,}")
#: Errors of the SDK that mean a broken connection.
_BROKEN = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


class DropboxAccess(NamedTuple):
    """Credentials for Dropbox.

    A secret is set only for apps that have one. `session` and `wait` are for tests.
    """

    refresh_token: str
    app_key: str
    app_secret: str = ""
    timeout_s: float = 60.0
    session: requests.Session | None = None
    wait: Callable[[float], object] = time.sleep
    delays_s: tuple[float, ...] = _DELAYS_S


class DropboxArchive:
    """`Archive` in a folder of Dropbox, such as `Gieok`.

    '' is the whole of an app's own folder. The constructor makes no request.
    """

    def __init__(self, folder: str, access: DropboxAccess) -> None:
        for name, value in ((_TOKEN, access.refresh_token), (_KEY, access.app_key)):
            if not value:
                raise ArchiveFailed("{variable} is not set", variable=name, hint=_HINT)
        folder = folder.strip("/")
        self._root = f"/{folder}" if folder else ""
        self._wait, self._delays_s = access.wait, access.delays_s
        #: Dropbox takes changes of a folder one after the other, and refuses simultaneous ones.
        self._changing = threading.Lock()
        self._client = dropbox.Dropbox(
            oauth2_refresh_token=access.refresh_token,
            app_key=access.app_key,
            app_secret=access.app_secret or None,
            max_retries_on_error=0,  # here, so that a long pause is no hanging process
            max_retries_on_rate_limit=0,
            timeout=access.timeout_s,
            user_agent="gieok",
            session=access.session,
        )

    @property
    def location(self) -> str:
        """Return the folder's name as a person finds it."""
        return f"Dropbox{self._root}"

    def files(self) -> Iterator[ArchivedFile]:
        """Yield every file, sorted by path."""
        yield from self.changes("").files

    def read(self, path: str) -> tuple[bytes, str]:
        """Return the content of a file, and its revision."""
        full = self._full(path)

        def once() -> tuple[Any, bytes]:
            metadata, response = self._client.files_download(full)
            with response:
                return metadata, response.content

        facts, data = self._asked(once, path)
        if content_hash(data) != facts.content_hash:
            raise ArchiveFailed(
                "{path!r} came down from {location} damaged", path=path, location=self.location
            )
        return data, str(facts.rev)

    def write(self, path: str, data: bytes, expected: str | None) -> str:
        """Write a file as a whole, and compare its checksum with the one that Dropbox reports."""
        commit = api.CommitInfo(
            self._full(path),
            mode=api.WriteMode.add
            if expected is None
            else api.WriteMode.update(_convert_dropbox_revision(expected)),
            mute=True,  # no note on the screens of a person
            strict_conflict=True,
        )
        checksum = content_hash(data)
        with self._changing:
            facts = self._put(path, data, commit, checksum)
        if facts.content_hash != checksum:
            raise ArchiveFailed(
                "{path!r} arrived in {location} damaged", path=path, location=self.location
            )
        return str(facts.rev)

    # The SDK has no types.
    def _put(self, path: str, data: bytes, commit: api.CommitInfo, wanted: str) -> Any:  # noqa: ANN401
        if len(data) > MOST_AT_ONCE_BYTES:
            return self._uploaded(path, data, commit, wanted)
        return self._asked(
            lambda: self._client.files_upload(
                data,
                commit.path,
                mode=commit.mode,
                mute=True,
                strict_conflict=True,
                content_hash=wanted,
            ),
            path,
            wanted,
        )

    # See `_listed`.
    def _uploaded(self, path: str, data: bytes, commit: api.CommitInfo, wanted: str) -> Any:  # noqa: ANN401
        upload = _Upload(self._client, lambda once: self._asked(once, path), data)
        try:
            return upload.finished(commit)
        # The refusal may be of the second try, after a first one that succeeded.
        except (ArchiveConflict, _DropboxRefused) as error:
            return self._arrived(path, wanted, error)

    def delete(self, path: str, expected: str) -> None:
        """Delete a file; folders stay.

        Between a look into a folder and its deletion, a file may come.
        """
        full = self._full(path)
        try:
            with self._changing:
                self._asked(
                    lambda: self._client.files_delete_v2(
                        full, parent_rev=_convert_dropbox_revision(expected)
                    ),
                    path,
                )
        except ArchiveMissing:
            return

    def changes(self, cursor: str) -> ArchiveChanges:
        """Return the changes since a cursor, the newest state of each file.

        After Dropbox's `reset`, every file is returned.
        """
        states: dict[str, ArchivedFile | str] = {}
        try:
            answer = self._listed(cursor)
            while True:
                for entry in answer.entries:
                    states.update(self._change(entry))
                if not answer.has_more:
                    break
                answer = self._listed(answer.cursor)
        except _Reset:
            return self.changes("") if cursor else ArchiveChanges((), (), "")
        except ArchiveMissing:  # the folder is not made yet
            return ArchiveChanges((), (), "")
        held = sorted(
            (one for one in states.values() if isinstance(one, ArchivedFile)),
            key=lambda one: one.path,
        )
        gone = sorted(one for one in states.values() if isinstance(one, str)) if cursor else []
        return ArchiveChanges(held, gone, answer.cursor)

    def _listed(self, cursor: str) -> Any:  # noqa: ANN401 - the SDK has no types
        if cursor:
            return self._asked(
                lambda: self._client.files_list_folder_continue(cursor), "its list of files"
            )
        return self._asked(
            lambda: self._client.files_list_folder(self._root, recursive=True), "its list of files"
        )

    def _change(self, entry: Any) -> dict[str, ArchivedFile | str]:  # noqa: ANN401
        path = unicodedata.normalize("NFC", entry.path_display or entry.path_lower)[
            len(self._root) + 1 :
        ]
        if isinstance(entry, api.FileMetadata):
            return {entry.path_lower: ArchivedFile(path, entry.rev, entry.size)}
        return {entry.path_lower: path} if isinstance(entry, api.DeletedMetadata) else {}

    def _full(self, path: str) -> str:
        parts = path.split("/")
        if any(
            part in ("", ".", "..") or part.startswith(".") or "\0" in part or "\\" in part
            for part in parts
        ):
            raise ArchiveFailed("{path!r} is no path in an archive", path=path)
        return f"{self._root}/{unicodedata.normalize('NFC', path)}"

    def _asked(self, once: Callable[[], Any], path: str, wanted: str = "") -> Any:  # noqa: ANN401
        """Return Dropbox's answer, with retries where they may help.

        `wanted` is the checksum of the content that an earlier try may have brought to `path`.
        """
        is_again = False
        for delay_s in (*self._delays_s, None):
            try:
                return once()
            except exceptions.ApiError as error:
                pause_s = self._refused(error, path)
                if is_again and wanted and isinstance(pause_s, ArchiveConflict):
                    return self._arrived(path, wanted, pause_s)
            except exceptions.RateLimitError as error:
                pause_s = float(error.backoff or 0.0)
            except (exceptions.InternalServerError, *_BROKEN):
                pause_s = 0.0
                is_again = True
            except (exceptions.HttpError, requests.RequestException, AssertionError) as error:
                raise self._stopped(error) from None  # its words may hold the token
            if isinstance(pause_s, Exception):
                raise pause_s
            if delay_s is None or pause_s > _LONGEST_WAIT_S:
                break
            self._wait(max(delay_s, pause_s))
        raise ArchiveFailed(
            "Dropbox does not answer and asks to wait {pause_s:.0f} s"
            if pause_s
            else "Dropbox does not answer",
            pause_s=pause_s,
            hint="nothing is lost: the next run goes on",
        )

    def _arrived(self, path: str, wanted: str, refusal: ArchiveFailed) -> Any:  # noqa: ANN401
        """Return the file at Dropbox if an earlier try with a lost answer wrote it.

        Raises `refusal` otherwise.
        """
        try:
            facts = self._asked(lambda: self._client.files_get_metadata(self._full(path)), path)
        except ArchiveMissing:
            raise refusal from None
        if getattr(facts, "content_hash", "") != wanted:
            raise refusal
        return facts

    def _refused(self, error: exceptions.ApiError, path: str) -> ArchiveFailed | float:
        """Return the error for a refusal, or the seconds to wait before a retry."""
        message = str(error.error)
        if "not_found" in message and "UploadSession" not in message:
            return ArchiveMissing(
                "{path!r} is not in {location}", path=path, location=self.location
            )
        if "conflict" in message:
            return ArchiveConflict(
                "{path!r} in {location} was changed meanwhile", path=path, location=self.location
            )
        if "too_many_write_operations" in message:
            return 1.0
        if "insufficient_space" in message:
            return ArchiveFailed(
                "Dropbox is full: {path!r} was not written", path=path, hint="free some space there"
            )
        if "Reset" in message or "reset" in message:
            return _Reset(message)
        return _DropboxRefused(
            "Dropbox refuses {path!r}: {message}",
            refusal=error.error,
            path=path,
            message=message[:200],
        )

    def _stopped(self, error: Exception) -> ArchiveFailed:
        if isinstance(error, exceptions.AuthError):
            return ArchiveFailed(
                "Dropbox does not take {variable}: it was revoked or is of another app",
                variable=_TOKEN,
                hint=_HINT,
            )
        if isinstance(error, exceptions.BadInputError) and "client" in str(error.body):
            return ArchiveFailed(
                "Dropbox does not know {variable}, or its secret is another",
                variable=_KEY,
                hint=_HINT,
            )
        status = getattr(error, "status_code", 0)
        return ArchiveFailed(
            "Dropbox refuses the request ({kind} {status})"
            if status
            else "Dropbox refuses the request ({kind})",
            kind=type(error).__name__,
            status=status,
        )


def open_dropbox_archive(opening: ArchiveOpening) -> DropboxArchive:
    """Return the archive in the Dropbox folder of a scope.

    Raises ArchiveFailed where a key is not set.
    """
    access = DropboxAccess(
        opening.secret(_TOKEN), opening.secret(_KEY), opening.secret(_SECRET), wait=opening.wait
    )
    if opening.trial_s:
        access = access._replace(timeout_s=opening.trial_s, delays_s=())
    return DropboxArchive(f"{opening.own}/{opening.of_scope}", access)


def _convert_dropbox_revision(revision: str) -> str:
    """Return a revision in Dropbox's form.

    A revision of another kind of archive becomes one that no file has.
    """
    return revision if _REV.fullmatch(revision) else "0" * 9


class _DropboxRefused(ArchiveFailed):
    """Refusal that only the caller can interpret; `refusal` is the SDK's error."""

    def __init__(self, template: str, /, *, refusal: object, **values: object) -> None:
        super().__init__(template, hint=None, **values)
        self.refusal = refusal


class _Reset(ArchiveFailed):
    """Error for a cursor that is not valid any more."""


class _Upload:
    """Upload of a large file, in parts."""

    def __init__(
        self, client: dropbox.Dropbox, asked: Callable[[Callable[[], Any]], Any], data: bytes
    ) -> None:
        self._client, self._asked, self._data = client, asked, data

    def finished(self, commit: api.CommitInfo) -> Any:  # noqa: ANN401 - the SDK has no types
        """Upload all parts and commit them as a file.

        Raises ArchiveFailed.
        """
        started = self._asked(
            lambda: self._client.files_upload_session_start(self._data[:PART_BYTES])
        )
        cursor = api.UploadSessionCursor(started.session_id, min(PART_BYTES, len(self._data)))
        while len(self._data) - cursor.offset > PART_BYTES:
            self._append(cursor, self._data[cursor.offset : cursor.offset + PART_BYTES])
        try:
            return self._finish(cursor, commit)
        except _DropboxRefused as error:
            self._correct(cursor, error)
            return self._finish(cursor, commit)

    def _append(self, cursor: Any, part: bytes) -> None:  # noqa: ANN401
        """Append a part; after a lost answer, ask Dropbox for the offset that it has reached."""
        try:
            self._asked(lambda: self._client.files_upload_session_append_v2(part, cursor))
            cursor.offset += len(part)
        except _DropboxRefused as error:
            self._correct(cursor, error)

    def _finish(self, cursor: Any, commit: api.CommitInfo) -> Any:  # noqa: ANN401
        rest = self._data[cursor.offset :]
        return self._asked(lambda: self._client.files_upload_session_finish(rest, cursor, commit))

    def _correct(self, cursor: Any, refused: _DropboxRefused) -> None:  # noqa: ANN401
        error: Any = refused.refusal
        if hasattr(error, "is_lookup_failed") and error.is_lookup_failed():
            error = error.get_lookup_failed()
        if not (hasattr(error, "is_incorrect_offset") and error.is_incorrect_offset()):
            raise refused
        offset = error.get_incorrect_offset().correct_offset
        if not 0 <= offset <= len(self._data) or offset == cursor.offset:
            raise refused
        cursor.offset = offset
