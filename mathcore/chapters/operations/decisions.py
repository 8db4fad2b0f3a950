"""Operations, decided: the storage to rent, spot or on demand, when an alert pages a person, copies to a second region."""

from sympy import Max, Piecewise, exp, lowergamma
from sympy import gamma as gamma_function

from mathcore import Decision, Example, Formula, Range, Variable, geomspace
from mathcore.chapters import hardware, operations, resilience, sites
from mathcore.chapters.fleet_checkpointing import async_waste, i_u
from mathcore.chapters.fleet_checkpointing import decisions as fleet
from mathcore.chapters.fleet_checkpointing.levels import C_1, W, k, two_level_upload
from mathcore.chapters.goodput import decisions as goodput
from mathcore.chapters.goodput import measured as goodput_measured
from mathcore.chapters.goodput.progress import L_f, M_h, h_h, hang_share, longer_pauses, nu, p_l, s_p, sigma_p, theta
from mathcore.chapters.goodput.replicas import X_r, t_p
from mathcore.chapters.operations import K_k, M_r, V_k, book_delay, d_a, facts, measured, n_v, spot, tau_c, u_f
from mathcore.chapters.ownership import decisions as ownership_decisions
from mathcore.chapters.ownership.measured import q_g
from mathcore.chapters.reliability import g as g_s
from mathcore.chapters.resilience import S, V_s, b, l, retention, rho, store_rate
from mathcore.chapters.resilience.retention import T, Y, gamma, kappa
from mathcore.chapters.young_daly import M, tau
from mathcore.chapters.young_daly import measured as young_daly_measured

w = fleet.w

# --- checkpoint storage --------------------------------------------------------------------

x_s = Variable("x_s", "s", "work between two checkpoints in storage", tex=r"x", display_unit="h")
b_o = Variable("b_o", "B/s", "bandwidth of an object store from many nodes", tex=r"b_{\mathrm{o}}", display_unit="GB/s")
b_e = Variable("b_e", "B/s", "writes to one network file system", tex=r"b_{\mathrm{e}}", display_unit="GB/s")
K_s = Variable(
    "K_s", "USD/s", "rent of the storage and price of the waste", tex=r"K_{\mathrm{s}}", display_unit="USD/h"
)
V_2 = Variable(
    "V_2",
    "B",
    "older checkpoints, stored separately",
    tex=r"V_{2}",
    display_unit="TB",
    low="0 B",
    high="1 EB",
    zero=True,
)
kappa_2 = Variable(
    "kappa_2",
    "USD/B",
    "price of storing older checkpoints for a month",
    tex=r"\kappa_{2}",
    display_unit="USD/GiB",
    low="0 USD/GiB",
    zero=True,
)
a_f = Variable(
    "a_f", "", "share of a volume that stays free", tex=r"a_{\mathrm{f}}", display_unit="%", low="0 %", zero=True
)
kept = Formula(
    K_k, retention.tiers.rhs.subs(retention.tau, x_s), kind="definition", convention="each tier counts from today"
)
kept_volume = Formula(
    V_k, (K_k + 3) * S, kind="definition", convention="with two copies for the other region and the one being written"
)
newest_volume = Formula(
    V_k, 3 * S, kind="definition", convention="the newest, the one being written and the one being moved"
)
older_volume = Formula(V_2, (K_k + 2) * S, kind="definition", convention="with two copies for the other region")
storage_cost = Formula(
    K_s,
    (kappa * V_s + kappa_2 * V_2) / Y + u_f * w,
    kind="model",
    assumptions="older checkpoints move in the background and do not slow the job",
    convention="requests are left out: they cost less than a tenth of the rent",
)
MTBF = Range("5 h", measured.calm_mtbf, source="from half of a research cluster's to that of Llama 3's devices")
SINGLE = {tau: geomspace("5 min", "2 h", 28), x_s: Formula(x_s, tau, kind="definition")}
DOUBLE = {
    W: ("0.5 h", "0.6 h", "0.7 h", "0.8 h", "0.9 h", "1 h", "1.1 h", "1.2 h", "1.4 h", "1.6 h", "2 h", "2.5 h", "3 h"),
    k: (3, 4, 5, 6, 7, 8, 10, 12),
    x_s: Formula(x_s, W, kind="definition"),
}
V_f = Variable(
    "V_f", "B", "size of the file system", tex=r"V_{\mathrm{fs}}", display_unit="GiB", low="1 GiB", high="1000 TiB"
)
SIZES = {
    V_s: Formula(V_s, V_f, kind="definition"),
    a_f: "10 %",
    V_f: tuple(f"{2400 * n} GiB" for n in (1, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32)),
    b: store_rate,
}
TIERS = {
    "tier": {
        "125": {rho: facts.fsx_125, kappa: facts.price_125},
        "250": {rho: facts.fsx_250, kappa: facts.price_250},
        "500": {rho: facts.fsx_500, kappa: facts.price_500},
        "1000": {rho: facts.fsx_1000, kappa: facts.price_1000},
    }
}
HELD = {
    V_s: Formula(V_s, V_k, kind="definition"),
    V_k: kept_volume,
    V_2: "0 B",
    a_f: "0 %",
    rho: facts.fsx_125,
}  # bytes that are held, at any rate
storage = Decision(
    "Which storage should the checkpoints go to?",
    options={
        "service": {
            "Lustre": {**SIZES, **TIERS, V_k: kept_volume, V_2: "0 B"},
            "Lustre and object store": {**SIZES, **TIERS, V_k: newest_volume, V_2: older_volume},
            "object store": {**HELD, b: Formula(b, b_o, kind="definition"), kappa: sites.s3_standard},
            "network file system": {**HELD, b: Formula(b, b_e, kind="definition"), kappa: sites.book_efs},
        },
        "saves": {
            "synchronous": {w: async_waste, **fleet.SYNCHRONOUS, **SINGLE},
            "asynchronous": {w: async_waste, **SINGLE},
            "two-level, synchronous": {w: two_level_upload, **fleet.SYNCHRONOUS, **DOUBLE},
            "two-level, asynchronous": {w: two_level_upload, **DOUBLE},
        },
    },
    given={
        **{v: x for v, x in fleet.storage.given.items() if v is not fleet.p_b},
        **operations.CALENDAR,
        b_o: resilience.book_throughput,
        b_e: "3 GiB/s",
        Y: sites.month,
        K_k: kept,
        kappa_2: sites.s3_standard,
    },
    minimise=storage_cost,
    constraints={"kept checkpoints fit": V_k <= V_s * (1 - a_f)},
    uncertain={
        **{v: x for v, x in fleet.storage.uncertain.items() if v is not fleet.p_b},
        b_e: Range(facts.efs_low, facts.efs_high),
        b_o: Range("2 GB/s", "50 GB/s", source="assumed: from a few clients without tuning to hundreds of connections"),
    },
    error=(
        young_daly_measured.young_regret_worst,
        "waste at Young's interval above the best, in the worst case; services are compared in the same mode, whose errors cancel",
    ),
    decides=("service", "saves"),
    proposed={"service": "Lustre", "tier": "250", V_f: facts.small_size, "saves": "synchronous"},
    columns=(V_k,),
    labels={
        **fleet.LABELS,
        "service": "storage",
        "Lustre and object store": "newest on Lustre, older in an object store",
        "tier": "",
        V_f: "{}",
        **{tier: f"at {tier} MB/s/TiB" for tier in ("125", "250", "500", "1000")},
        V_k: "kept",
        K_s: "rent and waste",
        b_o: "bandwidth of the object store",
        b_e: "bandwidth of the network file system",
    },
    expects={"service": "object store", "saves": "two-level, asynchronous"},
    samples=300,
)

# --- spot or on demand ---------------------------------------------------------------------

z, lam, F, C = spot.z, spot.lam, spot.F, spot.C
t_c = Variable(
    "t_c", "s", "wait for servers after a preemption", tex=r"t_{\mathrm{c}}", display_unit="h", low="1 min", high="30 d"
)
s_v = Variable(
    "s_v", "s", "mean stay of a spot server", tex=r"s_{\mathrm{v}}", display_unit="h", low="1 min", high="10 year"
)
lam_p = Variable(
    "lam_p",
    "1/s",
    "preemptions of the job",
    tex=r"\lambda_{\mathrm{p}}",
    display_unit="1/h",
    low="0 /h",
    high="1000 /h",
    zero=True,
)
r_s = Variable(
    "r_s", "", "spot price over the price on demand, per server", tex=r"r_{\mathrm{s}}", low="0.02", high="0.98"
)
t_r = Variable("t_r", "s", "restart without a wait", tex=r"t_{\mathrm{r}}", display_unit="min", low="1 s", high="1 d")
n_k = Variable("n_k", "", "spare spot servers", tex=r"n_{\mathrm{k}}", low="0", high="1000", integer=True, zero=True)
mu_k = Variable(
    "mu_k", "", "mean number of spot servers away", tex=r"\mu_{\mathrm{k}}", low="0", high="10000", zero=True
)
n_i = Variable("n_i", "", "spare spot servers that are idle", tex=r"n_{\mathrm{i}}", low="0", high="1000", zero=True)
b_k = Variable("b_k", "", "mean number of servers taken back at once", tex=r"b_{\mathrm{k}}", low="1", high="1000")
v_k = Variable(
    "v_k", "", "variance of the servers away over their mean", tex=r"v_{\mathrm{k}}", low="0.001", high="2000"
)
p_k = Variable("p_k", "", "probability that no spare is free", tex=r"p_{\mathrm{k}}", low="0", high="1", zero=True)
x_r = Variable("x_r", "", "time of restarts over time of work", tex=r"x_{\mathrm{r}}", zero=True)
f_w = Variable("f_w", "", "wall-clock time over work", tex=r"f_{\mathrm{w}}")
r_b = Variable(
    "r_b", "", "price of a reserved block over the price on demand", tex=r"r_{\mathrm{b}}", low="0.02", high="2"
)
r_g = Variable(
    "r_g",
    "",
    "price on demand at a GPU cloud over that at a large provider",
    tex=r"r_{\mathrm{g}}",
    low="0.02",
    high="2",
)
t_b = Variable("t_b", "s", "step in which a block is reserved", display_unit="d", low="1 d", high="1 year")
q_b = Variable("q_b", "USD/h", "price of a server in a reserved block", low="0.001 USD/h", high="1000 USD/h")
block_ratio = Formula(r_b, q_b / spot.q_d, kind="definition", convention="of the same instance type, on the same day")
block_a100 = Example(block_ratio, {q_b: measured.block_a100, spot.q_d: sites.p4d_rate_2026}, digits=2)
block_h100_2024 = Example(block_ratio, {q_b: measured.block_h100_2024, spot.q_d: sites.p5_rate_2023}, digits=2)
block_h100 = Example(block_ratio, {q_b: measured.block_h100, spot.q_d: sites.p5_rate_2026}, digits=2)
cloud_ratio = Formula(r_g, g_s * q_g / spot.q_d, kind="definition", convention="of the same device")
PER_SERVER = {g_s: hardware.server_gpus}
cloud_a100 = Example(cloud_ratio, {**PER_SERVER, q_g: measured.cloud_a100, spot.q_d: sites.p4d_rate_2026}, digits=2)
cloud_h100 = Example(cloud_ratio, {**PER_SERVER, q_g: sites.demand_median, spot.q_d: sites.p5_rate_2026}, digits=2)
preemptions = Formula(
    lam_p,
    (1 - z) * n_v / (s_v * (b_k - (b_k - 1) * n_i / Max(1, (1 - z) * n_v + n_i))),
    kind="model",
    assumptions=(
        "bursts are independent of each other, their sizes geometric",
        "a burst takes any of the servers that are there, spares included",
    ),
    convention="bursts that take none but spares do not stop the job",
)
idle_spares = Formula(
    n_i, Max(0, n_k - mu_k), kind="model", assumptions="as many spares are idle as if the mean number were away"
)
servers_away = Formula(
    mu_k,
    ((1 - z) * n_v + n_k) * t_c / (s_v + t_c),
    kind="model",
    assumptions="steady state, and each preempted server is replaced after the wait",
)
clustering = Formula(
    v_k,
    (2 * b_k - 1) * s_v / (s_v + t_c),
    kind="model",
    assumptions="geometric bursts, among the servers that are there",
    convention="1 or less if servers are preempted one by one",
)
no_spare = Formula(
    p_k,
    Piecewise((1, n_k < 1), (lowergamma(Max(n_k, 1) / v_k, mu_k / v_k) / gamma_function(Max(n_k, 1) / v_k), True)),
    kind="model",
    assumptions="preemptions see the distribution over time, that of bursts of one size with the same mean and variance",
    convention="a Poisson number of bursts, continued between whole numbers",
)
interruptions = Formula(lam, lam_p + 1 / M, kind="definition")
mean_wait = Formula(
    spot.R,
    t_r + t_c * p_k * lam_p / lam,
    kind="definition",
    convention="mean over preemptions and failures; without a free spare the job waits for the whole time",
)
ALWAYS = "interruptions come at a constant rate, during writes and restarts too"
restarting = Formula(x_r, lam * spot.R, kind="definition")
stalling = Formula(x_r, lam_p * (t_p + t_c * p_k), kind="definition")
stretched = Formula(
    f_w, exp(lam * spot.R) * (exp(lam * (spot.tau + C)) - 1) / (lam * spot.tau), kind="model", assumptions=ALWAYS
)
stretched_in_place = Formula(
    f_w,
    exp(lam_p * (t_p + t_c * p_k)) * exp(t_r / M) * (exp((spot.tau + C) / M) - 1) * M / spot.tau,
    kind="model",
    assumptions=(ALWAYS, "a preemption loses no work: the spare copies the state of another replica"),
)
useful_hour = Formula(
    F,
    (z + r_s * (1 - z + (n_k - mu_k) / n_v)) * f_w,
    kind="model",
    assumptions="spot servers are paid for while they are there",
    convention="1 is the cost on demand without failures",
)
useful_hour_in_place = Formula(
    F,
    (z + r_s * (1 - z + (n_k - mu_k) / n_v)) * f_w + X_r / (u_f * T),
    kind="model",
    assumptions=("spot servers are paid for while they are there", "this run alone pays for the software"),
    convention="1 is the cost on demand without failures",
)
useful_hour_reserved = Formula(
    F,
    r_b * (f_w + t_b / (2 * T)),
    kind="model",
    assumptions="the block is paid for to its end, on average half a step after that of the run",
    convention="1 is the cost on demand without failures",
)
useful_hour_cloud = Formula(
    F,
    r_g * f_w,
    kind="model",
    assumptions="servers fail as often, and share a network that is as fast",
    convention="1 is the cost on demand without failures",
)
STOPS = {f_w: stretched, x_r: restarting}
SPARES = (2, 5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 400)
FLEETS = measured.spot_fleets
market = Decision(
    "Spot, reserved or on demand?",
    options={
        "servers": {
            "on demand": {z: "100 %", n_k: 0, F: useful_hour, **STOPS},
            "GPU cloud": {z: "100 %", n_k: 0, F: useful_hour_cloud, **STOPS},
            "reserved block": {z: "100 %", n_k: 0, F: useful_hour_reserved, **STOPS},
            "mixed": {z: ("10 %", "25 %", "50 %", "75 %"), n_k: (0, *SPARES), F: useful_hour, **STOPS},
            "spot": {z: "0 %", n_k: 0, F: useful_hour, **STOPS},
            "spot with spares": {z: "0 %", n_k: SPARES, F: useful_hour, **STOPS},
            "restart in place": {
                z: "0 %",
                n_k: SPARES,
                F: useful_hour_in_place,
                f_w: stretched_in_place,
                x_r: stalling,
            },
        },
        spot.tau: geomspace("2 min", "6 h", 30),
    },
    given={
        lam: interruptions,
        lam_p: preemptions,
        mu_k: servers_away,
        n_i: idle_spares,
        v_k: clustering,
        p_k: no_spare,
        spot.R: mean_wait,
        n_v: facts.book_servers,
        t_r: operations.RESTART,
        t_b: "7 d",
        u_f: operations.fleet_rate_today,
        C: Formula(C, C_1 + i_u, kind="definition"),
        C_1: fleet.GIVEN[C_1],
        i_u: fleet.GIVEN[i_u],
        M: facts.book_mtbf,
    },
    minimise=F,
    constraints={"restarts leave time for work": x_r <= 3},
    uncertain={
        s_v: Range(
            measured.shortest_stay,
            measured.stay_of_band,
            value=Range.measured(FLEETS, "stay").value,
            source="from the shortest mean stay in twelve traces to the lower end of the advisor's highest band; today the median of ten fleets",
        ),
        b_k: Range.measured(FLEETS, "burst"),
        t_c: Range(
            Range.measured(FLEETS, "away").low,
            "24 h",
            value=Range.measured(FLEETS, "away").value,
            source="from the quickest of ten fleets to a day without any; today their median",
        ),
        r_s: ownership_decisions.SPOT,
        r_g: Range(
            cloud_h100,
            "1",
            value=cloud_a100,
            source="from an H100 at the median of 37 providers to no difference; today an A100 at Lambda",
        ),
        r_b: Range(
            block_h100_2024,
            block_h100,
            value=block_a100,
            source="Amazon's blocks of H100 in 2024 and since October 2026; today that of A100",
        ),
        T: Range("10 d", "90 d", value="30 d", source="from a short run to the longest published ones"),
        t_p: goodput.UNCERTAIN[t_p],
        X_r: goodput.project_by_cost.uncertain[X_r],
        M: MTBF,
    },
    error=("10 %", "the market is priced hour by hour; a month's mean differs from the day of the comparison"),
    decides=("servers",),
    proposed={"servers": "spot"},
    columns=(lam,),
    labels={
        "servers": "servers",
        z: "{} on demand",
        n_k: "{} spares",
        "restart in place": "spot with spares, restart in place",
        "GPU cloud": "on demand at a GPU cloud",
        spot.tau: "a checkpoint every",
        F: "cost of a useful hour",
        lam: "interruptions",
        s_v: "mean stay of a spot server",
        b_k: "servers taken back at once",
        t_c: "wait for servers",
        r_s: "spot price over on demand",
        r_b: "reserved block over on demand",
        r_g: "GPU cloud over on demand",
        T: "length of the run",
        t_p: "time to restart in place",
        X_r: "engineers of restart in place",
        M: "MTBF",
    },
    usual={z: "0 %"},
    expects=[{"servers": "reserved block"}, {"servers": "GPU cloud"}],
)

# --- when a rank without a heartbeat is killed ----------------------------------------------

ALARMS = ("19 %", "as for the timeout of a larger cluster, whose hangs of a month are counted within it")
watchdog = goodput.timeout.variant(
    question="How long may a rank have no heartbeat?",
    given={
        **goodput.CASE,
        M_h: hang_share.solve_for("M_h"),
        M: facts.book_mtbf,
        h_h: goodput_measured.fleet_share,
        nu: "1 /h",
        L_f: operations.run_false,
    },
    uncertain={
        M: MTBF,
        h_h: goodput.UNCERTAIN[h_h],
        **{symbol: goodput.PAUSES[symbol] for symbol in (s_p, sigma_p)},
        nu: Range("0.1 /h", "6 /h", source="assumed: up to the pauses of the whole job, if all of them stop a process"),
        L_f: Range("6 min", "40 min", source="from a restart without lost work to twice that of the larger cluster"),
    },
    labels={**goodput.timeout.labels, M: "MTBF", h_h: "share of hangs", nu: "rate of pauses without a heartbeat"},
    proposed={theta: goodput.progress.nccl_timeout},
    error=ALARMS,
    expects={theta: ("3.5 min", "8.5 min")},
)

# --- when an alert pages a person ----------------------------------------------------------

M_u = Variable(
    "M_u",
    "s",
    "mean time between stalls that the watchdog does not end",
    tex=r"M_{\mathrm{u}}",
    display_unit="h",
    low="1 h",
    high="100 year",
)
q_u = Variable(
    "q_u",
    "",
    "share of hangs that the watchdog does not end",
    tex=r"q_{\mathrm{u}}",
    display_unit="%",
    low="0.1 %",
    high="100 %",
)
c_p = Variable("c_p", "USD", "price of a false page", tex=r"c_{\mathrm{p}}", low="1 USD", high="100000 USD")
k_a = Variable("k_a", "USD/s", "cost of late and false pages", tex=r"k_{\mathrm{a}}", display_unit="USD/h")
unended = Formula(M_u, M / (h_h * q_u), kind="definition", domain=(h_h > 0,))
paging_cost = Formula(
    k_a,
    u_f * d_a / M_u + c_p * nu * p_l,
    kind="model",
    assumptions="a false page costs a person's time; it does not stop the job",
)
alert = Decision(
    "How long may a run make no progress before a person is paged?",
    options={d_a: (*geomspace("2 min", "60 min", 100), book_delay)},
    given={
        M_u: unended,
        M: facts.book_mtbf,
        h_h: goodput_measured.fleet_share,
        q_u: "10 %",
        c_p: "200 USD",
        p_l: longer_pauses,
        theta: Formula(theta, d_a, kind="definition"),
        u_f: operations.fleet_rate_today,
        **{symbol: goodput.timeout.given[symbol] for symbol in (nu, s_p, sigma_p)},
    },
    minimise=paging_cost,
    uncertain={
        **{symbol: goodput.timeout.uncertain[symbol] for symbol in (nu, s_p, sigma_p)},
        q_u: Range("2 %", "50 %", source="assumed: the watchdog ends from half to nearly all hangs"),
        c_p: Range("20 USD", "2000 USD", source="assumed: from a short check by day to a lost night"),
        h_h: goodput.UNCERTAIN[h_h],
        M: MTBF,
    },
    error=ALARMS,
    proposed={d_a: book_delay},
    labels={
        d_a: "delay",
        k_a: "late and false pages",
        M: "MTBF",
        h_h: "share of hangs",
        q_u: "hangs that the watchdog does not end",
        c_p: "price of a false page",
        nu: "rate of pauses",
        s_p: "mean pause",
        sigma_p: "tail of the pauses",
    },
    expects={d_a: ("8 min", "20 min")},
)

# --- copies in a second region -------------------------------------------------------------

gamma_r = Variable(
    "gamma_r",
    "USD/B",
    "price of fast replication",
    tex=r"\gamma_{\mathrm{r}}",
    display_unit="USD/GiB",
    low="0 USD/GiB",
    high="1 USD/GiB",
    zero=True,
)
T_m = Variable(
    "T_m",
    "s",
    "time for which a class charges at least",
    tex=r"T_{\min}",
    display_unit="d",
    low="0 s",
    high="1 year",
    zero=True,
)
k_v = Variable(
    "k_v",
    "USD/s",
    "rent of servers that wait",
    tex=r"k_{\mathrm{w}}",
    display_unit="USD/h",
    low="0 USD/h",
    high="1000000 USD/h",
    zero=True,
)
a_g = Variable(
    "a_g",
    "s",
    "work lost with a region",
    tex=r"a_{\mathrm{g}}",
    display_unit="h",
    low="0 s",
    high="100 year",
    zero=True,
)
k_x = Variable(
    "k_x",
    "USD/s",
    "price of copying",
    tex=r"k_{\mathrm{x}}",
    display_unit="USD/h",
    low="0 USD/h",
    high="1000000 USD/h",
    zero=True,
)
t_v = Variable(
    "t_v",
    "s",
    "time for which a deleted version stays",
    tex=r"t_{\mathrm{v}}",
    display_unit="d",
    low="1 d",
    high="1 year",
)
k_g = Variable(
    "k_g", "USD/s", "copies, waiting servers and what a lost region costs", tex=r"k_{\mathrm{g}}", display_unit="USD/h"
)
copying = Formula(
    k_x,
    ((gamma + gamma_r) * S + kappa * S * Max(T_m, 2 * tau_c + t_v) / Y) / tau_c,
    kind="model",
    assumptions=(
        "every copy is a whole checkpoint",
        "two copies are stored, and deleted ones as long as their versions",
    ),
)
region_cost = Formula(
    k_g,
    k_x + k_v + u_f * (a_g + t_c) / M_r,
    kind="model",
    assumptions="regions are lost at a constant rate",
    convention="lost work and waiting at the price of the cluster",
)
COPIED = {
    k_x: copying,
    a_g: Formula(a_g, tau_c / 2 + l, kind="model", assumptions="the region fails at a random time between two copies"),
    tau_c: (*geomspace("6 h", "400 h", 40), "49.7 h"),
}
region = Decision(
    "How should a run be protected against the loss of its region?",
    options={
        "copies": {
            "none": {
                k_x: "0 USD/h",
                a_g: Formula(
                    a_g, T / 2, kind="model", assumptions="the run starts over; half of it is lost on average"
                ),
            },
            "copied": {
                **COPIED,
                "class": {
                    "standard": {kappa: sites.s3_standard, T_m: "0 s"},
                    "infrequent access": {kappa: facts.s3_infrequent, T_m: facts.least_infrequent},
                    "instant archive": {kappa: sites.s3_archive, T_m: facts.least_archive},
                },
                "replication": {
                    "timed": {gamma_r: facts.fast_replication, l: resilience.book_lag},
                    "untimed": {gamma_r: "0 USD/GiB", l: "4 h"},
                },
            },
        },
        "servers": {
            "rented on the day": {t_c: "24 h", k_v: "0 USD/h"},
            "reserved": {
                t_c: "1 min",
                k_v: Formula(k_v, u_f, kind="definition", convention="a reserved server costs what a running one does"),
            },
        },
    },
    given={
        S: resilience.checkpoint,
        gamma: sites.replication,
        Y: sites.month,
        t_v: "7 d",
        T: "30 d",
        u_f: operations.fleet_rate_today,
        M_r: "20 year",
    },
    minimise=region_cost,
    uncertain={
        M_r: Range(
            "5 year",
            "400 year",
            source="assumed: from a quarter of today's to more than twice the mean of Amazon's regions",
        ),
        T: Range("10 d", "90 d", source="from a short run to the longest published ones"),
        u_f: operations.FLEET_RATES,
        gamma: Range("0.01 USD/GiB", "0.09 USD/GiB", source="from neighbouring regions to another continent or cloud"),
    },
    error=("10 %", "list prices of one region against those of others"),
    decides=("copies", "class", "replication", "servers"),
    proposed={"copies": "copied", "class": "instant archive", "replication": "timed", "servers": "rented on the day"},
    labels={
        "copies": "copies",
        "class": "class",
        "replication": "replication",
        "servers": "servers",
        tau_c: "every",
        k_g: "cost",
        M_r: "time between losses of a region",
        T: "length of the run",
        u_f: "price of an hour",
        gamma: "price of the transfer",
    },
    expects=[
        {"copies": "copied", "class": name, "replication": "untimed", "servers": "rented on the day"}
        for name in ("standard", "infrequent access", "instant archive")
    ],
)
