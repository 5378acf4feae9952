"""Pictures of results; each function returns the matplotlib Axes that it drew on.

The plots leave matplotlib's settings alone. With ``ax=`` they draw on that Axes only; without it
they open a new pyplot figure, as large as the content needs.
"""

from bayescompare.plots.critical import *  # noqa: F403
from bayescompare.plots.curves import *  # noqa: F403
from bayescompare.plots.kinds import *  # noqa: F403
from bayescompare.plots.orders import *  # noqa: F403
from bayescompare.plots.pairs import *  # noqa: F403
from bayescompare.plots.points import *  # noqa: F403
from bayescompare.plots.rows import *  # noqa: F403
from bayescompare.plots.statements import *  # noqa: F403

#: What each of these files lists in its own.
__all__ = [name for name in dir() if name.startswith("plot_")]
