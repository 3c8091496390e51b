"""Turn of a conversation, and the reading of conversations by a model beside the turns."""
