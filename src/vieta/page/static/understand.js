// Understand: the idea, and filters on the Examples. The server's estimators give every number.
import { $, parts, show, make, latest } from "/static/ask.js";
import { chart, drop, update, line, shade, colour, joined } from "/static/charts.js";
import { startIdea } from "/static/idea.js";

let settings = null, race = null, running = null, own = true, systems = null; // own: with the settings of the Example; systems: null for those of the paper

export function startUnderstand() {
  startIdea();
  const run = latest(raced);
  for (const id of ["u-noise", "u-step", "u-other", "u-n"]) $(id).addEventListener("input", () => { words(); run(); });
  $("u-example").addEventListener("change", () => { own = true; systems = null; run(); });
  $("u-systems").addEventListener("input", () => { systems = Number($("u-systems").value); $("u-systems-out").textContent = systems; own = true; run(); });
  run();
}

const power = (id) => Number((10 ** Number($(id).value)).toPrecision(2));
const round = (x) => Number(x.toPrecision(2));

function words() {
  $("u-noise-out").textContent = power("u-noise"); $("u-step-out").textContent = power("u-step"); $("u-other-out").textContent = power("u-other");
  $("u-n-out").textContent = power("u-n").toLocaleString("en");
}

// The filters run on the server, and their paths are drawn as they grow. It is over, for another run, once something of it can be seen.
async function raced() {
  show($("u-trouble"));
  running?.abort();
  const mine = running = new AbortController(), itself = own, example = Number($("u-example").value), asked = systems === null ? { example } : { example, systems };
  if (!itself) Object.assign(asked, { noise: power("u-noise"), step: power("u-step"), other_step: power("u-other"), n: power("u-n") });
  own = false;
  const coming = parts("race", asked, mine.signal), stopped = (error) => { if (error.name !== "AbortError") { show($("u-trouble"), error); $("u-shown").textContent = ""; } };
  try {
    const { value } = await coming.next();
    if (value) begin(value, itself);
  } catch (error) { stopped(error); return; }
  const rest = async () => { for await (const part of coming) { if (running !== mine) return; grow(part); } };
  rest().catch(stopped);
}

function begin(found, itself) {
  if (itself) {
    settings = found.settings;
    for (const [id, value] of [["u-noise", settings.noise], ["u-step", settings.step], ["u-other", settings.other_step], ["u-n", settings.n]]) $(id).value = Math.log10(value);
    $("u-systems").max = settings.most_systems; $("u-systems").value = settings.systems; $("u-systems-out").textContent = settings.systems;
    $("u-other-name").textContent = settings.other; $("u-says").textContent = settings.says; words();
  }
  race = found;
  const names = Object.keys(race.paths);
  if ($("u-charts").children.length !== names.length) $("u-charts").replaceChildren(...names.map(() => { const one = make("div"); one.append(make("h3"), make("div", null, { class: "path" }), make("p", "", { class: "aside" })); return one; }));
  names.forEach(drawPath);
  $("u-after").textContent = after(); reached();
}

function grow(part) {
  race.reached = part.reached;
  Object.entries(part.paths).forEach(([name, more], k) => {
    const path = race.paths[name];
    if (more.trouble || path.trouble) race.paths[name] = more;
    else { path.at.push(...more.at); path.theta.forEach((column, l) => column.push(...more.theta[l])); path.final = more.final ?? path.final; }
    drawPath(name, k, null, true);
  });
  reached();
}

function reached() {
  const n = race.n.toLocaleString("en");
  $("u-shown").textContent = race.reached < race.n ? `Running: ${race.reached.toLocaleString("en")} of ${n} sets so far.` : `All ${n} sets.`;
}

function drawPath(name, k, _, more = false) {
  const [title, place, note] = $("u-charts").children[k].children, path = race.paths[name];
  title.textContent = name === "lms" ? "LMS, as in the paper" : name === "efficient" ? "efficient, the default here" : name;
  note.className = path.trouble ? "trouble" : "aside";
  if (path.trouble) { drop(place); place.replaceChildren(); note.textContent = path.trouble; return; }
  const last = race.truth.at(-1).theta, at = [], dashed = last.map(() => []);
  let from = 0;
  for (const part of race.truth) { at.push(from, part.until); part.theta.forEach((v, l) => dashed[l].push(v, v)); from = part.until + 1; }
  const width = race.example > 2 ? 2 : 1, lost = name === settings.other ? (race.saddle ? race.saddle.theta : race.ghosts ? race.ghosts.flat() : []) : [];
  const data = joined([[at, ...dashed, ...lost.map((v) => at.map(() => v))], [path.at, ...path.theta]]);
  note.textContent = path.final === null ? "looks for a start" : `${race.reached < race.n ? "now" : "ends"} at ${path.final.map((row) => row.slice(0, 2).map((v) => round3(v)).join(", ")).join(" | ")}`;
  if (more) { update(place, data); return; }
  const known = race.truth.flatMap((part) => part.theta), reach = Math.max(...known) - Math.min(...known) || 1;
  const low = Math.min(...known) - 0.4 * reach, high = Math.max(...known) + 0.4 * reach;
  chart(place, `${name}: parameters over the sets, truth dashed`, () => ({
    scales: { x: { time: false }, y: { range: [low, high] } }, axes: [{ label: "sets", values: (_, v) => v.map((x) => (x >= 1000 ? `${x / 1000}k` : x)) }, { size: 42 }],
    series: [{}, ...dashed.map(() => line("truth", colour("--soft"), { dash: [5, 4], width: 1 })), ...lost.map(() => line("saddle or ghost", colour("--serious"), { dash: [2, 4], width: 2 })), ...path.theta.map((_, l) => line(`parameter ${l + 1}`, shade(Math.floor(l / width))))],
  }), data, { height: 240 });
}

const round3 = (v) => (v === null ? "–" : String(Number(v.toFixed(3))));

function after() {
  if (race.saddle) return `The direct gradient passes slowly by a saddle (dotted) at ${race.saddle.theta.map(round3).join(", ")}, where the Hessian has the eigenvalues ${race.saddle.eigenvalues.join(", ")}: one leads down, so it is no minimum, though the filter seems stuck there.`;
  if (race.ghosts) return `The naive transform takes each coordinate on its own and forgets which belong together: it goes to ghosts (dotted) near ${race.ghosts.map((row) => `(${row.join(", ")})`).join(" and ")}, points that no system has; how near it comes depends on its step.`;
  if (race.example === 2 && systems === null) return "The systems jump at half time. LMS forgets at the rate of its step; the efficient filter finds the jump by itself.";
  if (race.example !== 4) return "Another number of systems than in the paper: the powers of readings grow with it, and steps must shrink.";
  return "Systems with ten parameters each, of which the first two are shown.";
}
