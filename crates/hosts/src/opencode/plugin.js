// Backstory's plugin for OpenCode (the V1 plugin interface).
//
// It only carries: what OpenCode says goes to the `backstory` program as it is, and what comes back goes where OpenCode lets the
// model read it. What anything means is decided in the program. Nothing here throws, waits long, or leaves a process behind.

import { spawn } from "node:child_process"

const PROGRAM = "backstory"

/** So long a process may run, and so long OpenCode waits for an answer. */
const DEADLINE_MS = 2500
/** What could not be passed on for so long is not passed on any more. */
const STALE_MS = 20_000
/** A program that kept OpenCode waiting in vain is not waited for again before this. */
const GRUDGE_MS = 60_000
/** A longer answer is none of ours. */
const MOST_CHARS = 1 << 20
/** How requests begin that OpenCode makes for itself: they are no part of the conversation. */
const OF_ITS_OWN = ["You are a title generator", "You are a context summarization agent"]

export const Backstory = async ({ client, directory }) => {
  const sessions = new Map()
  const created = new Set()
  const calls = new Set()
  const running = new Set()
  let last = Promise.resolve()
  let waitedInVainAt = 0
  let isOver = false

  /** What is known of a session in this process. */
  const stateOf = (id) => {
    if (!sessions.has(id)) sessions.set(id, {})
    return sessions.get(id)
  }

  /** Asks OpenCode which session this is: a subagent's belongs to the session at the root. */
  const describe = async (id) => {
    const { data } = await client.session.get({ path: { id } })
    const session = { id, root: id, agent: data.agent, directory: data.directory ?? directory }
    for (let { parentID } = data; parentID; ) {
      session.root = parentID
      const parent = await client.session.get({ path: { id: parentID } })
      parentID = parent.data.parentID
    }
    return session
  }

  /** Passes one event on, after all that were passed on before it. Returns what is answered: nothing, if anything goes wrong. */
  const send = (event, id, ours, said) => {
    if (!id) return Promise.resolve("")
    const queuedAt = Date.now()
    const words = JSON.stringify({ ...ours, said })
    const answer = last.then(async () => {
      if (isOver || Date.now() - queuedAt > STALE_MS) return {}
      const state = stateOf(id)
      state.session ??= await before(describe(id).catch(() => {}))
      // Where OpenCode does not say, it is taken for a session of its own.
      const session = JSON.stringify(state.session ?? { id, root: id, directory })
      return run(event, `{"session":${session},${words.slice(1)}`)
    })
    last = answer.catch(() => {})
    return answer.then(heed).catch(() => "")
  }

  /** Runs the program once. What it prints is one JSON object, or nothing. */
  const run = (event, payload) =>
    new Promise((resolve) => {
      const child = spawn(PROGRAM, ["hook", "--host", "opencode", "--event", event], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      running.add(child)
      let printed = ""
      const end = (answer) => {
        clearTimeout(timer)
        running.delete(child)
        resolve(answer)
      }
      const stop = () => {
        waitedInVainAt = Date.now()
        child.kill("SIGKILL")
        end({})
      }
      const timer = setTimeout(stop, DEADLINE_MS)
      child.on("error", () => end({}))
      child.on("close", (code) => end(code === 0 ? parsed(printed) : {}))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => {
        printed += text
        if (printed.length > MOST_CHARS) stop()
      })
      child.stdin.end(payload)
    })

  const parsed = (text) => {
    try {
      return JSON.parse(text) ?? {}
    } catch {
      return {}
    }
  }

  /** Returns what the model is to read, and shows the user what only the user is to read. */
  const heed = (answer) => {
    if (typeof answer.to_user === "string") {
      const toast = { body: { message: answer.to_user, variant: "warning" } }
      Promise.resolve(client.tui.showToast(toast)).catch(() => {})
    }
    return typeof answer.context === "string" ? answer.context : ""
  }

  /** Waits, but not long; returns nothing of what comes later. */
  const before = (promise) => {
    let timer
    const late = new Promise((resolve) => (timer = setTimeout(resolve, DEADLINE_MS)))
    return Promise.race([promise, late]).finally(() => clearTimeout(timer))
  }

  /** Waits for an answer, unless waiting was in vain a short while ago. */
  const soon = async (answer) => {
    if (Date.now() - waitedInVainAt < GRUDGE_MS) return undefined
    const startedAt = Date.now()
    const result = await before(answer)
    if (result === undefined && Date.now() - startedAt >= DEADLINE_MS) waitedInVainAt = Date.now()
    return result
  }

  /** The block a session has in its system prompt: fetched once, and the same bytes for as long as this process runs. */
  const blockOf = (id) => {
    const state = stateOf(id)
    const how = created.has(id) ? "startup" : "resume"
    state.block ??= soon(send("session.started", id, { how }, {}))
    return state.block
  }

  /** Sends the end of a turn once, however often OpenCode says so. */
  const endTurn = (event, id, said) => {
    const state = stateOf(id)
    if (!state.turn) return
    send(event, id, { turn: state.turn, message: state.text ?? "" }, said)
    state.turn = state.text = state.isCompacting = undefined
  }

  const handlers = {
    "session.created": (id) => created.add(id),
    "session.idle": (id, said) => endTurn("session.idle", id, said),
    "session.error": (id, said) => endTurn("session.error", id, said),
    "session.compacted": (id, said) => {
      const state = stateOf(id)
      state.isCompacting = false
      // What the model had is gone: it gets a new block, which is its block from now on.
      state.block = soon(send("session.compacted", id, { message: state.summary ?? "" }, said))
    },
    "session.deleted": (id, said) => {
      if (sessions.get(id)?.block) send("session.ended", id, { how: "deleted" }, said)
      last.then(() => sessions.delete(id))
    },
    // `tool.execute.after` does not run for a tool that fails.
    "message.part.updated": (id, { part }) => {
      if (part?.state?.status === "error" && calls.delete(part.callID)) send("tool.failed", id, {}, part)
    },
  }

  const hooks = {
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id ?? event.properties?.part?.sessionID
      if (id && Object.hasOwn(handlers, event.type)) handlers[event.type](id, event.properties)
    },
    // What a command stands for was written by whoever wrote the command: what was typed is its name and its arguments.
    "command.execute.before": async (input) => {
      stateOf(input.sessionID).command = `/${input.command} ${input.arguments ?? ""}`.trim()
    },
    "chat.message": async (input, output) => {
      const { sessionID } = input
      const state = stateOf(sessionID)
      const { command } = state
      state.turn = output.message.id
      state.command = undefined
      blockOf(sessionID)
      const parts = output.parts.filter((part) => part.type === "text")
      const answer = send("chat.message", sessionID, { turn: state.turn, command }, { input, parts })
      const text = await soon(answer)
      const words = output.parts.at(-1)
      if (!text || !words) return
      // Parts are ordered by their ids: this one goes behind the one it is named after.
      const id = `${words.id}b`
      output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const { sessionID } = input
      const { system } = output
      if (!sessionID || OF_ITS_OWN.some((words) => system[0]?.startsWith(words))) return
      const block = await blockOf(sessionID)
      // One system message stays one: some models take no second.
      if (block) system[0] = system[0] ? `${system[0]}\n\n${block}` : block
    },
    "tool.execute.before": async (input) => {
      calls.add(input.callID)
    },
    "tool.execute.after": async (input, output) => {
      calls.delete(input.callID)
      const text = await soon(send("tool.execute.after", input.sessionID, {}, { input, output }))
      if (text && typeof output.output === "string") output.output += `\n\n${text}`
    },
    "experimental.text.complete": async (input, output) => {
      const state = stateOf(input.sessionID)
      state[state.isCompacting ? "summary" : "text"] = output.text
    },
    "experimental.session.compacting": async (input, output) => {
      stateOf(input.sessionID).isCompacting = true
      const text = await soon(send("experimental.session.compacting", input.sessionID, {}, { input }))
      if (text) output.context.push(text)
    },
    dispose: async () => {
      for (const [id, { block, session }] of sessions) {
        if (block && session?.root === id) send("session.ended", id, { how: "exit" }, {})
      }
      await before(last)
      isOver = true
      for (const child of running) child.kill("SIGKILL")
    },
  }

  // An error in a hook would end the user's turn.
  const quietly = (hook) => async (...args) => {
    try {
      await hook(...args)
    } catch {
      // Then it goes on without us.
    }
  }
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, quietly(hook)]))
}
