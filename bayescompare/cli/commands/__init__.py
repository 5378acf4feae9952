"""The commands, one file each; `bayescompare.cli.app` puts them together."""
