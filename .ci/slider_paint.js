// From an event of a slider to its paint, in ms, for each of `places` in `rounds`: run by lighthouse.py in the page.
const [places, rounds, done] = arguments;
const slider = [...document.querySelectorAll("mc-explorer input[type=range]")].find((each) => each.checkVisibility());
if (!slider) return done([]); // none, or only such as a lab still holds back
slider.scrollIntoView({ block: "center" });
const [low, high] = [Number(slider.min), Number(slider.max)];
const { port1, port2 } = new MessageChannel();
const painted = () => new Promise((told) => { port1.onmessage = told;
  requestAnimationFrame(() => port2.postMessage("")); });
const laid = () => !document.querySelector(".mc-article > section > section:not([data-laid])");
async function moved(place) {
  let begun;
  requestAnimationFrame(() => { begun = performance.now(); }); // the first thing in the frame that shows the move
  const heard = performance.now();
  slider.value = low + (high - low) * ((place * 7) % places) / places;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const handled = performance.now();
  await painted();
  return handled - heard + performance.now() - begun;
}
(async () => {
  while (!laid()) await painted(); // the page is at rest
  const times = Array.from({ length: places }, () => []);
  for (let move = -5; move < places * rounds; move += 1) { // the first of them are to get warm
    await painted();
    const place = (move + places) % places, time = await moved(place);
    if (move >= 0) times[place].push(time);
  }
  done(times);
})();
