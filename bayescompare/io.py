"""Tables of results from files, from other tools and from the papers.

What reads another tool's files is loaded when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub("bayescompare", __file__)
