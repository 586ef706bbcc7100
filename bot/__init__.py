"""The web application: verify, record, enqueue, answer."""
