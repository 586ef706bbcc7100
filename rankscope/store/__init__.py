"""Redis state and the capture store."""
