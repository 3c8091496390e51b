"""Questions of `gieok setup`, the survey of the machine before, and the changes after."""
