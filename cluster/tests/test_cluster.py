"""Checks with workers say what one process says, byte for byte, whatever happens to the workers.

WATERTIGHT_BINARY names the binary. What needs Ray, or the right to mount a file system, is skipped where there is none.
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

from watertight_cluster.local import Local  # noqa: E402
from watertight_cluster.relay import Relay  # noqa: E402

try:
    import ray  # noqa: F401

    WITHOUT_RAY = None
except ImportError:
    WITHOUT_RAY = "Ray is not installed"

WATERTIGHT = shutil.which(os.environ.get("WATERTIGHT_BINARY", "watertight"))
FILES = 12

HEAD = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n"

# Makers, users and releasers in several layers; each file calls the one before, and one function through a table.
SOURCE = """
struct node{i} {{ struct node{i} *next; char *text; }};
char *make{i}(const char *text, int wanted) {{
    char *copy = {make};
    if (wanted > {i}) return NULL;
    return copy;
}}
void drop{i}(char *text) {{ {drop} }}
struct node{i} *push{i}(struct node{i} *list, const char *text) {{
    struct node{i} *made = malloc(sizeof *made);
    if (!made) return list;
    made->text = make{i}(text, {i} + 1);
    made->next = list;
    return made;
}}
void clear{i}(struct node{i} *list) {{
    while (list) {{ struct node{i} *next = list->next; drop{i}(list->text); free(list); list = next; }}
}}
int even{i}(int n);
int odd{i}(int n) {{ char *text = make{i}("odd", 0); int r = n == 0 ? 0 : even{i}(n - 1); if (n == 3) return 7; drop{i}(text); return r; }}
int even{i}(int n) {{ return n == 0 ? 1 : odd{i}(n - 1); }}
static void quiet{i}(char *text) {{ drop{i}(text); }}
void (*const how{i}[2])(char *) = {{ quiet{i}, drop{i} }};
int use{i}(const char *name, int way) {{
    FILE *file = fopen(name, "r");
    char *text = make{i}(name, way);
    if (!file) return -1;
    if (way == 2) {{ fclose(file); return 2; }}
    how{i}[way & 1](text);
    fclose(file);
    return 0;
}}
"""


def project(folder):
    """A program of some files, with a compilation database."""
    entries = []
    for i in range(FILES):
        before = f"char *make{i - 1}(const char *, int);\nvoid drop{i - 1}(char *);\n" if i else ""
        make = f"make{i - 1}(text, wanted)" if i else "strdup(text)"
        drop = f"drop{i - 1}(text);" if i else "free(text);"
        text = HEAD + before + SOURCE.format(i=i, make=make, drop=drop)
        if i == FILES - 1:
            text += f"int main(int n, char **names) {{ return use{i}(names[0], n) + odd{i}(n); }}\n"
        pathlib.Path(folder, f"f{i}.c").write_text(text)
        entries.append({"directory": folder, "file": f"f{i}.c", "arguments": ["cc", "-c", f"f{i}.c"]})
    # It does not compile anywhere, which must be told once, as ever.
    pathlib.Path(folder, "broken.c").write_text("int broken(\n")
    entries.append({"directory": folder, "file": "broken.c", "arguments": ["cc", "-c", "broken.c"]})
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(entries))


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="watertight-cluster-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        project(cls.folder)
        cls.expected = cls.check("alone", lambda command: subprocess.call(command))
        assert len(json.loads(cls.expected[1])["findings"]) >= FILES, "the program has findings"

    @classmethod
    def command(cls, name):
        """A check that keeps what it knows, and writes its report, under a name."""
        paths = ["--cache-dir", f"{cls.folder}/{name}", "-o", f"{cls.folder}/{name}.json"]
        return [WATERTIGHT, "check", "-q", "-p", cls.folder, "--format", "json", "--confidence", "low", *paths]

    @classmethod
    def check(cls, name, run):
        """The exit code and the report of a check."""
        code = run(cls.command(name))
        report = pathlib.Path(cls.folder, f"{name}.json")
        return code, report.read_bytes() if report.exists() else b""

    def known(self, name):
        """Every result of a function that is kept, and every unit."""
        rows = sqlite3.connect(f"{self.folder}/{name}/store.db").execute("SELECT key, value FROM known ORDER BY key")
        units = pathlib.Path(self.folder, name, "v2", "units").rglob("*.bc")
        return rows.fetchall(), sorted((unit.name, unit.read_bytes()) for unit in units)

    def holds(self, name, engine, watch=None):
        """The same report, the same results of functions, and the next run has nothing to do."""
        relay = Relay(engine, watch)
        self.assertEqual(self.check(name, relay.run), self.expected)
        self.assertEqual(self.known(name), self.known("alone"))
        return relay

    def counts(self, relay):
        return {kind: counts[0] for (_, kind), counts in relay.nodes.items()}

    def received(self, relay, wanted):
        return sum(counts[2] for (_, kind), counts in relay.nodes.items() if kind == wanted)


class Here(Checks):
    """With processes of this machine."""

    def test_any_number_of_workers(self):
        for workers in (1, 2, 4):
            relay = self.holds(f"workers-{workers}", Local(WATERTIGHT, workers))
            counts = self.counts(relay)
            self.assertGreater(counts["evaluate"], 5)
            self.assertGreater(counts["compile"], 5)
            # Warm on one machine, and with workers.
            name = f"workers-{workers}"
            warm = Relay(Local(WATERTIGHT, workers))
            self.assertEqual(self.check(name, warm.run), self.expected)
            self.assertNotIn("evaluate", self.counts(warm))
            self.assertEqual(self.check(name, lambda command: subprocess.call(command)), self.expected)

    def test_killed_workers(self):
        engine = Local(WATERTIGHT, 2)

        def watch(answers):
            if answers in (3, 9, 18, 22, 26):
                engine.children[answers % 2].process.kill()

        self.holds("killed", engine, watch)

    def test_all_workers_killed_all_the_time(self):
        engine = Local(WATERTIGHT, 2)

        def watch(answers):
            for child in engine.children:
                child.process.kill()

        self.holds("hopeless", engine, watch)

    def test_a_stopped_worker(self):
        engine = Local(WATERTIGHT, 2)

        def watch(answers):
            if answers == 17:
                engine.children[0].process.send_signal(signal.SIGSTOP)

        relay = self.holds("stopped", engine, watch)
        self.assertGreater(self.counts(relay)["evaluate"], 3)

    def test_a_killed_driver_goes_on_from_the_store(self):
        whole = self.holds("whole", Local(WATERTIGHT, 2))
        done = self.counts(whole)["evaluate"]
        relay = Relay(Local(WATERTIGHT, 2))

        def watch(answers):
            if self.counts(relay).get("evaluate", 0) == done // 2:
                relay.check.kill()

        relay.watch = watch
        code, _ = self.check("again", relay.run)
        self.assertEqual(code, -signal.SIGKILL)
        relay = self.holds("again", Local(WATERTIGHT, 2))
        # How many batches there are depends on how busy the machine is; what comes back does not.
        self.assertLess(self.received(relay, "evaluate"), self.received(whole, "evaluate"))

    def test_workers_that_are_of_no_use(self):
        script = pathlib.Path(self.folder, "useless")
        script.write_text(
            f"#!{sys.executable}\n"
            "import json, sys\n"
            "for line in sys.stdin.buffer:\n"
            "    header = json.loads(line)\n"
            "    sys.stdin.buffer.read(header['bytes'])\n"
            "    answer = {'number': header['number'], 'bytes': 7}\n"
            "    sys.stdout.buffer.write(json.dumps(answer).encode() + b'\\nuseless')\n"
            "    sys.stdout.buffer.flush()\n"
        )
        script.chmod(0o755)
        self.holds("useless-workers", Local(str(script), 2))
        self.holds("no-workers", Local("/bin/false", 2))

    def test_a_full_disk(self):
        scratch = f"{self.folder}/full"
        os.mkdir(scratch)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "none", scratch], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        try:
            relay = self.holds("full-disk", Local(WATERTIGHT, 2, scratch))
            self.assertGreater(self.counts(relay)["evaluate"], 5)
        finally:
            subprocess.run(["umount", "-l", scratch], check=True)


@unittest.skipIf(WITHOUT_RAY, WITHOUT_RAY)
class WithRay(Checks):
    """With actors of Ray, on two nodes that are processes of this machine."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from ray.cluster_utils import Cluster

        cls.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
        cls.addClassCleanup(cls.cluster.shutdown)
        cls.second = None

    def engine(self, workers):
        from watertight_cluster.on_ray import OnRay

        if WithRay.second is None:
            WithRay.second = self.cluster.add_node(num_cpus=2)
        engine = OnRay(WATERTIGHT, workers, self.cluster.address)
        self.addCleanup(ray.shutdown)
        return engine

    def test_any_number_of_workers(self):
        for workers in (1, 2, 4):
            relay = self.holds(f"ray-{workers}", self.engine(workers))
            self.assertGreater(self.counts(relay)["evaluate"], 5)
        self.assertEqual(len({node for node, _ in relay.nodes}), 2, "both nodes have worked")

    def test_a_killed_worker_process(self):
        engine = self.engine(2)

        def watch(answers):
            if answers in (4, 18):
                os.kill(ray.get(engine.actors[0].process.remote()), signal.SIGKILL)

        self.holds("ray-killed", engine, watch)

    def test_a_killed_node(self):
        engine = self.engine(4)

        def watch(answers):
            if answers == 18 and self.second:
                self.cluster.remove_node(self.second, allow_graceful=False)
                WithRay.second = None

        self.holds("ray-node", engine, watch)


if __name__ == "__main__":
    unittest.main()
