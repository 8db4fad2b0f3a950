/* The pure half of the page: formulas by address, numbers as text, quantities from text, and
 * what went wrong with a wrong number. No document here: Node runs this file as it is.
 * Formulas take and give numbers in the declared unit of each symbol; only text has other units.
 */
(function (mc) {
  "use strict";

  const NARROW = "\u202f"; // no-break: a number never loses its unit at a line's end
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  mc.units = mc.units || {};
  Object.assign(mc, { slips: mc.slips || [], powers: mc.powers || {}, slack: mc.slack || 0.004 });

  // ---- formulas by address ---------------------------------------------------------------

  const formulas = Object.create(null);
  mc.define = (table) => Object.assign(formulas, table);

  /** Return the function of one list of arguments that `address` names. */
  mc.formula = (address) => {
    if (!formulas[address]) throw new Error(`no formula "${address}": is its script loaded?`);
    return formulas[address];
  };

  // An integer that is missed by rounding alone, as by 49 · (1/49), or NaN.
  const toInteger = (value) => Math.abs(value - Math.round(value)) <= 1e-12 * Math.abs(value) ? Math.round(value) : NaN;

  // What Python refuses has no value here either: outside `holds`, without bound, below zero unless `signed`,
  // no integer where it must be one.
  function evaluate({ f, holds = [], signed, integer }, values) {
    const value = holds.every(([check]) => check(...values)) ? f(...values) : NaN;
    const found = integer ? toInteger(value) : value;
    return Number.isFinite(found) && (signed || found >= 0) ? found : NaN;
  }

  /** Evaluate a formula; `env` maps each argument's name to a number. NaN where it has no value. */
  mc.call = (address, env) => {
    const formula = mc.formula(address);
    return evaluate(formula, formula.args.map((name) => {
      if (!(name in env)) throw new Error(`${address} needs "${name}"`);
      return env[name];
    }));
  };

  /** Return why a formula has no value at `env`, as a sentence, or nothing. */
  mc.domainError = (address, env) => {
    if (!Number.isNaN(mc.call(address, env))) return "";
    const { args, holds = [], integer } = mc.formula(address);
    const strange = args.find((name) => Number.isNaN(env[name]));
    if (strange) return `The value of ${strange} lies outside its range.`;
    const broken = holds.find(([check]) => !check(...args.map((name) => env[name])));
    if (!broken && integer) return "The result must be an integer: choose inputs that divide without a remainder.";
    return broken ? broken[1] : "Each input is admissible, but their combination is not.";
  };

  /** Return the warnings of a formula where `env` is outside its validity, as sentences. */
  mc.validityWarnings = (address, env) => {
    const { args, limits = [] } = mc.formula(address);
    const values = args.map((name) => env[name]);
    return limits.filter(([holds]) => !holds(...values)).map(([, text]) => text);
  };

  /** Return x → value with all other arguments fixed: a curve is hundreds of calls. */
  mc.curveAlong = (address, env, name) => {
    const formula = mc.formula(address);
    const values = formula.args.map((arg) => env[arg]);
    const place = formula.args.indexOf(name);
    return (x) => {
      if (place >= 0) values[place] = x;
      return evaluate(formula, values);
    };
  };

  /** Return `make`, of an object and values, so that it gives again what it made last of the object while the
   * values are the same. It must know nothing but what it is given. */
  mc.memoize = (make) => {
    const last = new WeakMap();
    return (owner, ...values) => {
      const was = last.get(owner);
      if (was && was.values.length === values.length && values.every((value, i) => Object.is(value, was.values[i]))) return was.made;
      const made = make(owner, ...values);
      last.set(owner, { values, made });
      return made;
    };
  };

  // ---- numbers as text: the same as mathcore/formatting.py, digit for digit ---------------

  const superscript = (power) =>
    String(power).replace("-", "⁻").replace(/\d/g, (digit) => SUPERSCRIPT[digit]);

  function grouped(text) {
    const [whole, rest] = text.replace("-", "").split(".");
    const parted = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return (Number(text) < 0 ? "−" : "") + parted + (rest ? `.${rest}` : "");
  }

  // An exact tie goes to the even digit, as in Python; toExponential alone rounds it up.
  function rounded(value, digits) {
    const exact = value.toExponential(digits + 20);
    const tie = /^(-?[\d.]*[02468]\.?)50*e(.*)$/.exec(exact);
    const kept = tie && tie[1].replace(/\D/g, "").length === digits;
    return kept ? `${tie[1].replace(/\.$/, "")}e${tie[2]}` : value.toExponential(digits - 1);
  }

  /** Return a number with significant digits; a power of ten below 10⁻³ and from 10⁷ on. */
  mc.format = (value, digits = 3) => {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    if (digits === 0) return grouped(value.toFixed(0)); // a plain count
    const text = rounded(value, digits);
    const power = Number(text.split("e")[1]);
    if (power >= -3 && power < 7) return grouped(Number(text).toFixed(Math.max(0, digits - 1 - power)));
    return `${text.split("e")[0]}·10${superscript(power)}`.replace("-", "−");
  };

  /** Return a stated number as it was written: `4`, `0.5`, `16,384`. */
  mc.plain = (value) => {
    const text = String(value);
    return text.includes("e") ? mc.format(value, 6).replace(/\.?0+(?=·)/, "") : grouped(text);
  };

  /** Return a unit as pages print it: `gpu·h`, `%`, nothing for a plain count. */
  mc.unitText = (unit) => (unit === "percent" ? "%" : (unit || "").replace(/\s*[* ]\s*/g, "·").replace(/^1\//, "/"));

  // The counterpart of `worded` in mathcore/units.py: `512 GPUs`, `$10 million`, `$2 per GPU-hour`, `3 years`.
  const SCALES = { k: "thousand ", M: "million ", G: "billion ", T: "trillion " };
  const NOUNS = { gpu: "GPU", "gpu·h": "GPU-hour", "gpu·year": "GPU-year", token: "token", B: "byte",
    year: "year", week: "week", d: "day", h: "hour" };
  const ONE_DECIMAL = /^−?[\d,]+\.\d$/;
  const PER = /\/(gpu[·/](h|year)|gpu|[kMGT]?token|year|d)$|^\/[sh]$/;

  function per(label) {
    if (!label) return "";
    const name = label.slice(1).replace(/[()]/g, "").replace("gpu/", "gpu·");
    const scaled = /^([kMGT])token$/.exec(name);
    return ` per ${scaled ? `${SCALES[scaled[1]]}tokens` : NOUNS[name] || (name === "s" ? "second" : name)}`;
  }

  // A large round number with its scale as a word: 70,550,000,000 is 70.55 billion.
  function roundedOff(number) {
    if (!/^−?\d{1,3}(,\d{3}){2,4}$/.test(number)) return number;
    const [name, size] = [["million", 1e6], ["billion", 1e9], ["trillion", 1e12]][number.split(",").length - 3];
    const value = Number(number.replace("−", "-").replace(/,/g, "")) / size;
    return Number(value.toPrecision(4)) === value ? `${value}${NARROW}${name}`.replace("-", "−") : number;
  }

  const LARGE = { 6: "million", 9: "billion", 12: "trillion" }, SMALL = { "-6": "µ", "-9": "n", "-12": "p" };

  // The counterpart of `_without_power`: a word, a prefix or zeros instead of a power of ten, next to a unit.
  function withoutPower(number, label) {
    const found = /^(−?)(\d(?:\.\d+)?)·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.exec(number);
    if (!found) return [number, label];
    const [, sign, mantissa, raised] = found;
    const power = Number(raised.replace("⁻", "-").replace(/[^-]/g, (digit) => SUPERSCRIPT.indexOf(digit)));
    const scale = 3 * Math.floor(power / 3);
    // The digits move behind the point as text: no product rounds them.
    const shifted = () => {
      const digits = mantissa.replace(".", "").padEnd(power - scale + 1, "0"), whole = digits.slice(0, power - scale + 1);
      return digits.length > whole.length ? `${whole}.${digits.slice(whole.length)}` : whole;
    };
    if (LARGE[scale] && !label.includes("FLOP") && !/^[kMGTPE](token|USD)/.test(label)) return [`${sign}${shifted()}${NARROW}${LARGE[scale]}`, label];
    if (SMALL[scale] && /^[sJW](?=\/|$)/.test(label)) return [`${sign}${shifted()}`, SMALL[scale] + label];
    if (power < -3 && label === "%" && !sign) return [`<${NARROW}0.001`, label];
    if (power < 0 && /^USD(?=\/|$)/.test(label)) return [`${sign}0.${"0".repeat(-power - 1)}${mantissa.replace(".", "")}`.replace(/0+$/, ""), label];
    return [number, label];
  }

  // The counterpart of `_multiple`: a percentage from 10,000 on as a multiple.
  function multiple(percent) {
    if (/^(\d{2,3}(,\d{3})+|\d(,\d{3}){2,})$/.test(percent)) return `${grouped(String(Math.floor((Number(percent.replace(/,/g, "")) + 50) / 100)))}×`;
    return /^\d(\.\d+)?·10[⁰¹²³⁴⁵⁶⁷⁸⁹]+$/.test(percent) ? `>${NARROW}100,000×` : "";
  }

  function withNouns(stated, unit) {
    if (unit === "%" && multiple(stated)) return multiple(stated);
    const [number, label] = withoutPower(roundedOff(stated), unit);
    const money = /^([kMGT]?)USD(?=\/|$)/.exec(label);
    if (money) {
      const scale = money[1] ? NARROW + SCALES[money[1]].trim() : "";
      const cents = !scale && ONE_DECIMAL.test(number) ? "0" : "";
      const text = `$${number.replace("−", "")}${cents}${scale}${per(label.slice(money[0].length))}`;
      return number.startsWith("−") ? `−${text}` : text;
    }
    const found = PER.exec(label);
    const head = found ? label.slice(0, found.index) : label;
    const [, scale, name, rest] = /^([kMGT]?)(token)(.*)$/.exec(head) || [head, "", head, ""];
    const noun = Object.hasOwn(NOUNS, name) && name !== "h" ? NOUNS[name] + (scale || number !== "1" ? "s" : "") : name;
    const words = `${SCALES[scale] || ""}${noun}${rest}`;
    return `${number}${words ? NARROW : ""}${words}${found ? per(found[0]) : ""}`;
  }

  /** Return a line of a calculation with each exponent after a `^` raised, as HTML; brackets around it go. */
  mc.raised = (html) => {
    const at = html.indexOf("^");
    if (at < 0) return html;
    let end = at + 1;
    if (html[end] === "(") {
      for (let depth = 0; end < html.length; end += 1) {
        depth += (html[end] === "(") - (html[end] === ")");
        if (!depth) break;
      }
      end += 1;
    } else end += /^(?:\{\w+\}|[\w.]+)?/.exec(html.slice(end))[0].length;
    const power = html.slice(at + 1, end).replace(/^\((.*)\)$/, "$1");
    return `${html.slice(0, at)}<sup>${mc.raised(power)}</sup>${mc.raised(html.slice(end))}`;
  };

  const withUnit = (text, unit) => withNouns(text, mc.unitText(unit));
  /** Return a value as text in `unit`, one of which is `factor` of the value's own unit. */
  mc.show = (value, unit, factor = 1, digits = 3) => {
    const text = mc.format(value / factor, digits);
    const cents = /^USD(?=\/|$)/.test(mc.unitText(unit)) && ONE_DECIMAL.test(text); // true ones, or none
    return withUnit(cents ? mc.format(value / factor, digits + 1) : text, unit);
  };
  /** Return a stated value, already in `unit`, with its unit. */
  mc.stated = (value, unit) => withUnit(mc.plain(value), unit);
  /** Return a stated value with the symbol of its unit, as an equation has it. */
  mc.symbols = (value, unit) => [powered(mc.plain(value)), mc.unitText(unit).replaceAll("gpu", "GPU")].filter(Boolean).join(NARROW);

  // The counterpart of `_equation_parts` in mathcore/examples.py: 70,550,000,000 in an equation is 70.55·10⁹.
  function powered(number) {
    if (!/^−?\d{1,3}(,\d{3}){2,}$/.test(number)) return number;
    const power = 3 * (number.split(",").length - 1), value = Number(number.replace("−", "-").replace(/,/g, "")) / 10 ** power;
    return Number(value.toPrecision(4)) === value ? `${value}·10${superscript(power)}`.replace("-", "−") : number;
  }

  const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
  const TICK_STEPS = { s: TIME_STEPS, min: TIME_STEPS, h: [1, 2, 3, 6, 12, 24, 48, 72, 168] }; // steps of an axis of time

  function step(span, most, unit) {
    const listed = span > most && (TICK_STEPS[unit] || []).find((each) => span / each <= most);
    const power = 10 ** Math.floor(Math.log10(span / most));
    return listed || power * [1, 2, 2.5, 5, 10].find((m) => span / (power * m) <= most * (1 + 1e-9));
  }

  const MANTISSAS = [[1, 2, 3, 5, 7], [1, 2, 5], [1], [2], [5]]; // of a power of ten, from fine to coarse

  // The finest that has room: within a decade five, over a few of them 1, 2, 5, else powers alone, if there are two.
  function logTicks(low, high, most) {
    const first = Math.floor(Math.log10(low) + 1e-9);
    const decades = Array.from({ length: Math.ceil(Math.log10(high) - 1e-9) - first + 1 }, (_, i) => first + i);
    const skip = Math.ceil(Math.log10(high / low) / most);
    const sets = MANTISSAS.map((shares) => decades.filter((e) => shares[0] > 1 || shares.length > 1 || e % skip === 0)
      .flatMap((e) => shares.map((m) => Number(`${m}e${e}`)))
      .filter((tick) => tick >= low * 0.9999 && tick <= high * 1.0001));
    return sets.find(({ length }, i) => length > 1 && length <= 1.6 * most && (i || high / low < 12)) || sets[2];
  }

  const perCent = ({ unit }) => (unit === "%" ? unit : ""); // stands at each tick, other units in the title
  // Money and rates are written as the pages say them: `$ per GPU-hour`, `per year`; a count needs no unit.
  const unitInWords = (unit) => (/^1?\/|USD/.test(unit) ? mc.stated(2, unit).replace("2", "").trim() : mc.unitText(unit));

  /** Return what an axis is called: its label with its unit. */
  mc.axisTitle = (axis) => (axis.unit && axis.unit !== "gpu" && !perCent(axis) ? `${axis.label} (${unitInWords(axis.unit)})` : axis.label);

  /** Return a tick as its whole number; a power of ten where that would be long. */
  mc.tickText = (value, axis) => {
    if (!axis.log || (value < 1e6 && value >= 1e-3)) return mc.stated(value, perCent(axis));
    const [share, power] = value.toExponential().split("e").map(Number);
    return (share === 1 ? "" : `${share}·`) + `10${superscript(power)}` + perCent(axis);
  };

  /** Return round values between the ends of an axis, at most about `most` of them. */
  mc.ticks = ({ low, high, unit, log }, most) => {
    if (log) return logTicks(low, high, most);
    const by = step(high - low, most, unit);
    const first = Math.ceil(low / by - 1e-9);
    return Array.from({ length: Math.floor(high / by + 1e-9) - first + 1 }, (_, i) =>
      Number(((first + i) * by).toPrecision(12)));
  };

  // ---- text in a drawing: there is no document to measure with, so widths are estimated, a little wide ----

  const em = (sign) => (/[iljtfr.,:;|!'()\u202f ]/.test(sign) ? 0.36
    : /[mwMW%@·–]/.test(sign) ? 0.95 : /[A-Z]/.test(sign) ? 0.7 : 0.62);
  mc.textWidth = (text) => 13 * [...text].reduce((sum, sign) => sum + em(sign), 0); // 13 px

  /** Return the lines of a label that is `most` px wide at most, and its size when bold. */
  mc.wrap = (text, most) => {
    const lines = [];
    for (const word of text.split(" ")) {
      const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
      if (lines.length && mc.textWidth(longer) <= most) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return { lines, w: Math.max(...lines.map(mc.textWidth)) * 1.1, h: lines.length * 15 };
  };

  // ---- quantities from text --------------------------------------------------------------

  const POWER = /(?:e([+-]?\d+)|\s*[·*×x]\s*10\^([+-]?\d+))?/.source; // 1e3, 1·10^3
  const NUMBER = new RegExp(`^([+-]?(?:\\d+(?: \\d{3})*(?:\\.\\d*)?|\\.\\d+))${POWER}(?![\\d.^])\\s*(.*)$`, "i");
  const KINDS = {
    "": "a dimensionless number", time: "a time", "1/time": "a rate", energy: "an energy",
    information: "an amount of information", "information/time": "a data rate", money: "an amount of money",
    computation: "an amount of computation", "computation/time": "a computing speed",
    "energy/time": "a power", "device·time": "a device-time", text: "a number of tokens", device: "a number of devices",
    carbon: "a mass of carbon dioxide", water: "an amount of water", "information/text": "an amount of information for each token",
    "money/text": "a price of a token", "money/(device·time)": "a price of a device-hour", "money/device": "a price of a device",
    "energy/(device·time)": "an energy for each device-hour", "text/time": "a rate of tokens", "computation/information": "an arithmetic intensity",
  };

  /** Return a dimension as mathcore prints it, such as `device·time` or `information/time`. */
  mc.dimensionText = (dim) => {
    const side = (sign) => Object.keys(dim).sort().filter((base) => dim[base] * sign > 0)
      .map((base) => (dim[base] * sign === 1 ? base : `${base}^${dim[base] * sign}`));
    const [up, down] = [side(1).join("·"), side(-1)];
    if (!down.length) return up;
    return `${up || "1"}/${down.length > 1 ? `(${down.join("·")})` : down[0]}`;
  };
  const kind = (dim) => KINDS[mc.dimensionText(dim)] || `a quantity of dimension ${mc.dimensionText(dim)}`;

  const LETTERS = { thousand: "k", million: "M", billion: "G", trillion: "T" };
  // How people write what the units above call something else; each pair is a pattern and what is meant.
  const REPLACEMENTS = [
    [/^[~≈=]\s*/, ""], [/(^|[^\d,.])([1-9]\d{0,2}(?:,\d{3})+)(?![\d,])/g, (all, before, digits) => before + digits.replace(/,/g, "")],
    [/\*\*/g, "^"], [/^([+-]?)10\^/, "$11·10^"],
    [/^([+-]?)\$\s*([\d. ]+(?:e[+-]?\d+|\s*[·*×x]\s*10\^-?\d+)?\s*(?:[kKMGT](?![A-Za-z])|(?:thous|mill|bill|trill)(?:and|ion)\b)?)/i, "$1$2 USD "],
    [/\b(thousand|million|billion|trillion) tokens?\b/g, (all, many) => `${LETTERS[many]}token`],
    [/([gt]) ?CO[2₂](?:-?eq?)?(?![A-Za-z\d])/g, "$1"], [/\$/g, "USD"], [/\/\s*([a-z]+)-([a-z]+)/gi, "/($1 $2)"], [/\b(GPU|device|kW|MW|W)s?-(?=[a-z])/gi, "$1 "], [/\bper cent\b/g, "%"],
    [/\b([kMGTP]?)bps\b/g, "$1bit/s"], [/\b([kMGTP]?)Bps\b/g, "$1B/s"], [/\b([kMGTP])b(?=\/|$|\s)/g, "$1bit"],
    [/\b([kMGTPEZY]?)FLOPS\b/g, "$1FLOP/s"], [/\btoks?\b/g, "token"], [/\bhrs\b/g, "h"], [/\bsecs\b/g, "s"],
  ];
  const MULTIPLES = { k: 3, K: 3, M: 6, G: 9, T: 12, thousand: 3, million: 6, billion: 9, trillion: 12 };
  const MULTIPLE = /^(k|K|M|G|T|thousand|million|billion|trillion)(?![A-Za-z])\s*(.*)$/;

  const normalized = (text) => REPLACEMENTS.reduce((so, [pattern, meant]) => so.replace(pattern, meant),
    text.trim().replace(/[−–]/g, "-").replace(/[\u00a0\u2009\u202f\s]+/g, " ")
      .replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (run) =>
        "^" + run.replace("⁻", "-").replace(/[^-]/g, (digit) => SUPERSCRIPT.indexOf(digit)))).trim();

  function unknownUnit(name, asked) {
    if (/^\d/.test(name)) return { error: "Write one number and its unit, not a calculation." };
    const same = Object.keys(mc.units).filter((known) => known.toLowerCase() === name.toLowerCase());
    const hint = same.length ? `Did you mean ${same.join(" or ")}?` : asked && asked.unit
      ? `Write for example ${mc.unitText(asked.unit)}.` : "Known units include h, min, s, GB and %.";
    return { error: `Unknown unit “${name}”. ${hint}` };
  }

  // "GB/s", "gpu h", "USD/(gpu·h)", "/h": one factor after another, each known by its spelling.
  function readUnit(text, asked) {
    const flat = text.split(/\bper\b/).map((part, i) => (i ? `/(${part.trim()})` : part)).join("")
      .replace(/\/\s*\(([^()]*)\)/g, (_, inner) => "/" + inner.trim().replace(/[·* ]+/g, "/"));
    const unit = { dim: {}, factor: 1 };
    for (const [, joint, name, power] of flat.matchAll(/([·*/ ]*)([^·*/ ^]+)(?:\^(-?\d+))?/g)) {
      const known = name === "1" ? { dim: {}, factor: 1 } : Object.hasOwn(mc.units, name) && mc.units[name];
      if (!known) return unknownUnit(name, asked);
      const times = (joint.includes("/") ? -1 : 1) * (power ? Number(power) : 1);
      unit.factor *= known.factor ** times;
      for (const base of Object.keys(known.dim)) {
        unit.dim[base] = (unit.dim[base] || 0) + known.dim[base] * times;
        if (!unit.dim[base]) delete unit.dim[base];
      }
    }
    return unit;
  }

  function dimensionError(quantity, asked) {
    if (mc.dimensionText(quantity.dim) === mc.dimensionText(asked.dim)) return "";
    if (!quantity.unit) {
      return `A number alone is ambiguous: the question asks for ${kind(asked.dim)}. ` +
        `Write its unit too, such as ${mc.unitText(asked.unit)}.`;
    }
    const unit = asked.unit && `, in ${mc.unitText(asked.unit)} or the like`;
    return `${quantity.unit} is ${kind(quantity.dim)}, the question asks for ${kind(asked.dim)}${unit}.`;
  }

  /** Read `1.03 h`, `3 GB/s`, `7 %` as {value, factor of its unit, dim, unit, given}, or say {error: sentence}.
   *  With `asked` = {unit, dim}, a quantity of another dimension is an error too. */
  mc.parseQuantity = (text, asked) => {
    const given = normalized(String(text));
    if (!given) return { error: "Write a number first." };
    if (/\d,\d/.test(given)) return { error: "Use a point, not a comma, and no sign for thousands: 1.5, 1500." };
    const found = NUMBER.exec(given);
    if (!found) return { error: `Begin with a number, such as ${mc.symbols(1.5, asked && asked.unit)}.` };
    const [, multiple, rest] = MULTIPLE.exec(found[4]) || [null, "", found[4]];
    const unit = readUnit(rest, asked);
    if (unit.error) return unit;
    const power = Number(found[2] || found[3] || 0) + (MULTIPLES[multiple] || 0);
    const number = Number(`${found[1].replace(/ /g, "")}e${power}`);
    if (!Number.isFinite(number)) return { error: "That number is too large to compute with." };
    const quantity = { value: number * unit.factor, factor: unit.factor, dim: unit.dim, unit: rest, given };
    const error = asked && dimensionError(quantity, asked);
    return error ? { error } : quantity;
  };

  // ---- what went wrong with a wrong number: with the slips of mathcore/teaching/diagnosis.py ---

  const near = (a, b, rtol) => Number.isFinite(a - b) && Math.abs(a - b) <= rtol * Math.max(Math.abs(a), Math.abs(b));
  const EXACT = 1000; // a count below it is right or wrong
  const DIGITS = [2, 3]; // significant ones to which a reader may round an answer
  const FAR = 0.2; // logarithm of a ratio from which on a rounded number shows it: two digits may be 5 % off
  const NARROWING = 25; // a ratio's tolerance is at most its logarithm over this
  const ROUNDED = { down: "round down", up: "round up", near: "round to the better neighbour" };

  /** Return the smallest and the largest count that answer, for a value that is rounded in this way. */
  mc.between = (value, whole) => {
    const off = 1e-9 * Math.max(1, Math.abs(value));
    const [low, high] = [Math.floor(value + off), Math.ceil(value - off)];
    return { down: [low, low], up: [high, high], near: [low, high] }[whole];
  };

  function isRight(given, right, rtol, whole) {
    if (!whole) return near(given, right, rtol);
    const [least, most] = mc.between(right, whole);
    const room = Math.abs(right) >= EXACT ? rtol * Math.abs(right) : 0;
    return Number.isInteger(given) && least - room <= given && given <= most + room;
  }

  function ofSign(given, right) {
    return near(-given, right, 0.02) ? ["slip", "the sign is wrong"]
      : ["wrong", `the sign is wrong, and the size too: it is ${mc.format(Math.abs(given / right))} times the right one`];
  }

  // Near one, any wrong number would be a slip.
  const slipTolerance = (ratio, rtol) => Math.max(mc.slack, Math.min(rtol, Math.abs(Math.log(ratio)) / NARROWING));

  /** Return what a usual slip that the dimension of an answer admits says of its ratio to the right one, or nothing;
   * `has` tells whether the answer has a ratio. */
  mc.slipOf = (factor, { dim, two }, has) => {
    const possible = mc.slips.filter(({ kind: of }) => dim[of] || of === two)
      .flatMap(({ factor: size, large, small }) => [[size, large], [1 / size, small]]);
    const [found] = possible.filter(([size]) => has(size)).sort(([a], [b]) => Math.abs(Math.log(factor / a)) - Math.abs(Math.log(factor / b)));
    return found && found[1];
  };

  function byRatio(given, right, asked, rtol, scale) {
    const factor = given / right, { dim, unit } = asked;
    const hasRatio = (ratio) => near(factor, ratio, slipTolerance(ratio, rtol)) ||
      (scale > 0 && Math.abs(Math.log(ratio)) > FAR && isRounding(given * scale, right * ratio * scale));
    const slip = mc.slipOf(factor, asked, hasRatio);
    if (slip) return ["slip", slip];
    const [power, way] = [Math.round(Math.log10(factor)), factor > 1 ? "large" : "small"];
    if (power && hasRatio(10 ** power)) {
      if (Math.abs(power) === 2 && unit === "%") {
        return ["slip", `a hundred times too ${way}: did you mean ${mc.format(given * 10 ** (2 - power))} %?`];
      }
      return ["slip", `${mc.powers[Math.abs(power)] || `10^${Math.abs(power)}`} times too ${way}: a power of ten`];
    }
    if (!Object.keys(dim).length && hasRatio(1 / right ** 2)) {
      return ["slip", "this is the inverse of the right answer"];
    }
    if (hasRatio(2) || hasRatio(1 / 2)) {
      return ["wrong", `it is ${factor > 1 ? "twice" : "half"} the right answer; look for a factor of 2`];
    }
    return ["wrong", `${mc.format(Math.max(factor, 1 / factor))} times too ${way}`];
  }

  // With two or three significant digits, as readers round.
  const isRounding = (given, right) => DIGITS.some((digits) => near(given, Number(right.toPrecision(digits)), 1e-9));

  function classify(given, right, mistakes, rtol, asked, whole, scale) {
    if (!Number.isFinite(given) || !Number.isFinite(right)) return ["wrong", "this is not a finite number"];
    if (isRight(given, right, rtol, whole)) return ["right", "right"];
    const [usual] = mistakes.map(({ label, value }) => ({ label, value, off: Math.abs(given - value) }))
      .filter(({ value, off }) => near(given, value, Math.max(rtol, mc.slack)) || (whole && off < 1)).sort((a, b) => a.off - b.off);
    if (usual) return ["mistake", usual.label];
    if (scale && !whole) {
      if (isRounding(given * scale, right * scale)) return ["right", "right"];
      const rounded = mistakes.find(({ value }) => isRounding(given * scale, value * scale));
      if (rounded) return ["mistake", rounded.label];
    }
    if (whole && (Math.abs(given - right) < 1 || near(given, right, rtol))) {
      return ["slip", `an integer is required: ${ROUNDED[whole]}`];
    }
    if (right === 0 || given === 0) return ["wrong", "one of the two is zero, the other is not"];
    if (given / right < 0) return ofSign(given, right);
    if (!(given / right > 0 && given / right < Infinity)) return ["wrong", "the two are out of all proportion"];
    return byRatio(given, right, asked, rtol, whole ? 0 : scale);
  }

  /** Explain `given` against `right`, {verdict, text}; `mistakes` are {label, value} of wrong formulas,
   *  `asked` is {dim, unit} of the answer, with the `two` of its formula, `whole` how a count is rounded: down, up or near;
   *  `given * scale` is the number as it was typed, where the right one may be rounded. */
  mc.diagnose = (given, right, mistakes = [], rtol = 0.01, asked = { dim: {}, unit: "" }, whole = "", scale = 0) => {
    const [verdict, text] = classify(given, right, mistakes, rtol, asked, whole, scale);
    return { verdict, text };
  };

  /** Escape text for HTML: every value that reaches a page as markup goes through here. */
  mc.escape = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
})((globalThis.mc = globalThis.mc || {}));
