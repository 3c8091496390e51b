package shop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import static shop.Tools.twice;
import static shop.Tools.*;

interface Shape {
    double area();

    default String label() {
        return name() + area(); // -> Shape.name, Square.name, Circle.area, Square.area, Shape.area, Shapes.unit.<anonymous1>.area
    }

    default String name() { return "shape"; }

    static Shape unit() { return new Square(1); } // -> Square.<init>
}

abstract class Base {
    abstract void step();

    void run() {
        step(); // -> Walker.step, Runner.step, Base.step
        this.done(); // -> Base.done
    }

    void done() {}
}

class Walker extends Base {
    void step() { super.done(); } // -> Base.done
}

class Runner extends Walker {
    Runner() { this(1); } // -> Runner.<init>

    Runner(int speed) { super(); }

    @Override
    void step() { super.step(); } // -> Walker.step
}

class Circle implements Shape {
    private final Point at = new Point(1, 2);

    public double area() { return at.x() * at.norm(); } // -> Point.norm
}

class Square implements Shape {
    private double side;

    Square(double side) { this.side = side; }

    public double area() { return side; }

    public String name() { return "square"; }

    Square with(double side) { this.side = side; return this; }

    Square grown() { return new Square(side + 1); } // -> Square.<init>
}

record Point(int x, int y) {
    double norm() { return Math.sqrt(x * x + y * y); }
}

enum Level {
    LOW { int cost() { return 1; } },
    HIGH { int cost() { return Tools.twice(2); } }; // -> Tools.twice

    int cost() { return 0; }

    static Level of(int n) { return n > 1 ? HIGH : LOW; }
}

public class Shapes {
    private final List<Shape> all = new ArrayList<>();
    private final Map<String, Square> byName = new HashMap<>();
    static Registry registry = new Registry();

    static Shape unit() {
        return new Shape() {
            public double area() { return helper(); } // -> Shapes.helper
        };
    }

    static double helper() { return 1; }

    double total() {
        double sum = 0;
        for (Shape s : all) {
            sum += s.area(); // -> Circle.area, Square.area, Shape.area, Shapes.unit.<anonymous1>.area
        }
        return sum;
    }

    void overloads() {
        add(1); // -> Shapes.add
        add(1, 2); // -> Shapes.add
        add("one"); // -> Shapes.add
    }

    void add(int n) { one(); } // -> Shapes.one

    void add(int n, int m) { two(); } // -> Shapes.two

    void add(String s) { one(); } // -> Shapes.one

    void one() {}

    void two() {}

    void chain() {
        Square square = new Square(1).with(2).grown(); // -> Square.<init>, Square.with, Square.grown
        square.name(); // -> Square.name
        byName.get("a").grown(); // -> Square.grown
        byName.values().forEach(s -> s.with(3)); // -> Square.with
        byName.computeIfAbsent("b", k -> make(k)).grown(); // -> Shapes.make, Square.grown
        registry.find("x").ifPresent(f -> f.grown()); // -> Registry.find, Square.grown
        registry.find("y").orElse(null).grown(); // -> Registry.find, Square.grown
    }

    Square make(String key) { return new Square(4); } // -> Square.<init>

    <T extends Shape> T biggest(List<T> of) { return of.get(0); }

    void lambdas() {
        Supplier<Square> supplier = () -> new Square(5); // -> Square.<init>
        supplier.get().grown(); // -> Square.grown
        Function<String, Square> maker = this::make; // -> Shapes.make
        maker.apply("k").name(); // -> Shapes.make, Square.name
        all.stream().map(Shape::label).toList(); // -> Shape.label
        all.sort(Comparator.comparing(Shape::area)); // -> Circle.area, Square.area, Shape.area, Shapes.unit.<anonymous1>.area
        Runnable task = () -> one(); // -> Shapes.one
        task.run();
        twice(3); // -> Tools.twice
        half(4); // -> Tools.half
        Tools.Inner.deep(); // -> Tools.Inner.deep
        new Outer().new Nested().up(); // -> Outer.Nested.up
    }

    void kinds(Object o, Base base) {
        if (o instanceof Square s) {
            s.grown(); // -> Square.grown
        }
        ((Circle) o).area(); // -> Circle.area
        Level.of(2).cost(); // -> Level.of, Level.cost, Level.LOW.cost, Level.HIGH.cost
        base.run(); // -> Base.run
        Shape.unit().area(); // -> Shape.unit, Circle.area, Square.area, Shape.area, Shapes.unit.<anonymous1>.area
        var runner = new Runner(); // -> Runner.<init>
        runner.run(); // -> Base.run
        Box<Square> box = new Box<>(new Square(1)); // -> Box.<init>, Square.<init>
        box.get().grown(); // -> Box.get, Square.grown
        new Squares().store.find("y").grown(); // -> Store.find, Square.grown
        new Squares().find("z").grown(); // -> Squares.find, Square.grown
        biggest(all).area(); // -> Shapes.biggest, Circle.area, Square.area, Shape.area, Shapes.unit.<anonymous1>.area
        switch (o) {
            case Circle c -> c.area(); // -> Circle.area
            default -> one(); // -> Shapes.one
        }
        try (Handle h = Handle.open()) { // -> Handle.open
            h.use(); // -> Handle.use
        }
    }
}

class Box<T> {
    private final T held;

    Box(T held) { this.held = held; }

    T get() { return held; }
}

class Handle implements AutoCloseable {
    static Handle open() { return new Handle(); }

    void use() {}

    public void close() {}
}

abstract class Repository<K, V extends Base> {
    private java.util.Properties loaded;

    V find(K key) { return (V) loaded.get(key); }

    void all(V each) { each.run(); } // -> Base.run
}

class Walkers extends Repository<String, Walker> {}

class Squares {
    Store<Square> store = new Store<>();

    Square find(String key) { return store.find(key); } // -> Store.find
}

class Store<T> {
    private java.util.Properties loaded;

    T find(String key) { return (T) loaded.get(key); }
}

class Registry {
    Optional<Square> find(String name) { return Optional.empty(); }
}

class Outer {
    void top() {}

    class Nested {
        void up() {
            top(); // -> Outer.top
            Outer.this.top(); // -> Outer.top
        }
    }
}
