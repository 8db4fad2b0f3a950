/* <mc-open>: exercises that no substitution answers. An expression is compared with the right one at sampled points, a line
 * of a derivation must follow from those above it, an estimate is judged by its factor, a design by the objective of its choice, a program by its results.
 * The page brings each complete, with the specification of mathcore/teaching/open_exercises.py.
 */
(function (mc) {
  "use strict";

  // ---- expressions ---------------------------------------------------------------------------------

  const FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, log: Math.log, ln: Math.log, log2: Math.log2, log10: Math.log10,
    min: Math.min, max: Math.max, ceil: Math.ceil, floor: Math.floor, abs: Math.abs };
  const CONSTANTS = { pi: Math.PI, π: Math.PI, e: Math.E };
  const GREEK = { α: "alpha", β: "beta", γ: "gam", δ: "delta", ε: "eps", η: "eta", θ: "theta", κ: "kappa", λ: "lam", μ: "mu",
    ν: "nu", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi", ω: "omega" };
  const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z\u0370-\u03ff_][\w\u0370-\u03ff]*)|(\*\*|[-+*/^(),]))/y;
  const REWRITES = [[/[·×⋅]/g, "*"], [/[−–]/g, "-"], [/÷/g, "/"], [/√/g, "sqrt"], [/²/g, "^2"], [/³/g, "^3"], [/[[{]/g, "("], [/[\]}]/g, ")"]];

  class Unreadable extends Error {}

  function tokens(text) {
    const clean = REWRITES.reduce((so, [sign, meant]) => so.replace(sign, meant), text).trim();
    const found = [];
    for (TOKEN.lastIndex = 0; TOKEN.lastIndex < clean.length;) {
      const at = TOKEN.lastIndex, [whole, number, name, sign] = TOKEN.exec(clean) || [];
      if (!whole) throw new Unreadable(`“${clean.slice(at).trim()[0]}” cannot be read here.`);
      found.push(number ? { number: Number(number) } : name ? { name } : { sign: sign === "**" ? "^" : sign });
    }
    return found;
  }

  /** Return the function of `{name: number}` that a text writes with `names`, which throws nothing but Unreadable when read. */
  function parse(text, names) {
    const left = tokens(text);
    const next = (sign) => left.length && left[0].sign === sign && left.shift();
    const need = (sign) => { if (!next(sign)) throw new Unreadable(`A “${sign}” is missing${left.length ? ` before “${left[0].sign || left[0].name || left[0].number}”` : " at the end"}.`); };

    function sum() {
      let value = product();
      for (;;) {
        const before = value;
        if (next("+")) { const other = product(); value = (at) => before(at) + other(at); }
        else if (next("-")) { const other = product(); value = (at) => before(at) - other(at); }
        else return value;
      }
    }

    function product() {
      let value = signed();
      for (;;) {
        const before = value;
        if (next("*")) { const other = signed(); value = (at) => before(at) * other(at); }
        else if (next("/")) { const other = signed(); value = (at) => before(at) / other(at); }
        else if (left.length && (left[0].name || left[0].number !== undefined || left[0].sign === "(")) { // 2 C M, 2(C + M)
          const other = power();
          value = (at) => before(at) * other(at);
        } else return value;
      }
    }

    function signed() {
      if (next("-")) { const value = signed(); return (at) => -value(at); }
      next("+");
      return power();
    }

    function power() {
      const base = atom();
      if (!next("^")) return base;
      const exponent = signed();
      return (at) => base(at) ** exponent(at);
    }

    function atom() {
      const token = left.shift();
      if (!token) throw new Unreadable("The expression ends too early.");
      if (token.number !== undefined) return () => token.number;
      if (token.name) return named(token.name);
      if (token.sign !== "(") throw new Unreadable(`“${token.sign}” cannot stand there.`);
      const value = sum();
      need(")");
      return value;
    }

    function named(written) {
      const name = names.includes(written) ? written : written.replace(/[α-ω]/g, (sign) => GREEK[sign] || sign);
      if (names.includes(name)) return (at) => at[name];
      if (Object.hasOwn(FUNCTIONS, name)) return called(name);
      if (Object.hasOwn(CONSTANTS, name)) return () => CONSTANTS[name];
      const parts = [...written].every((sign) => names.includes(sign)) ? `; for a product write ${[...written].join("*")}` : "";
      throw new Unreadable(`“${written}” is none of the symbols ${names.join(", ")}${parts}.`);
    }

    function called(name) {
      need("(");
      const values = [sum()];
      while (next(",")) values.push(sum());
      need(")");
      return (at) => FUNCTIONS[name](...values.map((value) => value(at)));
    }

    if (!left.length) throw new Unreadable("Write an expression first.");
    const value = sum();
    if (left.length) throw new Unreadable(`“${left[0].sign || left[0].name || left[0].number}” is left over.`);
    return value;
  }

  const same = (a, b) => Number.isFinite(a) && Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));
  const allSame = (found, wanted) => found.every((value, i) => same(value, wanted[i]));

  /** Return the base dimension in which an expression is wrong, by scaling the unit of each, or nothing. */
  function wrongDimension(value, { symbols, dim, points }) {
    const bases = [...new Set([...symbols.flatMap((s) => Object.keys(s.dim)), ...Object.keys(dim)])];
    const at = (scale, base) => Object.fromEntries(symbols.map(({ name, dim: of }, i) => [name, points[0][i] * scale ** (of[base] || 0)]));
    return bases.find((base) => !same(value(at(3, base)), value(at(1, base)) * 3 ** (dim[base] || 0)));
  }

  function derived(spec, typed) {
    const names = spec.symbols.map(({ name }) => name);
    const value = parse(typed, names);
    const found = spec.points.map((point) => value(Object.fromEntries(names.map((name, i) => [name, point[i]]))));
    if (allSame(found, spec.right)) return { verdict: "right", text: `Right: it agrees with the derived expression at all ${found.length} sampled points.` };
    const usual = spec.mistakes.find(({ values }) => allSame(found, values));
    if (usual) return { verdict: "mistake", text: `Not yet: ${usual.label}.` };
    const wrong = spec.dim && found.every(Number.isFinite) && wrongDimension(value, spec);
    if (wrong) return { verdict: "wrong", text: `Not yet: the powers of ${wrong} do not fit ${spec.asked}. Check the units of each term.` };
    const ratios = found.map((each, i) => each / spec.right[i]);
    if (ratios.every((ratio) => same(ratio, ratios[0]))) return { verdict: "wrong", text: `Not yet: only a constant factor is wrong, ${mc.format(ratios[0])}.` };
    const off = (ratio) => (ratio > 0 ? Math.abs(Math.log(ratio)) : Infinity);
    const worst = ratios.reduce((most, ratio, i) => (off(ratio) > off(ratios[most]) ? i : most), 0);
    const point = names.map((name, i) => `${name} = ${spec.stated[worst][i]}`).join(", ");
    const size = Number.isFinite(found[worst]) ? `${mc.format(ratios[worst])} times the right value` : "without a value";
    return { verdict: "wrong", text: `Not yet: at ${point} it is ${size}.` };
  }

  // ---- the steps of a derivation, in order ----------------------------------------------------------

  const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const above = (count) => (count ? `${count === 1 ? "Line 1 holds" : `Lines 1 to ${count} hold`}. ` : "");

  /** Judge lines of a derivation, by their places in the list of all, in the order in which they were put. */
  function ordered({ lines, needs, reasons }, chosen) {
    if (!chosen.length) return { verdict: "unread", text: "Add the line from which the derivation starts." };
    const seen = new Set();
    const next = () => `Next: ${reasons[needs.findIndex((below, step) => !seen.has(step) && below.every((each) => seen.has(each)))]}.`;
    for (const [i, place] of chosen.entries()) {
      const { step, wrong } = lines[place];
      if (wrong) return { verdict: "mistake", text: `${above(i)}Line ${i + 1} does not: ${wrong}.` };
      if (!needs[step].every((each) => seen.has(each))) return { verdict: "wrong", text: `${above(i)}Line ${i + 1} rests on a line that does not stand above it. ${next()}` };
      seen.add(step);
    }
    if (seen.size < needs.length) return { verdict: "wrong", text: `${above(seen.size)}${counted(needs.length - seen.size, "line")} of the derivation ${needs.length - seen.size === 1 ? "is" : "are"} missing. ${next()}` };
    return { verdict: "right", text: `Right: each of the ${needs.length} lines follows from those above it.` };
  }

  // ---- estimates and designs -----------------------------------------------------------------------

  const PREFIXES = [1e3, 1e6, 1e9, 1e12];

  /** Return the slip of units that explains the ratio of an estimate to ours, or nothing. Assumptions may differ by the
   * factor of the exercise; a slip of a small ratio is reported only where the estimate is much nearer to it than to ours. */
  function slipOfUnits(ratio, asked, factor) {
    const has = (of) => (size) => Math.abs(Math.log(of / size)) <= Math.min(Math.log(factor), Math.abs(Math.log(size)) / 8);
    const slip = mc.slipOf(ratio, asked, has(ratio));
    if (slip) return slip;
    const prefix = PREFIXES.find(has(Math.max(ratio, 1 / ratio)));
    return prefix && `a prefix such as k, M or G may be off by ${mc.stated(prefix, "")}`;
  }

  function estimated({ asked, right, factor }, typed) {
    const quantity = mc.parseQuantity(typed, asked);
    if (quantity.error) return { verdict: "unread", text: quantity.error };
    const ratio = quantity.value / right, size = Math.max(ratio, 1 / ratio);
    const ours = mc.show(right, asked.unit, asked.factor, 2);
    if (ratio > 0 && size <= factor) return { verdict: "right", text: `Right: the chain in the solution gives ${ours}, and you are within a factor of ${mc.format(size, 2)} of it.` };
    if (!(ratio > 0)) return { verdict: "wrong", text: "Not yet: the answer is a positive number." };
    const way = `${mc.format(size, 2)} times too ${ratio > 1 ? "large" : "small"}`;
    const slip = slipOfUnits(ratio, asked, factor);
    if (slip) return { verdict: "slip", text: `Not yet: about ${way}. Check the units: ${slip}.` };
    return { verdict: "wrong", text: `Not yet: ${way}. ${size < 10 ? "One assumption can do that: vary each by a factor of two." : "That is more than one assumption explains: look for a factor that is missing or counted twice."}` };
  }

  /** Judge a choice of settings, one index for each lever. */
  function designed({ levers, costs, broken, texts, constraints, best, within }, chosen) {
    const missing = levers.find((_, i) => !Number.isInteger(chosen[i]));
    if (missing) return { verdict: "unread", text: `Choose a setting of ${missing.label} first.` };
    const place = levers.reduce((at, { settings }, i) => at * settings.length + chosen[i], 0);
    if (broken[place].length) return { verdict: "wrong", text: `Not feasible; it violates: ${broken[place].map((i) => constraints[i]).join("; ")}.` };
    if (costs[place] === null) return { verdict: "wrong", text: "This combination is no option: its settings exclude each other." };
    const loss = (costs[place] - best) / Math.abs(best);
    if (loss <= within + 1e-9) return { verdict: "right", text: `Right: ${texts[place]}, ${loss < 5e-4 ? "the optimum" : `${mc.format(100 * loss, 2)} % from the optimum`}.` };
    return { verdict: "wrong", text: `Feasible, with ${texts[place]}; the optimum is ${mc.format(100 * (costs[place] - best) / Math.abs(costs[place]), 2)} % better. Which lever costs most?` };
  }

  function judge(spec, answer) {
    try {
      if (spec.kind === "derive") return derived(spec, answer);
      if (spec.kind === "order") return ordered(spec, answer);
      return spec.kind === "estimate" ? estimated(spec, answer) : designed(spec, answer);
    } catch (error) {
      if (error instanceof Unreadable) return { verdict: "unread", text: error.message };
      throw error;
    }
  }

  mc.open = { judge, parse };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  class OpenExercise extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse([...this.querySelectorAll("script[type='application/json']")].pop().textContent);
      this.mark = this.querySelector(".mc-head").appendChild(mc.make("span", "", "mc-mark"));
      mc.showHintsInTurn(this);
      const form = this.querySelector("form");
      if (form) this.listen(form);
      this.addEventListener("mc-checked", ({ detail }) => this.note(detail.right));
      addEventListener("mc-progress", () => this.marked());
      this.marked();
    }

    listen(form) {
      this.fields = [...form.querySelectorAll("input, select")];
      this.feedback = form.querySelector(".mc-feedback");
      form.addEventListener("submit", (event) => { event.preventDefault(); this.check(); });
      form.addEventListener("input", () => this.say("", ""));
      form.addEventListener("change", () => this.keep({}));
      for (const key of form.querySelectorAll("[data-insert]")) {
        key.addEventListener("click", () => {
          const [field] = this.fields;
          field.setRangeText(key.dataset.insert, field.selectionStart, field.selectionEnd, "end");
          field.focus();
          for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
        });
      }
      for (const key of form.querySelectorAll("[data-move]")) key.addEventListener("click", () => this.shift(key));
      this.restore();
      if (this.spec.kind === "order") this.arrange();
    }

    // ---- lines of a derivation: the answer is their places, in the order of the list

    get placed() { return this.fields[0].value.split(",").filter(Boolean).map(Number); }

    /** Move the line of a button, and say where it is now. */
    shift(key) {
      const line = key.closest("li"), own = Number(line.dataset.line), { move } = key.dataset;
      const left = this.placed.filter((each) => each !== own), at = this.placed.indexOf(own);
      const pool = this.querySelector(".mc-order-pool"), place = [...pool.children].indexOf(line);
      const to = { add: left.length, up: at - 1, down: at + 1 }[move];
      if (move !== "remove") left.splice(to, 0, own);
      this.fields[0].value = left.join(",");
      this.arrange();
      for (const type of ["input", "change"]) this.fields[0].dispatchEvent(new Event(type, { bubbles: true }));
      const letter = line.querySelector("b").textContent;
      this.say("note", move === "remove" ? `${letter} is out of the derivation.` : `${letter} is line ${to + 1} of ${left.length}.`);
      const following = move === "add" ? [(pool.children[place] || pool.lastElementChild || this).querySelector(pool.children.length ? "[data-move=add]" : ".mc-check")] : [];
      [...following, key, ...line.querySelectorAll("[data-move]")].find((each) => !each.disabled && each.checkVisibility()).focus();
    }

    arrange() {
      const [pool, chain] = ["pool", "chain"].map((name) => this.querySelector(`.mc-order-${name}`));
      const lines = [...this.querySelectorAll("[data-line]")].sort((a, b) => a.dataset.line - b.dataset.line);
      const { placed } = this;
      pool.append(...lines.filter((_, i) => !placed.includes(i)));
      chain.append(...placed.map((i) => lines[i]));
      placed.forEach((i, at) => {
        lines[i].querySelector("[data-move=up]").disabled = at === 0;
        lines[i].querySelector("[data-move=down]").disabled = at === placed.length - 1;
      });
    }

    get answer() { return this.fields.map(({ value }) => value).join("\u0001"); }

    judged() {
      const typed = this.fields.map(({ value }) => value);
      if (this.spec.kind === "order") return judge(this.spec, this.placed);
      return judge(this.spec, this.spec.kind === "design" ? typed.map((v) => (v === "" ? NaN : Number(v))) : typed[0]);
    }

    check() {
      const { verdict, text } = this.judged();
      this.say(verdict, text);
      if (verdict === "unread") this.keep({ checked: this.answer });
      else this.note(verdict === "right", { checked: this.answer });
    }

    note(right, more = {}) {
      const before = mc.progress.of(this.spec.address);
      this.keep({ ...more, right: right || Boolean(before.right), tries: (before.tries || 0) + 1 });
    }

    /** Keep what changed and, where there is a form, what its fields hold. */
    keep(change) {
      mc.progress.note(this.spec.address, this.fields ? { ...change, answer: this.answer } : change);
      this.marked();
    }

    // The last answer is restored in the fields, with its feedback below if it was checked.
    restore() {
      const { answer, checked } = mc.progress.of(this.spec.address);
      if (!answer) return;
      answer.split("\u0001").forEach((value, i) => { if (this.fields[i]) this.fields[i].value = value; });
      if (checked !== answer) return;
      const { verdict, text } = this.judged();
      this.say(verdict, text);
    }

    say(verdict, text) {
      mc.showFeedback(this.feedback, verdict, text);
    }

    marked() {
      mc.showProgress(this.mark, this.spec.address);
    }
  }

  mc.ready(() => customElements.define("mc-open", OpenExercise));
})((globalThis.mc = globalThis.mc || {}));
