"""C and C++: members outside of their class, names inside of macros, tests of gtest and Catch2."""

from collections.abc import Callable, Mapping

import pytest

from gieok.code.index.project import Project

Make = Callable[[Mapping[str, str]], Project]


def _symbols(made: Project) -> dict[str, str]:
    kinds = ("function", "method", "class")
    return {s.qualified: s.kind for s in made.store.all_symbols() if s.kind in kinds}


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.c", "mg *CALLTYPE mg_open(const char *d)\n{ return 0; }\n", ["mg_open"]),
        ("a.cc", "mg *CALLTYPE mg_open(const char *d)\n{ return 0; }\n", ["mg_open"]),
        ("a.cc", "LIB_API const char *LIB_CALL name(int x) { return 0; }\n", ["name"]),
        ("a.c", "EXPORT(int) foo_bar(int a) { return a; }\n", ["foo_bar"]),
        (
            "a.cc",
            "PNG_FUNCTION(void,PNGAPI png_error,(int p),NORETURN)\n{ go(); }\n",
            ["png_error"],
        ),
        ("a.h", "class API Box : public Base {\n  void draw() {}\n};\n", ["Box", "Box.draw"]),
        ("a.h", "struct POINT origin();\nstruct STAT st = { 0 };\n", []),
        ("a.cc", "void n::Stack<Map<K, V>>::push(T t) {}\n", ["n.Stack.push"]),
        (
            "a.cc",
            "namespace a::b { namespace { void f() {} } void C::g() {} }\n",
            ["a.b.C.g", "a.b.f"],
        ),
        (
            "a.cc",
            "S::operator bool() const { return 1; }\nbool operator<(S a, S b) { return 1; }\n",
            ["S.operatorbool", "operator<"],
        ),
        ("a.cc", "W::W() {}\nW::~W() {}\n", ["W.W", "W.~W"]),
    ],
)
def test_a_definition_has_its_own_name(
    indexed: Make, path: str, text: str, names: list[str]
) -> None:
    assert sorted(_symbols(indexed({path: text}))) == sorted(names)


def test_what_begins_at_the_first_column_is_inside_of_no_function(indexed: Make) -> None:
    text = """namespace n {
TEST(A, First) {
#define CHECK_TYPE(type, value) \\
  do {                          \\
    type v;                     \\
    ASSERT_EQ(v, 0##value);     \\
  } while (0)

  CHECK_TYPE(unsigned short, 177777U);
  CHECK_TYPE(unsigned long long, 1777777777777777777777ULL);
}

TEST(A, Second) { add(); }
}
"""
    made = indexed({"add.c": "int add(void) { return 1; }\n", "t_test.cc": text})
    assert [edge.source for edge in made.store.edges_into(["add.c::add"])] == [
        "t_test.cc::n.A.Second"
    ]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("t_test.cc", "TEST(AddSuite, HandlesZero) { add(); }\n", "AddSuite.HandlesZero"),
        ("t_test.cc", "TEST_F(Parser, Empty) { add(); }\n", "Parser.Empty"),
        ("t_test.cc", "TYPED_TEST(List, Works) { add(); }\n", "List.Works"),
        ("t_test.cc", 'TEST_CASE("adds 1.5", "[m]") { SECTION("x") { add(); } }\n', "adds 1 5"),
        ("t_test.cc", 'SCENARIO("it opens") { GIVEN("a") { add(); } }\n', "it opens"),
        ("t_test.cc", 'TEST_CASE_METHOD(Fix, "with it") { add(); }\n', "with it"),
        ("t_test.cc", "BOOST_AUTO_TEST_CASE(boost_adds) { add(); }\n", "boost_adds"),
        ("t_test.cc", "namespace n {\nTEST(A, B) { add(); }\n}\n", "n.A.B"),
        ("test_t.c", "TEST(AddSuite, Zero) { add(); }\n", "AddSuite.Zero"),
    ],
)
def test_a_test_of_a_macro_has_its_own_name_and_calls_what_it_tests(
    indexed: Make, path: str, text: str, name: str
) -> None:
    made = indexed({"add.c": "int add(void) { return 1; }\n", path: text})
    (edge,) = made.store.edges_into(["add.c::add"])
    assert edge.source == f"{path}::{name}"
    (test,) = [s for s in made.store.all_symbols() if s.qualified == name]
    assert "test" in test.traits
    assert (test.start_line, test.end_line) == (text[: text.index("add()")].count("\n") + 1,) * 2
