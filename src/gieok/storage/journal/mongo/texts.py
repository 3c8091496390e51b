"""MongoDB collection of the texts of messages.

One document for each version of a message, written once and never changed.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import Any

from pymongo import MongoClient, WriteConcern
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    ExecutionTimeout,
    InvalidURI,
    PyMongoError,
)
from pymongo.uri_parser import parse_uri

from gieok.errors import BadConfig, BadRequest, Phrase, StoreError, StoreUnreachable
from gieok.opening import Opening
from gieok.storage.journal.sql.database import SaidText
from gieok.storage.postgres.statements import escape_postgres_text, unwritten

_DATABASE = "gieok"
_DUPLICATE = 11000
_AT_ONCE = 1_000
_HINT = "check that the server runs, and mongo.url (`gieok config show`)"


class Texts:
    """Texts by key.

    `location` is the address without secrets; nothing is connected before the first call.
    """

    def __init__(self, url: str, *, password: str = "", timeout_s: float = 5.0) -> None:
        self.location, self._database = _parse_mongo_address(url)
        credentials: dict[str, Any] = {"password": password} if password else {}
        most_ms = round(timeout_s * 1000)
        try:
            self._client: MongoClient[dict[str, Any]] = MongoClient(
                url,
                **credentials,
                connect=False,
                appname="gieok",
                serverSelectionTimeoutMS=most_ms,
                connectTimeoutMS=most_ms,
                socketTimeoutMS=most_ms,
            )
        except (PyMongoError, ValueError, TypeError):  # the message may quote the password
            raise _build_mongo_address_error() from None
        self._name = ""
        self._lock = Lock()

    @classmethod
    def open(cls, opening: Opening) -> "Texts":
        """Return the texts at `mongo.url`.

        Raises BadConfig.
        """
        url = opening.setting("mongo.url")
        if not url:
            raise BadConfig(
                "`journal: mongo` needs `mongo.url`",
                hint="such as mongodb://me@localhost:27017/gieok",
            )
        timeout_s = float(opening.setting("store.timeout_s"))
        return cls(url, password=opening.secret("MONGO_PASSWORD"), timeout_s=timeout_s)

    def named(self, name: Callable[[], str]) -> "Texts":
        """Set the function that returns the name of the collection; return self.

        The function is called once.
        """
        with self._lock:
            self._name = self._name or name()
        return self

    def put(self, scope: int, said: Sequence[SaidText]) -> None:
        """Keep texts, durable on a majority of the servers when it returns.

        Existing texts stay as they are.
        """
        rows = [
            {
                "_id": build_version_key(scope, one.id, one.text_hash.hex()),
                "scope": scope,
                "id": escape_postgres_text(one.id),
                "role": one.role,
                "at": one.at,
                "text": escape_postgres_text(one.text),
            }
            for one in said
        ]
        with self._translated():
            for start in range(0, len(rows), _AT_ONCE):
                try:
                    self._all.insert_many(rows[start : start + _AT_ONCE], ordered=False)
                except BulkWriteError as error:
                    failed: Mapping[str, Any] = error.details or {}
                    others = [
                        one
                        for one in failed.get("writeErrors", ())
                        if one.get("code") != _DUPLICATE
                    ]
                    if others or failed.get("writeConcernErrors"):
                        raise

    def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Return texts by key; missing texts are left out."""
        texts: dict[str, str] = {}
        with self._translated():
            for start in range(0, len(keys), _AT_ONCE):
                some = {"_id": {"$in": list(keys[start : start + _AT_ONCE])}}
                texts |= {
                    row["_id"]: unwritten(row["text"]) for row in self._all.find(some, {"text": 1})
                }
        return texts

    def leave(self, scope: int, living: Collection[str]) -> None:
        """Remove the texts of a scope except those with these keys."""
        with self._translated():
            self._all.create_index("scope")
            gone = [
                row["_id"]
                for row in self._all.find({"scope": scope}, {"_id": 1})
                if row["_id"] not in living
            ]
            for start in range(0, len(gone), _AT_ONCE):
                self._all.delete_many({"_id": {"$in": gone[start : start + _AT_ONCE]}})

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def _all(self) -> Any:  # noqa: ANN401 - a collection of the library
        durable = WriteConcern("majority", j=True)
        return self._client[self._database].get_collection(self._name, write_concern=durable)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (ConnectionFailure, ExecutionTimeout):
            raise StoreUnreachable(
                "mongo unreachable: {location}", location=self.location, hint=_HINT
            ) from None
        except DocumentTooLarge:
            raise BadRequest(
                "a message is larger than 16 MB, the most that MongoDB keeps", hint="split it"
            ) from None
        except PyMongoError as error:
            failure = f"{type(error).__name__} {getattr(error, 'code', None) or ''}".strip()
            hint = "check MONGO_PASSWORD, and what the user of mongo.url may do"
            raise StoreError(
                "{location} failed: {failure}",
                location=self.location,
                failure=Phrase(failure),
                hint=hint,
            ) from None


def build_version_key(scope: int, identity: str, text_hash: str) -> str:
    """Return the key of a version of a message: scope, message id and hash.

    The key is the same at every try.
    """
    named = f"{scope}\0{text_hash}\0{identity}".encode("utf-8", "surrogatepass")
    return blake2b(named, digest_size=16).hexdigest()


def _parse_mongo_address(url: str) -> tuple[str, str]:
    """Return an address without secrets, and the database.

    Raises BadConfig.
    """
    if url.startswith("mongodb+srv://"):  # parsing would ask a name server
        host, _, path = url.removeprefix("mongodb+srv://").rpartition("@")[2].partition("/")
        return f"mongodb+srv://{host}", path.partition("?")[0] or _DATABASE
    try:
        parts = parse_uri(url, warn=False)
    except (InvalidURI, ConfigurationError, ValueError, TypeError):
        raise _build_mongo_address_error() from None
    hosts = ",".join(f"{host}:{port}" if port else host for host, port in parts["nodelist"])
    database = parts["database"] or _DATABASE
    return f"mongodb://{hosts}/{database}", database


def _build_mongo_address_error() -> BadConfig:
    hint = (
        "such as mongodb://me@host:27017/gieok; a password as MONGO_PASSWORD, its special "
        "characters as %XX"
    )
    return BadConfig("mongo.url is no address of MongoDB", hint=hint, setting="mongo.url")
