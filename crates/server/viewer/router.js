// Which page stands for an address. Addresses live behind the hash (`#/memory/12?x=y`), so that the worker serves one document.

/** Reads an address: its parts and its query. */
export function address(hash = location.hash) {
  const [path, query] = hash.replace(/^#/, "").split("?");
  return { parts: path.split("/").filter(Boolean).map(decoded), query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** Writes an address: link("memory", 12), link("timeline", { kind: "decision" }). */
export function link(...parts) {
  const query = typeof parts.at(-1) === "object" ? parts.pop() : {};
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return `#/${parts.map(encodeURIComponent).join("/")}${parameters.size ? `?${parameters}` : ""}`;
}

/** Goes to an address. */
export function go(...parts) {
  location.hash = link(...parts);
}

/** Changes the address without leaving the page or adding to the history. */
export function rename(...parts) {
  history.replaceState(history.state, "", link(...parts));
}

/** Returns this page's address with other values in its query. */
export function withQuery(changes) {
  const { parts, query } = address();
  return link(...parts, { ...query, ...changes });
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
