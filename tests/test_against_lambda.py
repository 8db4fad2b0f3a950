"""Holds training time on one device to the 355 GPU-years that a blog printed for GPT-3."""

from published import entries, refuse, require

from mathcore import find

ENTRY = entries("lambda")["gpt3-lambda-355y"]
YEAR_IN_DAYS = 365  # the blog's year; this book's has 365.25 d


def years(rate):
    time = find("speedup.single_time").at(F=find("speedup.gpt3_work"), P=rate, U="100 %")
    return time.m_as("d") / YEAR_IN_DAYS


def test_gpt3_on_one_v100():
    assert find("speedup.v100_rate").value.m_as("FLOP/s") == ENTRY["inputs"]["X"][0]
    assert find("speedup.gpt3_work").value.m_as("FLOP") == ENTRY["inputs"]["F"][0]
    require(ENTRY, years(find("speedup.v100_rate")))


def test_another_rate_is_found():
    refuse(ENTRY, years("31.4 TFLOP/s"))
