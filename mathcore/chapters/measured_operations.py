"""Operations, measured: the store and the interval of the chapter, at the failure rates of other people's fleets."""

from mathcore import Example
from mathcore.chapters import audit_promise, measured_audit, operations, young_daly
from mathcore.chapters.operations import M, b, p_b

DEVICES = {young_daly.N: "800 gpu"}  # a hundred servers of eight


def at_life(life):
    """Return MTBF, best store, and what the file's store costs above the best, if a device lasts so long."""
    mtbf = Example(young_daly.cluster_mtbf, {**DEVICES, young_daly.m: life})
    priced = {**operations.PAYS, M: mtbf, p_b: operations.bandwidth_1000}
    best = Example(operations.best_bandwidth, priced)
    asked = Example(operations.store_cost, {**priced, b: operations.store_rate})
    least = Example(operations.least_cost, priced)
    interval = Example(young_daly.interval, {young_daly.C: operations.run_write, young_daly.M: mtbf}, digits=2)
    return mtbf, best, asked, least, interval


rough_mtbf, rough_store, rough_cost, rough_least, rough_interval = at_life(audit_promise.m_seen)
calm_mtbf, calm_store, calm_cost, calm_least, calm_interval = at_life(measured_audit.llama_device)
calm_small = Example(
    operations.store_cost, {**operations.PAYS, M: calm_mtbf, p_b: operations.bandwidth_250, b: operations.small_rate}
)
file_least = Example(operations.least_cost, {**operations.PAYS, p_b: operations.bandwidth_1000})
