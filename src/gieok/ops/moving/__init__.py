"""Moving in and out: import, export, another machine, nothing left."""
