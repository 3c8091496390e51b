"""Moving memory: import, export, move to another machine, erase."""
