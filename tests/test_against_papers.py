"""Holds formulas to single figures printed in papers, books and data sheets, one row each."""

import pytest

from mathcore import find

CHIP = {"n": "16 gpu", "P": "197 TFLOP/s/gpu"}  # sixteen TPU v5e
QUIZ = CHIP | {"w": "1 B", "N": "30e9", "kappa": "100 kB/token", "S": "8192 token", "beta": "810 GB/s/gpu"}
CACHE = {"w": "2 B", "N": "13e9", "kappa": "819.2 kB/token", "S": "8192 token"}
A100 = {"m": "432", "k": "256", "c": "1.41e9 /s"}
ADAM = {"w_p": "2 B", "w_g": "2 B", "w_o": "12 B"}
PREFILL = {"N": "70e9", "S_p": "8192 token", "B": "1", "n": "16 gpu", "P": CHIP["P"], "u": "40 %", "t_0": "0 s"}
ONE = {"N": "70e9", "w": "2 B", "kappa": "1 kB/token", "S": "1 token", "B": "1", "M": "16 GB/gpu"}

PRINTED = [
    ("NVIDIA A100 data sheet", "roofline.peak", A100, 312, "TFLOP/s", 1e-3),
    ("Llama 3, section 3.2.1", "training.compute", {"N": "405e9", "D": "15.6e12 token"}, 3.8e25, "FLOP", 0.005),
    (
        "Austin 2025, training",
        "training.time",
        {"N": "70e9", "D": "15e12 token", "n": "8960 gpu", "P": "459 TFLOP/s/gpu", "u": "40 %"},
        44,
        "d",
        0.01,
    ),
    ("Hugging Face playbook", "parallelism.memory.state", ADAM | {"Psi": "405e9"}, 6480, "GB", 1e-9),
    ("Austin 2025, inference: 8.75, rounded up", "serving.devices", ONE, 9, "gpu", 0),
    ("Austin 2025, inference", "serving.prefill", PREFILL, 0.91, "s", 0.002),
    ("Austin 2025, inference", "serving.step", QUIZ | {"B": "4"}, 2.5, "ms", 0.03),
    ("Austin 2025, inference", "serving.step", QUIZ | {"B": "256"}, 21, "ms", 0.005),
    (
        "Austin 2025, inference, table",
        "serving.rate_memory",
        CACHE | {"n": "8 gpu", "beta": "820 GB/s/gpu", "B": "8"},
        659.3,
        "token/s",
        0.005,
    ),
    (
        "Austin 2025, inference: weights in INT8",
        "serving.critical_batch",
        {"w": "1 B", "P": "197 TFLOP/s/gpu", "beta": "819 GB/s/gpu"},
        120,
        "",
        0.003,
    ),
    (
        "Austin 2025, inference",
        "serving.queues.freed",
        {"B": "32", "S_p": "8192 token", "g": "4096 token"},
        96,
        "token",
        1e-9,
    ),
    (
        "Austin 2025, inference",
        "serving.queues.server_ratio",
        {"T": "0.91 s", "B": "32", "g": "512 token", "t": "19 ms"},
        3,
        "",
        0.003,
    ),
]


@pytest.mark.parametrize(("source", "formula", "given", "printed", "unit", "slack"), PRINTED)
def test_printed_figure_follows(source, formula, given, printed, unit, slack):
    assert find(formula).at(**given).m_as(unit) == pytest.approx(printed, rel=slack, abs=0), source


def test_other_precision_is_found():
    assert find("roofline.peak").at(**A100 | {"k": "512"}).m_as("TFLOP/s") != pytest.approx(312, rel=0.1)
