"""The decisions of the chapter on operations: found again in plain loops, and launched as they are decided."""

import math
import statistics
from heapq import heapify, heappop, heappush
from itertools import product
from random import Random

import pytest
from scipy.special import gammainc

from mathcore import find

HOUR, DAY, YEAR, GIB = 3600.0, 86400.0, 31557600.0, 2**30
FLEET = 2195.7642  # USD an hour: a hundred servers at today's list price
SIZE = 0.98e12  # bytes of a checkpoint


def best(name, **fixed):
    """Return `{lever: setting}` of the best option of a decision, numbers in declared units."""
    return find(name).best(**fixed).option.levers


def given(example, symbol):
    """Return a given of an example of the chapter in its declared unit."""
    found = {v.name: (v, value) for v, value in find(f"operations.{example}").givens.items()}
    variable, value = found[symbol]
    return float(value.m_as(variable.unit))


def test_interval_and_levels_are_launched_as_the_fleet_decides():
    decided = best("fleet_checkpointing.decisions.storage")
    assert decided["saves"] == "two-level, asynchronous"
    assert find("operations.run_interval").value.m_as("s") == pytest.approx(decided["W"])
    assert given("run_interval", "k_f") == decided["k"]
    here = best("operations.decisions.storage")
    assert (here["W"], here["k"]) == (decided["W"], decided["k"])


def test_storage_is_chosen_among_four_services():
    services = {option.levers["service"] for option in find("operations.decisions.storage").space}
    assert services == {"Lustre", "Lustre and object store", "object store", "network file system"}


def test_file_system_is_rented_as_decided():
    decided = best("operations.decisions.storage", service="Lustre")
    assert decided["saves"] == "two-level, asynchronous"
    assert decided["V_f"] == pytest.approx(given("run_rate", "V_s"))
    assert f"{given('run_rate', 'rho') * 2**40 / 1e6:.0f}" == decided["tier"]


def test_lustre_ties_at_the_published_price_of_the_cluster_only():
    """Rents and waste of two levels, by hand: 5 s and 15.7 s an hour, uploads and loads for one failure in ten."""
    decision = find("operations.decisions.storage")

    def cost(price, bandwidth, rent):
        upload = SIZE / bandwidth
        lost = 0.9 * HOUR / 5 / 2 + 0.1 * (HOUR / 2 + (1 + 3.95) * upload)
        return rent + price * ((5 * 5 + 15.7) / HOUR + lost / (12 * HOUR))

    for price, ties in ((FLEET, False), (3277.0, True)):
        costs = {
            "object store": cost(price, 10e9, 13.2e12 / GIB * 0.023 / 730.5),
            "Lustre": cost(price, 14400 / 1024 * 500e6, find("operations.run_rent").value.m_as("USD/h")),
        }
        for service, expected in costs.items():
            found = decision.best(u_f=f"{price} USD/h", service=service).value.m_as("USD/h")
            assert found == pytest.approx(expected, rel=2e-3), service
        assert (costs["Lustre"] < 1.1 * costs["object store"]) == ties


def test_bandwidth_of_the_launched_file_system_ties_with_the_best():
    """Rent for bandwidth, uploads and loads, at today's and the published price of the cluster."""
    rent = find("operations.bandwidth_1000").value.m_as("USD/TB") * 1e-12 * HOUR

    def cost(bandwidth, price):
        lost = 0.9 * HOUR / 5 / 2 + 0.1 * (HOUR / 2 + (1 + 3.95) * SIZE / bandwidth)
        return rent * bandwidth + price * ((5 * 5 + 15.7) / HOUR + lost / (12 * HOUR))

    decision = find("fleet_checkpointing.decisions.storage")
    launched = find("operations.run_rate").value.m_as("B/s")
    for price in (FLEET, 3277.0):
        found = decision.best(u_f=f"{price} USD/h")
        assert found.option.levers["saves"] == "two-level, asynchronous"
        assert found.value.m_as("USD/h") == pytest.approx(cost(found.option.levers["b"], price), rel=2e-3)
        best = min(cost(each * 1e8, price) for each in range(10, 400))
        assert best <= cost(launched, price) < 1.01 * best


def test_delays_and_copies_are_launched_as_decided_or_tie():
    """The files were run with the published price of the cluster: what was launched ties at today's price."""
    assert given("hang_timeout", "d_a") == pytest.approx(best("operations.decisions.watchdog")["theta"])
    copied = find("operations.region_copy").value.m_as("s")
    launched = {
        "goodput.decisions.timeout": ("theta", given("hang_timeout", "d_a"), 0.19),
        "operations.decisions.alert": ("d_a", given("run_page", "d_a"), 0.19),
        "operations.decisions.region": ("tau_c", copied, 0.1),
    }
    for name, (lever, value, error) in launched.items():
        decision = find(name)
        [near] = {o.levers[lever] for o in decision.space if abs(o.levers.get(lever, 0) / value - 1) < 1e-3}
        cost = decision.best(**{lever: f"{near} s"}).value
        assert cost < (1 + error) * decision.best().value, name


def test_watchdog_in_a_plain_loop():
    """A hang of a hundred hours, a pause of the whole process an hour, and 12 min lost to a false alarm."""

    def lost(seconds):
        z = (math.log(seconds / 20) + 1.2**2 / 2) / 1.2
        return seconds / (12 / 0.12 * HOUR) + 12 / 60 * math.erfc(z / math.sqrt(2)) / 2

    found = find("operations.decisions.watchdog").best()
    assert found.option.levers["theta"] == pytest.approx(min(range(30, 1800), key=lost), rel=0.04)
    assert found.value.m_as("") == pytest.approx(min(map(lost, range(30, 1800))), rel=2e-3)


def test_calendar_is_the_one_that_is_decided():
    decided = best("resilience.decisions.retention", keep="calendar")
    assert {name: given("run_tiers", name) for name in ("j_1", "j_2", "j_3", "g_2", "g_3")} == pytest.approx(
        {name: decided[name] for name in ("j_1", "j_2", "j_3", "g_2", "g_3")}
    )


def test_delay_of_the_alert_in_a_plain_loop():
    """1 % of hangs never end, six pauses an hour of 20 s with a lognormal tail, 200 USD for a page."""
    share = find("goodput.measured.fleet_share").value.m_as("")

    def cost(minutes, price=FLEET):
        z = (math.log(minutes * 60 / 20) + 1.2**2 / 2) / 1.2
        return price * minutes / 60 * share * 0.1 / 12 + 200 * 6 * math.erfc(z / math.sqrt(2)) / 2

    decision = find("operations.decisions.alert")
    levers = [option.levers["d_a"] / 60 for option in decision.space]
    assert best("operations.decisions.alert")["d_a"] / 60 == pytest.approx(min(levers, key=cost))
    assert decision.solve().values()["best"].m_as("USD/h") == pytest.approx(min(map(cost, levers)), rel=1e-6)
    published = min(levers, key=lambda minutes: cost(minutes, 3277.0))
    assert given("run_page", "d_a") / 60 == pytest.approx(published, rel=0.01), "the launched delay is that of the page"


def test_region_in_a_plain_loop():
    classes = {"standard": (0.023, 0), "infrequent access": (0.0125, 30), "instant archive": (0.004, 90)}
    kinds = {"timed": (0.015, 0.25), "untimed": (0.0, 4.0)}
    hours = {option.levers.get("tau_c", 0) / HOUR for option in find("operations.decisions.region").space} - {0}

    def cost(held, kind, every):
        (price, least), (extra, lag) = classes[held], kinds[kind]
        days = max(least, 2 * every / 24 + 7)
        copy = SIZE / GIB * (0.02 + extra + price * days * 24 / 730.5)
        return copy / every + FLEET * (every / 2 + lag + 24) * HOUR / (20 * YEAR)

    found = min(product(classes, kinds, hours), key=lambda option: cost(*option))
    decided = best("operations.decisions.region")
    assert (decided["class"], decided["replication"]) == found[:2]
    assert decided["tau_c"] / HOUR == pytest.approx(found[2])
    assert find("operations.decisions.region").solve().values()["best"].m_as("USD/h") == pytest.approx(
        cost(*found), rel=1e-6
    )
    assert decided["servers"] == "rented on the day"
    again = find("operations.decisions.region").best(copies="none")  # half of a run of 30 days, and a day of waiting
    assert again.value.m_as("USD/h") == pytest.approx(FLEET * (15 + 1) * DAY / (20 * YEAR), rel=1e-6)


def market_loop(decision, stay, burst, wait):
    """Return `{servers: least cost of a useful hour}`: a hundred servers, six minutes of restart, a run of 30 days."""
    ratio = find("ownership.measured.spot_ratio").fitted_parameters["sigma"].value.m_as("")
    write = (5 + find("fleet_checkpointing.interference_process").value.m_as("s")) / HOUR

    def dilated(rate, restart, every):
        return math.exp(rate * restart) * math.expm1(rate * (every + write)) / (rate * every)

    def factor(servers, share, spares, every):
        spot = (1 - share) * 100 + spares
        away = spot * wait / (stay + wait)
        there = max((1 - share) * 100, spot - away)
        idle = 1 - (1 - share) * 100 / there if spot else 0.0
        in_vain = idle / (burst - (burst - 1) * idle)  # only idle spares are hit
        taken = there / (stay * burst) * (1 - in_vain)  # bursts of any servers, a geometric number at once
        size = (2 * burst - 1) * stay / (stay + wait)
        gone = gammainc(spares / size, away / size) if spares else 1.0
        paid = share + ratio * (spot - away) / 100
        prices = {"GPU cloud": (8 * 1.99, 0.0), "reserved block": (13.568, 3.5 / 30)}
        if servers in prices:
            return prices[servers][0] / 21.957642 * (dilated(1 / 12, 0.1, every) + prices[servers][1])
        if servers == "restart in place":
            stalls = taken * (150 / HOUR + wait * gone)
            return (
                paid * math.exp(stalls) * dilated(1 / 12, 0.1, every) + 1.5e6 / (FLEET * 720)
                if stalls <= 3
                else math.inf
            )
        rate = taken + 1 / 12
        restart = 0.1 + wait * gone * taken / rate
        return paid * dilated(rate, restart, every) if rate * restart <= 3 else math.inf

    found = {}
    for option in decision.space:
        numbers = {symbol.name: value for symbol, value in option.numbers.items()}
        servers, every = option.levers["servers"], option.levers["tau"] / HOUR
        found[servers] = min(found.get(servers, math.inf), factor(servers, numbers["z"], numbers["n_k"], every))
    return found


@pytest.mark.parametrize(
    ("stay", "burst", "name"),
    [
        (2.375, 3.195, "reserved block"),
        (9.0, 3.195, "reserved block"),
        (18.0, 3.195, "reserved block"),
        (30.0, 3.195, "spot with spares"),
        (18.0, 1.25, "reserved block"),
        (18.0, 11.11, "spot with spares"),
        (168.0, 1.25, "spot with spares"),
    ],
)
def test_market_in_a_plain_loop(stay, burst, name):
    decision = find("operations.decisions.market")
    found = market_loop(decision, stay, burst, 1.885)
    assert set(found) == {
        "on demand",
        "GPU cloud",
        "reserved block",
        "mixed",
        "spot",
        "spot with spares",
        "restart in place",
    }
    assert min(found, key=found.get) == name
    best_here = decision.best(s_v=f"{stay} h", b_k=burst)
    assert best_here.option.levers["servers"] == name
    assert best_here.value.m_as("") == pytest.approx(found[name], rel=1e-6)


def test_spot_wins_with_the_stay_burst_and_wait_of_no_fleet():
    """Two fleets, of large bursts and short waits, are cheaper than on demand at a large provider, and no more."""
    decision = find("operations.decisions.market")
    cheapest = {}
    for row in find("operations.measured.spot_fleets").rows:
        found = market_loop(decision, row["stay"].m_as("h"), row["burst"].m_as(""), row["away"].m_as("h"))
        cheapest[str(row["zone"])] = min(found, key=found.get)
        below = min(found["spot"], found["spot with spares"]) < found["on demand"]
        assert below == (str(row["zone"]) in ("us-east1-b", "us-east1-c")), row["zone"]
    assert set(cheapest.values()) == {"reserved block"}


def test_hours_paid_on_spot_are_those_of_the_market_at_the_fleet_of_a100s():
    """A useful hour on spot over one on demand, without the difference of the prices."""
    found = market_loop(find("operations.decisions.market"), 10.05, 4.28, 1.17)
    ratio = find("ownership.measured.spot_ratio").fitted_parameters["sigma"].value.m_as("")
    paid = found["spot with spares"] / found["on demand"] / ratio
    assert find("ownership.decisions.mix").solve().values()["f_s"].m_as("") == pytest.approx(paid, abs=0.05)


def test_market_takes_the_medians_of_the_fleets():
    rows = find("operations.measured.spot_fleets").rows
    stays, bursts, waits = (sorted(row[name].m for row in rows) for name in ("stay", "burst", "away"))
    ranges = find("operations.decisions.market").solve().values()
    assert ranges["s_v"].m_as("h") == pytest.approx(statistics.median(stays))
    assert ranges["t_c"].m_as("h") == pytest.approx(statistics.median(waits))
    assert [ranges[name].m_as("") for name in ("b_k_low", "b_k", "b_k_high")] == pytest.approx(
        [bursts[0], statistics.median(bursts), bursts[-1]]
    )


def simulated_market(servers, spares, stay, wait, burst, end):
    """Return servers away on average, bursts that stop the job for each hour, and the share without a free spare."""
    random = Random(20)
    between = stay * burst / (servers + spares)
    events = [(random.expovariate(1 / between), "leave")]
    away = stopped = without = bursts = last = hours_away = 0
    while events[0][0] < end:
        time, what = heappop(events)
        hours_away, last = hours_away + away * (time - last), time
        if what == "come":
            away -= 1
            continue
        heappush(events, (time + random.expovariate(1 / between), "leave"))
        if random.random() < away / (servers + spares):
            continue  # fewer are there, so fewer bursts
        size = 1 + next(count for count in range(10**6) if random.random() < 1 / burst)
        size = min(size, servers + spares - away)
        stopped += any(random.random() * (servers + spares - away) < servers for _ in range(size))
        away, bursts = away + size, bursts + 1
        without += away > spares
        for _ in range(size):
            heappush(events, (time + wait, "come"))
    return hours_away / end, stopped / end, without / bursts


@pytest.mark.parametrize(
    ("spares", "stay", "wait", "burst"), [(40, 12, 3, 4.28), (60, 12, 3, 4.28), (80, 12, 6, 4.28), (60, 12, 3, 8)]
)
def test_bursts_of_a_simulated_spot_market(spares, stay, wait, burst):
    away, stopped, without = simulated_market(100, spares, stay, wait, burst, 20_000.0)
    market = {"z": 0, "n_v": 100, "s_v": f"{stay} h"}
    on_average = find("operations.decisions.servers_away").at(**market, n_k=spares, t_c=f"{wait} h")
    assert away == pytest.approx(on_average.m_as(""), rel=0.02)
    rate = find("operations.decisions.preemptions").at(**market, b_k=burst, n_i=spares - on_average.m_as(""))
    assert stopped == pytest.approx(rate.m_as("1/h"), rel=0.05)
    spread = find("operations.decisions.clustering").at(s_v=f"{stay} h", t_c=f"{wait} h", b_k=burst)
    stated = find("operations.decisions.no_spare").at(n_k=spares, mu_k=on_average, v_k=spread)
    assert without == pytest.approx(stated.m_as(""), rel=0.12)


@pytest.mark.parametrize(("all_servers", "share"), [(100, 0), (500, 0.8)])
def test_spares_of_a_simulated_spot_market(all_servers, share):
    """Servers that leave and come back at random: how many are away, and how often no spare is free."""
    random = Random(20)
    servers, spares, stay, wait, end = round((1 - share) * all_servers), 4, 100.0, 2.0, 60_000.0
    events = [(random.expovariate(1 / stay), "leave") for _ in range(servers + spares)]
    heapify(events)
    away = preempted = without = last = hours_away = 0
    while events[0][0] < end:
        time, what = heappop(events)
        hours_away, last = hours_away + away * (time - last), time
        if what == "leave":
            preempted += 1
            without += away >= spares
            away += 1
            heappush(events, (time + wait, "come"))
        else:
            away -= 1
            heappush(events, (time + random.expovariate(1 / stay), "leave"))
    market = {"z": share, "n_v": all_servers, "n_k": spares, "t_c": "2 h", "s_v": f"{stay} h"}
    away_on_average = find("operations.decisions.servers_away").at(**market)
    assert hours_away / end == pytest.approx(away_on_average.m_as(""), rel=0.01)
    spread = find("operations.decisions.clustering").at(s_v=market["s_v"], t_c="2 h", b_k=1)
    stated = find("operations.decisions.no_spare").at(n_k=4, mu_k=away_on_average, v_k=spread)
    assert without / preempted == pytest.approx(stated.m_as(""), rel=0.05)


def test_interval_that_is_not_the_decided_one_is_found():
    assert best("fleet_checkpointing.decisions.storage", M="3 h")["W"] != pytest.approx(
        find("operations.run_interval").value.m_as("s")
    )
