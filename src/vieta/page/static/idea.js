// The idea: readings of a set in any order, the polynomial that has them as roots, and averages over sets. The server gives every number.
import { $, task, show, make, latest } from "/static/ask.js";
import { chart, update, plotOf, line, colour } from "/static/charts.js";
import { reorder, fly } from "/static/motion.js";

const STEP = 170, LOOK = 900; // milliseconds: between averages, and to look at a set
let lesson = null, seed = 0, playing = null, chosen = 0, landed = true, flight = 0;

export function startIdea() {
  const again = latest(polynomial);
  for (const id of ["p-systems", "p-noise"]) $(id).addEventListener("input", () => { stop(); $(`${id}-out`).textContent = $(id).value; again(); });
  $("p-k").addEventListener("input", () => { stop(); averaged(); });
  $("p-again").addEventListener("click", () => { stop(); seed += 1; again(); });
  $("p-shuffle").addEventListener("click", async () => { stop(); await shuffle(); $("p-says").textContent = `Shuffled: the polynomial of set ${chosen + 1} and its roots are as before, and so are all others.`; });
  $("p-play").addEventListener("click", play);
  $("p-sets").addEventListener("change", (event) => { stop(); choose(Number(event.target.value)); });
  polynomial();
}

async function polynomial() {
  show($("p-trouble"));
  try {
    lesson = await task("polynomial", { systems: Number($("p-systems").value), noise: Number($("p-noise").value), seed });
  } catch (error) { show($("p-trouble"), error); return; }
  $("p-k").max = lesson.at.length - 1;
  flight += 1; landed = true;
  sets();
  const near = lesson.right.filter((_, k) => lesson.t[k] > lesson.truth[0] - 0.4 && lesson.t[k] < lesson.truth.at(-1) + 0.4);
  const bound = Math.max(...near.map(Math.abs)) * 1.6;
  chart($("p-chart"), "The polynomial of the averaged sets, that of the chosen set alone, and that of the systems", () => ({
    scales: { x: { time: false }, y: { range: [-bound, bound] } }, axes: [{ label: "t" }, { size: 60 }], legend: { show: true, live: false },
    series: [{ label: "t" }, line("the systems'", colour("--soft"), { dash: [6, 4] }), line("average", colour("--s1"), { width: 3 }), line("the chosen set's", colour("--s2"), { width: 1.5 })],
    plugins: [{ hooks: { draw: [dotted] } }],
  }), shown(), { height: 330 });
  averaged();
}

// On the axis: the readings of the chosen set, and the real roots of the average.
function dotted(u) {
  const k = $("p-k").value, { ctx } = u;
  const dot = (at, radius) => { ctx.beginPath(); ctx.arc(u.valToPos(at, "x", true), u.valToPos(0, "y", true), radius * devicePixelRatio, 0, 2 * Math.PI); ctx.fill(); };
  ctx.save(); ctx.fillStyle = colour("--s1");
  lesson.roots[k].forEach((root, l) => { if (!lesson.imaginary[k][l]) dot(root, 6); });
  ctx.fillStyle = colour("--s2");
  if (landed) lesson.sets[chosen].forEach((reading) => dot(reading, 4));
  ctx.restore();
}

const shown = () => [lesson.t, lesson.right, lesson.averages[$("p-k").value], lesson.each[chosen].map((v) => (landed ? v : null))];
const rows = () => [...document.querySelectorAll("#p-sets .chips")];

function sets() {
  const made = make("table"), head = made.createTHead().insertRow(), body = made.createTBody();
  for (const name of ["set", "readings, in any order"]) head.append(make("th", name, { scope: "col" }));
  lesson.sets.forEach((row, k) => {
    const line = body.insertRow(), label = make("label"), pick = make("input", null, { type: "radio", name: "p-set", value: k }), chips = make("span", null, { class: "chips" });
    pick.checked = k === chosen;
    label.append(pick, ` ${k + 1}`); line.insertCell().append(label);
    chips.append(...row.map((v) => make("span", v.toFixed(2), { class: "chip" }))); line.insertCell().append(chips);
  });
  $("p-sets").replaceChildren(made);
}

async function shuffle() {
  const orders = lesson.sets.map((row) => { const order = row.map((_, k) => k); for (let k = order.length - 1; k > 0; k--) { const j = Math.floor(Math.random() * (k + 1)); [order[k], order[j]] = [order[j], order[k]]; } return order; });
  lesson.sets = lesson.sets.map((row, k) => orders[k].map((at) => row[at]));
  const these = lesson;
  await reorder(rows(), orders);
  if (these === lesson) await choose(chosen);
}

// A set: its readings go to the axis as roots, and then its polynomial goes through them.
async function choose(k) {
  const mine = flight += 1, u = plotOf($("p-chart")), stage = $("p-stage");
  chosen = k; landed = false;
  document.querySelectorAll("#p-sets input").forEach((one, at) => { one.checked = at === k; });
  update($("p-chart"), shown());
  const box = u.over.getBoundingClientRect(), chips = [...rows()[k].children];
  await fly(chips, lesson.sets[k].map((v) => [box.left + u.valToPos(v, "x"), box.top + u.valToPos(0, "y")]), stage);
  if (mine !== flight) return;
  landed = true;
  update($("p-chart"), shown());
  $("p-says").textContent = `Set ${k + 1}: its readings, in whatever order, are the roots of its polynomial.`;
}

function averaged() {
  if (!lesson) return;
  $("p-k-out").textContent = lesson.at[$("p-k").value].toLocaleString("en");
  update($("p-chart"), shown());
  $("p-roots").textContent = roots();
}

function roots() {
  const k = Number($("p-k").value), n = lesson.at[k];
  const each = lesson.roots[k].map((v, l) => v.toFixed(2) + (lesson.imaginary[k][l] ? ` ${lesson.imaginary[k][l] > 0 ? "+" : "−"} ${Math.abs(lesson.imaginary[k][l]).toFixed(2)} i` : ""));
  const pair = lesson.imaginary[k].some((v) => v !== 0) ? " A complex pair: the noise of so few sets cannot tell two systems apart." : "";
  return `Roots after ${n.toLocaleString("en")} set${n > 1 ? "s" : ""}: ${each.join(", ")}. The systems: ${lesson.truth.map((v) => v.toFixed(2)).join(", ")}.${pair}`;
}

const wait = (time) => new Promise((done) => setTimeout(done, time));

// All of it, one step after the other, until it is stopped.
async function play() {
  if (playing || !lesson) { stop(); return; }
  const mine = playing = {};
  $("p-play").textContent = "Stop"; $("p-play").setAttribute("aria-pressed", true);
  $("p-roots").setAttribute("aria-live", "off"); // it changes too often to be read out
  for (const step of steps()) { await step(); if (playing !== mine) return; }
  stop();
}

function* steps() {
  $("p-k").value = 0; averaged();
  $("p-says").textContent = "Sets are shuffled: nobody knows which reading is of which system.";
  yield shuffle; yield () => wait(LOOK);
  for (const k of [1, 2, 0]) { yield () => choose(k); yield () => wait(LOOK); }
  $("p-says").textContent = "Averages over more and more sets: the noise cancels, and the roots come to the systems.";
  for (let k = 0; k <= Number($("p-k").max); k++) yield () => { $("p-k").value = k; averaged(); return wait(STEP); };
}

function stop() {
  playing = null;
  $("p-play").textContent = "Play"; $("p-play").setAttribute("aria-pressed", false); $("p-roots").setAttribute("aria-live", "polite");
}
