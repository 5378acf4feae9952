"""Tables of results from files, from other tools and from the papers.

What reads another tool's files is loaded when it is first used.
"""

from __future__ import annotations

import lazy_loader as _lazy

# Here, so that `examples` is the function, which a module of the same name would hide.
from bayescompare.io.examples import examples as examples

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
