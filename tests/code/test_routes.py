"""Tests that request a path reach what answers it, in the spelling of each framework."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.ask import analysis, lookup, routes
from gieok.code.ask.routes import PathPlace, WebRoute
from gieok.code.index.graph import Certainty
from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]

_SPRING = {
    "src/main/java/p/OwnerController.java": (
        'package p;\n@RequestMapping("/owners")\nclass OwnerController {\n'
        '    @ModelAttribute("owner")\n    Owner findOwner() { return null; }\n'
        '    @GetMapping("/{ownerId}")\n    String show() { return ""; }\n'
        '    @GetMapping("/new")\n    String initForm() { return ""; }\n'
        '    @PostMapping("/new")\n    String save() { return check(); }\n'
        '    String check() { return ""; }\n}\n'
    ),
    "src/test/java/p/OwnerControllerTests.java": (
        "package p;\nclass OwnerControllerTests {\n"
        '    @Test\n    void form() { mockMvc.perform(get("/owners/new")); }\n'
        '    @Test\n    void saved() { mockMvc.perform(post("/owners/new").param("a", "b")); }\n'
        '    @Test\n    void shown() { mockMvc.perform(get("/owners/{ownerId}", 1)); }\n}\n'
    ),
}
_NEST = {
    "src/users/users.controller.ts": (
        "@Controller('users')\nexport class UsersController {\n"
        "  @Get()\n  findAll() { return [] }\n"
        "  @Get(':id')\n  findOne() { return 1 }\n}\n"
    ),
    "test/users.e2e-spec.ts": (
        "it('lists', () => request(app.getHttpServer()).get('/users').expect(200))\n"
        "it('shows', () => request(url).get(`/api/v1/users/${id}`).expect(200))\n"
    ),
}
_EXPRESS = {
    "src/app.js": "const users = require('./users.route')\napp.use('/v1/users', users)\n",
    "src/users.route.js": (
        "const c = require('./controller')\nconst router = express.Router()\n"
        "router\n  .route('/')\n  .post(c.create)\n  .get(c.list)\n"
        "router.get('/:id', c.show)\nmodule.exports = router\n"
    ),
    "src/controller.js": (
        "exports.create = function create() {}\nexports.list = function list() {}\n"
        "exports.show = function show() {}\n"
    ),
    "test/users.test.js": (
        "test('creates', async () => { await request(app).post('/v1/users').send({}) })\n"
        "test('lists', async () => { await request(app).get('/v1/users?page=2') })\n"
        "test('shows', async () => { await request(app).get(`/v1/users/${one.id}`) })\n"
    ),
}
_DJANGO = {
    "shop/views.py": "def detail(request):\n    pass\ndef cart(request):\n    pass\n",
    "shop/urls.py": (
        "from django.urls import path\nfrom shop import views\nurlpatterns = [\n"
        '    path("item/<int:pk>/", views.detail, name="item_detail"),\n'
        '    path("cart/", views.cart, name="cart"),\n]\n'
    ),
    "tests/test_shop.py": (
        'def test_named(client):\n    client.get(reverse("shop:item_detail", args=[1]))\n'
        'def test_spelled(client):\n    client.get("/shop/item/3/")\n'
        'def test_cart(client):\n    client.get("/shop/cart/")\n'
    ),
}
_FLASK = {
    "app/auth.py": (
        '@bp.route("/login", methods=["POST"])\ndef login():\n    return check()\n'
        "@bp.before_request\ndef load_user():\n    pass\n"
        "def check():\n    pass\n"
    ),
    "tests/test_auth.py": (
        'def test_login(client):\n    client.post("/auth/login")\n'
        'def test_by_name(client):\n    client.post(url_for("auth.login"))\n'
        'def test_home(client):\n    client.get("/")\n'
    ),
}
_GO = {
    "server/server.go": (
        'package server\nfunc Register(mux *Mux) {\n\tmux.HandleFunc("/items/{id}", showItem)\n'
        '\tmux.HandleFunc("/health", health)\n}\nfunc showItem() {}\nfunc health() {}\n'
    ),
    "server/server_test.go": (
        'package server\nfunc TestItem(t *testing.T) { httptest.NewRequest("GET", "/items/7", nil) }\n'
        'func TestHealth(t *testing.T) { httptest.NewRequest("GET", "/health", nil) }\n'
    ),
}


@pytest.mark.parametrize(
    ("files", "changed", "wanted"),
    [
        (_SPRING, "OwnerController.save", {"saved"}),
        (_SPRING, "OwnerController.initForm", {"form"}),
        (_SPRING, "OwnerController.show", {"shown"}),
        (_SPRING, "OwnerController.check", {"saved"}),
        (_SPRING, "OwnerController.findOwner", {"form", "saved", "shown"}),
        (_NEST, "UsersController.findAll", {"lists"}),
        (_NEST, "UsersController.findOne", {"shows"}),
        (_EXPRESS, "src/controller.js:create", {"creates"}),
        (_EXPRESS, "src/controller.js:list", {"lists"}),
        (_EXPRESS, "src/controller.js:show", {"shows"}),
        (_DJANGO, "shop/views.py:detail", {"test_named", "test_spelled"}),
        (_DJANGO, "shop/views.py:cart", {"test_cart"}),
        (_FLASK, "app/auth.py:login", {"test_login", "test_by_name"}),
        (_FLASK, "app/auth.py:check", {"test_login", "test_by_name"}),
        (_GO, "showItem", {"TestItem"}),
        (_GO, "server/server.go:health", {"TestHealth"}),
    ],
)
def test_a_test_that_requests_a_path_reaches_what_answers_it(
    indexed: Make, files: Mapping[str, str], changed: str, wanted: set[str]
) -> None:
    made = indexed(files)
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, changed)).impact
    ways = [row for row in found.tests if row.via]
    assert {row.key.rpartition(".")[2].rpartition("::")[2] for row in ways} == wanted
    assert all(row.tier >= Certainty.UNIQUE_NAME for row in ways)  # text alone is never certain


def _place(path: str, verb: str = "") -> PathPlace:
    segments = routes.split_segments(path)
    assert segments is not None
    return PathPlace(segments, verb, 1)


def _route(path: str, verb: str = "", file: str = "src/users.route.js") -> WebRoute:
    return WebRoute(f"{file}::f", _place(path, verb), routes.split_path_words(file))


@pytest.mark.parametrize(
    ("request_", "route", "is_answered"),
    [
        (_place("/v1/users"), _route("/"), True),
        (_place("/v1/orders"), _route("/"), False),  # nothing ties the two
        (_place("/users/{id}"), _route("/users/new"), False),
        (_place("/users/new"), _route("/users/:id"), True),
        (_place("/users", "get"), _route("/users", "post"), False),
        (_place("/users", "get"), _route("/users"), True),
        (_place("/a/b/c/d/users"), _route("/users"), False),  # too deep for a mount
        (_place("/users"), _route("/v1/users"), False),
    ],
)
def test_a_route_answers_what_ends_with_it(
    request_: PathPlace, route: WebRoute, is_answered: bool
) -> None:
    assert (routes.rate_fit(request_, route) is not None) == is_answered


def test_the_most_literal_route_wins_and_equal_ones_are_possible() -> None:
    asked = _place("/users/new")
    literal, other = _route("/users/new"), _route("/users/:id")
    assert routes.select_answering_routes(asked, [literal, other], []) == [literal]
    assert routes.select_answering_routes(asked, [other], [literal]) == []
    twins = [literal, _route("/users/new", file="lib/users.js")]
    met = routes.select_answering_routes(asked, twins, [])
    assert [route.tier for route in met] == [Certainty.AMBIGUOUS, Certainty.AMBIGUOUS]


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("/owners?page=1", ("owners",)),
        ("http://localhost:8080/oups", ("oups",)),
        ("/", ()),
        ("//comment", None),
        ("a/b", None),
        ("/two words", None),
    ],
)
def test_a_path_is_told_from_other_text(text: str, segments: tuple[str, ...] | None) -> None:
    assert routes.split_segments(text) == segments


@pytest.mark.parametrize(
    ("test", "path", "is_of"),
    [
        ("tests/test_a.py", "src/app.py", True),
        ("tests/test_a.py", "examples/tutorial/app.py", False),
        ("examples/tutorial/tests/test_a.py", "examples/tutorial/app.py", True),
        ("examples/other/tests/test_a.py", "examples/tutorial/app.py", False),
        ("examples/test_a.py", "examples/app.py", True),
        (
            "src/test/java/org/samples/clinic/T.java",
            "src/main/java/org/samples/clinic/A.java",
            True,
        ),
    ],
)
def test_a_route_of_an_example_is_requested_by_examples_alone(
    test: str, path: str, is_of: bool
) -> None:
    assert routes.is_route_of(test, path) == is_of


def test_a_test_that_makes_the_route_itself_requests_its_own(indexed: Make) -> None:
    made = indexed(
        {
            "app/main.py": '@app.get("/items")\ndef items():\n    pass\n',
            "tests/test_main.py": ('def test_items(client):\n    client.get("/items")\n'),
            "tests/test_own.py": (
                'def test_own(client):\n    @app.route("/items")\n    def own():\n        pass\n'
                '    client.get("/items")\n'
            ),
        }
    )
    found = analysis.of_symbols(made, lookup.find_typed_symbols(made, "items")).impact
    assert [row.key for row in found.tests if row.via] == ["tests/test_main.py::test_items"]
