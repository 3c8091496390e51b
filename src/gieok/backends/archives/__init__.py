"""Archives, a file each."""
