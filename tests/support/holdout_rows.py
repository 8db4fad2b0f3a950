"""Comparisons judged once more, on rows of their sources that this repository does not hold.

`holdout_rows.py FOLDER` reads tables of what the sources measured, `energy/perseus_freq_sweep.csv`,
`energy/mlenergy_llm.csv`, `training/nemo_megatron_bridge.csv`, `training/dgxc_step_time_scaling.csv` and
`comms/sweep_alps_gh200.csv`, leaves out every row that is kept in a `datasets` folder, and prints median and worst
error of the fits as they stand, and how many rows of systems that are not kept lie in the bands. The rows took no part
in a fit, a bound or a choice of model.
"""

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from mathcore import find
from mathcore.units import Quantity, unit


def table(path):
    """Return the rows of a CSV file as dictionaries of text."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def recorded(case):
    """Return what the repository holds of a comparison's data, as pairs of inputs and result, rounded."""
    columns = [*dict.fromkeys(case.row_values.columns_of(case.formula)), case.measured]
    return {tuple(_round(row[name]) for name in columns) for row in case.data.rows}


def _round(cell):
    return f"{cell.magnitude:.3g}" if isinstance(cell, Quantity) else str(cell)


def judged(case, rows):
    """Return count, median and worst error of a comparison on rows `{column: text or number}` that are not kept."""
    columns = [*dict.fromkeys(case.row_values.columns_of(case.formula)), case.measured]
    measured = [{name: _cell(case, name, row[name]) for name in columns} for row in rows]
    new = [row for row in measured if tuple(_round(row[name]) for name in columns) not in recorded(case)]
    ratios = case.predicted(new).magnitude / case.observed(new).magnitude
    errors = [abs(float(ratio) - 1) for ratio in ratios]
    return len(errors), statistics.median(errors), max(errors)


def _cell(case, name, number):
    stated = case.data.columns[name].unit
    return number if stated == "text" else Quantity(float(number), unit(stated))


def clocks(folder):
    """Yield clock and mean power of an A100, from all stages of all models that were swept."""
    for row in table(folder / "energy" / "perseus_freq_sweep.csv"):
        if row["gpu"].startswith("a100") and row["model"] == "gpt3-175b" and float(row["sm_freq_MHz"]) >= 810:
            yield {"clock": float(row["sm_freq_MHz"]) / 1410, "power": row["avg_power_W"]}


def steps(folder, device):
    """Yield steps of decoding for models whose layers and caches are known from the rows that are kept."""
    shapes = {row["model"]: row for row in find("serving.measured.attained").data.rows}
    tasks = {"lm-arena-chat": "chat", "gpqa": "questions"}
    for row in table(folder / "energy" / "mlenergy_llm.csv"):
        model = row["model"].split("/")[-1].removesuffix("-Instruct")
        if row["gpu"] != device or model not in shapes or row["task"] not in tasks or row["precision"] != "bfloat16":
            continue
        shape = {name: shapes[model][name].magnitude for name in ("params", "layers", "cache")}
        run = {"devices": row["num_gpus"], "batch": row["avg_batch"], "output": row["avg_output_len"]}
        yield {**shape, **run, "device": device, "step": row["median_itl_ms"], "model": model}


def paces(folder):
    """Yield tokens for each device and second of dense models, with parameters and peak."""
    for row in table(folder / "training" / "nemo_megatron_bridge.csv"):
        numbers = [row[name] for name in ("params", "peak_tflops_dense", "tokens_per_s_per_device")]
        if all(numbers) and "Pre" in row["task"] and row["precision"].startswith(("FP8", "BF16")):
            params, peak, pace = numbers
            yield {"params": params, "peak": peak, "pace": pace, "device": row["device"]}


def sums(folder, shortest, longest):
    """Yield all-reduces on more than 32 nodes of Alps, with the variant that the kept rows are of."""
    for row in table(folder / "comms" / "sweep_alps_gh200.csv"):
        size = int(row["size_bytes"])
        if row["variant"].endswith("baseline") and int(row["nodes"]) > 32 and shortest <= size <= longest:
            yield {"nodes": row["nodes"], "ranks": row["ranks"], "message": size, "time": row["time_us"]}


def other_models(folder, test_models, tasks):
    """Yield runs of language models without a row in the data, with the name of model and device."""
    for row in table(folder / "energy" / "mlenergy_llm.csv"):
        model = row["model"].split("/")[-1]
        if row["task"] in tasks and not any(model.startswith(each) for each in test_models):
            yield f"{model}, {row['gpu']}", row


def decoding(folder):
    """Yield for other models system and power over the limit of the device times the fitted share."""
    case = find("energy.measured.power_of_tokens")
    share = case.fitted_parameters["y_t"].value.m_as("")
    for name, row in other_models(folder, {each["model"] for each in case.data.rows}, ("lm-arena-chat",)):
        limit = {"H100": 700, "B200": 1000}[row["gpu"]]
        yield name, float(row["avg_power_W"]) / float(row["num_gpus"]) / (share * limit)


def throughputs(folder):
    """Yield for other models system and throughput over batch by the time between two tokens."""
    test_models = {each["model"] for each in find("serving.measured.little").data.rows}
    for name, row in other_models(folder, test_models, ("lm-arena-chat", "gpqa")):
        yield name, float(row["out_tok_per_s"]) * float(row["median_itl_ms"]) / 1000 / float(row["avg_batch"])


def grown_steps(folder):
    """Yield for other releases, devices and formats system and growth of a step over what is predicted."""
    case, groups = find("speedup.measured.waiting"), defaultdict(dict)
    spread = case.fitted_parameters["v"].value
    for row in table(folder / "training" / "dgxc_step_time_scaling.csv"):
        whole = row["proxy_model_reduced_layers"] != "yes" and row["release"] != "v24.11.1"
        if whole and "weak" in row["scaling"] and row["step_time_s"]:
            keys = ("model", "device", "precision", "release", "table_title", "seq_len", "micro_batch")
            groups[tuple(row[key] for key in keys)][int(float(row["devices"]))] = float(row["step_time_s"])
    for key, steps_taken in groups.items():
        first, *rest = sorted(steps_taken)
        for devices in rest:
            growth = steps_taken[devices] / steps_taken[first]
            yield ", ".join(key[:3]), growth / float(case.formula.at(N=devices, N_0=first, v=spread).m_as(""))


def held(address, multiples):
    """Return how many systems and rows there are, and which share of a system's rows lies in the band, on average."""
    (low, high), systems = find(address).system_band, defaultdict(list)
    for name, multiple in multiples:
        systems[name].append(low <= multiple <= high)
    return len(systems), sum(map(len, systems.values())), statistics.mean(map(statistics.mean, systems.values()))


def bands(folder):
    """Yield the address of each comparison and what was measured over predicted on systems that are not kept."""
    yield "energy.measured.power_of_tokens", decoding(folder)
    yield "serving.measured.little", throughputs(folder)
    yield "speedup.measured.waiting", grown_steps(folder)


def cases(folder):
    """Yield the address of each comparison and the rows it is judged on again."""
    yield "energy.measured.floor", list(clocks(folder))
    yield "serving.measured.attained", [row for row in steps(folder, "H100") if "70B" in row["model"]]
    yield "serving.measured.newer", [row for row in steps(folder, "B200") if row["model"].startswith("Qwen")]
    yield "training.measured.next_device", list(paces(folder))
    yield "collectives.measured.tree_alps", list(sums(folder, 8, 1024))
    yield "collectives.measured.rails_alps", list(sums(folder, 2**28, 2**32))


if __name__ == "__main__":
    for address, rows in cases(Path(sys.argv[1])):
        count, median, worst = judged(find(address), rows)
        print(f"{address}: {count} rows, median {median:.1%} off, worst {worst:.1%}")
    for address, multiples in bands(Path(sys.argv[1])):
        systems, count, share = held(address, multiples)
        print(f"{address}: {count} rows of {systems} other systems, {share:.0%} in the band of another system")
