"""The command `watertight-cluster`."""

import argparse
import json
import os
import shutil
import sys

from .relay import Relay


def arguments():
    parser = argparse.ArgumentParser(prog="watertight-cluster", description="Runs watertight check with many workers.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run",
        # An option of the check is not the beginning of one of these.
        allow_abbrev=False,
        help="check a project",
        epilog="What is not listed here goes to `watertight check`: files, --format, --rules, --stats, ...",
    )
    run.add_argument("-p", dest="database", metavar="DIR|FILE", help="take commands from this compile_commands.json")
    run.add_argument("--engine", choices=["ray", "local"], default="ray", help="what starts workers [default: ray]")
    run.add_argument("--address", help="the cluster of Ray, such as `auto`; without it Ray starts one here")
    run.add_argument("--workers", type=int, metavar="N", help="so many workers [default: one per processor]")
    run.add_argument("--watertight", metavar="PATH", help="this watertight, which must be there on every machine")
    run.add_argument("--scratch", metavar="DIR", help="workers compile in this directory [default: a temporary one]")
    run.add_argument("--measure", metavar="FILE", help="write what everything took, for `simulate`")
    simulate = commands.add_parser("simulate", help="how long a measured program takes with more workers")
    simulate.add_argument("measured", help="what `run --measure` has written")
    simulate.add_argument("--latency", type=float, default=0.001, metavar="S", help="of a task and of its answer [default: 0.001]")
    simulate.add_argument("--bandwidth", type=float, default=1e8, metavar="B", help="of the driver's line, in bytes a second [default: 1e8]")
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


def keep(relay, path):
    """Writes what a run took, with what the check has written of its components."""
    with open(f"{path}.graph", encoding="utf-8") as lines:
        components = [json.loads(line) for line in lines]
    os.remove(f"{path}.graph")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(relay.measured(components), file)


def main():
    options, rest = arguments().parse_known_args()
    if options.command == "simulate":
        from .simulate import simulate

        sys.exit(simulate(options.measured, options.latency, options.bandwidth, options.plot))
    watertight = binary(options.watertight)
    relay = Relay(engine(options, watertight))
    database = ["-p", options.database] if options.database else []
    graph = ["--cluster-graph", f"{options.measure}.graph"] if options.measure else []
    code = relay.run([watertight, "check", *database, *rest, *graph])
    if options.measure:
        keep(relay, options.measure)
    if any(argument.startswith("--stats") for argument in rest):
        relay.stats()
    sys.exit(code)


if __name__ == "__main__":
    main()
