/* <mc-task>: options of which the core knows the right ones, in all variants. The page brings it complete,
 * with the solution folded; this script checks a choice, says why, and puts other numbers in.
 */
(function (mc) {
  "use strict";

  // ---- pure --------------------------------------------------------------------------------------

  /** Return {verdict, text} of the chosen indices among options {right, feedback}. */
  function judge(options, chosen) {
    const right = options.flatMap(({ right: is }, i) => (is ? [i] : []));
    const wrong = chosen.filter((i) => !right.includes(i));
    if (!chosen.length) return { verdict: "unread", text: "Choose something first." };
    if (wrong.length) return { verdict: "wrong", text: `Not ${wrong.length > 1 ? "all of these" : "this one"}. ${wrong.map((i) => options[i].feedback).join(" ")}` };
    const missing = right.length - chosen.length;
    if (missing) return { verdict: "wrong", text: `What you chose is right, and ${missing === 1 ? "one more is" : `${missing} more are`} too.` };
    return { verdict: "right", text: `Right. ${chosen.map((i) => options[i].feedback).join(" ")}` };
  }

  mc.task = { judge };
  if (!globalThis.HTMLElement) return;

  // ---- in the browser ------------------------------------------------------------------------------

  class Task extends HTMLElement {
    connectedCallback() {
      if (this.spec) return;
      this.spec = JSON.parse(this.querySelector("script[type='application/json']").textContent);
      this.variant = 0;
      this.feedback = this.querySelector(".mc-feedback");
      this.mark = this.querySelector(".mc-head").appendChild(mc.make("span", "", "mc-mark"));
      this.fields = [...this.querySelectorAll(".mc-option input")];
      this.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.check(); });
      this.querySelector("form").addEventListener("change", () => this.say("", ""));
      const button = this.querySelector(".mc-new");
      if (button) button.addEventListener("click", () => this.renumber((this.variant + 1) % this.spec.variants.length));
      addEventListener("mc-progress", () => this.marked());
      this.marked();
    }

    get now() { return this.spec.variants[this.variant]; }

    renumber(variant) {
      this.variant = variant;
      const { prompt, options } = this.now;
      this.querySelector(".mc-task-prompt").textContent = prompt;
      this.fields.forEach((field, i) => {
        field.checked = false;
        field.parentElement.querySelector(".mc-option-text").textContent = options[i].text;
      });
      this.querySelectorAll(".mc-option-reasons li").forEach((item, i) => {
        item.dataset.verdict = options[i].right ? "right" : "wrong";
        item.querySelector(".mc-chosen-option").textContent = `${options[i].text.replace(/:$/, "")}: `;
        item.querySelector("b").textContent = options[i].right ? "Right. " : "Not right. ";
        item.querySelector(".mc-why").textContent = options[i].feedback;
      });
      this.say("note", variant ? "With other numbers now." : "With the stated numbers again.");
      this.fields[0].focus();
    }

    check() {
      const chosen = this.fields.flatMap((field, i) => (field.checked ? [i] : []));
      const { verdict, text } = judge(this.now.options, chosen);
      this.say(verdict, text);
      if (verdict === "unread") return;
      const { right, tries } = mc.progress.of(this.spec.address);
      mc.progress.note(this.spec.address, { right: verdict === "right" || Boolean(right), tries: (tries || 0) + 1 });
      this.marked();
    }

    say(verdict, text) {
      mc.showFeedback(this.feedback, verdict, text);
    }

    marked() {
      mc.showProgress(this.mark, this.spec.address);
    }
  }

  mc.ready(() => customElements.define("mc-task", Task));
})((globalThis.mc = globalThis.mc || {}));
