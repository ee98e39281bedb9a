// One connection to the stream for all tabs. It connects again by itself, and keeps a bounded history for tabs that are opened later.
import { remember, rejoin } from "/static/rejoin.js";

const MOST = 1000, KINDS = ["estimate", "final", "change", "ended", "remark"];
const ports = new Set();
let kept = [], state = null, source = null;

const say = (message) => { for (const port of ports) port.postMessage(message); };
const note = (text) => { state = { kind: "state", content: JSON.stringify({ text }) }; say(state); };

function connect() {
  source = new EventSource("/api/live");
  source.onopen = () => note("connected");
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) { note("not connected; trying again"); return; }
    try {
      if (await rejoin()) connect(); // the page was started again
      else note("not connected: if the page was started again, open its new link");
    } catch { note("not connected; trying again"); setTimeout(connect, 1000); }
  };
  for (const kind of KINDS) source.addEventListener(kind, (event) => {
    const message = { kind, content: event.data };
    kept.push(message);
    if (kept.length > MOST) kept = kept.slice(-MOST);
    say(message);
  });
}

onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => { if (data === "bye") ports.delete(port); };
  for (const message of kept) port.postMessage(message);
  if (state) port.postMessage(state);
  if (!source || source.readyState === EventSource.CLOSED) connect();
};

fetch("/api/about").then((answer) => answer.json()).then((about) => remember(about.key)).catch(() => { /* then it cannot come back */ });
