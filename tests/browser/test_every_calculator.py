"""Every calculator can be played: what is moved and what answers are on the screen together, and stay there.

Each page is opened at the sizes of a laptop and of a phone. An input is operated where the keyboard brings it,
and then the browser is asked where the input and the chart lie. Nothing here knows how the page does it.
"""

import re

import pytest
from browser.calculator_element import FRAMES, CalculatorElement, unlock
from browser.case_selection import in_turn, seldom
from built_site import PAGES, SITE
from selenium.webdriver.common.keys import Keys

from mathcore import find
from mathcore.library import current_library
from mathcore.teaching import Calculator
from mathcore.teaching.calculators import Chart, Slider

WITH = [page for page in PAGES if "<mc-explorer" in (SITE / page).read_text("utf-8")]
SCREENS = {"laptop": (1280, 800), "phone": (390, 844)}
MOST = 5  # inputs that are open at once
CALCULATORS = [
    e for name in current_library.names() for _, e in current_library.statements(name) if isinstance(e, Calculator)
]

# Each input of each calculator of the page: focused, moved to its ends, and looked for. A chart is seen if all of
# it lies between the page's bar and the lower end of the screen; so is an input.
OPERATED = f"""
const frames = () => {FRAMES};
const bar = document.querySelector(".mc-top").getBoundingClientRect().bottom;
const inside = (box) => box.top >= bar - 2 && box.bottom <= innerHeight + 2;
const place = (box) => `${{Math.round(box.top)}} to ${{Math.round(box.bottom)}}`;
const found = [];
return (async () => {{
  for (const own of document.querySelectorAll("mc-explorer")) {{
    if (!own.checkVisibility()) {{ found.push(`${{own.dataset.address}} is hidden`); continue; }}
    own.querySelectorAll("details").forEach((fold) => {{ fold.open = true; }});
    for (const box of own.querySelectorAll("[data-input]")) {{
      const field = box.querySelector("input[type=range], input:checked");
      const name = `${{own.dataset.address}}, ${{box.dataset.input}}`;
      field.focus();
      await frames();
      const ends = field.type === "range" ? [field.max, field.min, field.value] : [null];
      for (const end of ends) {{
        if (end !== null) {{
          field.value = end;
          field.dispatchEvent(new Event("input", {{ bubbles: true }}));
          await frames();
        }}
        const chart = own.querySelector(".mc-plot svg").getBoundingClientRect(), input = box.getBoundingClientRect();
        if (!inside(chart)) found.push(`${{name}}: the chart lies at ${{place(chart)}}`);
        if (!inside(input)) found.push(`${{name}}: the input lies at ${{place(input)}}`);
        if (input.top < chart.bottom - 1 && input.bottom > chart.top + 1 &&
            input.left < chart.right - 1 && input.right > chart.left + 1) found.push(`${{name}}: one covers the other`);
      }}
      own.querySelector(".mc-reset").click();
      await frames();
    }}
  }}
  return [...new Set(found)];
}})();
"""
OPEN = """
return [...document.querySelectorAll("mc-explorer")].map((own) => [own.dataset.address,
  [...own.querySelectorAll("[data-input]")].filter((box) => box.checkVisibility()).length]);
"""
PLACES = """
const own = document.querySelector(`mc-explorer[data-address="${arguments[0]}"]`);
return [...own.querySelectorAll("svg.mc-chart, .mc-bars")].filter((each) => each.getBoundingClientRect().height)
  .map((each) => Math.round(each.getBoundingClientRect().top + scrollY));
"""
LINE = "[data-part=summary]"


def opened(chromium, server, page, screen):
    """Open a page with everything unlocked and every guess passed over."""
    width, height = SCREENS[screen]
    chromium.open(f"{server}/{page}", width=width, height=height, fresh=True)
    for _ in range(3):  # a part that opens may hold another that waits
        unlock(chromium)
    return chromium


@pytest.mark.parametrize(("page", "screen"), in_turn(WITH, SCREENS, 3))
def test_chart_and_the_input_that_is_operated_are_seen_together(chromium, server, page, screen):
    assert opened(chromium, server, page, screen).run(OPERATED) == []


@pytest.mark.parametrize("page", seldom(WITH, (), 5))
def test_at_most_five_inputs_are_open(chromium, server, page):
    counts = dict(opened(chromium, server, page, "phone").run(OPEN))
    assert counts and {a: n for a, n in counts.items() if n > MOST} == {}
    assert all(n == min(MOST, len(find(a).sliders)) for a, n in counts.items())


@pytest.mark.parametrize("screen", SCREENS)
def test_chart_that_does_not_stay_is_found(chromium, server, screen):
    page = opened(chromium, server, "book/chapters/lab-full-stack/index.html", screen)
    page.run(
        "document.head.append(Object.assign(document.createElement('style'),"
        "{textContent: '.mc-stage { position: static !important; }'}))"
    )
    found = page.run(OPERATED)
    assert any("the chart lies at" in each for each in found), found


# ---------------------------------------------------------------- what is shown and what Python computes

OF_CHAPTERS = [page for page in WITH if "/lab-" not in page]  # test_every_lab.py compares those of labs


def compared(page):
    """Compare each calculator of an open page with Python at one state; return their number."""
    found = page.run("return [...document.querySelectorAll('mc-explorer')].map((own) => own.dataset.address)")
    for address in found:
        calculator = CalculatorElement(page, address)
        calculator.compare(calculator.random_states(2)[-1])
    return len(found)


@pytest.mark.parametrize("page", OF_CHAPTERS)
def test_calculator_of_a_chapter_shows_what_python_computes(chromium, server, page):
    assert compared(opened(chromium, server, page, "laptop")) > 0


def test_number_of_a_chapter_that_is_not_python_s_is_found(chromium, server):
    page = opened(chromium, server, "book/chapters/serving/batching.html", "laptop")
    page.run("const { show } = mc; mc.show = (value, ...more) => show(1.02 * value, ...more)")
    with pytest.raises(AssertionError):
        compared(page)


# ---------------------------------------------------------------- failures

FAILING = [e for e in CALCULATORS if e.failures and e.address.startswith("lab_")]


def pages_of(address):
    """Return the page of a calculator."""
    return next(page for page in WITH if f'data-address="{address}"' in (SITE / page).read_text("utf-8"))


def both(calculator):
    """Return a state in which a calculator fails and one in which it does not."""
    found = {}
    for state in calculator.random_states(400):
        found.setdefault(any(calculator.fails(each.title, state) for each in calculator.calculator.failures), state)
        if len(found) == 2:
            return found[True], found[False]
    raise AssertionError(f"{calculator.address} always fails, or never")


def moved_by_failure(page, address):
    """Return whether any chart moves when the text of a failure is removed."""
    calculator = CalculatorElement(page, address)
    failing, sound = both(calculator)
    calculator.set(sound)
    page.run("scrollTo(0, 0)")
    chart = page.run(PLACES, address)[0]
    calculator.set(failing)
    page.run("scrollTo(0, 0)")
    places = page.run(PLACES, address)
    box = "document.querySelector(`mc-explorer[data-address='${arguments[0]}'] [data-part=failures]`)"
    assert page.run(f"return {box}.textContent", address)
    page.run(f"{box}.replaceChildren()", address)
    return places != page.run(PLACES, address) or places[0] != chart


@pytest.mark.parametrize(("calculator", "screen"), in_turn(FAILING, SCREENS, 2))
def test_failure_moves_no_chart(chromium, server, calculator, screen):
    page = opened(chromium, server, pages_of(calculator.address), screen)
    assert moved_by_failure(page, calculator.address) is False


def test_failure_above_the_chart_is_found(chromium, server):
    calculator = find("lab_full_stack.designer")
    page = opened(chromium, server, pages_of(calculator.address), "laptop")
    own = f"document.querySelector('mc-explorer[data-address=\"{calculator.address}\"]')"
    page.run(f"{own}.prepend({own}.querySelector('[data-part=failures]'))")
    assert moved_by_failure(page, calculator.address) is True


# ---------------------------------------------------------------- what is patched under a hand

# Each part of a calculator after each move beside what its HTML would be if it were written anew.
PATCHED = f"""
const frames = () => {FRAMES};
const [address, states] = arguments;
const own = document.querySelector(`mc-explorer[data-address="${{address}}"]`);
const apart = [];
return (async () => {{
  await frames();
  for (const next of states) {{
    own.move({{ ...own.state, ...next }}, own);
    await frames();
    const copy = JSON.parse(JSON.stringify(own.spec));
    for (const [name, html] of Object.entries(mc.explorer.parts(copy, own.state, [own.layout]))) {{
      const part = own.part(name), anew = part.cloneNode(false);
      anew.innerHTML = html;
      if (!anew.isEqualNode(part)) apart.push(`${{name}} at ${{JSON.stringify(own.state)}}`);
    }}
  }}
  return apart;
}})();
"""


def walked(calculator, count):
    """Return moves through random states: one input alone, then all that remain."""
    for i, state in enumerate(calculator.random_states(count, seed=3)):
        name = list(state)[i % len(state)]
        yield from ({name: state[name]}, state)


@pytest.mark.parametrize("page", seldom(WITH, ("book/chapters/young-daly/index.html",), 8))
def test_what_is_patched_is_what_would_be_written_anew(chromium, server, page):
    opened(chromium, server, page, "laptop")
    found = chromium.run("return [...document.querySelectorAll('mc-explorer')].map((own) => own.dataset.address)")
    assert found
    for address in found:
        moves = list(walked(CalculatorElement(chromium, address), 20))
        assert chromium.run(PATCHED, address, moves) == [], address


def test_patch_that_leaves_an_old_number_is_found(chromium, server):
    page = opened(chromium, server, "book/chapters/young-daly/index.html", "laptop")
    calculator = CalculatorElement(page, "young_daly.explorer")
    moves = list(walked(calculator, 4))
    only = "(part, was, now) => part.matches('.mc-plot') && patch(part, was, now)"
    page.run(f"const patch = mc.patch; mc.patch = Object.assign({only}, patch)")
    assert any(each.startswith("table") for each in page.run(PATCHED, calculator.address, moves))


# ---------------------------------------------------------------- what comes and goes under a hand

# Each slider from end to end and back, and let go there. What has become lower meanwhile is returned, and what is
# higher at the end than a copy of it that has never been moved; and how often cautions came or went.
SWEPT = f"""
const frames = () => {FRAMES};
const heights = (own) => Object.fromEntries([...own.querySelectorAll("[data-part]")]
  .map((part) => [part.dataset.part, part.getBoundingClientRect().height]));
const warnings = (own) => own.querySelectorAll(".mc-validity-warning").length;
const found = new Set();
let turns = 0;
return (async () => {{
  for (const own of document.querySelectorAll("mc-explorer")) {{
    own.querySelectorAll("details").forEach((fold) => {{ fold.open = true; }});
    for (const field of own.querySelectorAll("input[type=range]")) {{
      const name = `${{own.dataset.address}}, ${{field.closest("[data-input]").dataset.input}}`;
      const [low, high] = [Number(field.min), Number(field.max)];
      own.querySelector(".mc-reset").click();
      await frames();
      for (let before = heights(own), shown = warnings(own), step = 0; step <= 24; step += 1) {{
        field.value = low + (high - low) * (1 - Math.abs(step - 12) / 12);
        field.dispatchEvent(new Event("input", {{ bubbles: true }}));
        await frames();
        const now = heights(own);
        for (const [part, height] of Object.entries(now)) {{
          if (height < before[part] - 0.1) found.add(`${{name}}: ${{part}} becomes lower`);
        }}
        turns += warnings(own) !== shown;
        [before, shown] = [now, warnings(own)];
      }}
      field.dispatchEvent(new Event("change", {{ bubbles: true }}));
      await frames();
      for (const part of own.querySelectorAll("[data-part]")) {{
        const copy = part.cloneNode(true);
        copy.removeAttribute("style");
        part.after(copy);
        if (part.offsetHeight > copy.offsetHeight) found.add(`${{name}}: ${{part.dataset.part}} keeps its room`);
        copy.remove();
      }}
    }}
  }}
  return [[...found], turns];
}})();
"""
COMING = ("book/chapters/operations/spot.html", "book/chapters/young-daly/index.html")  # there cautions come and go


@pytest.mark.parametrize("screen", seldom(SCREENS, (), 2))
@pytest.mark.parametrize("page", seldom(WITH, COMING, len(WITH)))
def test_layout_below_does_not_shift_while_a_slider_is_moved(chromium, server, page, screen):
    found, turns = opened(chromium, server, page, screen).run(SWEPT)
    assert found == []
    assert turns or page not in COMING


@pytest.mark.parametrize(("hold", "fault"), [("{}", "becomes lower"), ("own.dataset.held = ''", "keeps its room")])
def test_shift_or_gap_is_found(chromium, server, hold, fault):
    page = opened(chromium, server, COMING[1], "laptop")
    page.run(f"for (const own of document.querySelectorAll('mc-explorer')) own.hold = () => {hold}")
    assert any(each.endswith(f"cautions {fault}") for each in page.run(SWEPT)[0])


# Each slider from where it stands to its ends: how much its calculator, with its folds as they come, grows or shrinks.
JUMPS = f"""
const frames = () => {FRAMES};
const found = [];
return (async () => {{
  for (const own of document.querySelectorAll("mc-explorer")) {{
    for (const field of own.querySelectorAll(".mc-controls > .mc-sliders input[type=range]")) {{
      own.querySelector(".mc-reset").click();
      field.dispatchEvent(new Event("pointerover", {{ bubbles: true }}));
      await frames();
      const ends = [Number(field.min), Number(field.max)], start = Number(field.value);
      const way = [...Array(6).keys()].map((step) => (step + 1) / 6);
      const [up, down] = [[start, ends[1]], ends.toReversed()];
      const values = [up, down].flatMap(([from, to]) => way.map((share) => from + (to - from) * share));
      let last = own.getBoundingClientRect().height;
      for (const value of values) {{
        field.value = value;
        field.dispatchEvent(new Event("input", {{ bubbles: true }}));
        await frames();
        const now = own.getBoundingClientRect().height;
        if (Math.abs(now - last) > 8) {{
          found.push(`${{own.dataset.address}}, ${{field.id}}: ${{Math.round(now - last)}} px`);
        }}
        last = now;
      }}
    }}
  }}
  return found;
}})();
"""


@pytest.mark.parametrize("screen", seldom(SCREENS, ("laptop",), 2))
@pytest.mark.parametrize("page", seldom(WITH, COMING, len(WITH)))
def test_messages_move_nothing_while_a_slider_is_moved(chromium, server, page, screen):
    assert opened(chromium, server, page, screen).run(JUMPS) == []


def test_messages_in_an_open_fold_is_found(chromium, server):
    page = opened(chromium, server, COMING[1], "laptop")
    page.run(UNFOLD)
    assert page.run(JUMPS)


UNFOLD = "document.querySelectorAll('.mc-notes').forEach((fold) => { fold.open = true; })"


def rooms(page, address):
    """Return how high the cautions of a calculator are, and how high the least is that they may be."""
    part = "document.querySelector(`mc-explorer[data-address='${arguments[0]}'] [data-part=cautions]`)"
    return page.run(f"return [{part}.offsetHeight, parseInt(getComputedStyle({part}).minHeight) || 0]", address)


def test_room_is_reserved_for_readers_alone_and_never_on_paper(chromium, server):
    page, address = opened(chromium, server, COMING[1], "laptop"), "young_daly.explorer"
    page.run(UNFOLD)
    slider = f"document.querySelector('[data-address=\"{address}\"] [data-input=tau] [type=range]')"
    left, width, y = page.run(
        f"{slider}.scrollIntoView({{ block: 'end' }}); const box = {slider}.getBoundingClientRect();"
        "return [box.x, box.width, box.y + box.height / 2]"
    )

    def mouse(kind, share):
        x = left + 8 + share * (width - 16)
        page.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        page.rest()

    assert rooms(page, address) == [0, 0], "no caution, no room"
    opening = page.run(f"return Number({slider}.value)")
    share = page.run(f"return ({slider}.value - {slider}.min) / ({slider}.max - {slider}.min)")
    mouse("mousePressed", share)
    mouse("mouseMoved", 1)
    height, least = rooms(page, address)
    assert height > 20 and abs(least - height) <= 1
    mouse("mouseMoved", share)
    assert page.text(f"[data-address='{address}'] [data-part=cautions]") == ""
    assert rooms(page, address) == [height, least], "the hand has not let go"
    page.command("Emulation.setEmulatedMedia", media="print")
    assert rooms(page, address) == [0, 0]
    page.command("Emulation.setEmulatedMedia", media="")
    mouse("mouseReleased", share)
    assert page.run(f"return Number({slider}.value)") == opening, "it has come back: nothing has changed"
    assert rooms(page, address) == [0, 0]


def test_room_reserved_at_another_width_is_dropped(chromium, server):
    page, address = opened(chromium, server, COMING[1], "laptop"), "young_daly.explorer"
    page.run(UNFOLD)
    slider = f"document.querySelector('[data-address=\"{address}\"] [data-input=tau] [type=range]')"
    page.run(f"{slider}.value = {slider}.max; {slider}.dispatchEvent(new Event('input', {{ bubbles: true }}))")
    page.rest()
    height, least = rooms(page, address)
    assert height > 20 and abs(least - height) <= 1
    page.resize(390, 844)
    page.rest()
    assert rooms(page, address)[0] > height, "on a phone the words take more lines"
    page.resize(*SCREENS["laptop"])
    page.rest()
    assert rooms(page, address) == [height, 0]


# ---------------------------------------------------------------- by hand

DRAGGED = [
    e for e in CALCULATORS if e.x.what in {s.variable for s in e.sliders}
]  # what an input sets can be taken hold of


def dragged(page, address, share):
    """Take hold of the dot of a calculator and let it go at a share of the width of its plot."""
    script = """
    const plot = document.querySelector(`mc-explorer[data-address="${arguments[0]}"] .mc-plot`);
    plot.scrollIntoView({ block: "center" });
    const svg = [...plot.querySelectorAll("svg")].find((each) => each.getBoundingClientRect().width);
    const box = svg.getBoundingClientRect(), [left, right, width] = svg.dataset.plot.split(" ").map(Number);
    const grip = svg.querySelector(".mcc-grip").getBoundingClientRect();
    return [grip.x + grip.width / 2, grip.y + grip.height / 2,
      box.left + ((left + arguments[1] * (right - left)) * box.width) / width];
    """
    x, y, to = page.run(script, address, share)
    for kind, at in (("mousePressed", x), ("mouseMoved", (x + to) / 2), ("mouseMoved", to), ("mouseReleased", to)):
        page.command("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=1, clickCount=1)
    page.rest()


@pytest.mark.parametrize("page_name", seldom(sorted({pages_of(e.address) for e in DRAGGED}), (), 4))
def test_dot_is_dragged_and_its_slider_goes_with_it(chromium, server, page_name):
    page = opened(chromium, server, page_name, "laptop")
    for calculator in (e for e in DRAGGED if pages_of(e.address) == page_name):
        element, axis = CalculatorElement(page, calculator.address), calculator.x
        name = axis.what.name
        slider = next(s for s in calculator.sliders if s.variable.name == name)
        dragged(page, calculator.address, 0.6)
        wanted = axis.low * (axis.high / axis.low) ** 0.6 if axis.log else axis.low + 0.6 * (axis.high - axis.low)
        wanted = min(max(wanted, slider.low), slider.high)
        got = element.state()[name]
        width = wanted * 0.04 if axis.log else 0.03 * (axis.high - axis.low)  # labels beside the plot take room
        assert abs(got - wanted) <= slider.step + width, (calculator.address, got, wanted)
        field = f"document.querySelector('[data-address=\"{calculator.address}\"] [data-input={name}]')"
        assert float(page.run(f"return {field}.querySelector('[type=number]').value")) == got
        page.run(f"{field}.querySelector('[type=range]').focus()")
        page.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
        page.rest()
        assert element.state()[name] < got, "the keyboard does what the hand does"


# ---------------------------------------------------------------- sliders


def by_ratio(calculator):
    """Return the sliders of a calculator that lie below their own logarithmic axis."""
    axes = [calculator.x, *(panel.x for panel in calculator.panels if isinstance(panel, Chart))]
    logarithmic = {axis.what for axis in axes if axis.log}
    return [s for s in calculator.sliders if isinstance(s, Slider) and s.variable in logarithmic]


@pytest.mark.parametrize("calculator", seldom([e for e in CALCULATORS if by_ratio(e)], (), 5))
def test_slider_under_a_logarithmic_axis_goes_by_ratios(chromium, server, calculator):
    page = opened(chromium, server, pages_of(calculator.address), "laptop")
    element = CalculatorElement(page, calculator.address)
    for slider in by_ratio(calculator):
        name = slider.variable.name
        page.run(
            "const field = document.querySelector(`[data-address='${arguments[0]}'] [data-input=${arguments[1]}] "
            "[type=range]`); field.value = (Number(field.min) + Number(field.max)) / 2;"
            "field.dispatchEvent(new Event('input', {bubbles: true}))",
            calculator.address,
            name,
        )
        page.rest()
        got, middle = element.state()[name], (slider.low * slider.high) ** 0.5
        assert abs(got - middle) <= max(slider.step, 0.01 * middle), (name, got, middle)
        seen = [got]
        for _ in range(8):
            page.run(
                "document.querySelector(`[data-address='${arguments[0]}'] [data-input=${arguments[1]}] "
                "[type=range]`).focus()",
                calculator.address,
                name,
            )
            page.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
            seen.append(element.state()[name])
        assert seen == sorted(set(seen), reverse=True), "every press of an arrow goes on"


def test_every_slider_names_its_unit_and_goes_back_alone(chromium, server):
    page = opened(chromium, server, "book/chapters/lab-scale-illusion/index.html", "laptop")
    calculator = CalculatorElement(page, "lab_scale_illusion.steps.steps")
    page.run("document.querySelectorAll('mc-explorer details').forEach((fold) => { fold.open = true; })")
    opening = calculator.state()
    changed = {
        s.variable.name: s.high if opening[s.variable.name] != s.high else s.low
        for s in calculator.calculator.sliders
        if isinstance(s, Slider)
    }
    calculator.set(changed)
    for name in changed:
        box = page.run(
            "return document.querySelector(`"
            "[data-address='lab_scale_illusion.steps.steps'] [data-input=${arguments[0]}]`)",
            name,
        )
        page.run("arguments[0].scrollIntoView({block: 'end'})", box)
        button = box.find_element("css selector", ".mc-undo")
        assert button.is_displayed() and button.accessible_name.startswith("Reset ")
        page.run("arguments[0].click()", button)
        page.rest()
        assert calculator.state()[name] == opening[name] and not button.is_displayed()
        assert page.run("return arguments[0].contains(document.activeElement)", box), "the focus stays at the input"
        left = [other for other in changed if calculator.state()[other] != opening[other]]
        changed_still = list(changed)[list(changed).index(name) + 1 :]
        assert left == changed_still, "the others stand where they stood"
    units = page.run(
        'return [...document.querySelectorAll("'
        "[data-address='lab_scale_illusion.steps.steps'] .mc-slider\")].map((each) => "
        "[each.querySelector('output').textContent, each.querySelector('[type=number]').ariaLabel])"
    )
    for slider, (text, label) in zip(
        sorted((s for s in calculator.calculator.sliders if s.unit and isinstance(s, Slider)), key=lambda s: s.label),
        sorted((u for u in units if re.search(r"[^\d.,\s]", u[0])), key=lambda u: u[1]),
        strict=True,
    ):
        assert label.startswith(slider.label) and ", in " in label and text


# ---------------------------------------------------------------- what a move has changed


def test_one_line_says_politely_what_a_move_has_changed(chromium, server):
    page = opened(chromium, server, "book/chapters/lab-checkpoint-reckoning/index.html", "laptop")
    own = "document.querySelector(`mc-explorer[data-address='lab_checkpoint_reckoning.explorer']`)"
    line = f"{own}.querySelector('{LINE}')"
    spoken = (
        f"[...{own}.querySelectorAll('[role=status], [aria-live=polite]')].filter((each) => each.checkVisibility())"
    )
    assert page.run(f"return {spoken}.length") == 1
    calculator = CalculatorElement(page, "lab_checkpoint_reckoning.explorer")
    calculator.set({"C": 8})
    page.until(f"{line}.textContent.includes('from 4')")
    text = page.run(f"return {line}.textContent").replace("\u202f", " ")
    # Young's rule by hand: √(2 · 4 min · 480 min) = 62.0 min, √(2 · 8 · 480) = 87.6 min; 4/30 = 13.3 %, 8/30 = 26.7 %
    for words in (
        "Time to write a checkpoint from 4 min to 8 min",
        "from 62.0 min to 87.6 min",
        "from 13.3 % to 26.7 %",
    ):
        assert words in text, text
    place = page.run(
        f"return {line}.getBoundingClientRect().top - {own}.querySelector('.mc-plot').getBoundingClientRect().bottom"
    )
    assert 0 <= place < 20, "the line stands right below the chart"


def test_line_names_a_limit_that_is_hit_and_one_that_is_cured(chromium, server):
    page = opened(chromium, server, "book/chapters/lab-full-stack/index.html", "laptop")
    own = "document.querySelector(`mc-explorer[data-address='lab_full_stack.designer']`)"
    line = f"{own}.querySelector('{LINE}').textContent"
    calculator = CalculatorElement(page, "lab_full_stack.designer")
    calculator.set({"t": 60})
    page.until(f"{line}.includes('No longer: The deadline is missed')")
    calculator.set({"t": 10})
    page.until(f"{line}.includes('✕ The deadline is missed')")
