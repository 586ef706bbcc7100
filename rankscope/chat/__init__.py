"""What people type, understood."""
