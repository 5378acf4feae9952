"""Many names at once: what they all begin with, and how many there are, in words."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from bayescompare._errors import BayescompareError, did_you_mean
from bayescompare.text.numbers import whole_number_text

#: After these a name may be cut.
_CUTS = re.compile(r".*[/\-_.: ]", re.DOTALL)

#: A shorter beginning is not worth a remark.
_LEAST = 5

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def common_prefix(names: Sequence[str]) -> str:
    """Return what all names begin with, up to a sign that divides words; "" if that is little.

    Examples
    --------
    >>> common_prefix(["EleutherAI/pythia-70m", "EleutherAI/pythia-160m"])
    'EleutherAI/pythia-'
    >>> common_prefix(["GBM", "GLM"]), common_prefix(["model-a", "model-a-b"])
    ('', 'model-')
    >>> common_prefix(["model 1", "model 2"]), common_prefix(["my/net 1", "my/net 2"])
    ('', '')
    """
    if len(names) < 2:
        return ""
    # What the first and the last in alphabetical order share, all share.
    ends = zip(min(names), max(names), strict=False)
    shared = "".join(a for a, b in itertools.takewhile(lambda pair: pair[0] == pair[1], ends))
    cut = _CUTS.match(shared)
    prefix = cut[0] if cut else ""
    if prefix and all(name[len(prefix) :].isdigit() for name in names):
        # A bare number is no name: the word before it stays.
        shorter = _CUTS.match(prefix[:-1])
        prefix = shorter[0] if shorter else ""
    # A name must keep something of its own, and that must not look like nothing.
    if len(prefix) < _LEAST or any(not name[len(prefix) :].strip() for name in names):
        return ""
    return prefix


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without what all of them begin with.

    Examples
    --------
    >>> short_names(["lab/net-a", "lab/net-b"])
    {'lab/net-a': 'a', 'lab/net-b': 'b'}
    """
    begin = len(common_prefix(names))
    return {name: name[begin:] for name in names}


def whole_name(name: Any, names: Collection[str]) -> Any:
    """Return the name that is shown as this one, without what all of them begin with.

    Examples
    --------
    >>> whole_name("a", ["lab/net-a", "lab/net-b"]), whole_name("c", ["lab/net-a", "lab/net-b"])
    ('lab/net-a', 'c')
    """
    if not isinstance(name, str) or name in names:
        return name
    whole = common_prefix(list(names)) + name
    return whole if whole in names else name


def rename_in(text: str, short: dict[str, str]) -> str:
    """Write a text with short names, wherever a whole name stands in it.

    Examples
    --------
    >>> rename_in("lab/net-a10 beats lab/net-a1", {"lab/net-a1": "a1", "lab/net-a10": "a10"})
    'a10 beats a1'
    """
    if not short or all(name == own for name, own in short.items()):
        return text
    # re keeps patterns that were used before.
    return re.sub(any_name_pattern(short), lambda match: short[match[0]], text)


def any_name_pattern(names: Iterable[str]) -> str:
    """Return a regular expression that matches any of the names, and the longest that it can.

    Examples
    --------
    >>> re.findall(any_name_pattern(["a1", "a10"]), "a10 beats a1")
    ['a10', 'a1']
    """
    # The longest first, for one name may begin another.
    longest = sorted(names, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest))})"


def spelled(n: int) -> str:
    """Write a small number as a word.

    Examples
    --------
    >>> spelled(6), spelled(28)
    ('six', '28')
    """
    return _WORDS[n] if 0 <= n < len(_WORDS) else whole_number_text(n)


def first_words(words: Sequence[str], shown: int = 8) -> str:
    """Join the first few words and count the rest."""
    rest = len(words) - shown
    return ", ".join(words[:shown]) + (f" and {rest} more" if rest > 0 else "")


def quoted_names(names: Collection[str], shown: int = 12) -> str:
    """Join the first few names, in quotes, and count the rest."""
    return first_words([repr(name) for name in names], shown)


def repeated_name(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once, if any."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


def unknown_name(kind: str, name: object, known: Collection[str]) -> str:
    """Say that a name is unknown, and list the known ones."""
    return (
        f"no {kind} called {name!r}: choose from {quoted_names(known, 8)}."
        f"{did_you_mean(str(name), known)}"
    )


def meant_name(name: str, known: Collection[str]) -> str:
    """Return the known name that is meant: in another case, or the only one that begins so.

    What fits none, or is ambiguous in case alone, is returned as it is.

    Examples
    --------
    >>> meant_name("acc", ["Accuracy", "auc"]), meant_name("AUC", ["auc", "auc_train"])
    ('Accuracy', 'auc')
    """
    if name in known or not name:
        return name
    small = name.casefold()
    same = [one for one in known if one.casefold() == small]
    longer = [one for one in known if one.casefold().startswith(small)]
    if len(same) == 1 or len(longer) == 1:
        return (same or longer)[0]
    if len(longer) > 1 and not same:
        raise BayescompareError(
            f"measure {name!r} could be {quoted_names(longer, 6)}: write more of it."
        )
    return name


def shell_word(value: object) -> str:
    """Write a value as one word of a command line.

    Examples
    --------
    >>> shell_word("my file.csv"), shell_word(True)
    ("'my file.csv'", 'true')
    """
    text = str(value).lower() if value is None or isinstance(value, bool) else str(value)
    return text if re.fullmatch(r"[^\s'\"\\$`|<>;&*?#()!]+", text) else shlex.quote(text)
