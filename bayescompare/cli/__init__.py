"""The command line: prints and parses, decides nothing."""
