package shape

import "fmt"

// Shape is satisfied by what has both methods.
type Shape interface {
	Area() float64
	Named
}

type Named interface {
	Name() string
}

type base struct{ name string }

func (b *base) Name() string { return b.name }

func (b base) describe() string { return fmt.Sprint(b.Name()) } // -> base.Name

type Square struct {
	base
	side float64
}

func (s Square) Area() float64 { return s.side * s.scale(2) } // -> Square.scale

func (s Square) scale(by float64) float64 { return s.side * by }

type Circle struct {
	*base
	Radius float64
	onDraw func(c *Circle)
	next   *Circle
}

func (c *Circle) Area() float64 { return area(c.Radius) } // -> area

func (c *Circle) Grow(by float64) *Circle {
	c.Radius += by
	return c
}

func area(r float64) float64 { return r * r }

func NewSquare(side float64) (*Square, error) {
	return &Square{base: base{"square"}, side: side}, nil
}

func NewCircle() *Circle { return &Circle{onDraw: drawn} }

func drawn(c *Circle) { c.Area() } // -> Circle.Area

func Total(shapes ...Shape) (sum float64) {
	for _, s := range shapes {
		sum += s.Area() // -> Square.Area, Circle.Area
		_ = s.Name() // -> base.Name
	}
	return
}

func All() map[string]Shape {
	s, _ := NewSquare(1) // -> NewSquare
	return map[string]Shape{"square": s, "circle": NewCircle().Grow(2)} // -> NewCircle, Circle.Grow
}

func Draw() {
	c := NewCircle().Grow(1).Grow(2) // -> NewCircle, Circle.Grow
	c.onDraw(c) // -> drawn
	c.next.Grow(3) // -> Circle.Grow
	c.Name() // -> base.Name
	sq := Square{}
	sq.describe() // -> base.describe
	sq.base.describe() // -> base.describe
	for name, s := range All() { // -> All
		_ = name
		s.Area() // -> Square.Area, Circle.Area
	}
	list := []*Circle{c}
	list = append(list, NewCircle()) // -> NewCircle
	list[0].Grow(4) // -> Circle.Grow
	for i := range list {
		list[i].Grow(5) // -> Circle.Grow
	}
	f := c.Grow
	f(1) // -> Circle.Grow
	g := (*Circle).Grow
	g(c, 2) // -> Circle.Grow
	defer func() { c.Grow(6) }() // -> Circle.Grow
	go worker(list) // -> worker
	ch := make(chan *Circle)
	(<-ch).Grow(7) // -> Circle.Grow
	for got := range ch {
		got.Grow(8) // -> Circle.Grow
	}
}

func worker(list []*Circle) {
	table := map[string]func(float64) float64{"area": area}
	table["area"](1) // -> area
	var shape Shape = list[0]
	if c, ok := shape.(*Circle); ok {
		c.Grow(1) // -> Circle.Grow
	}
	switch t := shape.(type) {
	case *Square:
		t.scale(2) // -> Square.scale
	case *Circle:
		t.Grow(3) // -> Circle.Grow
	}
}

type Shapes []*Circle

func (all Shapes) Each() {
	for _, c := range all {
		c.Grow(1) // -> Circle.Grow
	}
	all[0].Grow(2) // -> Circle.Grow
	Shapes(nil)[1].next.Grow(3) // -> Circle.Grow
}

// Default is set by others.
var Default Shape

func init() { register("square", func() Shape { return &Square{} }) } // -> register

func register(name string, make func() Shape) {
	makers[name] = make
	make().Area() // -> init, Square.Area, Circle.Area
}

var makers = map[string]func() Shape{}
