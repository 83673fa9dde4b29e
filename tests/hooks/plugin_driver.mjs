// Runs memd's plugin for OpenCode without OpenCode: a line of JSON in for each call, a line out with what came of it.
//
//   {"hook": "chat.message", "input": {...}, "output": {...}}   -> {"output": {...}, "ms": 1.5}
//   {"busy": 400}                                               -> keeps the process from hearing anything for so many ms
//   {"clock": -3600000}, {"later": 11000}                       -> sets the wall's clock; lets so many ms go by, on both clocks
//
// SESSIONS and AGENTS (JSON in the environment) are what OpenCode's own API would answer; `null` makes it fail.
import readline from "node:readline"
import { pathToFileURL } from "node:url"

const sessions = JSON.parse(process.env.SESSIONS)
const agents = JSON.parse(process.env.AGENTS)
const answer = async (data) => {
  if (data === null) throw new Error("no answer")
  return data === undefined ? { error: {} } : { data }
}
const client = {
  session: { get: ({ path }) => answer(sessions && sessions[path.id]) },
  app: { agents: () => answer(agents) },
}
process.argv.splice(0, process.argv.length, ...JSON.parse(process.env.ARGV))
const { default: plugin } = await import(pathToFileURL(process.env.PLUGIN).href)
const hooks = await plugin({ client, directory: "/w" })
const [now, ticks] = [Date.now, performance.now.bind(performance)]
let [wall, gone] = [0, 0]
Date.now = () => now() + wall
performance.now = () => ticks() + gone
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { hook, input, output, busy, clock = 0, later = 0 } = JSON.parse(line)
  wall += clock + later
  gone += later
  const start = performance.now()
  const done = hook && hooks[hook](input, output)
  if (busy) sleep(busy)
  await done
  process.stdout.write(JSON.stringify({ output, ms: performance.now() - start }) + "\n")
}
process.exit(0)
