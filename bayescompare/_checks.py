"""Checks of single values that users pass: one place decides what a number or a word is."""

from __future__ import annotations

import errno
import inspect
import math
import os
from collections.abc import Callable, Collection, Iterable
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import TypeGuard

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.text.numbers import setting_number_text, whole_number_text

#: Draws, resamples and simulations beyond this are a typing error, and would fill the memory.
MOST_COUNT = 1_000_000
#: The same for the draws of all chains together.
MOST_DRAWS = 10_000_000
#: Parallel jobs beyond this are more than a machine can start.
MOST_JOBS = 1024
#: A prior that weighs more than this many datasets is not moved by any data.
MOST_WEIGHT = 1e12


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a real number, numpy's included.

    Booleans do not count, nor do integers that are too large for a float.

    Examples
    --------
    >>> is_number(2), is_number(True), is_number("2"), is_number(10**400)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_whole(value: object) -> TypeGuard[int]:
    """Whether this is an integer, numpy's included; booleans do not count."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def show_checked_value(value: object) -> str:
    """Write any value for a message; Python itself refuses to print integers of 4,300 digits.

    Examples
    --------
    >>> show_checked_value("a"), show_checked_value(10**5000)
    ("'a'", 'an integer of 16610 bits')
    """
    try:
        return repr(value)
    except (ValueError, RecursionError):  # also lists within lists, a thousand deep
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return f"a {type(value).__name__}"


def show_checked_value_briefly(value: object) -> str:
    """Write a value for a message in one short line, whatever it is.

    Examples
    --------
    >>> show_checked_value_briefly("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    text = show_checked_value(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_count(**arguments: object) -> None:
    """Refuse a value that is not a whole number above 0, or is absurdly large.

    Examples
    --------
    >>> check_count(draws=0)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: draws=0: must be an integer >= 1.
    """
    for name, value in arguments.items():
        if not (is_whole(value) and value >= 1):
            raise _refused(name, value, "must be an integer >= 1")
        if value > MOST_COUNT:
            raise _refused(name, value, f"must be at most {whole_number_text(MOST_COUNT)}")


def _refused(name: str, value: object, why: str) -> BayescompareError:
    return BayescompareError(f"{name}={show_checked_value(value)}: {why}.")


def check_draws(*, draws: object, chains: object) -> None:
    """Refuse draws and chains that are not counts, or that together would fill the memory."""
    check_count(draws=draws, chains=chains)
    assert is_whole(draws)
    assert is_whole(chains)
    if draws * chains > MOST_DRAWS:
        raise BayescompareError(
            f"draws={draws} in chains={chains}: at most {whole_number_text(MOST_DRAWS)} draws in "
            "total."
        )


def check_jobs(n_jobs: object) -> None:
    """Refuse a value that is not a number of parallel jobs; -1 stands for all cores.

    Examples
    --------
    >>> check_jobs(0)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: n_jobs=0: give an integer, -1 for all cores.
    """
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise _refused("n_jobs", n_jobs, "give an integer, -1 for all cores")
    if not -MOST_JOBS <= n_jobs <= MOST_JOBS:
        raise _refused("n_jobs", n_jobs, f"at most {MOST_JOBS} jobs; -1 uses all cores")


def check_positive(**arguments: object) -> None:
    """Refuse a value that is not a finite number above 0, or would outweigh any data."""
    for name, value in arguments.items():
        if not (is_number(value) and math.isfinite(value) and value > 0):
            raise _refused(name, value, "must be a finite number > 0")
        if value > MOST_WEIGHT:
            most = setting_number_text(MOST_WEIGHT)
            why = f"must be at most {most}; a prior of more weight would drown out any data"
            raise _refused(name, value, why)


def check_level(**arguments: object) -> None:
    """Reject a level that is not a number between 0 and 1."""
    for name, level in arguments.items():
        if not (is_number(level) and 0.0 < level < 1.0):
            raise _refused(name, level, "a level is a number between 0 and 1, such as 0.05")


def check_flag(**arguments: object) -> None:
    """Refuse a value that is neither True nor False.

    Examples
    --------
    >>> check_flag(joint="yes")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: joint='yes': must be True or False.
    """
    for name, value in arguments.items():
        if type(value).__name__ not in ("bool", "bool_"):  # numpy's, which is not imported here
            raise _refused(name, value, "must be True or False")


def check_word(argument: str, value: object, known: Collection[str]) -> None:
    """Refuse a value that is not one of the known words.

    Examples
    --------
    >>> check_word("missing", ["drop"], ("raise", "drop"))
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: missing=['drop']: must be 'raise' or 'drop'.
    """
    if isinstance(value, str) and value in known:
        return
    *others, last = map(repr, known)
    wanted = f"{', '.join(others)} or {last}" if others else last
    if len(known) > 3:
        wanted = f"one of {', '.join(known)}"
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise BayescompareError(f"{argument}={show_checked_value(value)}: must be {wanted}.{hint}")


def check_path(path: object, argument: str = "path") -> Path:
    """Return a path that the system can look up, whether or not anything exists there.

    Examples
    --------
    >>> check_path(None)
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: path is a NoneType: give the path of a file ...
    """
    if not isinstance(path, (str, os.PathLike)):
        raise BayescompareError(
            f"{argument} is a {type(path).__name__}: give the path of a file or directory."
        )
    text = os.fsdecode(path)
    try:
        os.lstat(text)
    except ValueError:
        # A NUL, or half a character.
        raise BayescompareError(f"{text!r}: no file can have this name.") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise BayescompareError(
                f"{text[:40]!r}…: {whole_number_text(len(text))} characters are too many for a "
                "path."
            ) from None
    return Path(text)


# options by the names that other packages give them -----------------------------------------------

#: What other packages call it, and what it is called here.
POINTERS = {
    "rope": "a rope belongs to its measure, as in "
    "measures={'accuracy': bc.Measure('max', rope=0.01)}",
    **dict.fromkeys(("seed", "random_state", "random_seed"), "the seed is rng=, as in rng=0"),
    **dict.fromkeys(
        ("measure", "metric", "metrics"),
        "what was measured is measures=, as in measures={'accuracy': 'max'}, or the names of some",
    ),
    **dict.fromkeys(("datasets", "tasks"), "choose them before, as in results.sel(datasets=[...])"),
}


def check_options(given: Iterable[str], known: Collection[str], of: str) -> None:
    """Refuse an option that is none; where another package has it, say what it is called here.

    Examples
    --------
    >>> check_options(["seed"], ["rng"], "a ranking")
    Traceback (most recent call last):
    bayescompare._errors.BayescompareError: seed=: the seed is rng=, as in rng=0.
    """
    for option in given:
        if option in known:
            continue
        if option in POINTERS:
            raise BayescompareError(f"{option}=: {POINTERS[option]}.")
        raise BayescompareError(
            f"{option}=: there is no such option; for {of} there are {', '.join(known)}."
        )


def pointing[**P, T](function: Callable[P, T]) -> Callable[P, T]:
    """Let a function say what an option of another package is called here."""

    @wraps(function)
    def pointed(*args: P.args, **options: P.kwargs) -> T:
        if not POINTERS.keys().isdisjoint(options):
            known = inspect.signature(function).parameters
            check_options([name for name in options if name in POINTERS], known, "it")
        return function(*args, **options)

    return pointed
