use super::tools::twice;

pub trait Shape {
    fn area(&self) -> f64;

    fn label(&self) -> String {
        format!("{}", self.area()) // -> Square.area, Circle.area
    }
}

#[derive(Debug, Clone)]
pub struct Square {
    side: f64,
}

#[derive(Debug)]
pub struct Circle {
    pub r: f64,
}

impl Square {
    pub const UNIT: f64 = 1.0;

    pub fn new(side: f64) -> Self {
        Square { side }
    }

    pub fn scaled(&self, by: f64) -> Square {
        Self { side: self.side * by }
    }
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.side * twice(1) as f64 // -> twice
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.r * Square::new(1.0).scaled(2.0).area() // -> Square.new, Square.scaled, Square.area
    }
}

pub fn largest<'a, T: Shape>(a: &'a T, b: &'a T) -> &'a T {
    if a.area() > b.area() { a } else { b } // -> Square.area, Circle.area
}
