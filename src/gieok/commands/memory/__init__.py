"""Commands on memory files and the memories made of them."""
