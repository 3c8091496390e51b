"""What is known of a project: facts, files, kinds of places, how code is ranked."""
