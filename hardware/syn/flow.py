"""What syn/run and syn/power share: Yosys and abc map a module, OpenSTA times it.

Without placement: wires have no length. Inputs come at once and as steep as need be.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import library

HARDWARE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEMORIES = {"bank", "single_port", "roots", "twiddles"}
OSU018 = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"

# The logic as written, with what it shares found, mapped for speed; then buffers and sizes.
# (abc's default script recovers area first, which turns prefix adders into ripples.)
ABC = """strash
dch
map -B 0.9 -D 1
topo
buffer -c -N 12
topo
upsize -D 1
dnsize -D 1
"""


def need(*tools):
    missing = [package for tool, package in tools if not shutil.which(tool)]
    if missing:
        sys.exit(f"{sys.argv[0]} needs {' '.join(missing)}. Run:  "
                 f"sudo apt-get install --no-install-recommends {' '.join(missing)}")


def check_libraries(paths):
    """The files to be read: those that were named, or Debian's."""
    if not paths:
        if not os.path.exists(OSU018):
            sys.exit(f"{sys.argv[0]} needs qflow-tech-osu018, or a cell library. Run:  "
                     "sudo apt-get install --no-install-recommends qflow-tech-osu018")
        paths = [OSU018]
    for path in paths:
        if not os.access(path, os.R_OK):
            sys.exit(f"{path}: no such file")
    return paths


def run(command, log, **more):
    """Runs a tool at low priority; its output, or the end with its last lines."""
    done = subprocess.run(["nice", "-n", "19", *command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, **more)
    with open(log, "w", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)
    if done.returncode:
        sys.exit("\n".join((done.stdout + done.stderr).splitlines()[-20:]) + f"\n{command[0]} failed")
    return done.stdout


class Yosys:
    """PyPI's pyosys, if this Python has it, or the command `yosys`. SYN_YOSYS=yosys asks for that."""

    def __init__(self):
        self.python = False
        if os.environ.get("SYN_YOSYS") != "yosys":
            found = subprocess.run([sys.executable, "-c", "from pyosys import libyosys"],
                                   capture_output=True, check=False)
            self.python = found.returncode == 0
        if not self.python:
            need(("yosys", "yosys"))
        self.version = "Yosys " + (importlib.metadata.version("pyosys") if self.python
                                   else run(["yosys", "-V"], "/dev/null").split()[1])
        self.booth = self.python or "-booth" in self.run("help synth", "/dev/null")

    def run(self, script, log):
        if not self.python:
            return run(["yosys", "-p", script], log)
        program = "import sys\nfrom pyosys import libyosys as y\ny.run_pass(sys.argv[1], y.Design())"
        return run([sys.executable, "-c", program, script], log)


def sources(folders=("paper", "parts", "residues", "three_stages"), without=()):
    found = []
    for folder in folders:
        path = os.path.join(HARDWARE, "rtl", folder)
        found += [os.path.join(path, f) for f in sorted(os.listdir(path))
                  if f.endswith(".sv") and f[:-3] not in without]
    return found


@dataclass
class Mapped:
    top: str
    netlist: str
    # Of each module: its area and cells without those below, and how many of which are below.
    areas: dict = field(default_factory=dict)
    cells: dict = field(default_factory=dict)
    below: dict = field(default_factory=dict)
    # Widths of the ports of memories.
    ports: dict = field(default_factory=dict)

    def count(self, module=None, times=1, counts=None):
        """How often each module is there."""
        counts = {} if counts is None else counts
        module = module or self.top
        counts[module] = counts.get(module, 0) + times
        for child, number in self.below.get(module, {}).items():
            self.count(child, times * number, counts)
        return counts

    def total(self, of, module=None):
        counts = self.count(module)
        return sum(of[m] * n for m, n in counts.items() if base(m) not in MEMORIES)

    def memory_bits(self, module=None):
        """Bits by kind of memory."""
        found = {}
        for name, number in self.count(module).items():
            if base(name) in MEMORIES:
                ports = self.ports[name]
                address, data = (next(ports[p] for p in names if p in ports) for names in (
                    ("address", "read_address", "power", "m"), ("read_data", "factor")))
                found[base(name)] = found.get(base(name), 0) + number * (data << address)
        return found


def base(module):
    """A module's name without its parameters."""
    match = re.match(r"\$paramod(?:\$[0-9a-f]+)?\\(\w+)", module)
    return match[1] if match else module.lstrip("\\")


def mapped(yosys, cells, work, top, parameters=None, keep=(), read=None, split=""):
    """The module as cells of the library; modules named `keep` stay modules. `split` is for splitnets."""
    read = read or sources()
    constraints = f"{work}/constraints"
    with open(constraints, "w", encoding="utf-8") as file:
        file.write(f"set_driving_cell {cells.driver}\nset_load {cells.load}\n")
    with open(f"{work}/abc", "w", encoding="utf-8") as file:
        file.write(ABC)
    if parameters:
        # Instead of Yosys' -chparam, which some versions do not survive: a source with other defaults.
        at = next(i for i, path in enumerate(read) if path.endswith(f"/{top}.sv"))
        with open(read[at], encoding="utf-8") as file:
            text = file.read()
        for name, value in parameters.items():
            text = re.sub(rf"(parameter int {name}\s*= )\d+", rf"\g<1>{value}", text)
        read = [*read[:at], f"{work}/{top}.sv", *read[at + 1:]]
        with open(read[at], "w", encoding="utf-8") as file:
            file.write(text)
    kept = "".join(f"setattr -mod -set keep_hierarchy 1 {k} *?{k}?* *?{k}; " for k in keep)
    netlist = f"{work}/{top}.v"
    yosys.run(
        f"read_verilog -sv -defer {' '.join(read)}; hierarchy -top {top}; {kept}"
        f"synth -noabc -flatten -top {top}{' -booth' if yosys.booth else ''}; "
        f"dfflibmap -liberty {cells.path}; opt; "
        f"abc -liberty {cells.path} -constr {constraints} -script {work}/abc; setundef -zero; splitnets {split}; "
        f"opt_clean -purge; tee -o {work}/{top}.stat stat -liberty {cells.path}; "
        f"write_verilog -noattr -noexpr -simple-lhs {netlist}",
        f"{work}/{top}.log")
    with open(netlist, encoding="utf-8") as file:
        text = file.read()
    # OpenSTA 2.0 knows no signed wires.
    text = re.sub(r"^(\s*(?:wire|input|output)) signed ", r"\1 ", text, flags=re.M)
    with open(netlist, "w", encoding="utf-8") as file:
        file.write(text)
    return measured(top, netlist, text, cells)


def measured(top, netlist, text, cells):
    """Areas and cells of the modules of a netlist, from what it names."""
    with open(cells.path, encoding="utf-8") as file:
        area = dict(re.findall(r"^ cell ?\( ?\"?(\w+)\"? ?\) \{.*?^  area ?: ?\"?([\d.e+-]+)", file.read(),
                               flags=re.M | re.S))
    found = Mapped(top, netlist)
    module = None
    for line in text.splitlines():
        if match := re.match(r"module (\\?\S+?) *\(", line):
            module = match[1].lstrip("\\")
            found.areas[module], found.cells[module], found.below[module] = 0.0, 0, {}
        elif match := re.match(r"  (?:input|output) \[(\d+):0\] (\w+);", line):
            found.ports.setdefault(module, {})[match[2]] = int(match[1]) + 1
        elif match := re.match(r"  (\\\S+|\w+) +(?:\\\S+|\w+) +\($", line):
            kind = match[1].lstrip("\\")
            if kind in area:
                found.areas[module] += float(area[kind])
                found.cells[module] += 1
            else:
                found.below[module][kind] = found.below[module].get(kind, 0) + 1
    return found


@dataclass
class Timing:
    period: float  # ns, with the setup of the register where the path ends
    start: str
    end: str
    report: str


def registers(text):
    """What drives and what reads which register's output, by instance and module-blind."""
    names = {}
    for match in re.finditer(r"^  \w+ (\\\S+|\w+) \(\n(.*?)^  \);", text, flags=re.M | re.S):
        # Q, or QN behind which an inverter follows.
        q = re.search(r"\.(?:Q|QN)\(\s*\\?([^)\s]+)\s*\)", match[2])
        if q:
            names[match[1].lstrip("\\")] = q[1]
    inverted = dict(re.findall(r"\.A\(\\?([^)\s]+)\s*\),\n    \.Y\(\\?([^)\s]+)\s*\)", text))
    return {k: inverted.get(v, v) if v.startswith("_") else v for k, v in names.items()}


def plain(name):
    return re.sub(r"\[\d+\]", "", name)


def timed(cells, work, circuit, still=()):
    """The worst path; where nets called `still` in the top are 1 for ever."""
    script = f"{work}/{circuit.top}.tcl"
    period = 1000 / cells.ns
    with open(circuit.netlist, encoding="utf-8") as file:
        text = file.read()
    fixed = ""
    top = text[text.index(f"module {circuit.top}("):]
    top = top[:top.index("endmodule")]
    outputs = library.outputs(cells.path) if still else {}
    # By these names in the top, or as ports of what is in it, behind buffers.
    nets = {*still, *(n for port in still for n in re.findall(rf"\.{port}\(\\?([^)\s]+) ?\)", top))}
    for net in sorted(nets):
        fixed += f"catch {{set_case_analysis 1 [get_ports {net}]}}\n"
        for kind, instance, pins in re.findall(r"^  (\w+) (\w+) \(\n(.*?)^  \);", top, flags=re.M | re.S):
            for pin in re.findall(rf"\.(\w+)\(\\?{re.escape(net)} ?\)", pins):
                if pin in outputs.get(kind, []):
                    fixed += f"set_case_analysis 1 [get_pins {instance}/{pin}]\n"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"""read_liberty {cells.path}
read_verilog {circuit.netlist}
link_design {circuit.top}
if {{[get_ports -quiet clock] ne ""}} {{ create_clock -period {period} clock
}} else {{ create_clock -name virtual -period {period} }}
set_input_delay 0 -clock [all_clocks] [all_inputs]
set_output_delay 0 -clock [all_clocks] [all_outputs]
{fixed}report_checks -path_delay max -digits 4
exit
""")
    report = run(["sta", "-no_splash", "-exit", script], f"{work}/{circuit.top}.sta")
    slacks = re.findall(r"(-?[\d.]+)\s+slack", report)
    if not slacks:
        sys.exit(f"OpenSTA finds no path in {circuit.top}:\n" + "\n".join(report.splitlines()[-8:]))
    points = [re.search(rf"^{p}: (\S+)", report, flags=re.M)[1] for p in ("Startpoint", "Endpoint")]
    names = registers(text)
    start, end = (plain(names.get(p.split("/")[-1], p.split("/")[-1])) for p in points)
    return Timing((period - float(slacks[0])) * cells.ns, start, end, report)


def fo4(cells, work):
    """The delay of an inverter that drives four like it, in ns: the mean of both edges."""
    stages = 12
    lines = ["module chain(input a, output y);", "wire n0;", "assign n0 = a;"]
    for i in range(stages):
        lines.append(f"wire n{i + 1};")
        lines.append(f"{cells.inverter} s{i} (.{cells.inverter_in}(n{i}), .{cells.inverter_out}(n{i + 1}));")
        for k in range(3):
            lines.append(f"wire l{i}_{k};")
            lines.append(f"{cells.inverter} d{i}_{k} (.{cells.inverter_in}(n{i + 1}), "
                         f".{cells.inverter_out}(l{i}_{k}));")
    lines += [f"assign y = n{stages};", "endmodule"]
    text = "\n".join(lines).replace("wire n0;\nassign n0 = a;", "").replace("(n0)", "(a)")
    text = text.replace("module chain(input a, output y);", "module chain(a, y);\ninput a;\noutput y;")
    with open(f"{work}/chain.v", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    with open(f"{work}/chain.tcl", "w", encoding="utf-8") as file:
        file.write(f"""read_liberty {cells.path}
read_verilog {work}/chain.v
link_design chain
create_clock -name virtual -period 100000
set_input_delay 0 -clock virtual a
set_output_delay 0 -clock virtual y
report_checks -path_delay max -digits 5
exit
""")
    report = run(["sta", "-no_splash", "-exit", f"{work}/chain.tcl"], f"{work}/chain.sta")
    times = {int(i): float(t) for t, i in re.findall(r"([\d.]+) [\^v] s(\d+)/", report)}
    return (times[stages - 3] - times[3]) / (stages - 6) * cells.ns


def libraries(paths, work):
    """The libraries of these files: those of asap7 are one, every other file is one."""
    together = [p for p in paths if os.path.basename(p).startswith("asap7")]
    sets = [[p] for p in paths if p not in together] + ([together] if together else [])
    return [library.merge(group, f"{work}/cells_{i}.lib") for i, group in enumerate(sets)]
