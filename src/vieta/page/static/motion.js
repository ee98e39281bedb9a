// Movement: things glide from where they were to where they are. Nothing else moves with them, and nothing moves for those who want no motion.
import { make } from "/static/ask.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE = 700, FLIGHT = 600; // milliseconds
const over = (moves) => Promise.allSettled(moves.map((one) => one.finished));

// Put the children of each place into another order, given as their old positions.
export function reorder(places, orders) {
  const all = places.flatMap((place) => [...place.children]);
  for (const one of all) one.getAnimations().forEach((old) => old.cancel());
  const before = new Map(all.map((one) => [one, one.getBoundingClientRect().left]));
  places.forEach((place, k) => { const old = [...place.children]; place.append(...orders[k].map((at) => old[at])); });
  if (still.matches) return Promise.resolve();
  const by = new Map(all.map((one) => [one, before.get(one) - one.getBoundingClientRect().left]));
  return over(all.filter((one) => by.get(one)).map((one) => {
    const dx = by.get(one), lift = dx < 0 ? -5 : 5; // those that pass each other do so on two sides
    return one.animate([{ transform: `translate(${dx}px, 0)` }, { transform: `translate(${dx / 2}px, ${lift}px)` }, { transform: "none" }], { duration: GLIDE, easing: "ease-in-out" });
  }));
}

// Copies of elements as dots that go to places in the window, within a box that they are laid over.
export function fly(elements, places, box) {
  if (still.matches) return Promise.resolve();
  const home = box.getBoundingClientRect();
  const dots = elements.map((one, k) => {
    const from = one.getBoundingClientRect(), [x, y] = places[k], dot = make("span", "", { class: "flying", "aria-hidden": "true" });
    const dx = from.left + from.width / 2 - x, dy = from.top + from.height / 2 - y;
    dot.style.left = `${x - home.left}px`; dot.style.top = `${y - home.top}px`;
    box.append(dot);
    return [dot, dot.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: FLIGHT, delay: 80 * k, fill: "both", easing: "ease-in-out" })];
  });
  return over(dots.map(([, move]) => move)).then(() => dots.forEach(([dot]) => dot.remove()));
}
