// The parts of the page as tabs: arrows move between them, 1 to 4 go to one.
import { $, ask, show, make } from "/static/ask.js";
import { remember } from "/static/rejoin.js";
import { refit } from "/static/charts.js";
import { startRecords } from "/static/records.js";
import { startRelease } from "/static/release.js";
import { startLive } from "/static/live.js";
import { startUnderstand } from "/static/understand.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const opened = {};

export function open(name, focus = false) {
  for (const tab of tabs) {
    const is = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", is); tab.tabIndex = is ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !is;
    if (is && focus) tab.focus();
  }
  history.replaceState(null, "", `#${name}`);
  if (opened[name]) { const begin = opened[name]; delete opened[name]; begin(); }
  refit();
}

for (const tab of tabs) tab.addEventListener("click", () => open(tab.getAttribute("aria-controls")));
$("tabs").addEventListener("keydown", (event) => {
  const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  open(tabs[(to + tabs.length) % tabs.length].getAttribute("aria-controls"), true);
});
addEventListener("keydown", (event) => {
  const at = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
  const tab = tabs["1234".indexOf(event.key)];
  if (event.key.length === 1 && tab) open(tab.getAttribute("aria-controls"), true);
});

const file = new EventTarget(); // "chosen": another file, with what is chosen of its columns

try {
  const about = await ask("/api/about");
  await remember(about.key);
  $("version").textContent = about.version;
  $("story").textContent = about.story || "";
  for (const [name, says] of Object.entries(about.methods || {})) $("c-method").append(make("option", name, { value: name, title: says }));
  startRecords(about, file);
  startRelease(about, file);
  startLive(about, () => open("live"));
  opened.understand = startUnderstand;
  const wanted = location.hash.slice(1);
  open(tabs.some((tab) => tab.id === `tab-${wanted}`) ? wanted : about.live ? "live" : "records");
  document.body.dataset.ready = "yes";
} catch (error) { show($("drop-trouble"), error); }
