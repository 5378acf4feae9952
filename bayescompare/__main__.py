"""``python -m bayescompare``, the command line where its script is not on the path."""

from bayescompare.cli.app import main

if __name__ == "__main__":
    main()
