pub fn twice(n: usize) -> usize {
    n * 2
}

pub fn half(n: usize) -> usize {
    n / 2
}

pub fn text() -> String {
    String::from("text")
}
