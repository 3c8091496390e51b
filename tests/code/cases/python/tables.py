"""What tables hold is told apart by their constant keys, and attributes by their constant names."""


class Home:
    def get(self):
        return 1

    def show(self):
        return self.get()  # -> Home.get


class Away:
    def show(self):
        return 2


VIEWS = {"home": Home(), "away": Away()}


def by_key():
    VIEWS["home"].show()  # -> Home.show
    VIEWS.get("away").show()  # -> Away.show
    VIEWS.get("home").show()  # -> Home.show
    for view in VIEWS.values():
        view.show()  # -> Home.show, Away.show


def by_name(home: Home):
    for name in ("get", "show"):
        getattr(home, name)()  # -> Home.get, Home.show


HANDLERS = {}


def handles(name):
    def keep(function):
        HANDLERS[name] = function
        return function

    return keep


@handles("one")  # -> handles, handles.keep
def first():
    return 1


@handles("two")  # -> handles, handles.keep
def second():
    return 2


def dispatch(name):
    HANDLERS[name]()  # -> first, second
    handler = HANDLERS.get(name)
    handler()  # -> first, second


class Chain:
    def __init__(self, *parts):
        self.parts = parts

    def __or__(self, other):
        return Chain(self, other)  # -> Chain.__init__

    def __truediv__(self, other):
        return self

    def __call__(self, value):
        return value


def operators():
    both = Chain() | Chain()  # -> Chain.__init__, Chain.__or__
    both(1)  # -> Chain.__call__
    (both / Chain())(2)  # -> Chain.__truediv__, Chain.__init__, Chain.__call__


class Registry:
    pass


def make(name):
    class Made:
        def run(self):
            return name

    return Made


for title in ("First", "Second"):
    setattr(Registry, title, make(title))  # -> make


def made_in_a_loop():
    Registry.First().run()  # -> make.Made.run
