mod shapes;
pub mod tools;

use crate::shapes::{Circle, Shape, Square};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tools::{self as t, twice};

pub struct Store {
    all: Vec<Box<dyn Shape>>,
    by_name: HashMap<String, Square>,
    first: Option<Arc<Circle>>,
    on_add: fn(usize) -> usize,
}

#[derive(Debug)]
pub enum Event {
    Added(Square),
    Gone { circle: Circle },
    Nothing,
}

impl Event {
    fn weight(&self) -> f64 {
        match self {
            Event::Added(square) => square.area(), // -> Square.area
            Self::Gone { circle } => circle.area(), // -> Circle.area
            Event::Nothing => Self::zero(), // -> Event.zero
        }
    }

    fn zero() -> f64 {
        0.0
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.weight()) // -> Event.weight
    }
}

impl From<Square> for Event {
    fn from(square: Square) -> Self {
        Event::Added(square)
    }
}

impl Default for Store {
    fn default() -> Self {
        Store { all: vec![], by_name: HashMap::new(), first: None, on_add: twice }
    }
}

impl Store {
    pub fn new() -> Self {
        Self::default() // -> Store.default
    }

    pub fn add(&mut self, shape: Box<dyn Shape>) -> &mut Self {
        (self.on_add)(1); // -> twice
        shape.label(); // -> Shape.label
        self.all.push(shape);
        self
    }

    pub fn total(&self) -> f64 {
        let mut sum = 0.0;
        for shape in &self.all {
            sum += shape.area(); // -> Square.area, Circle.area
        }
        for shape in self.all.iter() {
            sum += shape.area(); // -> Square.area, Circle.area
        }
        sum + self.all.iter().map(|s| s.area()).sum::<f64>() // -> Square.area, Circle.area
    }

    fn square(&self, name: &str) -> Option<&Square> {
        self.by_name.get(name)
    }

    fn grow(&self) -> Result<Square, String> {
        let square = self.square("a").ok_or("none")?; // -> Store.square
        square.area(); // -> Square.area
        if let Some(circle) = &self.first {
            circle.area(); // -> Circle.area
        }
        if let Some(Square { .. }) = self.square("b") {} // -> Store.square
        let Some(other) = self.square("c") else { return Err(t::text()) }; // -> Store.square, text
        other.scaled(2.0).area(); // -> Square.scaled, Square.area
        self.by_name.values().map(Square::area).sum::<f64>(); // -> Square.area
        self.by_name["d"].area(); // -> Square.area
        self.square("e").map(|s| s.scaled(1.0)).unwrap().area(); // -> Store.square, Square.scaled, Square.area
        Ok(square.scaled(3.0)) // -> Square.scaled
    }
}

pub fn run() -> Result<(), String> {
    let mut store = Store::new(); // -> Store.new
    store.add(Box::new(Square::new(1.0))).add(Box::new(Circle { r: 2.0 })); // -> Store.add, Square.new
    let grown = store.grow()?; // -> Store.grow
    grown.area(); // -> Square.area
    let event: Event = grown.into();
    event.weight(); // -> Event.weight
    Event::from(Square::new(2.0)).weight(); // -> Event.from, Square.new, Event.weight
    println!("{}", twice(2)); // -> twice
    let numbers = vec![twice(1), t::half(4)]; // -> twice, half
    assert_eq!(numbers.len(), apply(2, |n| twice(n))); // -> apply, twice
    apply(3, tools::half); // -> apply
    <Square as Shape>::area(&Square::new(3.0)); // -> Square.area, Square.new
    shapes::largest(&Square::new(1.0), &Square::new(2.0)).area(); // -> largest, Square.new, Square.area, Circle.area
    let name = inner::deep(); // -> inner.deep
    drop(name);
    show(&event); // -> show
    Ok(())
}

fn apply<F: Fn(usize) -> usize>(n: usize, f: F) -> usize {
    f(n) // -> run, half
}

fn show(event: &impl fmt::Display) -> String {
    event.to_string()
}

mod inner {
    use super::tools;

    pub fn deep() -> String {
        tools::text() // -> text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        let mut store = Store::new(); // -> Store.new
        store.add(Box::new(Square::new(1.0))); // -> Store.add, Square.new
        assert!(store.total() > 0.0); // -> Store.total
    }
}
