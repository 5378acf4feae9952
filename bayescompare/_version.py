"""The version, stated once, in pyproject.toml."""

from importlib.metadata import version

__version__ = version("bayescompare")
