"""The command `watertight-cluster`."""

import argparse
import os
import shutil
import sys

from .relay import Relay


def arguments():
    parser = argparse.ArgumentParser(prog="watertight-cluster", description="Runs watertight check with many workers.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run",
        help="check a project",
        epilog="What is not listed here goes to `watertight check`: files, --format, --rules, --stats, ...",
    )
    run.add_argument("-p", dest="database", metavar="DIR|FILE", help="take commands from this compile_commands.json")
    run.add_argument("--engine", choices=["ray", "local"], default="ray", help="what starts workers [default: ray]")
    run.add_argument("--address", help="the cluster of Ray, such as `auto`; without it Ray starts one here")
    run.add_argument("--workers", type=int, metavar="N", help="so many workers [default: one per processor]")
    run.add_argument("--watertight", metavar="PATH", help="this watertight, which must be there on every machine")
    run.add_argument("--scratch", metavar="DIR", help="workers compile in this directory [default: a temporary one]")
    simulate = commands.add_parser("simulate", help="how long a measured program takes with more workers")
    simulate.add_argument("measured", help="what `measure` in docs/cluster.md has written")
    simulate.add_argument("--plot", metavar="FILE", help="draw the curve as SVG")
    return parser


def binary(named):
    """The watertight to use, as a path that means the same everywhere."""
    found = shutil.which(named or os.environ.get("WATERTIGHT_BINARY") or "watertight")
    if not found:
        sys.exit("watertight-cluster: there is no `watertight` on PATH; --watertight names one")
    return os.path.abspath(found)


def engine(options, watertight):
    """What starts the workers."""
    if options.engine == "local":
        from .local import Local

        return Local(watertight, options.workers or os.cpu_count() or 1, options.scratch)
    try:
        from .on_ray import OnRay
    except ImportError:
        sys.exit("watertight-cluster: Ray is not installed; `pip install 'ray>=2.9'`, or use --engine local")
    return OnRay(watertight, options.workers, options.address, options.scratch)


def main():
    options, rest = arguments().parse_known_args()
    if options.command == "simulate":
        from .simulate import simulate

        sys.exit(simulate(options.measured, options.plot))
    watertight = binary(options.watertight)
    relay = Relay(engine(options, watertight))
    database = ["-p", options.database] if options.database else []
    code = relay.run([watertight, "check", *database, *rest])
    if any(argument.startswith("--stats") for argument in rest):
        relay.stats()
    sys.exit(code)


if __name__ == "__main__":
    main()
