"""From a capture to a report; pure."""
