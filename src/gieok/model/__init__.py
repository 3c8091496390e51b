"""Data types of the domain, a file per rib that needs its own.

Each word means one thing everywhere. Plain, frozen data: no I/O, no behaviour beyond their own
arithmetic. Times are aware datetimes in
UTC. The small types are named tuples, because making a dataclass takes a millisecond at import and
a cold keyword search has eighty.
"""
