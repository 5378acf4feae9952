"""Which algorithm is better, jointly over several measures, and how sure are we?

Everything is loaded when it is first used: importing the package costs next to nothing.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
