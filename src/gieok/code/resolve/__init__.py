"""Links the facts of all files: which value flows where, who calls whom, and how sure that is."""
