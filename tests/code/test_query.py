"""Questions find symbols: names first, then words, then neighbours."""

from collections.abc import Callable, Mapping

from gieok.code.ask import statistics
from gieok.code.ask.query import search_symbols
from gieok.code.ask.sureness import is_as_good_as_none
from gieok.code.index.project import Project
from gieok.code.report import summary, validate

Make = Callable[[Mapping[str, str]], Project]
_FILES = {
    "net/client.py": '"""The HTTP client."""\n\n\nclass HttpClient:\n    """Sends '
    'requests."""\n\n    def '
    "send(self, request):\n"
    '        """Send one request and follow redirects."""\n        return retry(request)\n',
    "net/retry.py": (
        "def retry(request):\n    # 실패하면 잠시 기다렸다가 다시 보낸다\n    return backoff(3)\n\n\ndef "
        "backoff(times):\n    return times\n"
    ),
    "tests/test_client.py": (
        "from net.client import HttpClient\n\n\ndef test_http_client_follows_redirects():\n    "
        "HttpClient().send(1)\n"
    ),
    "README.md": "# Net\n\n## Redirects\n\nHow redirects are followed.\n",
}


def _keys(made: Project, text: str, limit: int = 3) -> list[str]:
    return [
        a.symbol.key.partition("::")[2] for a in search_symbols(made, None, text, limit).answers
    ]


def test_a_name_finds_its_definition_before_its_uses(indexed: Make) -> None:
    made = indexed(_FILES)
    assert _keys(made, "HttpClient")[0] == "HttpClient"
    assert _keys(made, "HttpClient.send")[0] == "HttpClient.send"
    assert (
        _keys(made, "test_http_client_follows_redirects")[0] == "test_http_client_follows_redirects"
    )


def test_words_and_korean_comments_find_functions(indexed: Make) -> None:
    made = indexed(_FILES)
    assert _keys(made, "follow redirects")[0] == "HttpClient.send"
    assert _keys(made, "실패하면 다시 보내는 곳이 어디야?")[0] == "retry"


def test_neighbours_fill_what_is_left_within_the_budget(indexed: Make) -> None:
    made = indexed(_FILES)
    found = search_symbols(made, None, "retry", 6).answers
    why = {a.symbol.key.partition("::")[2]: a.why for a in found}
    assert why["retry"] == "name"
    assert why["backoff"] in ("words", "next to net/retry.py::retry")
    assert found[0].callers == 0
    assert len(search_symbols(made, None, "retry", 6, budget_tokens=1).answers) == 1


def test_a_summary_without_a_model_tells_what_the_documentation_and_calls_say(
    indexed: Make,
) -> None:
    made = indexed(
        {
            "a.py": (
                'def load(x):\n    """Load it. Then more."""\n    return parse(x)\n\n\ndef '
                "parse(x): ...\n"
            )
        }
    )
    symbol = made.store.symbols(names=["load"])[0]
    assert symbol.signature == "def load(x)"
    assert (
        summary.build_plain_summary(symbol, summary.callees(made, symbol.key))
        == "Load it. Calls parse."
    )


def test_counts_tell_what_there_is(indexed: Make) -> None:
    made = indexed(
        {
            **_FILES,
            "app.py": "from net.client import HttpClient\n# TODO: close it\nHttpClient().send(1)\n",
        }
    )
    counted = statistics.count_graph(made)
    assert counted.kinds["class"] == 1
    assert counted.markers == {"TODO": 1}
    assert counted.languages == {"markdown": 1, "python": 4}


def test_a_sound_index_has_full_marks_and_a_stale_one_has_not(indexed: Make) -> None:
    made = indexed(_FILES)
    before = validate.quality(validate.validate(made, None))
    (made.root / "net" / "retry.py").write_text("def other(): ...\n", encoding="utf-8")
    after = {check.name: check.share for check in validate.validate(made, None)}
    assert before >= 95
    assert after["hashes current"] < 1
    assert validate.quality(validate.validate(made, None)) < before


def test_a_long_answer_is_shown_around_what_was_asked(indexed: Make) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(100))
    made = indexed({"long.py": f"def work():\n{body}    # the walrus is fed here\n    return 1\n"})
    answer = search_symbols(made, None, "feed the walrus", 3).answers[0]
    assert (answer.symbol.key, answer.start_line, answer.end_line) == ("long.py::work", 1, 103)
    assert "walrus" in answer.snippet
    assert len(answer.snippet) <= 700


def test_a_module_named_tests_that_the_project_uses_is_no_test(indexed: Make) -> None:
    made = indexed(
        {
            "tpl/tests.py": (
                'def test_even(value):\n    """Whether a number is even."""\n    return value % 2 '
                "== 0\n"
            ),
            "tpl/defaults.py": "from tpl import tests\nTESTS = {'even': tests.test_even}\n",
            "tpl/filters.py": 'def pick(value):\n    """Keep an even number."""\n    return value\n',
            "app/tests.py": (
                'def test_number():\n    """Whether an even number is even."""\n    assert 2 % 2 '
                "== 0\n"
            ),
        }
    )
    found = [a.symbol.key for a in search_symbols(made, None, "is a number even", 4).answers]
    assert found[0] == "tpl/tests.py::test_even"
    assert found.index("tpl/filters.py::pick") < found.index("app/tests.py::test_number")


def test_no_secret_of_a_head_or_a_comment_is_kept(indexed: Make) -> None:
    made = indexed(
        {
            "a.py": 'def pay(key="sk-ant-abcdefghijklmnopqrstuvwxyz"):\n    """Say ghp_'
            + "a1" * 20
            + '."""\n'
        }
    )
    symbol = next(s for s in made.store.all_symbols() if s.name == "pay")
    assert symbol.signature == 'def pay(key="[redacted:anthropic-key]")'
    assert symbol.doc == "Say [redacted:github-token]."
    assert "ghp_" not in dict(made.store.facts())["a.py"]


def test_a_comment_above_what_is_exported_or_assigned_is_its_documentation(indexed: Make) -> None:
    made = indexed(
        {
            "a.ts": "/** Charges it. */\nexport default function f() {}\n// Holds money.\nexport "
            "class K {\n  // Says no.\n  m() {}\n}\n"
            "/** Doubles. */\nexport const g = (n: number) => 2 * n;\nconst h = () => g(1);\n",
            "b.js": "/* Opens. */\nexports.open = function () {};\n",
        }
    )
    docs = {s.name: s.doc for s in made.store.all_symbols() if s.kind != "module"}
    assert docs == {
        "f": "Charges it.",
        "K": "Holds money.",
        "m": "Says no.",
        "g": "Doubles.",
        "h": "",
        "open": "Opens.",
    }


def test_a_go_test_is_no_part_of_the_package_that_others_import(indexed: Make) -> None:
    made = indexed(
        {
            "go.mod": "module example.com/shop\n",
            "pay/pay.go": (
                "package pay\n\n// Refund gives money back.\nfunc Refund(order int) int { return "
                "order }\n"
            ),
            "pay/pay_test.go": (
                "package pay\n\n// TestRefund: refund of money, money refund.\nfunc TestRefund() "
                "{ Refund(1) }\n"
            ),
            "main.go": (
                'package main\n\nimport "example.com/shop/pay"\n\nfunc main() { pay.Refund(1) }\n'
            ),
        }
    )
    assert made.store.edges_into(["pay/pay_test.go::<module>"]) == []
    assert _keys(made, "refund money")[0] == "Refund"


def test_a_file_that_stands_for_its_folder_counts_less_only_where_it_defines_nothing(
    indexed: Make,
) -> None:
    trait = (
        "/// A data format that can serialize values.\npub trait Serializer {\n    fn "
        "serialize(&self);\n}\n"
    )
    use = (
        "/// Serializer of values, to serialize a data format.\npub fn pretty(x: u8) -> u8 {\n    "
        "x\n}\n"
    )
    made = indexed(
        {
            "src/ser/mod.rs": trait,
            "src/pretty.rs": use,
            "src/lib.rs": "pub mod ser;\npub mod pretty;\n",
        }
    )
    assert _keys(made, "serializer of a data format")[0] == "Serializer"


def test_a_name_that_is_asked_for_whole_comes_before_a_longer_one(indexed: Make) -> None:
    doc = '    """Reads a json array of values."""\n'
    names = ("JsonAdapterAnnotationArrayFactory", "JsonArray")
    made = indexed({f"{name}.py": f"class {name}:\n{doc}" for name in names})
    assert _keys(made, "json array operations")[0] == "JsonArray"


def test_a_test_inside_of_a_rust_file_comes_behind_what_it_tests(indexed: Make) -> None:
    code = "/// Splits a route into its parts.\npub fn split_route(x: u8) -> u8 {\n    x\n}\n\n"
    tests = (
        "#[cfg(test)]\nmod tests {\n    /// Route splits, parts of a route: splits a route into "
        "parts.\n    #[test]\n"
    )
    tests += "    fn splits_route_parts() {\n        super::split_route(1);\n    }\n}\n"
    made = indexed({"src/lib.rs": code + tests})
    assert _keys(made, "splits a route into parts")[0] == "split_route"


def test_a_second_answer_of_one_file_comes_before_a_weak_answer_of_another(indexed: Make) -> None:
    project = indexed(
        {
            "store.py": '"""Storage."""\n\n\ndef pause_queue(queue):\n'
            '    """Pause the queue until it is resumed by hand."""\n    queue.paused = True\n\n\n'
            "def resume_queue(queue):\n"
            '    """Resume the paused queue by hand."""\n    queue.paused = False\n',
            "queue/mail.py": '"""Mail."""\n\n\ndef send(letter):\n'
            '    """Send a letter; pause, and resume when the queue is empty."""\n    post(letter)\n',
        }
    )
    found = search_symbols(project, None, "pause and resume the queue", 3)
    names = [answer.symbol.qualified for answer in found.answers]
    assert {*names[:2]} == {"pause_queue", "resume_queue"}


def test_a_file_of_many_matches_leaves_room_for_another(indexed: Make) -> None:
    many = "".join(
        f"def pause_queue_{name}(queue):\n"
        f'    """Pause the queue of {name}."""\n    queue.paused = True\n\n\n'
        for name in ("mail", "print", "sound", "video", "photo", "order", "event", "stock")
    )
    other = 'def hold(queue):\n    """Pause the queue for a while."""\n    queue.held = True\n'
    project = indexed({"many.py": many, "other.py": other})
    found = search_symbols(project, None, "pause the queue", 5, expand=False)
    assert "other.py" in {answer.symbol.path for answer in found.answers}


def test_what_a_matching_caller_calls_comes_before_what_none_calls(indexed: Make) -> None:
    body = '    """Put a failed job back."""\n    backlog.append(job)\n'
    project = indexed(
        {
            "first.py": f"def leave_job(job):\n{body}",
            "second.py": f"def enter_job(job):\n{body}",
            "worker.py": "from second import enter_job\n\n\ndef work(job):\n"
            '    """Run a job, and try it again where it failed."""\n    enter_job(job)\n',
        }
    )
    found = _keys(project, "where is a failed job put back and tried again")
    assert "enter_job" in found
    assert "leave_job" not in found[: found.index("enter_job")]


def test_edges_between_symbols_are_those_with_both_ends_among_them(indexed: Make) -> None:
    code = "def a():\n    b()\n\n\ndef b():\n    c()\n\n\ndef c():\n    pass\n"
    store = indexed({"chain.py": code}).store
    between = store.edges_between(["chain.py::a", "chain.py::b", "nowhere.py::x"])
    assert [(edge.source, edge.target) for edge in between] == [("chain.py::a", "chain.py::b")]
    assert store.edges_between([]) == []


def test_the_first_answers_may_all_be_of_one_file(indexed: Make) -> None:
    names = ("mail", "print", "sound", "video", "photo", "order", "stock")
    many = "".join(
        f"def pause_queue_{name}(queue):\n"
        f'    """Pause the queue of {name} until somebody resumes it."""\n'
        "    queue.paused = True\n\n\n"
        for name in names
    )
    weak = 'def hold_queue(line):\n    """Holds the queue of a phone until it resumes."""\n    line.hold()\n'
    others = {f"phone{number}.py": weak for number in range(2)}
    project = indexed({"many.py": many, **others})
    found = search_symbols(project, None, "pause the queue until it resumes", 12, expand=False)
    assert [answer.symbol.path for answer in found.answers[:7]] == ["many.py"] * 7


def test_no_test_comes_before_the_product_for_being_of_another_file(indexed: Make) -> None:
    many = "".join(
        f'def pause_queue_{name}(queue):\n    """Pause the queue."""\n    queue.paused = True\n\n\n'
        for name in ("mail", "print", "sound", "video", "photo", "order")
    )
    test = "def test_queue_pauses():\n    assert pause_queue(1)\n"
    project = indexed({"many.py": many, "tests/test_many.py": test})
    found = search_symbols(project, None, "pause the queue", 5, expand=False)
    assert {answer.symbol.path for answer in found.answers} == {"many.py"}


def test_no_test_inside_of_a_product_file_comes_before_the_product_either(indexed: Make) -> None:
    many = "".join(
        f"/// Pause the queue.\npub fn pause_queue_{name}(queue: &Queue) {{ queue.stop(); }}\n"
        for name in ("mail", "print", "sound", "video", "photo", "order")
    )
    inside = (
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn queue_pauses() { pause_queue(1); }\n}\n"
    )
    project = indexed({"src/many.rs": many, "src/other.rs": inside})
    found = search_symbols(project, None, "pause the queue", 5, expand=False)
    assert {answer.symbol.path for answer in found.answers} == {"src/many.rs"}


def test_every_symbol_of_a_name_comes_before_other_files_of_its_words(indexed: Make) -> None:
    stores = "".join(
        f"class {name}:\n    def takeout(self):\n        return self.queue.pop(0)\n\n\n"
        for name in ("Mail", "Print", "Sound", "Video", "Photo", "Order")
    )
    other = 'def takeout_all(stores):\n    """Takeout of all stores: takeout, takeout."""\n'
    project = indexed({"stores.py": stores, "other.py": f"{other}    return stores\n"})
    found = search_symbols(project, None, "takeout", 6, expand=False)
    assert [answer.why for answer in found.answers] == ["name"] * 6


def test_a_named_class_lends_nothing_of_its_name_to_its_members(indexed: Make) -> None:
    project = indexed(
        {
            "binder.py": 'class FieldBinder:\n    """Binds fields."""\n\n    kinds = ()\n\n'
            '    def bind_field(self, field):\n        """Binds a field."""\n'
            "        return self.join_fields(field)\n\n"
            '    def join_fields(self, fields):\n        """Joins the fields that were bound."""\n'
            "        return self.bind_field(fields)\n",
        }
    )
    found = _keys(project, "how does FieldBinder bind fields")
    assert found.index("FieldBinder") < found.index("FieldBinder.join_fields")


def test_a_file_name_finds_the_class_of_the_file_before_its_methods(indexed: Make) -> None:
    methods = "".join(
        f"    def {name}(self, sender):\n        return self.{other}(sender)\n\n"
        for name, other in (("connect", "send"), ("send", "connect"), ("drop", "send"))
    )
    project = indexed(
        {
            "signals.py": f'class Signal:\n    """Signals of a signal."""\n\n{methods}',
            "use.py": "import signals\n\n\ndef start():\n    signals.Signal().connect(1)\n",
        }
    )
    assert _keys(project, "signals.py")[:2] == ["<module>", "Signal"]


def test_a_file_that_is_asked_for_by_its_name_is_found(indexed: Make) -> None:
    made = indexed(
        {
            "app/consts.py": "LIMIT = 3\n",
            "app/fizz.py": "def fizz(consts): return consts\n",
            "app/a/__init__.py": "",
        }
    )
    for question in ("consts.py", "app/consts.py", "what is in `consts.py`?"):
        first = search_symbols(made, None, question, 5).answers[0]
        assert (first.symbol.path, first.why) == ("app/consts.py", "name"), question
        assert not is_as_good_as_none(first.sureness), question
