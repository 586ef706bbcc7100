"""Training logs: steps, silence, slow-downs; pure."""
