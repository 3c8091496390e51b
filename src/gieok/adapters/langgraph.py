"""LangGraph: its store (`BaseStore`), kept in the memory of a home.

A namespace is a scope below one root, and an item is a document of that scope. The text of the
document holds the fields of the item's value, line by line, so that `gieok search --scope` finds
them; the value itself is kept beside the text.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote, unquote

from gieok.adapters import build_missing_framework
from gieok.commands.memory.records import follow_meaning
from gieok.commands.memory.replica import copy_beside
from gieok.flow import distil
from gieok.home import withholding
from gieok.model.memory import Document, Entry, Scope
from gieok.model.retrieval import Filter
from gieok.ports.store import VectorSearch
from gieok.ranking.recall import Question, recall
from gieok.surfaces.python import Memory
from gieok.text.chunk import chunk
from gieok.text.redact.sense import redact_said

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
    )
except ModuleNotFoundError as error:
    raise build_missing_framework(error, "langgraph-checkpoint") from error

KIND = "item"
_PREFIX, _VALUE, _LABEL = f"{KIND}:", "value", "in:"
_BATCH = 64
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: float(value) > float(other),
    "$gte": lambda value, other: float(value) >= float(other),
    "$lt": lambda value, other: float(value) < float(other),
    "$lte": lambda value, other: float(value) <= float(other),
}

Namespace = tuple[str, ...]


class GieokStore(BaseStore):
    """Store for `graph.compile(store=GieokStore())`.

    A query ranks items as `gieok search` does; items that the search does not find come last.

    Secrets in values are replaced before anything is stored. Values live until they are deleted:
    there is no TTL. May be used by several threads and processes.
    """

    def __init__(self, memory: Memory | None = None, *, root: str = "agent:langgraph") -> None:
        """Open the store below the scope `root`; `memory` defaults to `gieok.open()`.

        Raises BadRequest where `root` is no scope.
        """
        self._call = (memory or Memory()).call
        self._home = self._call.home
        self._root = Scope(root).path

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the operations in order; puts and deletes are durable when this returns."""
        results: list[Result] = []
        waiting: list[PutOp] = []
        for op in ops:
            if isinstance(op, PutOp):
                waiting.append(op)
                results.append(None)
                continue
            self._write(waiting)
            waiting.clear()
            results.append(self._read(op))
        self._write(waiting)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run `batch` in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            documents = self._home.store.get(self._scope(op.namespace), [_PREFIX + op.key])
            return self._item(documents[0]) if documents else None
        if isinstance(op, SearchOp):
            return cast("Result", self._search(op))
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ValueError(f"unknown operation: {type(op).__name__}")

    # Writing

    def _write(self, ops: Sequence[PutOp]) -> None:
        last = {(self._scope(op.namespace), _PREFIX + op.key): op for op in ops}
        if not last:
            return
        journal, store = self._home.journal, self._home.store
        if any(op.value is not None for op in ops):
            withholding.check_caller_withheld(self._call)
        put = [
            self._entry(scope, key, op) for (scope, key), op in last.items() if op.value is not None
        ]
        journal.hand_over(put, [name for name, op in last.items() if op.value is None])
        for scope in dict.fromkeys(scope for scope, _ in last):
            distil.deliver_scope(journal, store, scope)
            copy_beside(self._call, scope)
        follow_meaning(self._call, 1 + len(put) // _BATCH)

    def _entry(self, scope: Scope, key: str, op: PutOp) -> Entry:
        before, now = self._home.store.get(scope, [key]), self._call.clock.now()
        value = _redact_item_value(dict(op.value or {}))
        indexed, rest = _split_indexed_texts(value, op.index)
        text, cut = "\n".join([*indexed, *rest]), self._home.cut
        value_json = json.dumps(value, ensure_ascii=False)
        document = Document(
            scope=scope,
            key=key,
            kind=KIND,
            text=text,
            content_hash=hashlib.sha256(
                f"{text}\0{value_json}\0{len(indexed)}\0{now}".encode("utf-8", "replace")
            ).hexdigest()[:32],
            created_at=before[0].created_at if before else now,
            updated_at=now,
            metadata={_VALUE: value_json},
        )
        passages = chunk(
            "\n".join(indexed), budget_tokens=cut.budget_tokens, overlap_tokens=cut.overlap_tokens
        )
        return Entry(document, passages)

    # Reading

    def _search(self, op: SearchOp) -> list[SearchItem]:
        scopes = [self._scope(one) for one in self._below(op.namespace_prefix)]
        items = {
            (document.scope, document.key): document
            for document in self._documents(scopes)
            if _has_wanted_fields(json.loads(document.metadata[_VALUE]), op.filter or {})
        }
        scores = self._scores(op.query or "", scopes, len(items)) if items else {}
        ranked = sorted(items, key=lambda name: items[name].updated_at, reverse=True)
        ranked.sort(key=lambda name: (name not in scores, -scores.get(name, 0.0)))
        return [
            SearchItem(
                one.namespace, one.key, one.value, one.created_at, one.updated_at, scores.get(name)
            )
            for name in ranked[op.offset : op.offset + op.limit]
            for one in [self._item(items[name])]
        ]

    def _scores(
        self, query: str, scopes: Sequence[Scope], most: int
    ) -> Mapping[tuple[Scope, str], float]:
        if not query.strip():
            return {}
        call, store = self._call, self._home.store
        embedder = self._home.open_embedder() if isinstance(store, VectorSearch) else None
        question = Question(
            query,
            tuple(scopes),
            Filter(frozenset((KIND,))),
            hybrid=self._home.settings.flag("hybrid"),
        )
        # A filter may leave out any of the hits, so none is dropped for its score.
        profile = self._home.build_profile("").with_limit(max(most, 1)).with_least_score(0.0)
        result = recall(
            store,
            embedder,
            question,
            profile,
            call.clock,
            call.zone,
            self._home.open_reranking(),
        )
        scores: dict[tuple[Scope, str], float] = {}
        for hit in result.hits:
            scores.setdefault((hit.passage.scope, hit.passage.key), hit.score)
        return scores

    def _documents(self, scopes: Iterable[Scope]) -> Iterator[Document]:
        store = self._home.store
        for scope in scopes:
            yield from store.get(
                scope, sorted(key for key in store.hashes(scope) if key.startswith(_PREFIX))
            )

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        namespaces = [
            namespace
            for namespace in self._below(())
            if all(
                _is_namespace_match(namespace, condition) for condition in op.match_conditions or ()
            )
        ]
        return sorted({namespace[: op.max_depth] for namespace in namespaces})[
            op.offset : op.offset + op.limit
        ]

    def _below(self, prefix: Namespace) -> list[Namespace]:
        """Return the namespaces below a prefix that hold an item."""
        own = f"{self._root}/{_LABEL}"
        paths = [scope.path for scope in self._home.store.scopes() if scope.path.startswith(own)]
        namespaces = (
            tuple(unquote(label) for label in path.removeprefix(own).split(f"/{_LABEL}"))
            for path in paths
        )
        return [namespace for namespace in namespaces if namespace[: len(prefix)] == prefix]

    def _scope(self, namespace: Namespace) -> Scope:
        # Only characters that a part of a scope may not hold are quoted, so that a person can read
        # the rest.
        labels = (
            re.sub(r"[\s/%]", lambda one: quote(one[0], safe=""), label) for label in namespace
        )
        return Scope("/".join([self._root, *(f"{_LABEL}{label}" for label in labels)]))

    def _item(self, document: Document) -> Item:
        labels = document.scope.path.removeprefix(f"{self._root}/{_LABEL}").split(f"/{_LABEL}")
        return Item(
            value=json.loads(document.metadata[_VALUE]),
            key=document.key.removeprefix(_PREFIX),
            namespace=tuple(map(unquote, labels)),
            created_at=document.created_at,
            updated_at=document.updated_at,
        )


def _redact_item_value(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return JSON with the secrets in its texts replaced."""
    if isinstance(value, dict):
        return {str(key): _redact_item_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redact_item_value(item) for item in value]
    return redact_said(value) if isinstance(value, str) else value


def _split_indexed_texts(
    value: Mapping[str, Any], index: bool | list[str] | None
) -> tuple[list[str], list[str]]:
    """Return the fields of a value as two lists of lines: those to be found, and the rest.

    `index` names the paths of the fields to be found, such as `a[*].b`.
    """
    paths = index if isinstance(index, list) else []
    fields = (
        None
        if index is None or index is True
        else [re.sub(r"\[[^]]*\]", "", path) for path in paths]
    )
    leaves = list(_iter_value_leaves(value))
    indexed, rest = list[str](), list[str]()
    for path, leaf in leaves:
        is_wanted = fields is None or any(
            field in ("$", path) or path.startswith(f"{field}.") for field in fields
        )
        name = f"{path}: " if len(leaves) > 1 else ""
        (indexed if is_wanted else rest).append(name + " ".join(str(leaf).split()))
    return indexed, rest


# JSON.
def _iter_value_leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:  # noqa: ANN401
    if isinstance(value, Mapping):
        for name, child in value.items():
            yield from _iter_value_leaves(child, f"{path}.{name}".removeprefix("."))
    elif isinstance(value, list):
        for child in value:
            yield from _iter_value_leaves(child, path)
    elif value is not None:
        yield path, value


def _has_wanted_fields(value: Any, wanted: Mapping[str, Any]) -> bool:  # noqa: ANN401 - JSON
    """Return whether a value has the wanted fields, compared as in LangGraph's own stores."""
    return isinstance(value, dict) and all(
        _is_wanted_value(value.get(name), expected) for name, expected in wanted.items()
    )


def _is_wanted_value(value: Any, wanted: Any) -> bool:  # noqa: ANN401 - JSON
    if isinstance(wanted, dict) and any(name.startswith("$") for name in wanted):
        return all(_compare_by_operator(value, name, operand) for name, operand in wanted.items())
    if isinstance(wanted, dict):
        return _has_wanted_fields(value, wanted)
    return bool(value == (list(wanted) if isinstance(wanted, tuple) else wanted))


def _compare_by_operator(value: Any, name: str, other: Any) -> bool:  # noqa: ANN401 - JSON
    if name not in _COMPARED:
        raise ValueError(f"unknown operator {name!r}: {', '.join(_COMPARED)}")
    try:
        return _COMPARED[name](value, other)
    except (TypeError, ValueError):  # no number
        return False


def _is_namespace_match(namespace: Namespace, wanted: MatchCondition) -> bool:
    path = wanted.path
    part = namespace[: len(path)] if wanted.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(
        pattern in ("*", label) for pattern, label in zip(path, part, strict=True)
    )
