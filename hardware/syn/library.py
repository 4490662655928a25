"""One small cell library of several Liberty files (.lib, .lib.gz) of one process and corner, as Yosys,
abc and OpenSTA read it.

Left out: tables that none of them reads (currents, receivers, noise), and cells that a mapped netlist
has no place for (delays, power switches, scan flip-flops, latches, clock gates).
"""

import gzip
import re
import sys
from dataclasses import dataclass

UNREAD = {
    "output_current_rise", "output_current_fall", "receiver_capacitance", "normalized_driver_waveform",
    "output_current_template", "rise_capacitance_range", "fall_capacitance_range",
    "receiver_capacitance1_rise", "receiver_capacitance1_fall", "receiver_capacitance2_rise",
    "receiver_capacitance2_fall", "ccsn_first_stage", "ccsn_last_stage", "dc_current", "intrinsic_parasitic",
    "input_ccb", "output_ccb", "pg_pin",
}
# Cells with no place in a mapped netlist.
UNUSED = re.compile(
    r"lpflow|dlymetal|dlygate|dlclk|sdlclk|clkdly|probe|^sky130_fd_sc_hd__(s?ed|sdf|edf|macro|diode|conb|"
    r"dlx|dlr|clkinvlp)|^ICG|^SDF|^DFFASR|^DLL|^DHL|^HB\dx|^CKINV|^TIE"
)
TOKEN = re.compile(r'"(?:[^"\\]|\\.|\\\n)*"|[{};]|[^"{};]+', re.S)


def read(path):
    try:
        opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
        with opened as file:
            text = file.read()
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*|\\\n", " ", text)


def groups(text):
    """The library as a tree: (head, [statement or group])."""
    stack, head = [("", [])], ""
    for token in TOKEN.findall(text):
        if token == "{":
            stack.append((head.strip(), []))
            head = ""
        elif token == "}":
            if head.strip():
                stack[-1][1].append(head.strip())
            group = stack.pop()
            stack[-1][1].append(group)
            head = ""
        elif token == ";":
            if head.strip():
                stack[-1][1].append(head.strip())
            head = ""
        elif "\n" in token and not token.startswith('"'):
            # A statement may end with its line.
            for line in token.splitlines(keepends=True):
                head += line
                if line.endswith("\n") and ":" in head and head.count("(") == head.count(")"):
                    if head.strip():
                        stack[-1][1].append(head.strip())
                    head = ""
        else:
            head += token
    return stack[0][1][0]


def kind(group):
    return group[0].split("(")[0].strip()


def name(group):
    return group[0].split("(", 1)[1].rstrip(") ").strip().strip('"')


def value(group, key):
    for item in group[1]:
        if isinstance(item, str) and re.match(rf"{key}\s*:", item):
            return item.split(":", 1)[1].strip().strip('"')
    return None


def write(group, out, depth=0):
    head, items = group
    out.append(f"{' ' * depth}{head} {{")
    for item in items:
        if isinstance(item, str):
            out.append(f"{' ' * depth} {item};")
        elif kind(item) not in UNREAD:
            write(item, out, depth + 1)
    out.append(f"{' ' * depth}}}")


@dataclass
class Library:
    path: str
    name: str
    ns: float  # a time unit, in nanoseconds
    inverter: str
    inverter_in: str
    inverter_out: str
    driver: str  # a buffer of four times the smallest's strength
    load: float  # four inverters, in femtofarads


def merge(paths, out_path):
    """The library of these files at `out_path`, and what is to be known of it."""
    libraries = [groups(read(path)) for path in paths]
    first = libraries[0]
    templates = {(kind(g), name(g)) for g in first[1] if not isinstance(g, str) and "template" in kind(g)}
    for other in libraries[1:]:
        for item in other[1]:
            if isinstance(item, str) or not ("template" in kind(item) or kind(item) == "cell"):
                continue
            if "template" in kind(item):
                if (kind(item), name(item)) in templates:
                    continue
                templates.add((kind(item), name(item)))
            first[1].append(item)
    kept, inverters, buffers = [], [], []
    for item in first[1]:
        if isinstance(item, str) or kind(item) != "cell":
            kept.append(item)
            continue
        if UNUSED.search(name(item)) or value(item, "dont_use") == "true":
            continue
        kept.append(item)
        pins = [g for g in item[1] if not isinstance(g, str) and kind(g) == "pin"]
        outputs = [g for g in pins if value(g, "direction") == "output"]
        if len(pins) != 2 or len(outputs) != 1:
            continue
        source = next(g for g in pins if g is not outputs[0])
        function = re.sub(r"[() ]", "", value(outputs[0], "function") or "")
        entry = (
            float(value(item, "area") or 0),
            float(value(source, "capacitance") or 0),
            name(item),
            name(source),
            name(outputs[0]),
        )
        if function == name(source):
            buffers.append(entry)
        elif function in (f"!{name(source)}", f"{name(source)}'"):
            inverters.append(entry)
    if not inverters or not buffers:
        sys.exit(f"{' '.join(paths)}: no inverter and buffer there")
    # Of unit strength, and of four times that, where names say which.
    unit = [i for i in inverters if re.search(r"(INVx1_|__inv_1$|INVX1$)", i[2])] or sorted(inverters)
    strong = [b for b in buffers if re.search(r"(BUFx4_|buf_4$|BUFX4$)", b[2])] or sorted(buffers)
    out = []
    write((first[0], kept), out)
    with open(out_path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")

    text = "\n".join(item for item in first[1] if isinstance(item, str))
    time = re.search(r'time_unit\s*:\s*"?([\d.]+)\s*(ns|ps)', text)
    load = re.search(r'capacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*"?(\w+)', text)
    ns = float(time[1]) * {"ns": 1.0, "ps": 1e-3}[time[2]]
    farads = float(load[1]) * {"pf": 1e3, "ff": 1.0}[load[2].lower()]
    _, capacitance, inverter, source, target = unit[0]
    return Library(out_path, name(first), ns, inverter, source, target, strong[0][2], 4 * capacitance * farads)


def expression(text):
    """A Liberty function as Verilog: ! or ' for not, & or * or nothing for and, | or + for or, ^."""
    tokens = re.findall(r"[\w\[\]]+|[!'&*|+^()]", text)

    def atom():
        token = tokens.pop(0)
        if token == "!":
            return f"~{atom()}"
        if token == "(":
            result = f"({either()})"
            tokens.pop(0)
        else:
            result = {"0": "1'b0", "1": "1'b1"}.get(token, token)
        while tokens and tokens[0] == "'":
            tokens.pop(0)
            result = f"(~{result})"
        return result

    def both():
        result = differ()
        while tokens and tokens[0] not in "|+)":
            if tokens[0] in "&*":
                tokens.pop(0)
            result += f" & {differ()}"
        return result

    def differ():
        result = atom()
        while tokens and tokens[0] == "^":
            tokens.pop(0)
            result = f"({result} ^ {atom()})"
        return result

    def either():
        result = both()
        while tokens and tokens[0] in "|+":
            tokens.pop(0)
            result += f" | {both()}"
        return result

    return either()


def models(path):
    """The library's gates and plain flip-flops in Verilog, with a unit of delay at every output."""
    out = ["`timescale 1ps/1ps"]
    for cell in groups(read(path))[1]:
        if isinstance(cell, str) or kind(cell) != "cell":
            continue
        pins = [g for g in cell[1] if not isinstance(g, str) and kind(g) == "pin"]
        if any(kind(g) in ("latch", "statetable") for g in cell[1] if not isinstance(g, str)):
            continue
        flops = [g for g in cell[1] if not isinstance(g, str) and kind(g) == "ff"]
        body = []
        for flop in flops:
            state, inverse = (n.strip(' "') for n in name(flop).split(","))
            body.append(f"  reg {state} = 0; wire {inverse} = ~{state};")
            body.append(f"  always @(posedge ({expression(value(flop, 'clocked_on'))})) "
                        f"{state} <= {expression(value(flop, 'next_state'))};")
        for pin in pins:
            if value(pin, "direction") == "output" and value(pin, "function"):
                body.append(f"  assign #1 {name(pin)} = {expression(value(pin, 'function'))};")
        ports = ", ".join(f"{value(p, 'direction')} {name(p)}" for p in pins
                          if value(p, "direction") in ("input", "output"))
        out += [f"module {name(cell)}({ports});", *body, "endmodule"]
    return "\n".join(out) + "\n"


def outputs(path):
    """The output pins of each cell."""
    return {
        name(cell): [name(g) for g in cell[1]
                     if not isinstance(g, str) and kind(g) == "pin" and value(g, "direction") == "output"]
        for cell in groups(read(path))[1] if not isinstance(cell, str) and kind(cell) == "cell"
    }
