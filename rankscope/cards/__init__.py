"""From state to card JSON; pure."""
