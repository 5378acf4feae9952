"""The package against others on the same data: time, memory, error and growth with size.

``python -m benchmarks.peers`` runs the tasks of ``tasks.py``. Each file of ``packages/`` has the
same tasks by one package, or by plain code, and runs on its own in a process of its own
(``job.py``): a function takes the data of a case and returns the call that is timed, which returns
its values. What a package needs is imported inside the function, so that a missing one is noticed.
"""
