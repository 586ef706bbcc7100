"""The calls of the open platform, one module per page of its documentation."""
