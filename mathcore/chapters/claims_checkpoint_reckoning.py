"""The Checkpoint Reckoning: what the lab on fault tolerance prints, and what it is when computed."""

from mathcore import Claim

LAB = {"source": "checkpoint_reckoning"}

fleet_mtbf = Claim(
    "a fleet of 16,384 GPUs at 200 h per GPU fails every 44 minutes",
    "44 min",
    "200[gpu h] / 16384[gpu]",
    **LAB,
    at="header card, hook",
    consequence="the fleet fails before any write of several seconds is safe: the lab's optimum of about 21 min has no meaning",
)
