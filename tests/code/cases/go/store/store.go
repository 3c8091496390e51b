package store

import (
	"errors"
	sh "example.com/cases/shape"
)

type Option func(*Store)

type Store struct {
	shapes []sh.Shape
	logger Logger
	cache  Cache[string, *sh.Circle]
}

type Logger interface{ Log(msg string) }

type Quiet struct{}

func (Quiet) Log(string) {}

type Loud struct{ level int }

func (l *Loud) Log(msg string) { l.shout(msg) } // -> Loud.shout

func (l *Loud) shout(msg string) {}

type Cache[K comparable, V any] struct{ items map[K]V }

func (c *Cache[K, V]) Get(key K) V { return c.items[key] }

type Err struct{}

func (e *Err) Error() string { return text() } // -> text

func text() string { return "" }

func WithLogger(l Logger) Option {
	return func(s *Store) { s.logger = l }
}

func New(options ...Option) *Store {
	s := &Store{logger: Quiet{}}
	for _, option := range options {
		option(s) // -> WithLogger
	}
	s.logger.Log("new") // -> Quiet.Log, Loud.Log
	return s
}

func (s *Store) Add(shape sh.Shape) error {
	if shape == nil {
		return &Err{}
	}
	s.shapes = append(s.shapes, shape)
	return nil
}

func (s *Store) Circle(key string) *sh.Circle {
	return s.cache.Get(key).Grow(1) // -> Cache.Get, Circle.Grow
}

func Run() error {
	sh.Default = sh.NewCircle() // -> NewCircle
	store := New(WithLogger(&Loud{})) // -> New, WithLogger
	store.Add(sh.NewCircle()) // -> Store.Add, NewCircle
	sh.Total(store.shapes...) // -> Total
	var first *sh.Circle
	first.Area() // -> Circle.Area
	square, err := sh.NewSquare(2) // -> NewSquare
	square.Area() // -> Square.Area
	var e *Err
	if errors.As(err, &e) {
		return errors.New(e.Error()) // -> Err.Error
	}
	return Map([]string{"a"}, func(s string) error { return store.Add(nil) }) // -> Map, Store.Add
}

func Map(all []string, do func(string) error) error {
	for _, one := range all {
		if err := do(one); err != nil { // -> Run
			return err
		}
	}
	return nil
}
