// Release: the audit of the chosen file, with sliders for what might be done to it before.
import { $, ask, follow, show, table, findings, save, savePage, keeping, latest } from "/static/ask.js";
import { chart, line, colour } from "/static/charts.js";
import { demo } from "/static/records.js";

const ROUNDING = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3]; // times the noise of a reading; beyond, the audit's model of the noise does not hold
let chosen = null, result = null, asked = null, job = null, noise = 1;

export function startRelease(about, file) {
  file.addEventListener("chosen", ({ detail }) => {
    if (!chosen || chosen.file.file !== detail.file.file) { $("release-result").hidden = true; result = null; $("r-round").value = 0; $("r-drop").value = 0; sliders(); }
    chosen = detail; $("release-invite").hidden = true; $("release-form").hidden = false; $("release-name").textContent = detail.file.name;
  });
  $("release-demo").addEventListener("click", async () => { await demo(); $("audit").focus(); });
  const again = latest(keeping(audit));
  $("audit").addEventListener("click", again);
  $("audit-cancel").addEventListener("click", () => { if (job) ask(`/api/jobs/${job}/cancel`, {}).catch(() => {}); });
  for (const id of ["r-round", "r-drop"]) { $(id).addEventListener("input", sliders); $(id).addEventListener("change", () => { if (result) { $("audit").disabled = true; again(); } }); }
  $("r-noise").addEventListener("input", level);
  $("save-audit").addEventListener("click", () => save("audit.json", JSON.stringify(result.answer, null, 2) + "\n", "application/json"));
  $("save-decision").addEventListener("click", keeping(decision));
}

const rounding = () => Number((ROUNDING[$("r-round").value] * noise).toPrecision(2));

function sliders() {
  $("r-round-out").textContent = rounding() === 0 ? "nothing" : String(rounding());
  $("r-drop-out").textContent = `${$("r-drop").value}%`;
}

async function audit() {
  show($("audit-trouble")); $("audit").disabled = true; $("audit-cancel").hidden = false;
  const choices = { ...chosen.choices };
  asked = { file: chosen.file.file, choices, rounding: rounding(), dropping: Number($("r-drop").value) / 100 };
  try {
    const done = await follow("audit", asked, { bar: $("audit-bar"), phrase: $("audit-phrase"), started: (key) => { job = key; } });
    if (done.status === "done") { const first = result === null; result = done.result; draw(first); }
  } catch (error) { show($("audit-trouble"), error); } finally { job = null; $("audit").disabled = false; $("audit-cancel").hidden = true; }
}

async function decision() {
  $("save-decision").disabled = true;
  try {
    const done = await follow("decision", asked, { bar: $("decision-bar"), phrase: $("decision-phrase") });
    if (done.status === "done") savePage(done.job, "decision.html");
  } catch (error) { $("decision-phrase").textContent = error.message; } finally { $("save-decision").disabled = false; }
}

function draw(first) {
  const { answer } = result;
  if (first) { noise = Math.sqrt(mean(answer)); sliders(); }
  $("release-result").hidden = false;
  findings($("r-verdict"), result.verdict);
  table($("r-guesses"), ["the best guess", "is right", "by pure chance"], result.guesses);
  table($("r-systems"), result.systems.header, result.systems.rows, { systems: true });
  table($("r-learned"), result.learned.header, result.learned.rows);
  $("r-apart").textContent = result.learned.note; $("r-assumed").textContent = result.assumed; $("audit-command").textContent = result.command;
  const count = result.noise.rows.length;
  $("r-noise").max = count - 1; $("r-noise").disabled = count < 2;
  if (Number($("r-noise").value) >= count) $("r-noise").value = 0;
  const trade = answer.tradeoff || {};
  const sd = trade.added || [], reading = (trade.reidentification || []).map((row) => row.reduce((a, b) => a + b, 0) / row.length), record = (trade.error_probability || []).map((v) => 1 - v);
  if (sd.length > 1) {
    chart($("r-chart"), "How often readings and records are named, over the noise that is added", () => ({
      scales: { x: { time: false }, y: { range: [0, 1] } }, axes: [{ label: "noise added (sd)" }, { label: "share named rightly", size: 60 }], legend: { show: true, live: false },
      series: [{ label: "noise added" }, line("reading", colour("--s1")), line("whole record", colour("--s2"))],
    }), [sd, reading, record], { height: 260 });
  } else $("r-chart").replaceChildren();
  level();
}

function level() {
  const row = result && result.noise.rows[$("r-noise").value];
  if (!row) return;
  $("r-noise-out").textContent = row[0]; $("r-reading").textContent = row[1]; $("r-record").textContent = row[2]; $("r-cost").textContent = row[3];
}

function mean(answer) {
  const flat = [answer.noise.variance].flat(3).filter((v) => typeof v === "number" && v > 0);
  return flat.length ? flat.reduce((a, b) => a + b, 0) / flat.length : 1;
}
