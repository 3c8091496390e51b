"""Commands on the home folder: settings, stores, health, the daemon."""
