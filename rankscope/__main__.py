"""`python -m rankscope` is the same as `rankscope`."""

from rankscope.cli import main

if __name__ == "__main__":
    main()
