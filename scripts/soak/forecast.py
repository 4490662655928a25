#!/usr/bin/env python3
"""What `plan --machines` foresees beside runs on as many workers, over links that carry so much.

    cargo build --release
    scripts/soak/forecast.py                                 # 1, 2 and 4 workers, 10G, 1G and 200M
    scripts/soak/forecast.py --workers 1,2 --rates none      # without shaped links, which take root

Each worker has one thread and a network namespace of its own, whose link to the others `tc` bounds each way. On a
machine with fewer cores than workers these share them: then as much longer is foreseen for what is computed, and
the links are foreseen as fast as they are.

A run's time is from when all workers are ready to the program's end (`evaluation_seconds`). Every output must
decrypt to the right answer. Prints medians with their spread, what was foreseen, and the worst ratio of both; exit
code 1 if that is beyond --within. Standard library only.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import speedup
from speedup import ROOT

#: An own network for each run of the script.
NET = f"bc{os.getpid() % 10000}"


def root(*line):
    ended = subprocess.run(line, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(line)}: {ended.stderr.strip()}")


class Links:
    """A switch, and a namespace with one link to it for each worker. The driver is at the switch itself."""

    def __init__(self, count):
        self.count = count
        root("ip", "link", "add", NET, "type", "bridge")
        root("ip", "addr", "add", "10.213.0.1/24", "dev", NET)
        root("ip", "link", "set", NET, "up")
        for number in range(count):
            space, outer, inner = self.space(number), f"{NET}o{number}", f"{NET}i{number}"
            root("ip", "netns", "add", space)
            root("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", space)
            root("ip", "link", "set", outer, "master", NET, "up")
            for line in (["addr", "add", f"10.213.0.{number + 10}/24", "dev", inner], ["link", "set", inner, "up"],
                         ["link", "set", "lo", "up"]):
                root("ip", "netns", "exec", space, "ip", *line)

    @staticmethod
    def space(number):
        return f"{NET}s{number}"

    def carry(self, rate):
        for number in range(self.count):
            shape = ["root", "tbf", "rate", rate, "burst", "512kb", "latency", "400ms"]
            root("tc", "qdisc", "replace", "dev", f"{NET}o{number}", *shape)
            root("ip", "netns", "exec", self.space(number), "tc", "qdisc", "replace", "dev", f"{NET}i{number}", *shape)

    def end(self):
        for number in range(self.count):
            subprocess.run(["ip", "netns", "del", self.space(number)], capture_output=True)
        subprocess.run(["ip", "link", "del", NET], capture_output=True)


class Bench(speedup.Bench):
    def begin_in(self, links):
        for number in range(max(self.options.workers)):
            host = f"10.213.0.{number + 10}" if links else "127.0.0.1"
            inside = ["ip", "netns", "exec", links.space(number)] if links else []
            process = subprocess.Popen([*inside, self.blindcore, "worker", "--listen", f"{host}:0", "--threads", "1", "--plain"],
                                       cwd=self.place, stdout=subprocess.PIPE, text=True)
            address = process.stdout.readline().split()[2].rstrip(",")
            self.workers.append((process, address))

    def evaluate(self, count, program, rate):
        time.sleep(0.5)
        addresses = ",".join(address for _, address in self.workers[:count])
        told = self.must("run", program, "in", "--key", "alice.server", "--out", f"out{count}", "--json",
                         "--threads", "1", "--workers", addresses, "--plain", "--network", rate)
        return json.loads(told)["evaluation_seconds"]

    def foresee(self, program, names, rate):
        """By number of workers: seconds of one, and seconds of all."""
        told = self.must("plan", program, *names, "--machines", str(max(self.options.workers)), "--cores", "1",
                         "--network", rate, "--json")
        return {row["machines"]: row for row in json.loads(told)["machines"]["rows"]}

    def compare(self, name, program, values, expected, rate):
        self.encrypt(program, "in", *values)
        names = [value.split("=")[0] for value in values]
        cores = os.cpu_count()
        worst = 1.0
        for count in self.options.workers:
            self.evaluate(count, program, rate)
            times, foreseen = [], []
            # In turn: the speed of a machine that others share drifts.
            for _ in range(self.options.rounds):
                row = self.foresee(program, names, rate)[count]
                # Workers that share a core compute one after the other.
                foreseen.append(row["seconds"] * max(1.0, count / cores))
                times.append(self.evaluate(count, program, rate))
            found = json.loads(self.must("decrypt", f"out{count}", "--key", "alice.secret", "--json"))
            if any(found[key] != value for key, value in expected.items()):
                sys.exit(f"{name} on {count}: {found} instead of {expected}")
            took, told = statistics.median(times), statistics.median(foreseen)
            print(f"{name}, {count} workers, {rate}: {took:.2f} s ({min(times):.2f} to {max(times):.2f}), foreseen {told:.2f} s: "
                  f"{took / told:.3f}; {row['bytes_sent'] / 1e6:.1f} MB travel", flush=True)
            worst = max(worst, took / told, told / took)
        return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blindcore", default=f"{ROOT}/target/release/blindcore", help="the program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", default="1,2,4", help="how many, as a list")
    parser.add_argument("--rates", default="10G,1G,200M", help="what links carry, as a list; `none` for links as they are")
    parser.add_argument("--program", choices=["aes", "matrix", "both"], default="both")
    parser.add_argument("--within", type=float, default=0.15)
    options = parser.parse_args()
    options.workers = [int(count) for count in options.workers.split(",")]
    links = None if options.rates == "none" else Links(max(options.workers))
    worst = 1.0
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(options, place)
        try:
            bench.begin_in(links)
            for rate in ["10G"] if links is None else options.rates.split(","):
                if links:
                    links.carry(rate.replace("G", "gbit").replace("M", "mbit"))
                for case in speedup.cases(place, options.program):
                    worst = max(worst, bench.compare(*case, rate))
        finally:
            bench.end()
            if links:
                links.end()
    print(f"the worst is {100 * (worst - 1):.0f} % away")
    return 0 if worst <= 1 + options.within else 1


if __name__ == "__main__":
    sys.exit(main())
