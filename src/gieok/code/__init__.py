"""Project intelligence over code. So far: how code is ranked."""
