"""The journal on an SQL database: what its backends share. What differs between them is in
`database`.
"""
