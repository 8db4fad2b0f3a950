/* <mc-question>: a choice whose right option is computed from the numbers of now. It stands in the
 * page complete, with all answers folded; this script takes the choice with its reason, says what was
 * right with the numbers of that moment, and writes it into the ledger: the first choice of a context
 * stays as it was, later ones are added.
 * `<div class="mc-reveal-after" data-after="address …">` stays closed until those questions and exercises are answered.
 */
(function (mc) {
  "use strict";

  const LETTERS = "ABCDEFGH";
  const fill = (template, known) => template.replace(/\{(\w+)\}/g, (whole, name) => known[name] ?? whole);

  // ---- pure --------------------------------------------------------------------------------------

  /** Return {env, text}: declared values and printed texts, at the givens or at a calculator's state. */
  function numbers(spec, live = {}) {
    const env = {}, text = {};
    for (const [name, { value, unit, factor }] of Object.entries(spec.givens)) {
      env[name] = name in live ? live[name] : value;
      text[name] = mc.stated(Number((env[name] / factor).toPrecision(12)), unit);
    }
    for (const [name, { f, unit, factor, digits }] of Object.entries(spec.slots)) {
      text[name] = mc.show(mc.call(f, env), unit, factor, digits);
    }
    return { env, text };
  }

  const right = (spec, live) => {
    const { env } = numbers(spec, live);
    return spec.options.findIndex(({ when }) => mc.call(when, env) > 0);
  };

  /** Return [{says, feedback, right}] with the numbers of now. */
  function answers(spec, live) {
    const { text } = numbers(spec, live);
    const index = right(spec, live);
    return spec.options.map(({ text: says, feedback }, i) => ({ says: fill(says, text), feedback: fill(feedback, text), right: i === index }));
  }

  /** Return the index of the option that was committed, -1 for one that the question has no more: by its key, and in
   * ledgers from before version 3 by its place at that time. */
  function place({ options }, { option, choice }) {
    if (option === undefined) return choice in options ? choice : -1;
    return options.findIndex((each) => each.key === option);
  }

  /** Return [verdict, words] of what was committed: judged with the numbers of its moment, which may not be those of now. */
  function verdict(spec, made, now) {
    const last = made[made.length - 1], then = answers(spec, last.at);
    const index = then.findIndex(({ right: is }) => is), current = now.findIndex(({ right: is }) => is);
    const chosen = place(spec, last), before = place(spec, made[0]);
    const other = chosen === index ? "" : ` Right is ${LETTERS[index]}: ${then[index].says}. ${then[index].feedback}`;
    const first = made.length > 1 && before !== chosen ? ` Your first answer was ${LETTERS[before]}; it stays in the ledger.` : "";
    const moved = current === index ? "" : ` With the numbers of now it would be ${LETTERS[current]}: ${now[current].says}.`;
    return [chosen === index ? "right" : "wrong",
      `${chosen === index ? "Right. " : "Not this one. "}${then[chosen].feedback}${other}${first}${moved}`];
  }

  /** Return what a committed input loses above the best one: {text, right}. */
  function judged(spec, state) {
    const { input, f, loss, bound, whole } = spec.commit;
    const { name, unit, factor, label } = spec.inputs.find((each) => each.name === input);
    const env = Object.fromEntries(spec.inputs.map((each) => [each.name, state[each.name] * each.factor]));
    const exact = mc.call(f, env), best = whole ? mc.between(exact, "up")[0] : exact;
    const [own, least] = [env[name], best].map((value) => mc.call(loss.f, { ...env, [name]: value }));
    const more = Math.max(0, own / least - 1);
    const right = more <= bound;
    const known = Number.isFinite(more) ? `you lose ${mc.show(more, "%", 0.01, 2)} more than at the best` : "what you lose has no figure";
    return { right, text: `${label}: you committed ${mc.stated(state[name], unit)}, computed are ${mc.show(best, unit, factor)}: ` +
      `${known}${right ? `, and up to ${mc.show(bound, "%", 0.01, 2)} counts as right` : ""}.` };
  }

  mc.question = { LETTERS, numbers, right, answers, place, verdict, judged };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  class Question extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.feedback = this.querySelector(".mc-feedback");
      this.folded = this.querySelector(".mc-answers");
      this.button = this.querySelector(".mc-check");
      this.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.commit(); });
      addEventListener("mc-input-changed", ({ detail }) => detail.address === this.spec.of && this.follow());
      for (const event of [mc.ledger.event, "mc-context"]) addEventListener(event, () => this.follow());
      this.follow();
    }

    get chosen() { return this.querySelector("input:checked"); }

    live() {
      const calculator = this.spec.of && document.querySelector(`mc-explorer[data-address="${this.spec.of}"]`);
      return calculator && calculator.state ? mc.panels.environment(calculator.spec, calculator.state) : {};
    }

    /** In a lab the first choice needs a sentence of reasons, which stays next to it. */
    get made() { return mc.ledger.made(this.spec.address); }
    get reason() { return this.querySelector(".mc-reason textarea"); }

    // Where the choice is a decision of a lab there is room for its reasons.
    room() {
      if (this.reason || !mc.labOf(this.spec.address)) return;
      const paragraph = this.dataset.purpose === "justification";
      const field = Object.assign(mc.make("textarea", "", "mc-input"), paragraph ? { rows: 7, maxLength: 2000 } : { rows: 2, maxLength: 400 });
      const label = mc.make("label", paragraph ? "Your paragraph " : "Because ", "mc-reason");
      label.append(field);
      this.button.parentElement.before(label);
    }

    commit() {
      const reason = this.reason ? this.reason.value.trim() : "";
      if (!this.chosen) return this.say("unread", "Choose one of the options first.");
      if (this.reason && !this.made.length && !reason) {
        this.reason.focus();
        return this.say("unread", this.dataset.purpose === "justification" ? "Write the paragraph first: it is the answer, the choice is only its heading."
          : "Give your reason in one sentence; it is stored with your answer.");
      }
      const index = Number(this.chosen.value);
      const live = this.live();
      const all = answers(this.spec, live);
      mc.ledger.commit(this.spec.address, { kind: "question", title: this.spec.title },
        { choice: index, option: this.spec.options[index].key, says: `${LETTERS[index]}: ${all[index].says}`, right: all[index].right, reason, at: numbers(this.spec, live).env });
    }

    // Words, verdict and folded answers: before a choice the words alone, afterwards all with the numbers of then.
    follow() {
      this.room();
      const all = answers(this.spec, this.live());
      const made = this.made.filter((each) => place(this.spec, each) >= 0);
      const last = made[made.length - 1];
      this.querySelectorAll(".mc-option-text").forEach((span, i) => { span.textContent = all[i].says; });
      this.folded.hidden = !last;
      this.dataset.answered = last ? "yes" : "";
      this.button.textContent = last ? "Commit again" : "Commit";
      if (this.reason) this.reason.readOnly = Boolean(last);
      const key = this.spec.address + made.length + (last ? last.context : "");
      if (this.key !== key) { // another context, or another commitment: the form shows what it is
        this.key = key;
        this.querySelectorAll("input").forEach((radio, i) => { radio.checked = Boolean(last) && place(this.spec, last) === i; });
        if (this.reason) this.reason.value = made.length ? made[0].reason || "" : "";
      }
      this.explain(all);
      if (!last) return this.say("", "");
      this.say(...verdict(this.spec, made, all));
    }

    // Without a commitment nothing that could be read: the fold is emptied, not only closed.
    explain(all) {
      const shown = this.dataset.answered === "yes";
      this.querySelectorAll(".mc-answers li").forEach((item, i) => {
        item.dataset.verdict = shown ? (all[i].right ? "right" : "wrong") : "";
        item.querySelector("b").textContent = shown ? (all[i].right ? "Right. " : "Not right. ") : "";
        item.querySelector("span").textContent = shown ? all[i].feedback : "";
      });
    }

    say(verdict, text) {
      if (this.feedback.textContent === text && this.feedback.dataset.verdict === verdict) return;
      this.feedback.dataset.verdict = verdict;
      this.feedback.textContent = text;
    }
  }

  // ---- what waits for an answer ---------------------------------------------------------------------

  // The status line of a lab tells of what is shown.
  function force(calculator) {
    calculator.dataset.forced = "yes";
    dispatchEvent(new Event("mc-forced"));
  }

  // A calculator that is shown without a guess opens what waits for its guess.
  const calculatorOf = (address) => document.querySelector(`mc-explorer[data-address="${address}"]`);
  const passed = (address) => calculatorOf(address)?.dataset.forced === "yes";
  const answered = (addresses) => addresses.split(" ").every((address) => mc.ledger.made(address).length || passed(address));

  // The theme lets the keyboard reach tables that scroll when the page loads: a hidden one had no width then.
  function reachable(part) {
    for (const table of part.querySelectorAll(".mc-scroll")) {
      table.tabIndex = table.scrollWidth > table.clientWidth ? 0 : -1;
    }
  }

  function lockParts() {
    for (const part of document.querySelectorAll(".mc-reveal-after")) {
      const notice = mc.make("p", "", "mc-lock");
      const open = mc.make("button", "Open it without an answer", "mc-button");
      const done = calculatorOf(part.dataset.after) ? "committed your guess" : `answered${part.dataset.after.includes(" ") ? " what stands above" : ""}`;
      notice.append(`${part.dataset.title || "What follows"} opens when you have ${done}. `, open);
      part.before(notice);
      let forced = false;
      const set = () => {
        notice.hidden = !(part.hidden = !forced && !answered(part.dataset.after));
        for (const each of part.querySelectorAll("mc-explorer")) each.seal(part, part.hidden);
        if (notice.hidden) reachable(part);
      };
      open.onclick = () => {
        forced = true;
        set();
        for (const each of part.querySelectorAll("mc-explorer")) if (!each.spec.commit) force(each);
      };
      for (const event of [mc.ledger.event, "mc-context", "mc-forced"]) addEventListener(event, set);
      set();
    }
  }

  // A calculator with a guess to commit shows its inputs alone until then; what was committed stays on top.
  function lockCalculator(calculator) {
    const { spec } = calculator;
    const place = mc.make("p", "", "mc-lock");
    const words = mc.make("span");
    place.setAttribute("role", "status");
    const [commit, skip] = [mc.make("button", "Commit this guess", "mc-button mc-commit"), mc.make("button", "Show it without a guess", "mc-button")];
    place.append(words, " ", commit, " ", skip);
    calculator.querySelector(".mc-play").after(place);
    const label = spec.inputs.find(({ name }) => name === spec.commit.input).label;
    let open = false; // once shown without a guess it stays so, whatever else is written into the ledger
    const show = () => {
      const { says } = mc.ledger.made(spec.address)[0] || {};
      calculator.classList.toggle("mc-locked", !(says || open));
      calculator.seal("guess", !(says || open));
      commit.hidden = skip.hidden = Boolean(says || open);
      place.hidden = Boolean(open && !says);
      words.textContent = says || `Before the curve is shown: where would you set “${label}”? Move it there, then commit.`;
    };
    commit.onclick = () => {
      const { text, right: near } = judged(spec, calculator.state);
      mc.ledger.commit(spec.address, { kind: "point", title: spec.title }, { says: text, right: near, at: { ...calculator.state } });
    };
    skip.onclick = () => {
      open = true;
      show();
      force(calculator);
    };
    for (const event of [mc.ledger.event, "mc-context"]) addEventListener(event, show);
    show();
  }

  mc.ready(() => {
    customElements.define("mc-question", Question);
    [...document.querySelectorAll("mc-explorer")].filter(({ spec }) => spec && spec.commit).forEach(lockCalculator);
    lockParts();
  });
})((globalThis.mc = globalThis.mc || {}));
