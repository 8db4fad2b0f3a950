/* Films of drawings: all steps stand in the page; here they can be seen one at a time.
 * "Play" goes through them and stops at the last, the arrow keys step, "All steps" is how it began.
 * Who asked the system for less motion has no "Play": the steps are gone through by hand.
 */
(function (mc) {
  "use strict";

  const FRAME_TIME = 1400; // milliseconds a step is shown; a long film goes faster

  function animation(box) {
    const frames = [...box.querySelectorAll(".mc-frame")];
    const button = Object.fromEntries([...box.querySelectorAll("[data-do]")].map((each) => [each.dataset.do, each]));
    const count = box.querySelector(".mc-count");
    let timer = 0;

    const at = () => (box.dataset.at === undefined ? -1 : Number(box.dataset.at));

    function show(index) {
      if (index === null) delete box.dataset.at;
      else box.dataset.at = Math.max(0, Math.min(index, frames.length - 1));
      frames.forEach((frame, i) => frame.toggleAttribute("data-now", i === at()));
      count.value = at() < 0 ? `${frames.length} steps` : `step ${at() + 1} of ${frames.length}`;
      button.back.disabled = at() === 0;
      button.next.disabled = at() === frames.length - 1;
      button.all.disabled = at() < 0;
    }

    function pause() {
      clearInterval(timer);
      timer = 0;
      button.play.textContent = "Play";
    }

    function play() {
      show(at() < 0 || at() === frames.length - 1 ? 0 : at() + 1);
      button.play.textContent = "Pause";
      timer = setInterval(() => {
        show(at() + 1);
        if (at() === frames.length - 1) pause();
      }, Math.min(FRAME_TIME, 12000 / frames.length));
    }

    const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    const respectReducedMotion = () => {
      button.play.hidden = reducedMotion.matches;
      if (reducedMotion.matches) pause();
    };
    reducedMotion.addEventListener("change", respectReducedMotion);
    respectReducedMotion();

    const does = {
      play: () => (timer ? pause() : play()),
      back: () => { pause(); show(at() < 0 ? frames.length - 1 : at() - 1); },
      next: () => { pause(); show(at() + 1); },
      all: () => { pause(); show(null); },
    };
    for (const [name, each] of Object.entries(button)) each.addEventListener("click", does[name]);
    box.addEventListener("keydown", ({ key }) => {
      if (key === "ArrowRight") does.next();
      if (key === "ArrowLeft") does.back();
    });
    show(null);
  }

  mc.ready(() => document.querySelectorAll(".mc-animation").forEach(animation));
})((globalThis.mc = globalThis.mc || {}));
