// How the viewer names things: the words of the command line, written for people.

export const KINDS = ["rule", "decision", "fact", "failure", "goal", "note", "feature", "bugfix", "refactor", "change", "discovery", "summary", "handoff"];

export const MOMENTS = { session_start: "session start", prompt: "prompt", tool: "tool", compaction: "compaction" };

const HOSTS = { "claude-code": "Claude Code", claude_code: "Claude Code", opencode: "OpenCode", codex: "Codex", gemini: "Gemini CLI", "gemini-cli": "Gemini CLI", copilot: "Copilot CLI", "copilot-cli": "Copilot CLI", cursor: "Cursor" };

const WHO = { user: "you said it", assistant: "the agent said it", tool: "a local tool showed it", import: "imported", repository: "a repository said it", web: "read on the web" };

/** Writes a name of the store as people read it. */
export const plain = (name) => String(name).replaceAll("_", " ");

/** Names a moment. */
export const momentName = (moment) => MOMENTS[moment] ?? plain(moment);

/** Names a host. */
export const hostName = (host) => (Object.hasOwn(HOSTS, host) ? HOSTS[host] : host);

/** Says whose word a memory is. */
export const whoSaid = (provenance) => (Object.hasOwn(WHO, provenance) ? WHO[provenance] : provenance);

/** Counts: "1 memory", "3 memories". */
export function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** Writes a number with its thousands apart. */
export const grouped = (number) => Number(number ?? 0).toLocaleString("en-GB");

/** Writes a share as a percentage. */
export const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`);

/** Writes bytes as people read them. */
export function size(bytes) {
  const steps = ["B", "KB", "MB", "GB"];
  let [value, step] = [Number(bytes ?? 0), 0];
  while (value >= 1000 && step < steps.length - 1) [value, step] = [value / 1000, step + 1];
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${steps[step]}`;
}

/** Writes milliseconds. */
export const millis = (ms) => (ms === null || ms === undefined ? "–" : ms >= 100 ? `${Math.round(ms)} ms` : `${Number(ms).toFixed(1)} ms`);
