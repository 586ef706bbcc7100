"""A training job of real processes with faults to inject."""
