"""Solution of a whole link, kept so that a change that stays inside of a file is linked alone."""
