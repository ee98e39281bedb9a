// One connection to the stream for all tabs. It connects again by itself, and keeps a bounded history for tabs that are opened later.
const MOST = 1000, KINDS = ["estimate", "final", "change", "ended", "remark"];
const ports = new Set();
let kept = [], state = null, source = null;

const say = (message) => { for (const port of ports) port.postMessage(message); };
const note = (text) => { state = { kind: "state", content: JSON.stringify({ text }) }; say(state); };

function connect() {
  source = new EventSource("/api/live");
  source.onopen = () => note("connected");
  source.onerror = () => note(source.readyState === EventSource.CLOSED ? "not connected: if the page was started again, open its new link" : "not connected; trying again");
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
