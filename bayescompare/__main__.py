"""``python -m bayescompare``, the command line where its script is not on the path."""

from bayescompare.cli import main

if __name__ == "__main__":
    main()
