/* <mc-exercise>: check an answer with its unit, say what went wrong, keep what was done.
 *
 * The page brings it complete (ID = the address with "-" for every other sign):
 *   <mc-exercise class="mc-exercise" id="ID" data-address="young_daly.ex_interval">
 *     <p class="mc-head"><span class="mc-number">Exercise 3</span> <span class="mc-title">…</span></p>
 *     <div class="mc-prompt">… <span class="mc-given" data-name="C">4 min</span> …</div>
 *     <noscript><p class="mc-help">…</p></noscript>
 *     <form class="mc-form" autocomplete="off" novalidate>
 *       <label for="ID-answer">Your answer, in min</label>
 *       <span class="mc-row">
 *         <input id="ID-answer" name="answer" type="text" class="mc-input" spellcheck="false"
 *                autocapitalize="off" aria-describedby="ID-help ID-feedback">
 *         <button type="submit" class="mc-button mc-check">Check</button>
 *         <button type="button" class="mc-button mc-new">New numbers</button>   (where there are variants)
 *       </span>
 *       <span class="mc-help" id="ID-help">A number with its unit, such as <code>90 s</code>.</span>
 *       <p class="mc-feedback" id="ID-feedback" role="status"></p>
 *     </form>
 *     <details class="mc-hint"><summary>Hint 1: concept</summary><div>…</div></details>
 *     <details class="mc-solution"><summary>Solution</summary><div>…
 *       <span class="mc-line" data-template="√(2 · {C} · {M})">…</span> = <span class="mc-answer">62.0 min</span>
 *       <li><span class="mc-mistake">43.8 min</span>: the 2 under the root was dropped</li>   (in the order of the spec)
 *     </div></details>
 *     <script type="application/json">spec</script>
 *   </mc-exercise>
 * New numbers rewrite .mc-given, .mc-line, .mc-answer and .mc-mistake and hide .mc-stated; seed 0 restores all.
 */
(function (mc) {
  "use strict";

  const LIVE = ".mc-given, .mc-line, .mc-answer, .mc-mistake";

  // ---- pure --------------------------------------------------------------------------------------

  /** Return one index for each size, all 0 for seed 0: mulberry32, as in mathcore/teaching/exercises.py. */
  mc.pickIndices = (seed, sizes) => {
    let a = seed >>> 0;
    return sizes.map((size) => {
      a = (a + 0x6d2b79f5) >>> 0;
      let t = Math.imul(a ^ (a >>> 15), a | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return seed ? Math.floor(((t ^ (t >>> 14)) >>> 0) / 2 ** 32 * size) : 0;
    });
  };

  const indices = ({ givens }, seed) => mc.pickIndices(seed, Object.values(givens).map(({ values }) => values.length));

  /** Return everything that depends on the seed: numbers, their text, and the answer. */
  function variant(spec, seed) {
    const [env, text, symbols] = [{}, {}, {}];
    const drawn = indices(spec, seed);
    Object.entries(spec.givens).forEach(([name, { values, unit, factor }], i) => {
      env[name] = values[drawn[i]] * factor;
      const stated = Number(values[drawn[i]].toPrecision(12));
      [text[name], symbols[name]] = [mc.stated(stated, unit), mc.symbols(stated, unit)];
    });
    const right = mc.call(spec.f, env);
    const { unit, factor, digits } = spec.asked;
    const [low, high] = spec.rounding ? mc.between(right / factor, spec.rounding) : [];
    const value = !spec.rounding ? right : factor * (right / factor - low < high - right / factor ? low : high);
    const wrong = spec.mistakes.map(({ f }) => mc.show(mc.call(f, env), unit, factor, spec.asked.digits || 3));
    return { env, text, symbols, right, wrong, answer: mc.show(value, unit, factor, digits) };
  }

  /** Return the next seed with numbers that are neither those of now nor the stated ones; without any, the same seed. */
  function nextSeed(spec, seed) {
    const known = [seed, 0].map((each) => String(indices(spec, each)));
    for (let next = seed + 1; next < seed + 200; next++) {
      if (!known.includes(String(indices(spec, next)))) return next;
    }
    return seed;
  }

  /** Judge a typed answer: {verdict: right | mistake | slip | wrong | unread, text}. */
  function judge(spec, seed, typed) {
    const quantity = mc.parseQuantity(typed, spec.asked);
    if (quantity.error) return { verdict: "unread", text: quantity.error };
    const { env, right, answer } = variant(spec, seed);
    const mistakes = spec.mistakes.map(({ label, f }) => ({ label, value: mc.call(f, env) }));
    const given = quantity.value / spec.asked.base; // base units → the declared unit
    const scale = spec.asked.base / quantity.factor; // declared unit → the unit that was typed
    const { verdict, text } = mc.diagnose(given, right, mistakes, spec.rtol, spec.asked, spec.rounding, scale);
    if (verdict === "right") return { verdict, text: `Correct: the computed value is ${answer}.` };
    const close = verdict === "wrong" && Math.abs(given / right - 1) < 0.05;
    return { verdict, text: `Not yet: ${text}.${close ? " That is close: look at the rounding." : ""}` };
  }

  /** Return a guess as the ledger has it, with how far it is off: {says, right, ratio}; right is null where it cannot be read. */
  function guessed(spec, seed, typed) {
    const { verdict } = judge(spec, seed, typed);
    const { value } = mc.parseQuantity(typed, spec.asked);
    const ratio = value / spec.asked.base / variant(spec, seed).right;
    const right = verdict === "unread" ? null : verdict === "right";
    const off = ratio > 0 && !right ? ` (${mc.format(Math.max(ratio, 1 / ratio))} times too ${ratio > 1 ? "large" : "small"})` : "";
    return { says: `${typed.trim()}${off}`, right, ratio: Number.isFinite(ratio) ? ratio : 0 };
  }

  // "?seed=7" is for every exercise of the page, "?seed=module.name:7" for one.
  const seeds = (text) => Object.fromEntries((text || "").split(",").filter(Boolean)
    .map((item) => (item.includes(":") ? item.split(":") : ["", item])));

  function seedOf(text, address) {
    const all = seeds(text);
    const seed = Number(all[address] ?? all[""] ?? 0);
    return Number.isInteger(seed) && seed >= 0 ? seed : 0;
  }

  function withSeed(text, address, seed) {
    const all = { ...seeds(text), [address]: seed };
    if (!seed && !Number(all[""] || 0)) delete all[address];
    return Object.entries(all).map(([key, value]) => (key ? `${key}:${value}` : value)).join(",") || null;
  }

  mc.exercise = { variant, nextSeed, judge, guessed, seedOf, withSeed };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  class Exercise extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.input = this.querySelector(".mc-input");
      this.feedback = this.querySelector(".mc-feedback");
      this.stated = new Map([...this.querySelectorAll(LIVE)].map((span) => [span, [...span.childNodes]]));
      this.mark = this.querySelector(".mc-head").appendChild(document.createElement("span"));
      this.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.check(); });
      this.input.addEventListener("change", () => this.keep({}));
      this.input.addEventListener("input", () => this.say("", ""));
      mc.showHintsInTurn(this);
      this.reseeding();
      this.restore();
      addEventListener("mc-progress", () => this.marked());
      for (const event of [mc.ledger.event, "mc-context"]) addEventListener(event, () => this.lock());
      this.lock();
    }

    get address() { return this.spec.address; }

    // In a lab the solution waits for the first answer of each context, on paper too.
    lock() {
      this.querySelector(".mc-solution").hidden = Boolean(mc.labOf(this.address)) && !mc.ledger.made(this.address).length;
    }

    reseeding() {
      this.renumber(seedOf(mc.url.get("seed"), this.address));
      const button = this.querySelector(".mc-new");
      if (!button) return;
      const back = button.insertAdjacentElement("afterend", button.cloneNode());
      back.textContent = "Stated numbers";
      this.back = back;
      back.hidden = this.seed === 0;
      button.addEventListener("click", () => this.reseed(nextSeed(this.spec, this.seed)));
      back.addEventListener("click", () => this.reseed(0));
    }

    reseed(seed) {
      this.renumber(seed);
      mc.url.set("seed", withSeed(mc.url.get("seed"), this.address, seed));
      this.back.hidden = seed === 0;
      const given = Object.values(variant(this.spec, seed).text).join(", ");
      this.say("note", `Now with ${given}.${this.input.value ? " What you wrote was for other numbers." : ""}`);
      this.input.focus();
      this.input.select();
    }

    renumber(seed) {
      this.seed = seed;
      const { text, symbols, wrong, answer } = variant(this.spec, seed);
      let mistake = 0;
      for (const [span, nodes] of this.stated) {
        if (span.matches(".mc-mistake")) span.textContent = seed === 0 ? nodes[0].textContent : wrong[mistake++];
        else if (seed === 0) span.replaceChildren(...nodes);
        else if (span.matches(".mc-line")) span.innerHTML = mc.raised(mc.escape(span.dataset.template || this.spec.line)).replace(/\{(\w+)\}/g, (whole, name) => mc.escape(symbols[name] ?? whole));
        else span.textContent = span.matches(".mc-answer") ? answer : text[span.dataset.name];
      }
      for (const part of this.querySelectorAll(".mc-varied")) part.hidden = seed === 0;
      for (const part of this.querySelectorAll(".mc-stated")) part.hidden = seed !== 0;
    }

    check() {
      const { verdict, text } = judge(this.spec, this.seed, this.input.value);
      const before = mc.progress.of(this.address);
      const right = verdict === "right";
      this.say(verdict, text);
      this.input.setAttribute("aria-invalid", String(!right));
      if (verdict === "unread") return this.keep({ checked: this.input.value });
      this.commit(right);
      this.keep({ right: right || Boolean(before.right), tries: (before.tries || 0) + 1, checked: this.input.value });
    }

    /** Where something waits for the answer it is a commitment too: the first number, and how far off it was. */
    commit(right) {
      const waiting = document.querySelector(`.mc-reveal-after[data-after~="${this.address}"]`);
      if (!mc.context(this.address) && !waiting) return;
      const { says, ratio } = guessed(this.spec, this.seed, this.input.value);
      mc.ledger.commit(this.address, { kind: "guess", title: this.spec.title || "" },
        { says, answer: this.input.value.trim(), seed: this.seed, right, at: { ratio } });
    }

    /** Keep the answer as typed, with whatever else changed. */
    keep(change) {
      mc.progress.note(this.address, { ...change, answer: this.input.value, seed: this.seed });
      this.marked();
    }

    say(verdict, text) {
      mc.showFeedback(this.feedback, verdict, text);
      if (!text) this.input.removeAttribute("aria-invalid");
    }

    // The last answer is restored in the field, with its feedback below if it was checked.
    restore() {
      const { answer, seed, right, checked } = mc.progress.of(this.address);
      this.marked();
      if (!answer) return;
      this.input.value = answer;
      if (seed !== this.seed) return;
      const found = judge(this.spec, this.seed, answer);
      if (checked !== answer && !(right && found.verdict === "right")) return;
      this.say(found.verdict, found.text);
      this.input.setAttribute("aria-invalid", String(found.verdict !== "right"));
    }

    marked() {
      this.mark.className = "mc-mark";
      mc.showProgress(this.mark, this.address);
    }
  }

  mc.ready(() => customElements.define("mc-exercise", Exercise));
})((globalThis.mc = globalThis.mc || {}));
