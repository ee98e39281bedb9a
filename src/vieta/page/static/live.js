// Live: what the filter says of a stream, as it comes. A bounded history is kept here as on the server; the browser connects again by itself.
import { $, make, table, findings } from "/static/ask.js";
import { chart, update, drop, line, shade } from "/static/charts.js";

const MOST = 1000;
let points = [], changes = [], paused = false, due = false, drawn = 0, latest = null;

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
  const { port } = new SharedWorker("/static/live-worker.js");
  port.onmessage = ({ data }) => heard[data.kind]?.(JSON.parse(data.content));
  addEventListener("pagehide", () => port.postMessage("bye"));
}

function take(event, kind) {
  const before = points.at(-1);
  if (before && event.n_sets < before.n_sets) { points = []; changes = []; drop($("live-chart")); drawn = 0; }
  latest = event;
  if (event.theta) points.push({ n_sets: event.n_sets, theta: event.theta.flat(), band: event.conf_int.flat(2), at: event.received });
  if (points.length > MOST) points.splice(0, points.length - MOST);
  if (kind === "final") $("live-state").textContent = "the stream has ended";
  soon();
}

function soon() { if (!due && !paused) { due = true; requestAnimationFrame(() => { due = false; if (!paused) draw(); }); } }

function draw() {
  if (!latest) return;
  const format = (v, digits = 4) => (v === null || v === undefined ? "–" : Number(v).toPrecision(digits));
  $("live-sets").textContent = latest.n_sets.toLocaleString("en");
  const left = latest.left_out;
  $("live-left").textContent = (typeof left === "number" ? left : Object.values(left || {}).reduce((a, b) => a + b, 0)).toLocaleString("en");
  $("live-changes").textContent = changes.length;
  const recent = points.slice(-12), first = recent[0], last = recent.at(-1);
  if (recent.length > 1 && last.at > first.at) $("live-rate").textContent = Math.round((last.n_sets - first.n_sets) / (last.at - first.at)).toLocaleString("en");
  const noise = latest.noise_var;
  $("live-noise").textContent = typeof noise === "number" ? format(Math.sqrt(noise)) : "–";
  findings($("live-findings"), latest.findings?.length ? latest.findings.map((one) => ({ text: one.text, grade: one.severity })) : [{ text: latest.trouble || "No findings.", grade: latest.trouble ? "caution" : "fine" }]);
  if (!latest.theta) return;
  const D = latest.theta[0].length;
  table($("live-table"), ["system", ...(D > 1 ? ["parameter"] : []), "estimate", "std. error", "interval"], latest.theta.flatMap((row, l) => row.map((v, j) =>
    [j ? "" : String(l + 1), ...(D > 1 ? [String(j + 1)] : []), format(v, 6), format(latest.stderr[l][j], 3), `${format(latest.conf_int[l][j][0], 5)} to ${format(latest.conf_int[l][j][1], 5)}`])), { systems: true });
  if (points.length > 1) picture(D);
}

function picture(D) {
  const count = points[0].theta.length, shown = Math.min(count, 24);
  const data = [points.map((one) => one.n_sets)];
  for (let k = 0; k < shown; k++) data.push(points.map((one) => one.theta[k]), points.map((one) => one.band[2 * k]), points.map((one) => one.band[2 * k + 1]));
  if (drawn === shown) { update($("live-chart"), data); return; }
  drawn = shown;
  chart($("live-chart"), "The parameters with their intervals over the sets; vertical lines mark changes", () => {
    const series = [{}], bands = [];
    for (let k = 0; k < shown; k++) {
      const hue = shade(Math.floor(k / D));
      bands.push({ series: [3 * k + 3, 3 * k + 2], fill: hue + "33" });
      series.push(line(`parameter ${k + 1}`, hue), line("", "transparent", { width: 0 }), line("", "transparent", { width: 0 }));
    }
    return { scales: { x: { time: false } }, axes: [{ label: "sets" }, { label: "parameters, with intervals", size: 60 }], series, bands, plugins: [{ hooks: { draw: [mark] } }] };
  }, data, { height: 360 });
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
