"""Runs the checks of Watertight on many processes or machines.

A check of `watertight` hands out tasks on a socket. This package hands them on to workers (`watertight worker`), which are
processes of this machine (`local`) or behind actors of Ray (`on_ray`), and brings the answers back. It knows nothing of what is in
a task, and keeps nothing.
"""
