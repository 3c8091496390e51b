"""Users of a service: keys, points, payments, absence, takeout, erasure."""
