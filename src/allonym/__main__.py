"""Run the command line: `python -m allonym`."""

from allonym.cli.app import main

if __name__ == "__main__":
    main()
