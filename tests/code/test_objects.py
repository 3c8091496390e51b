"""Objects of JavaScript that functions are put on, without classes."""

from collections.abc import Callable, Mapping

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]
Edges = Callable[[Mapping[str, str]], set[str]]

_EXPRESS = {
    "lib/response.js": "var http = require('http')\nvar res = "
    "Object.create(http.ServerResponse.prototype)\nmodule.exports = res\n"
    "res.set = res.header = function header() { return this }\nres.cookie = function (name) { "
    "this.set(name) }\n"
    "Object.defineProperty(res, 'charset', { get: function () { this.set() } })\n",
    "lib/application.js": "var app = exports = module.exports = {}\nvar methods = "
    "require('methods')\n"
    "app.init = function init() { this.set('a') }\napp.set = function set() {}\n"
    "methods.forEach(function (method) { app[method] = function () { this.set('b') } })\n",
    "index.js": "var mixin = require('merge-descriptors'), proto = "
    "require('./lib/application')\nvar res "
    "= require('./lib/response')\n"
    "exports = module.exports = createApplication\nfunction createApplication() {\n"
    "  var app = function (req, res) { app.handle(req, res) }\n  mixin(app, proto, false)\n"
    "  app.response = Object.create(res, {})\n  app.init()\n  return app\n}\n",
    "examples/a.js": "var app = require('../')()\nfunction start() {\n  app.set('c')\n  "
    "app.get('/', serve)\n  "
    "app.on('x')\n}\n"
    "function serve(req, res) { res.cookie('a'); req.cookie('b') }\n",
}


def test_a_function_that_is_put_on_an_object_has_its_name_and_its_this(indexed: Make) -> None:
    made = indexed(_EXPRESS)
    keys = {s.key for s in made.store.all_symbols()}
    assert {
        "lib/response.js::res.cookie",
        "lib/response.js::res.header",
        "lib/response.js::res.charset",
    } <= keys
    found = {
        (e.source.partition("::")[2], e.target.partition("::")[2]): (e.tier, e.reason)
        for e in made.store.all_edges()
        if e.kind == "calls"
    }
    sure = {pair for pair, (tier, _) in found.items() if tier == 1}
    assert sure == {
        ("res.cookie", "res.header"),
        ("res.charset", "res.header"),
        ("app.init", "app.set"),
        ("createApplication", "app.init"),
        ("<module>", "createApplication"),
        ("start", "app.set"),
        ("<lambda1>.app.<method>", "app.set"),
    }
    assert found["start", "<lambda1>.app.<method>"] == (2, "a name that is put together")
    assert found["serve", "res.cookie"] == (2, "the only one of its receiver's name")


def test_objects_get_the_members_of_others(edges: Edges) -> None:
    found = edges(
        {
            "a.js": "function A() {}\nObject.assign(A.prototype, { go() { this.stop() }, stop: "
            "function () {} })\n"
            "class Talks { talk() { this.say() } }\nclass B { say() {} "
            "}\nObject.assign(B.prototype, Talks.prototype)\n"
            "function C() {}\nC.prototype = Object.create(A.prototype)\nC.prototype.run = "
            "function () { this.go() }\n"
            "const extra = { more() {} }, box = {}\nfor (const k in extra) { box[k] = extra[k] }\n"
            "const made = Object.create(A.prototype)\n"
            "function f() {}\nObject.setPrototypeOf(f, A.prototype)\n"
            "const fact = function again(n) { return again(n - 1) }\n"
            "function main() { new A().go(); new B().talk(); new C().run(); box.more(); "
            "made.go(); f.stop(); fact(3) }\n",
        }
    )
    assert found == {
        "A.go -> A.stop",
        "Talks.talk -> B.say",
        "C.run -> A.go",
        "again -> again",
        "main -> A.constructor",
        "main -> A.go",
        "main -> Talks.talk",
        "main -> C.run",
        "main -> C.constructor",
        "main -> extra.more",
        "main -> A.stop",
        "main -> again",
    }
