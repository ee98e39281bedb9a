// A tab comes back to a page that was started again: it proves that it has the key, which it never sends.
let key = null, under = null;

const bytes = (hex) => new Uint8Array(hex.match(/../g).map((two) => parseInt(two, 16)));
const hex = (buffer) => [...new Uint8Array(buffer)].map((one) => one.toString(16).padStart(2, "0")).join("");

export async function remember(given) {
  if (given) key = await crypto.subtle.importKey("raw", bytes(given), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

// Whether the page lets this tab in again, if it answers at all; those who ask at the same time share one answer.
export function rejoin() {
  under ??= again().finally(() => { under = null; });
  return under;
}

async function again() {
  if (!key) return false;
  const found = await fetch("/api/rejoin");
  if (!found.ok) return false;
  const { nonce } = await found.json();
  const proof = hex(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${location.port} ${nonce}`)));
  return (await fetch(`/api/rejoin?nonce=${nonce}&proof=${proof}`, { method: "POST" })).ok;
}
