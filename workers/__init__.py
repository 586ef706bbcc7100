"""RQ jobs, each a few lines around rankscope."""
