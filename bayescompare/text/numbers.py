"""All figures that people read are formatted here: P, p, shares, counts, differences, errors.

Words beside a figure depend on the unrounded value ("settled" from P = 0.95 on), so rounding must
not move a figure across such a level: 0.9496 is written 0.9496, never 0.950.
Functions named after a quantity write a table's cell; those that end in `_words` or `_equation`
write the same digits for a sentence. NaN gives an empty cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache

#: Where readers draw lines, and where the package's own verdicts change.
LEVELS = (0.01, 0.05, 0.5, 0.75, 0.95, 0.99)

#: Probabilities this close to ½ are ½, as for ties.
_SAME = 1e-9

#: Larger counts are written by their order of magnitude.
_MOST_COUNT = 10_000_000


# probabilities ------------------------------------------------------------------------------------


def format_probability(
    p: float, *, levels: Sequence[float] = (), digits: int = 3, more: int = 2
) -> str:
    """Write a probability, but never as 0 or 1.

    One rule for terminal, reports and pictures: what rounds to 1 with so many decimals is written
    as a bound, ``>0.999``, be it 0.9995, 0.99999 or exactly 1 (as where every dataset is on one
    side, or every draw); what rounds to 0 likewise, ``<0.001``. A p-value or a share may be 0 or 1
    exactly: `format_pvalue`, `share_number_text`.

    Parameters
    ----------
    p : float
    levels : sequence of float
        Further levels that P is compared with, as in ``p >= level``.
    digits : int
        Number of decimals, unless a level needs more.
    more : int
        How many decimals may be added for a level; if these do not suffice, P is rounded away
        from the level.

    Examples
    --------
    >>> [format_probability(p) for p in (0.79821, 0.9996, 2e-7, 0.9496)]
    ['0.798', '>0.999', '<0.001', '0.9496']
    >>> [format_probability(p) for p in (0.9994, 0.9995, 0.99999, 1.0, 0.0)]
    ['0.999', '>0.999', '>0.999', '>0.999', '<0.001']
    >>> format_probability(0.8996, levels=[0.9]), format_probability(0.9496, digits=2, more=1)
    ('0.8996', '0.949')
    """
    reached = (*(t for t in LEVELS if t >= 0.5), *levels)
    kept = [t for t in LEVELS if t <= 0.5]
    return _text_of_unit_number(p, digits, reached, kept, more=more, certain=False)


def probability_words(p: float, *, levels: Sequence[float] = ()) -> str:
    """Write a probability for a sentence: "over 0.999".

    Examples
    --------
    >>> probability_words(0.79821), probability_words(0.99999), probability_words(2e-7)
    ('0.798', 'over 0.999', 'under 0.001')
    """
    text = format_probability(p, levels=levels) or "not known"
    return text.replace("<", "under ").replace(">", "over ")


def probability_equation(p: float, symbol: str = "P", *, levels: Sequence[float] = ()) -> str:
    """Write a probability with its symbol: "P = 0.798", "P > 0.999".

    Examples
    --------
    >>> probability_equation(0.79821), probability_equation(0.99999, "P(A>B)")
    ('P = 0.798', 'P(A>B) > 0.999')
    """
    return _text_of_equation(symbol, format_probability(p, levels=levels))


def format_pvalue(p: float, *, levels: Sequence[float] = (), digits: int = 3, more: int = 2) -> str:
    """Write a p-value, which can be exactly 1; `levels` are those of ``p <= level``.

    Examples
    --------
    >>> [format_pvalue(p) for p in (0.0312, 0.0503, 2e-7, 1.0, 0.9999)]
    ['0.031', '0.0503', '<0.001', '1.000', '>0.999']
    """
    if p == 0.0:
        return _text_of_bound("<", digits)
    return error_rate_text(p, levels=levels, digits=digits, more=more)


def pvalue_equation(p: float, symbol: str = "p", *, levels: Sequence[float] = ()) -> str:
    """Write a p-value with its symbol: "p = 0.031", "p < 0.001", "p = 1".

    Examples
    --------
    >>> pvalue_equation(0.0312), pvalue_equation(4e-5), pvalue_equation(1.0)
    ('p = 0.031', 'p < 0.001', 'p = 1')
    """
    return (
        f"{symbol} = 1" if p == 1.0 else _text_of_equation(symbol, format_pvalue(p, levels=levels))
    )


def narrow_probability(p: float, *, levels: Sequence[float] = ()) -> str:
    """Write a probability in at most five characters, for the cell of a picture.

    Examples
    --------
    >>> [narrow_probability(p) for p in (0.79821, 0.9496, 0.99999, 2e-7)]
    ['0.80', '0.949', '>0.99', '<0.01']
    """
    return format_probability(p, levels=levels, digits=2, more=1)


def narrow_pvalue(p: float) -> str:
    """Write a p-value in at most five characters, for the cell of a picture.

    Examples
    --------
    >>> [narrow_pvalue(p) for p in (0.00004, 0.0312, 0.0503, 0.313, 1.0)]
    ['<.001', '0.031', '0.051', '0.31', '1.00']
    """
    return format_pvalue(p, digits=3 if p < 0.1 else 2, more=0).replace("<0.", "<.")


def error_rate_text(
    value: float, *, levels: Sequence[float] = (), digits: int = 3, more: int = 2
) -> str:
    """Write a rate of errors, compared with `levels` as in ``value <= level``.

    Examples
    --------
    >>> (
    ...     error_rate_text(0.0, levels=[0.1]),
    ...     error_rate_text(0.1004, levels=[0.1]),
    ...     error_rate_text(0.0996, levels=[0.1]),
    ... )
    ('0.000', '0.1004', '0.100')
    """
    kept = (*(t for t in LEVELS if t < 0.5), *levels)
    return _text_of_unit_number(value, digits, [], kept, more=more, certain=True)


def share_number_text(value: float, *, digits: int = 3) -> str:
    """Write a share, which can be exactly 0 or 1.

    Examples
    --------
    >>> (
    ...     share_number_text(0.32),
    ...     share_number_text(0.0),
    ...     share_number_text(1.0),
    ...     share_number_text(0.00004),
    ...     share_number_text(0.99999),
    ... )
    ('0.320', '0.000', '1.000', '<0.001', '>0.999')
    """
    return _text_of_unit_number(value, digits, [0.5], [0.5], more=2, certain=True)


def percent(value: float, *, digits: int = 0) -> str:
    """Write a share as a percentage: never 0 or 100 unless exactly so, never 50 for a majority.

    Parameters
    ----------
    value : float
    digits : int
        Number of decimals, unless a majority needs more.

    Examples
    --------
    >>> percent(0.317), percent(0.503), percent(0.9999), percent(1.0), percent(0.002)
    ('32 %', '50.3 %', 'over 99 %', '100 %', 'under 1 %')
    >>> percent(0.9981, digits=1), percent(0.9999, digits=1)
    ('99.8 %', 'over 99.9 %')
    """
    if math.isnan(value):
        return ""
    if value in (0.0, 1.0):
        return f"{100 * value:.0f} %"
    half = 50.0 if abs(value - 0.5) <= _SAME else 100.0 * value
    text = _text_of_decimal(half, digits, 2, [50.0], [50.0])
    step = 10.0**-digits
    if float(text) == 0.0:
        return f"under {step:.{digits}f} %"
    return f"over {100.0 - step:.{digits}f} %" if float(text) == 100.0 else f"{text} %"


def _text_of_unit_number(
    value: float,
    digits: int,
    reached: Sequence[float],
    kept: Sequence[float],
    *,
    more: int,
    certain: bool,
) -> str:
    """Write a number between 0 and 1; `certain` says whether it can be exactly either."""
    if math.isnan(value):
        return ""
    if certain and value in (0.0, 1.0):
        return f"{value:.{digits}f}"
    value = 0.5 if abs(value - 0.5) <= _SAME else value
    # A level close to 0 or 1 needs more digits.
    digits = max([digits, *(_digits_in_number_text(level) for level in (*reached, *kept))])
    text = _text_of_decimal(value, digits, more, reached, kept)
    if float(text) <= 0.0:
        return _text_of_bound("<", digits)
    return _text_of_bound(">", digits) if float(text) >= 1.0 else text


def _text_of_bound(sign: str, digits: int) -> str:
    step = 10.0**-digits
    return f"{sign}{step if sign == '<' else 1 - step:.{digits}f}"


@lru_cache(maxsize=256)
def _digits_in_number_text(level: float) -> int:
    """Return the number of decimals that a level near 0 or 1 needs."""
    near = min(level, 1.0 - level)
    return 0 if not 0.0 < near < 0.001 else min(12, math.ceil(-math.log10(near) - 1e-9))


def _text_of_decimal(
    value: float, digits: int, more: int, reached: Sequence[float], kept: Sequence[float]
) -> str:
    """Round to the fewest digits that stay on the value's side of every level.

    It must reach the levels `reached` that the value reaches, and no other, and keep within the
    levels `kept` that the value keeps within, and no other.
    """

    def same(text: str) -> bool:
        shown = float(text)
        return all((value >= t) == (shown >= t) for t in reached) and all(
            (value <= t) == (shown <= t) for t in kept
        )

    # Far from every level the first text will do.
    text, room = f"{value:.{digits}f}", 10.0**-digits
    if min((abs(value - t) for t in (*reached, *kept)), default=1.0) > room:
        return text
    texts = [f"{value:.{digits + k}f}" for k in range(more + 1)]
    # Even closer to a level: round to the value's own side of it.
    step = Decimal(1).scaleb(-digits - more)
    texts += [f"{Decimal(value).quantize(step, way):f}" for way in (ROUND_FLOOR, ROUND_CEILING)]
    return next((text for text in texts if same(text)), repr(value))


def _text_of_equation(symbol: str, text: str) -> str:
    if not text:
        return f"{symbol} not known"
    return f"{symbol} {text[0]} {text[1:]}" if text[0] in "<>" else f"{symbol} = {text}"


# counts -------------------------------------------------------------------------------------------


def count(value: float) -> str:
    """Write a count, fractional or not; a very large one by its order of magnitude.

    Examples
    --------
    >>> count(12), count(2.5), count(46656), count(6**50)
    ('12', '2.5', '46,656', 'about 8.1e38')
    """
    if isinstance(value, int) and value >= _MOST_COUNT:
        return _text_of_large_number(value)
    if math.isnan(value):
        return ""
    if abs(value - round(value)) < 1e-9:
        return f"{round(value):,}"
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:,.1f}"


def whole_number_text(n: int) -> str:
    """Write a whole number with all its digits: a limit, a length.

    Examples
    --------
    >>> whole_number_text(1000), whole_number_text(10**9)
    ('1,000', '1,000,000,000')
    """
    return f"{n:,}"


def _text_of_large_number(n: int) -> str:
    exponent = math.floor(math.log10(n))
    mantissa = f"{10 ** (math.log10(n) - exponent):.1f}"
    # 99,960,000 rounds up to the next power.
    return f"about 1.0e{exponent + 1}" if mantissa == "10.0" else f"about {mantissa}e{exponent}"


def plural(n: float, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> plural(1, "dataset"), plural(12, "dataset"), plural(1000, "resample")
    ('1 dataset', '12 datasets', '1,000 resamples')
    """
    return f"{count(n)} {noun}{'' if n == 1 else 's'}"


# other figures ------------------------------------------------------------------------------------


def memory_size_text(size: float) -> str:
    """Write how much memory so many bytes are, with two figures and a unit.

    Examples
    --------
    >>> memory_size_text(2.5e9), memory_size_text(3e12), memory_size_text(31_200_000)
    ('2.5 GB', '3,000 GB', '31 MB')
    """
    if math.isnan(size):
        return ""
    unit, number = ("GB", size / 1e9) if size >= 999.5e6 else ("MB", size / 1e6)
    return f"{_text_of_two_figures(number)} {unit}"


def duration_text(seconds: float) -> str:
    """Write a time with two figures and a unit.

    Examples
    --------
    >>> [duration_text(s) for s in (3.21e-5, 0.0456, 7.89, 123.4, 9000.0)]
    ['32 µs', '46 ms', '7.9 s', '2.1 min', '2.5 h']
    """
    if math.isnan(seconds):
        return ""
    # From how many seconds on a unit is used, as they are rounded.
    units = ((5970.0, "h", 3600.0), (99.5, "min", 60.0), (0.9995, "s", 1.0), (9.995e-4, "ms", 1e-3))
    unit, size = next(
        ((unit, size) for least, unit, size in units if seconds >= least), ("µs", 1e-6)
    )
    return f"{_text_of_two_figures(seconds / size)} {unit}"


def _text_of_two_figures(value: float) -> str:
    """Write two significant digits, or all before the point."""
    return f"{value:.2g}" if value < 99.5 else f"{value:,.0f}"


def setting_number_text(value: float) -> str:
    """Write a number that the user chose (a level, a rope, a cell) in full, as it was typed.

    Examples
    --------
    >>> (
    ...     setting_number_text(0.05),
    ...     setting_number_text(2.0),
    ...     setting_number_text(1e-5),
    ...     setting_number_text(1 - 0.95),
    ...     setting_number_text(-0.1),
    ... )
    ('0.05', '2', '1e-05', '0.05', '-0.1')
    """
    return f"{value + 0.0:.12g}"


def percent_setting(value: float) -> str:
    """Write a share that the user chose as a percentage, in full.

    Examples
    --------
    >>> percent_setting(0.05), percent_setting(0.025), percent_setting(1 - 0.95)
    ('5 %', '2.5 %', '5 %')
    """
    return f"{setting_number_text(100.0 * value)} %"


def statistic_number_text(
    value: float, *, significant: int = 4, levels: Sequence[float] = ()
) -> str:
    """Write a figure with so many significant digits, or more if it is close to a level.

    Examples
    --------
    >>> (
    ...     statistic_number_text(-0.48917),
    ...     statistic_number_text(12345.6),
    ...     statistic_number_text(1.0101, levels=[1.01]),
    ... )
    ('−0.4892', '1.235e+04', '1.0101')
    >>> (
    ...     statistic_number_text(1.0101, significant=3),
    ...     statistic_number_text(1.0101, significant=3, levels=[1.01]),
    ... )
    ('1.01', '1.0101')
    """
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    for digits in range(significant, 18):
        text = f"{value:.{digits}g}"
        shown = float(text)
        if all((value > t) == (shown > t) and (value < t) == (shown < t) for t in levels):
            break
    # Most figures of a page come by here.
    return _minus_sign_in_text(text) if text[0] == "-" else text


def rank_number_text(value: float) -> str:
    """Write a mean rank, or a difference of mean ranks.

    Examples
    --------
    >>> rank_number_text(3.4), rank_number_text(1.0)
    ('3.40', '1.00')
    """
    return _text_in_hundredths(value)


def difference_number_text(value: float, unit: str = "", *, significant: int = 3) -> str:
    """Write a difference with its sign, in the unit of its measure.

    Examples
    --------
    >>> (
    ...     difference_number_text(0.0312),
    ...     difference_number_text(-1.5, "s"),
    ...     difference_number_text(0.0),
    ... )
    ('+0.0312', '−1.5 s', '0')
    """
    text = statistic_number_text(value, significant=significant)
    text = f"+{text}" if value > 0 else text
    return f"{text} {unit}" if unit and text else text


def standard_error_text(value: float) -> str:
    """Write a standard error with two significant digits.

    Examples
    --------
    >>> standard_error_text(0.003142), standard_error_text(0.0), standard_error_text(1.234e-5)
    ('0.0031', '0', '1.2e-05')
    """
    return statistic_number_text(value, significant=2)


def log_evidence_text(value: float) -> str:
    """Write a log evidence, log score or log predictive density.

    Examples
    --------
    >>> log_evidence_text(-12.3456), log_evidence_text(0.001)
    ('−12.35', '0.00')
    """
    return _text_in_hundredths(value)


def _text_in_hundredths(value: float) -> str:
    return "" if math.isnan(value) else _minus_sign_in_text(f"{value:.2f}")


def _minus_sign_in_text(text: str) -> str:
    """Write a minus sign instead of a hyphen, and none before zero; exponents stay as they are."""
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if float(text) else text[1:]
