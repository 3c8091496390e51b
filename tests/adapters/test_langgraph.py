"""LangGraph's store, by what its own tests expect of one (libs/checkpoint/tests/test_store.py), and
by ours.
"""

import asyncio
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp

import gieok
from gieok.adapters.langgraph import GieokStore

_KIM = ("users", "kim")


@pytest.fixture
def store(memory: gieok.Memory) -> GieokStore:
    return GieokStore(memory)


def _keys(found: list[Any]) -> list[str]:
    return [one.key for one in found]


def test_an_item_comes_back_as_it_was_put(store: GieokStore) -> None:
    value = {
        "text": "차를 좋아함",
        "list": [1, 2.5, None, True],
        "nested": {"a": {"b": "c"}},
        "empty": {},
    }
    store.put(_KIM, "k/1 é", value)
    first = store.get(_KIM, "k/1 é")
    assert first
    assert (first.value, first.key, first.namespace) == (value, "k/1 é", _KIM)
    store.put(_KIM, "k/1 é", {"text": "커피를 좋아함"})
    second = store.get(_KIM, "k/1 é")
    assert second
    assert second.value == {"text": "커피를 좋아함"}
    assert second.created_at == first.created_at
    assert second.updated_at >= first.updated_at
    store.delete(_KIM, "k/1 é")
    assert store.get(_KIM, "k/1 é") is None
    assert store.search(("users",)) == []
    assert store.list_namespaces() == []


def test_a_batch_is_done_in_order(store: GieokStore) -> None:
    store.put(("test", "foo"), "key1", {"data": "value1"})
    found = store.batch(
        [
            GetOp(("test", "foo"), "key1"),
            PutOp(("test", "bar"), "key2", {"data": "value2"}),
            SearchOp(("test",), filter={"data": "value1"}),
            ListNamespacesOp(max_depth=None),
            GetOp(("test",), "key3"),
        ]
    )
    assert found[0].value == {"data": "value1"}
    assert found[1] is None
    assert _keys(found[2]) == ["key1"]
    assert found[3] == [("test", "bar"), ("test", "foo")]
    assert found[4] is None


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store: GieokStore) -> None:
    names = [
        "a b c",
        "a b d e",
        "a b d i",
        "a b f",
        "a c f",
        "b a f",
        "users 123",
        "users 456 settings",
    ]
    for number, name in enumerate(names):
        store.put(tuple(name.split()), f"id_{number}", {"data": f"value_{number:02d}"})

    def listed(**asked: Any) -> list[str]:
        return [" ".join(one) for one in store.list_namespaces(**asked)]

    assert listed() == names
    assert listed(prefix=("a", "b")) == names[:4]
    assert listed(suffix=("f",)) == ["a b f", "a c f", "b a f"]
    assert listed(prefix=("a",), suffix=("f",)) == ["a b f", "a c f"]
    assert listed(prefix=("a", "b"), max_depth=3) == ["a b c", "a b d", "a b f"]
    assert listed(prefix=("a", "b"), limit=2) == names[:2]
    assert listed(prefix=("a", "b"), offset=2) == names[2:4]
    assert listed(prefix=("a", "*", "f")) == ["a b f", "a c f"]
    assert listed(suffix=("*", "f")) == ["a b f", "a c f", "b a f"]
    assert listed(prefix=("users", "123")) == ["users 123"]
    assert listed(prefix=("nonexistent",)) == []


def test_a_query_ranks_and_a_filter_leaves_out(store: GieokStore) -> None:
    for key, text, colour, score in (
        ("doc1", "red apple", "red", 4.5),
        ("doc2", "red car", "red", 3.0),
        ("doc3", "green apple", "green", 4.0),
        ("doc4", "blue car", "blue", 3.5),
    ):
        store.put(("test",), key, {"text": text, "color": colour, "score": score})
    found = store.search(("test",), query="apple", filter={"color": "red"})
    assert _keys(found) == ["doc1", "doc2"]
    assert found[0].score
    assert found[1].score is None
    assert _keys(store.search(("test",), query="car", filter={"color": "red"}))[0] == "doc2"
    assert len(store.search(("test",), query="apple", filter={"score": {"$gt": 3.2}})) == 3
    assert _keys(
        store.search(("test",), query="apple", filter={"score": {"$gte": 4.0}, "color": "green"})
    ) == ["doc3"]
    assert _keys(
        store.search(("test",), filter={"color": {"$ne": "red"}, "score": {"$lte": 3.5}})
    ) == ["doc4"]
    assert store.search(("test",), filter={"text": {"$gt": 1}}) == []
    with pytest.raises(ValueError, match="unknown operator"):
        store.search(("test",), filter={"score": {"$near": 1}})


def test_pages_of_a_search_do_not_overlap(store: GieokStore) -> None:
    for number in range(5):
        store.put(("test",), f"doc{number}", {"text": f"test document number {number}"})
    pages = [
        _keys(store.search(("test",), query="test", limit=2, offset=offset)) for offset in (0, 2, 4)
    ]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert len({key for page in pages for key in page}) == 5
    assert len(store.search(("test",), query="", limit=10)) == 5
    assert len(store.search(("test",), query="test!@#$%^&*()")) == 5


def test_what_is_not_indexed_is_found_last_and_read_all_the_same(store: GieokStore) -> None:
    store.put(("test",), "doc1", {"text": "about dogs"})
    store.put(("test",), "doc2", {"text": "new text about dogs"}, index=False)
    store.put(
        ("test",),
        "doc3",
        {"text": "cats", "more": [{"text": "zebra"}], "other": "lion"},
        index=["more[*].text"],
    )
    assert _keys(store.search(("test",), query="new text about dogs", limit=1)) == ["doc1"]
    assert store.search(("test",), query="zebra")[0].key == "doc3"
    assert all(one.score is None for one in store.search(("test",), query="lion"))
    assert store.get(("test",), "doc2")


@pytest.mark.parametrize(
    "namespace", [(), ("the", "thing.about"), ("some", ""), ("langgraph", "foo")]
)
def test_a_namespace_that_langgraph_does_not_take_is_refused(
    store: GieokStore, namespace: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "foo", {"foo": "bar"})


def test_a_namespace_sees_its_own_alone_whatever_it_is_called(store: GieokStore) -> None:
    names = [("a b",), ("a%20b",), ("a/in:b",), ("a", "b"), ("김 철수", "메모/1")]
    for name in names:
        store.put(name, "k", {"text": " ".join(name)})
    assert sorted(store.list_namespaces()) == sorted(names)
    for name in names:
        assert [one.value["text"] for one in store.search(name)] == [" ".join(name)]


def test_a_secret_is_replaced_and_the_rest_stays(store: GieokStore) -> None:
    store.put(_KIM, "k", {"text": "the key is " + "sk-ant-" + "a1b2c3d4" * 4, "n": 1})
    found = store.get(_KIM, "k")
    assert found
    assert "a1b2c3d4" not in str(found.value)
    assert found.value["n"] == 1


def test_items_are_memory_like_any_other(store: GieokStore, memory: gieok.Memory) -> None:
    store.put(_KIM, "k", {"text": "결제는 화요일에 정산한다"})
    scope = "agent:langgraph/in:users/in:kim"
    with gieok.open(scope=scope) as inside:
        (hit,) = inside.search("정산은 언제?")
        assert "화요일" in inside.get(hit.handle).text
        with pytest.raises(gieok.GieokError, match="a program's own"):
            inside.run("edit", handle=hit.handle, text=["수요일"])
    memory.run("rebuild")
    assert store.get(_KIM, "k")
    memory.forget(match="화요일")
    assert store.get(_KIM, "k") is None


def test_many_at_once_from_an_event_loop(store: GieokStore) -> None:
    async def run() -> list[Any]:
        await asyncio.gather(
            *(store.aput(_KIM, f"k{n}", {"text": f"fact number {n}"}) for n in range(20))
        )
        await store.adelete(_KIM, "k0")
        assert await store.aget(_KIM, "k0") is None
        assert await store.alist_namespaces() == [_KIM]
        return await store.asearch(_KIM, query="number 7", limit=100)

    found = asyncio.run(run())
    assert len(found) == 19
    assert found[0].key == "k7"
