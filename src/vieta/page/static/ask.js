// Questions to the server of this page, and small helpers that make elements. Text is always set as text, never as markup.

import { rejoin } from "/static/rejoin.js";

export const $ = (id) => document.getElementById(id);

export class Trouble extends Error {}

export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const how = { method, headers: {} };
  if (body instanceof Blob) how.body = body;
  else if (body !== undefined) { how.body = JSON.stringify(body); how.headers["Content-Type"] = "application/json"; }
  return whole(await sent(path, how));
}

async function sent(path, how) {
  try {
    const answer = await fetch(path, how);
    return answer.status === 403 && await rejoin() ? await fetch(path, how) : answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble("The page's server does not answer. Was it ended?");
  }
}

async function whole(answer) {
  const text = await answer.text();
  let found = null;
  try { found = JSON.parse(text); } catch { /* a plain sentence */ }
  if (!answer.ok) throw new Trouble((found && found.trouble) || text.trim() || `error ${answer.status}`);
  return found;
}

export const task = async (name, asked) => (await ask(`/api/tasks/${name}`, asked)).result;

// Parts of what a task gives, as they come; what is left undone when they are not wanted any more is not done.
export async function* parts(name, asked, signal) {
  const how = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked), signal };
  const answer = await sent(`/api/parts/${name}`, how);
  if (!answer.ok) await whole(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines.map((text) => JSON.parse(text))) {
      if (line.part) yield line.part;
      else if (line.status !== "done") throw new Trouble(line.trouble);
    }
  }
}

// A task that takes long: shows how far it is, and gives the job that is done; `started` gets its key, to cancel it. What is done is read out to
// those who listen, which pass it is and for how long it has been going on is not: it changes too often.
export async function follow(name, asked, { bar, phrase, started }) {
  const begun = performance.now(), detail = phrase.nextElementSibling;
  const tell = (text) => {
    const [what, ...which] = text.split(", "), seconds = Math.floor((performance.now() - begun) / 1000);
    if (phrase.textContent !== what) phrase.textContent = what;
    detail.textContent = [...which, ...(seconds ? [`${seconds} s`] : [])].join(", ");
  };
  let job = null;
  const left = () => { if (job) navigator.sendBeacon(`/api/jobs/${job.job}/cancel`); }; // with the tab, nobody waits for it any more
  addEventListener("pagehide", left);
  bar.hidden = false; bar.removeAttribute("value"); tell("starting");
  try {
    job = await ask(`/api/tasks/${name}`, asked);
    if (started) started(job.job);
    while (job.status === "waiting" || job.status === "running") {
      tell(job.phrase);
      if (job.share > 0 && job.share < 1) bar.value = job.share; else bar.removeAttribute("value");
      await new Promise((done) => setTimeout(done, 120));
      job = await ask(`/api/jobs/${job.job}`);
    }
    phrase.textContent = job.status === "done" ? "done" : job.status;
    if (job.status === "refused") throw new Trouble(job.trouble);
    return job;
  } catch (error) { phrase.textContent = ""; throw error; } finally { bar.hidden = true; detail.textContent = ""; removeEventListener("pagehide", left); }
}

export function show(element, error) {
  if (error && !(error instanceof Trouble)) console.error(error);
  element.textContent = error ? error.message : "";
  element.hidden = !error;
}

export function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function table(place, header, rows, { systems = false } = {}) {
  const made = make("table"), head = made.createTHead().insertRow(), body = made.createTBody();
  for (const name of header) head.append(make("th", name, { scope: "col" }));
  rows.forEach((row, at) => {
    const line = body.insertRow();
    row.forEach((cell, k) => {
      const one = line.insertCell();
      if (systems && k === 0 && cell.trim()) one.append(make("span", "", { class: `dot s${shade(cell)}`, "aria-hidden": "true" }));
      one.append(cell);
    });
    const next = rows[at + 1];
    if (systems && next && next[0].trim() && next[0] !== row[0]) line.className = "next";
  });
  place.replaceChildren(made);
}

const shade = (cell) => ((parseInt(cell, 10) - 1) % 8 + 8) % 8 + 1;

const WORDS = { serious: "Serious.", caution: "Caution.", note: "Note.", fine: "Fine." };

export function findings(place, remarks) {
  place.replaceChildren(...remarks.map(({ text, grade }) => {
    const item = make("li", null, { class: grade });
    item.append(make("b", WORDS[grade] || ""), text);
    return item;
  }));
}

export function save(name, content, type) {
  const link = make("a", "", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function savePage(job, name) {
  const link = make("a", "", { href: `/api/jobs/${job}/page`, download: name });
  document.body.append(link); link.click(); link.remove();
}

// Some work that gives the keyboard back to where it was, if what had it could not be used meanwhile.
export const keeping = (work) => async () => {
  const had = document.activeElement;
  try { return await work(); } finally { if (document.activeElement === document.body) had?.focus({ preventScroll: true }); }
};

// Does some work at once, and again when it was asked for meanwhile, however often: for sliders.
export function latest(work) {
  let running = false, again = false;
  return async function run() {
    if (running) { again = true; return; }
    running = true;
    try { await work(); } finally { running = false; if (again) { again = false; run(); } }
  };
}
