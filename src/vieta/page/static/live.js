// Live: what the filter says of a stream, as it comes. A bounded history is kept here as on the server; the browser connects again by itself.
import { $, make, table, findings } from "/static/ask.js";
import { chart, wider, update, drop, line, dots, shade, colour } from "/static/charts.js";

const MOST = 1000, MOST_INNOVATIONS = 4000, NORMAL = 2;
let points = [], changes = [], innovations = [], paused = false, due = false, drawn = "", latest = null;

export function startLive(about) {
  $("live-none").hidden = about.live; $("live-some").hidden = !about.live;
  if (!about.live) return;
  $("live-source").textContent = about.watch;
  $("pause").addEventListener("click", () => {
    paused = !paused; $("pause").textContent = paused ? "Resume" : "Pause"; $("pause").setAttribute("aria-pressed", paused);
    if (!paused) soon();
  });
  const heard = {
    estimate: (event) => take(event, "estimate"),
    final: (event) => take(event, "final"),
    change: (event) => { changes.push(event.after_set); changes = changes.slice(-200); soon(); },
    ended: () => { $("live-state").textContent = "the stream has ended"; },
    state: (event) => { if (!$("live-state").textContent.includes("ended")) $("live-state").textContent = event.text; },
    remark: (event) => {
      const list = $("live-remarks"); list.prepend(make("li", event.text));
      while (list.children.length > 8) list.lastChild.remove();
    },
  };
  // One connection for all tabs: browsers have but a few for a host.
  const { port } = new SharedWorker("/static/live-worker.js", { type: "module" });
  port.onmessage = ({ data }) => heard[data.kind]?.(JSON.parse(data.content));
  addEventListener("pagehide", () => port.postMessage("bye"));
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); }); // the worker has let this tab go
}

function take(event, kind) {
  if (points.length && event.n_sets < points.at(-1).n_sets) { // started again, from a state or anew: what comes after it is not yet
    points = points.filter((one) => one.n_sets < event.n_sets); changes = changes.filter((at) => at < event.n_sets); innovations = innovations.filter(([set]) => set <= event.n_sets);
    drop($("live-chart")); drop($("live-innovations")); drawn = "";
  }
  latest = event;
  if (event.theta) points.push({ n_sets: event.n_sets, theta: event.theta.flat(), band: event.conf_int.flat(2), at: event.received });
  if (points.length > MOST) points.splice(0, points.length - MOST);
  for (const [set, system, ...r] of event.innovations || []) for (const v of r) innovations.push([set, system, v]);
  if (innovations.length > MOST_INNOVATIONS) innovations.splice(0, innovations.length - MOST_INNOVATIONS);
  if (kind === "final") $("live-state").textContent = "the stream has ended";
  soon();
}

function soon() { if (!due && !paused) { due = true; requestAnimationFrame(() => { due = false; if (!paused) draw(); }); } }

// Numbers as the command prints them: so many digits, no zeros at the end.
const digits = (v, count) => (v === null || v === undefined ? "not known" : String(Number(Number(v).toPrecision(count))));

function draw() {
  if (!latest) return;
  $("live-sets").textContent = latest.n_sets.toLocaleString("en");
  const left = latest.left_out;
  $("live-left").textContent = (typeof left === "number" ? left : Object.values(left || {}).reduce((a, b) => a + b, 0)).toLocaleString("en");
  $("live-changes").textContent = changes.length;
  const recent = points.slice(-12), first = recent[0], last = recent.at(-1);
  if (recent.length > 1 && last.at > first.at) $("live-rate").textContent = Math.round((last.n_sets - first.n_sets) / (last.at - first.at)).toLocaleString("en");
  const noise = [latest.noise_var].flat().every((row) => Array.isArray(row)) ? (latest.noise_var || []).map((row, j) => row[j]) : [latest.noise_var];
  $("live-noise").textContent = noise.map((v) => (typeof v === "number" ? digits(Math.sqrt(v), 4) : "–")).join(", ");
  findings($("live-findings"), latest.findings?.length ? latest.findings.map((one) => ({ text: one.text, grade: one.severity })) : [{ text: latest.trouble || "No findings.", grade: latest.trouble ? "caution" : "fine" }]);
  if (!latest.theta) return;
  $("live-seen").textContent = (latest.seen || []).join(" ");
  const D = latest.theta[0].length, known = (latest.noise_sd || []).some((v) => v !== null);
  table($("live-table"), ["system", ...(D > 1 ? ["parameter"] : []), "estimate", "std. error", "95% interval", ...(known ? ["noise sd"] : [])], latest.theta.flatMap((row, l) => row.map((v, j) =>
    [String(l + 1), ...(D > 1 ? [String(j + 1)] : []), digits(v, 6), digits(latest.stderr[l][j], 3),
      latest.stderr[l][j] === null ? "not known" : `[${latest.conf_int[l][j].map((end) => digits(end, 6)).join(", ")}]`,
      ...(known ? [j ? "" : digits(latest.noise_sd[l], 4)] : [])])), { systems: true });
  if (points.length > 1) picture(D);
}

function picture(D) {
  const count = points[0].theta.length, shown = Math.min(count, 24), L = count / D;
  const data = [points.map((one) => one.n_sets)];
  for (let k = 0; k < shown; k++) data.push(points.map((one) => one.theta[k]), points.map((one) => one.band[2 * k]), points.map((one) => one.band[2 * k + 1]));
  $("live-innovations-box").hidden = innovations.length === 0 && points.length > 3; // of answers, there are none
  const recent = surprises(L);
  if (drawn === `${shown} ${innovations.length > 0}`) { update($("live-chart"), data); update($("live-innovations"), recent); return; }
  drawn = `${shown} ${innovations.length > 0}`;
  chart($("live-chart"), "The parameters with their intervals over the sets; vertical lines mark changes", () => {
    const series = [{}], bands = [];
    for (let k = 0; k < shown; k++) {
      const hue = shade(Math.floor(k / D));
      bands.push({ series: [3 * k + 3, 3 * k + 2], fill: hue + "33" });
      series.push(line(`parameter ${k + 1}`, hue), line("", "transparent", { width: 0 }), line("", "transparent", { width: 0 }));
    }
    return { scales: { x: { time: false } }, axes: [{ label: "sets", values: short }, { label: "parameters, with intervals", size: 60 }], series, bands, plugins: [{ hooks: { draw: [mark] } }] };
  }, data, { height: 360 });
  if (recent[0].length) chart($("live-innovations"), "Innovations of the latest readings, in standard deviations of the noise, coloured by system", () => ({
    scales: { x: { time: false, range: wider }, y: { range: reach } }, axes: [{ label: "sets", values: short }, { label: "in noise sd", size: 60 }],
    series: [{}, ...Array.from({ length: L }, (_, l) => dots(`system ${l + 1}`, shade(l), 3)), dots("false", colour("--clutter"), 3), ...[1, -1].map(() => line("two standard deviations", colour("--soft"), { dash: [6, 4], width: 1 }))],
    plugins: [{ hooks: { draw: [mark] } }],
  }), recent, { height: 220 });
}

const short = (_, at) => at.map((x) => (x >= 1e6 ? `${x / 1e6}M` : x >= 1e4 ? `${x / 1e3}k` : x.toLocaleString("en")));

// The range that shows every innovation of a system; false readings may lie beyond.
function reach() {
  let most = 2 * NORMAL;
  for (const [, system, r] of innovations) if (system && Math.abs(r) > most) most = Math.abs(r);
  return [-1.05 * most, 1.05 * most];
}

// The innovations as columns: one for each system, one of false readings, and the two lines.
function surprises(L) {
  const data = [innovations.map(([set]) => set)];
  for (let l = 1; l <= L; l++) data.push(innovations.map(([, system, r]) => (system === l ? r : null)));
  data.push(innovations.map(([, system, r]) => (system === 0 ? r : null)), innovations.map(() => NORMAL), innovations.map(() => -NORMAL));
  return data;
}

function mark(u) {
  const { ctx, bbox } = u;
  ctx.save(); ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--serious"); ctx.setLineDash([5, 4]); ctx.lineWidth = devicePixelRatio;
  for (const at of changes) {
    const x = u.valToPos(at, "x", true);
    if (x >= bbox.left && x <= bbox.left + bbox.width) { ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke(); }
  }
  ctx.restore();
}
