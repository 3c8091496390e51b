"""Where people and programs call operations. Each surface is made from the table in `gieok.ops`."""
