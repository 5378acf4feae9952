"""The same tasks by this package, by others and by plain code; each file runs on its own.

A function takes the data of a case and returns the call that is timed, which returns its values.
What a package needs is imported inside the function, so that a missing one is noticed as such.
"""
