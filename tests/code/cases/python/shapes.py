"""Bodies that stand for others, and classes that are made in other ways than by their name."""

import abc
from typing import Protocol, overload


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def outline(self):
        raise NotImplementedError

    def show(self):
        self.area()  # -> Square.area
        self.outline()  # -> Square.outline


class Square(Shape):
    def area(self):
        return 1

    def outline(self):
        return 4


def show_all():
    Square().show()  # -> Shape.show


class Lock(Protocol):
    def acquire(self): ...


def hold(lock: Lock):
    lock.acquire()  # of whoever has the lock: possible


class FileLock:
    def acquire(self):
        return self


class Unbound:
    def bind(self):
        return Field(bound=True)  # -> Field.__new__


class Field:
    def __new__(cls, **named):
        if named:
            return super().__new__(cls)
        return Unbound()

    def __init__(self, **named):
        self.named = named


def declare():
    Field().bind()  # -> Field.__new__, Unbound.bind


class Meta(type):
    def __call__(cls, *given):
        return super().__call__(*given)


class Made(metaclass=Meta):
    def run(self):
        return 1


def make():
    Made().run()  # -> Meta.__call__, Made.run
    other = type("Other", (Made,), {})
    other().run()  # -> Meta.__call__, Made.run


@overload
def parse(text: str): ...


@overload
def parse(text: bytes): ...


def parse(text):
    return Square()


def parsed():
    parse("").area()  # -> parse, Square.area
