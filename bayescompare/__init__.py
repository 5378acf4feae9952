"""Which algorithm is better, jointly over several measures, and how sure are we?

Everything is loaded when it is first used: importing the package costs next to nothing.
"""

import lazy_loader as _lazy

__getattr__, _, __all__ = _lazy.attach_stub(__name__, __file__)


def __dir__() -> list[str]:
    """List one name for each thing: former names are found, but not shown."""
    return [name for name in __all__ if not name.startswith("comparisons")]
