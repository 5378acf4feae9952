"""Pictures of results; each function returns the matplotlib Axes that it drew on.

The plots leave matplotlib's settings alone. With ``ax=`` they draw on that Axes only; without it
they open a new pyplot figure, as large as the content needs.
"""

from bayescompare.plots.boards import *  # noqa: F403
from bayescompare.plots.critical import *  # noqa: F403
from bayescompare.plots.curves import *  # noqa: F403
from bayescompare.plots.kinds import *  # noqa: F403
from bayescompare.plots.matrices import *  # noqa: F403
from bayescompare.plots.network import *  # noqa: F403
from bayescompare.plots.prior import *  # noqa: F403
from bayescompare.plots.ranking import *  # noqa: F403
from bayescompare.plots.shrinkage import *  # noqa: F403
from bayescompare.plots.statements import *  # noqa: F403

#: What each of these files lists in its own.
__all__ = [name for name in dir() if name.startswith("plot_")]
