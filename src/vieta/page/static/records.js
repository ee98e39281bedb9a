// Records: a file, what its columns are, the fit, and what is kept of it.
import { $, Trouble, ask, task, follow, show, make, table, findings, save, savePage, keeping } from "/static/ask.js";
import { chart, wider, dots, marks, none, line, joined, shade, colour } from "/static/charts.js";

const ROLES = { "": "not used", value: "reading", input: "input", category: "category (input)", offset: "known, added (offset)" };
const FAMILIES = { number: "measurements", binary: "right or wrong (0, 1)", ordinal: "levels (1, 2, ..)", count: "counts", rounded: "rounded numbers" };
let chosen = null, job = null, result = null, events = null, known = [], looks = 0, beyond = {}, constant = null; // beyond: the roles of columns that are not shown; constant: whether an intercept was asked for or refused

export function startRecords(about, file) {
  events = file;
  const drop = $("drop");
  $("file").addEventListener("change", () => { const one = $("file").files[0]; if (one) send(one, about); $("file").value = ""; });
  for (const name of ["dragenter", "dragover"]) addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault(); drop.classList.remove("over");
    const [one, ...others] = event.dataTransfer.files;
    if (!one) return;
    $("tab-records").click();
    if (others.length) show($("drop-trouble"), new Trouble("Several files were dropped, and one is read at a time. Drop one of them."));
    else send(one, about);
  });
  $("demo").addEventListener("click", () => demo());
  known = about.files || [];
  if (known.length) {
    $("known-label").hidden = false;
    $("known").replaceChildren(make("option", "choose", { value: "" }), ...known.map((one) => make("option", one.name, { value: one.file })));
    $("known").addEventListener("change", () => { const one = known.find((each) => each.file === $("known").value); if (one) take(one); });
    if (known.filter((one) => !one.dropped).length === 1) { $("known").value = known.find((one) => !one.dropped).file; take(known.find((one) => !one.dropped)); }
  }
  $("choices").addEventListener("submit", (event) => { event.preventDefault(); keeping(fit)(); });
  $("c-family").replaceChildren(...(about.families || ["number"]).map((name) => make("option", FAMILIES[name] || name, { value: name === "number" ? "" : name })));
  $("c-family").addEventListener("change", () => { $("c-method").disabled = $("c-family").value !== ""; });
  $("c-intercept").addEventListener("change", () => { constant = $("c-intercept").checked; });
  for (const id of ["c-layout", "c-set", "c-systems", "c-bad", "c-intercept", "c-trend"]) $(id).addEventListener("change", () => look(choices()));
  $("cancel").addEventListener("click", () => { if (job) ask(`/api/jobs/${job}/cancel`, {}).catch(() => {}); });
  $("save-json").addEventListener("click", () => save(named("json"), JSON.stringify(result.answer, null, 2) + "\n", "application/json"));
  $("save-csv").addEventListener("click", () => save(named("csv"), result.csv, "text/csv"));
  $("save-report").addEventListener("click", keeping(report));
}

export async function demo() {
  show($("drop-trouble"));
  try { await take(await ask("/api/demo", {}), { inputs: ["cold"], values: ["reading"], set: "time", intercept: true }); } catch (error) { show($("drop-trouble"), error); }
}

async function send(one, about) {
  show($("drop-trouble"));
  if (one.size > about.most_bytes) { show($("drop-trouble"), new Trouble(`${one.name} is larger than ${about.most_bytes.toLocaleString("en")} bytes, the most that can be dropped here. Name it when you start the page.`)); return; }
  $("drop-phrase").textContent = `sending ${one.name}`;
  try {
    await one.slice(0, 1).arrayBuffer().catch(() => { throw new Trouble(`${one.name} cannot be read: it is a folder, or is there no more.`); });
    await take(await ask(`/api/files?name=${encodeURIComponent(one.name)}`, one));
  } catch (error) { show($("drop-trouble"), error); } finally { $("drop-phrase").textContent = ""; }
}

async function take(one, wanted = {}) {
  chosen = one;
  $("result").hidden = true; $("columns").hidden = false; $("file-name").textContent = one.name;
  $("columns-says").textContent = ""; $("roles").replaceChildren(); beyond = {}; constant = wanted.intercept ?? null; $("c-trend").checked = false; $("c-bad").value = "error";
  for (const id of ["c-layout", "c-systems", "c-family", "c-method"]) $(id).value = "";
  $("c-method").disabled = false;
  await look(wanted);
  if (!$("columns-trouble").hidden || matchMedia("(max-width: 760px)").matches) $("columns").scrollIntoView({ block: "nearest" });
}

// What is recognised of the columns when these are chosen. Of several questions on their way, the latest counts; where there are no columns at all,
// there is nothing to choose.
async function look(wanted) {
  const mine = looks += 1;
  show($("columns-trouble")); show($("fit-trouble")); blame(null); $("columns").dataset.looked = "no";
  try {
    const found = await task("columns", { file: chosen.file, choices: wanted });
    if (mine !== looks) return;
    if (found.trouble) show($("columns-trouble"), new Trouble(found.trouble));
    fill(found, wanted);
    $("choices").hidden = false;
    events.dispatchEvent(new CustomEvent("chosen", { detail: { file: chosen, choices: choices() } }));
  } catch (error) {
    if (mine === looks) { show($("columns-trouble"), error); blame(error); $("choices").hidden = !$("roles").children.length; }
  } finally { if (mine === looks) $("columns").dataset.looked = "yes"; }
}

// Marks the choice that an error names.
function blame(error) {
  const is = Boolean(error?.message.includes("“Systems”"));
  if (is) $("c-systems").setAttribute("aria-invalid", "true"); else $("c-systems").removeAttribute("aria-invalid");
  return is;
}

function fill(found, wanted) {
  const set = found.settings || { values: wanted.values || [], inputs: wanted.inputs || [], categories: wanted.categories || [], set: wanted.set, intercept: wanted.intercept };
  const naming = (found.naming || []).length ? ` These columns name the systems, and are not used: ${found.naming.join(", ")}.` : "";
  const some = found.n_columns > found.columns.length ? ` The first ${found.columns.length} of ${found.n_columns} columns are shown; others are used as it says here.` : "";
  $("columns-says").textContent = found.says ? found.says + "." + naming + some : some;
  const hidden = (names) => names.filter((name) => !found.columns.includes(name));
  beyond = { value: hidden(set.values), category: hidden(set.categories), input: hidden(set.inputs.filter((name) => !set.categories.includes(name))) };
  $("c-set").replaceChildren(make("option", "recognised or none", { value: "" }), ...found.columns.map((name) => make("option", name, { value: name })));
  $("c-set").value = set.set || "";
  if (set.layout) $("c-layout").value = set.layout;
  $("c-intercept").checked = Boolean(set.intercept);
  const made = make("table"), head = made.createTHead(), names = head.insertRow(), roles = head.insertRow(), body = made.createTBody();
  found.columns.forEach((name, k) => {
    names.append(make("th", name, { scope: "col", title: name }));
    const role = make("select", null, { "aria-label": `What ${name} is`, "data-column": name });
    for (const [value, says] of Object.entries(ROLES)) role.append(make("option", says, { value }));
    role.value = name === wanted.offset ? "offset" : set.values.includes(name) ? "value" : set.categories.includes(name) ? "category" : set.inputs.includes(name) ? "input" : "";
    role.addEventListener("change", () => look(choices()));
    const cell = make("th"); cell.append(role); roles.append(cell);
  });
  for (const row of found.rows) { const one = body.insertRow(); for (const cell of row) one.insertCell().textContent = cell; }
  $("roles").replaceChildren(made);
}

export function choices() {
  const with_role = (role) => [...document.querySelectorAll("#roles select")].filter((one) => one.value === role).map((one) => one.dataset.column).concat(beyond[role] || []);
  const categories = with_role("category"), family = $("c-family").value;
  return {
    layout: $("c-layout").value, set: $("c-set").value, values: with_role("value"), inputs: [...with_role("input"), ...categories], categories,
    systems: $("c-systems").value.trim(), on_bad_set: $("c-bad").value, intercept: constant, trend: $("c-trend").checked,
    offset: with_role("offset")[0] || "", family,
  };
}

const asked = () => ({ file: chosen.file, choices: choices(), method: $("c-family").value ? "" : $("c-method").value, level: $("c-level").value });
const named = (ending) => `${chosen.name.replace(/(\.(csv|tsv|txt|ndjson|jsonl|parquet|gz))+$/, "")}-fit.${ending}`;

async function fit() {
  show($("fit-trouble")); blame(null); $("fit").disabled = true; $("cancel").hidden = false;
  try {
    const done = await follow("fit", asked(), { bar: $("fit-bar"), phrase: $("fit-phrase"), started: (key) => { job = key; } });
    if (done.status === "done") { result = done.result; result.asked = asked(); draw(); }
  } catch (error) {
    if (error.message === $("columns-trouble").textContent) $("roles").focus(); // it is said already
    else show($("fit-trouble"), error);
    if (blame(error)) $("c-systems").focus();
  } finally { job = null; $("fit").disabled = false; $("cancel").hidden = true; }
}

async function report() {
  $("save-report").disabled = true;
  try {
    const done = await follow("report", result.asked, { bar: $("report-bar"), phrase: $("report-phrase") });
    if (done.status === "done") savePage(done.job, named("html"));
  } catch (error) { $("report-phrase").textContent = error.message; } finally { $("save-report").disabled = false; }
}

function draw() {
  $("result").hidden = false;
  findings($("verdict"), result.verdict);
  $("result-title").textContent = result.title;
  table($("estimates"), result.table.header, result.table.rows, { systems: true });
  $("description").replaceChildren(...result.description.map((text) => make("li", text)));
  $("command").textContent = result.command; $("python").textContent = result.python;
  const { panels, residuals, rival } = result.picture;
  $("rival-box").hidden = !rival;
  if (rival) table($("rival"), rival.header, rival.rows);
  $("readings-box").hidden = !panels.length; $("residuals-box").hidden = !residuals.length;
  $("readings-drawn").textContent = given(panels);
  $("readings").replaceChildren(); panels.forEach(drawPanel);
  $("residuals").replaceChildren(); residuals.forEach(drawResiduals);
  $("verdict-title").focus({ preventScroll: true }); $("result").scrollIntoView({ block: "start" });
}

// What the picture of the readings has beside them.
function given(panels) {
  if (panels.every((one) => one.has_line)) return "lines are what the systems give";
  if (panels.some((one) => one.plane)) return "crosses or short strokes are what the systems give";
  return `${panels.some((one) => one.has_line) ? "lines and " : ""}short strokes are what the systems give, which depends on more than the axis shows`;
}

function drawPanel(panel) {
  const place = make("div"); $("readings").append(place);
  const L = panel.lines.length, many = panel.at.length * L > 500 ? 3 : 5;
  const data = joined([[panel.at, ...panel.readings, ...panel.false, ...panel.probability], [panel.grid, ...panel.lines, ...panel.rival]]);
  const count = panel.readings.length, extra = panel.false.length, alone = panel.grid.length <= 4 * L;
  const options = () => ({
    scales: { x: { time: panel.kind === "time", range: panel.kind === "level" ? (u, low, high) => [low - 0.5, high + 0.5] : wider }, y: {} },
    axes: [{ label: panel.label, ...(panel.kind === "level" ? { splits: () => panel.levels.map((_, k) => k), values: (_, at) => at.map((k) => panel.levels[k] ?? "") } : {}) }, { label: panel.value, size: 60 }],
    series: [{}, ...panel.readings.map((_, l) => dots(`system ${l + 1}`, shade(l), many)), ...panel.false.map(() => none("false", many)),
      ...panel.probability.map(() => ({ show: false })),
      ...panel.lines.map((_, l) => panel.has_line ? line(`line ${l + 1}`, shade(l)) : marks(`mark ${l + 1}`, alone ? colour("--ink") : shade(l), alone)),
      ...panel.rival.map((_, l) => panel.has_line ? line(`rival ${l + 1}`, colour("--soft"), { dash: [4, 5] }) : marks(`rival ${l + 1}`, colour("--soft"), alone))],
  });
  const hover = (u) => {
    const { left, top, idx } = u.cursor;
    if (idx === null || idx === undefined || left < 0) return "";
    let best = null;
    for (let k = Math.max(idx - 40, 0); k <= Math.min(idx + 40, data[0].length - 1); k++) {
      for (let s = 1; s <= count + extra; s++) {
        const y = data[s][k];
        if (y === null || y === undefined) continue;
        const d = Math.hypot(u.valToPos(data[0][k], "x") - left, u.valToPos(y, "y") - top);
        if (!best || d < best.d) best = { d, k, s, y };
      }
    }
    if (!best || best.d > 40) return "";
    if (best.s > count) return `${panel.value} ${best.y}: most likely of no system`;
    return `${panel.value} ${best.y}: most likely system ${best.s}, probability ${data[count + extra + best.s][best.k]}`;
  };
  const steps = data[0].flatMap((x, k) => data.slice(1, count + extra + 1).map((column) => column[k]).filter((y) => y !== null && y !== undefined).sort((a, b) => a - b).map((y) => [x, y]));
  chart(place, `Readings over ${panel.label}, with what each of ${L} systems gives`, options, data, { hover, steps });
  if (panel.note) place.append(make("p", panel.note, { class: "aside" }));
}

function drawResiduals(one, i) {
  const place = make("div"), checks = make("div", null, { class: "table", tabindex: "0", role: "region", "aria-label": `Tests of residuals ${one.of || i + 1}` });
  $("residuals").append(place, checks);
  const band = one.sd === null ? [] : [2 * one.sd, -2 * one.sd];
  const data = [one.at, one.left, ...band.map((v) => one.at.map(() => v))];
  const of = one.of ? ` of ${one.of}` : "";
  chart(place, `Residuals of the sums${of} in the order of the sets`, () => ({
    scales: { x: { time: false } }, axes: [{ label: "set" }, { label: `residual of the sum${of}`, size: 60 }],
    series: [{}, dots("residual", colour("--s1"), 3), ...band.map(() => line("two standard deviations", colour("--soft"), { dash: [6, 4], width: 1 }))],
  }), data, { height: 220 });
  if (one.note) place.append(make("p", one.note, { class: "aside" }));
  table(checks, ["of the residuals", "z", "says"], one.checks);
}
