// One session as OpenCode plays it to a plugin. Prints what became of what OpenCode would send to its model.
// A plugin that throws ends this with an error, as it would end the turn.

const { Backstory } = await import(process.argv[2])
const sessions = { s: { id: "s", directory: "/project" } }
const client = {
  session: { get: async ({ path }) => ({ data: sessions[path.id] }) },
  tui: { showToast: () => Promise.reject(new Error("nobody is there")) },
}
const plugin = await Backstory({ client, directory: "/project" })
const sessionID = "s"
const event = (type, properties = {}) => plugin.event({ event: { type, properties: { sessionID, ...properties } } })
const system = async (...words) => {
  const output = { system: words }
  await plugin["experimental.chat.system.transform"]({ sessionID }, output)
  return output.system
}
const call = async (callID, after) => {
  await plugin["tool.execute.before"]({ tool: "bash", sessionID, callID }, { args: {} })
  await after()
}
const played = {}

await event("session.created", { info: sessions.s })
const said = { message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text: "do it" }] }
await plugin["chat.message"]({ sessionID }, said)
played.prompt = said.parts.map((part) => part.text)
played.title = await system("You are a title generator.")
played.main = await system("You are an agent.")
const tool = { title: "t", output: "done", metadata: { exit: 0 } }
await call("call_1", () => plugin["tool.execute.after"]({ tool: "bash", sessionID, callID: "call_1", args: {} }, tool))
played.output = tool.output
const failed = { part: { tool: "read", callID: "call_2", state: { status: "error", error: "no such file" } } }
await call("call_2", () => event("message.part.updated", failed))
// OpenCode copies parts when a session is forked: what did not run here is not sent again.
await event("message.part.updated", failed)
played.again = await system("You are an agent.")
const compacting = { context: [] }
await plugin["experimental.session.compacting"]({ sessionID }, compacting)
played.compacting = compacting.context
played.compaction = await system("You are a context summarization agent.")
await plugin["experimental.text.complete"]({ sessionID }, { text: "A summary." })
await event("session.compacted")
played.compacted = await system("You are an agent.")
await plugin["experimental.text.complete"]({ sessionID }, { text: "All done." })
await event("session.idle")
await event("session.idle")
// What no version of OpenCode says yet must not hurt either.
await event("session.renamed")
await plugin.event({})
await plugin["chat.message"]({}, {})
await plugin["tool.execute.after"]({}, undefined)
await plugin["experimental.chat.system.transform"]({ sessionID }, {})
await plugin.dispose()
console.log(JSON.stringify(played))
