"""`python -m memd` is the same as `memd`."""

from memd.cli import main

if __name__ == "__main__":
    main()
