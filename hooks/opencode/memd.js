// memd's plugin for OpenCode: notes what the client's database cannot tell, and gives back what the model has lost.
//
// OpenCode waits for its plugins without a limit, and an error in one of them can cost the person a prompt. So each hook
// here ends within BUDGET, catches everything, and prints nothing (the screen is OpenCode's). The daemon is asked over
// its Unix socket; without a whole answer in time the ready reply on disk serves; without that, nothing.
//
//   <state>/sessions/opencode/<session id>/notes.jsonl      what happened, a line each; written whether or not a daemon runs
//   <state>/sessions/opencode/<session id>/ready/<EVENT>    what the daemon left ready
//   <state>/opencode/alive.json                             when this plugin was last seen running
//
// Which hooks there are and what they pass was measured on OpenCode 1.18.33. `memd install` writes SOCKET and STATE.
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"

const SOCKET = ""
const STATE = ""
const VERSION = 2

const BUDGET = 300 // ms for each hook that OpenCode waits for, all included
const ANSWER = 200 // ms of them for the daemon
const DISK = 50 // ms of them that are kept for the disk
const TICK = 25 // ms
const REST = 10_000 // ms for which a daemon that was too slow is not asked again
const BEAT = 60_000 // ms between two signs of life
const COMMAND = 5_000 // ms within which a command becomes a message

const ENDING = /\nmemd checkpoint (\d+) of \S+ ends here; receipt (\w+)\s*$/
const SIDE = ["title", "compaction", "summary"] // agents whose requests are not the conversation's
const CALLS = ["read", "edit", "multiedit", "write", "patch", "apply_patch", "bash", "shell"] // calls that are announced
const LONGEST = 20_000 // characters of one argument of a call that are told
const COMMANDS = ["run", "serve", "web", "acp", "session", "export", "import", "github", "agent", "debug"]

const [socketPath, state] = where(process.env)
const kind = kindOf(process.argv)
const parents = new Map() // session -> the session that started it, "" for none
const commands = new Map() // session -> the command that is about to become a message
const messages = new Set() // user messages that were seen
const windows = new Map() // session -> its last window note
const pushed = new Map() // session -> the text that the coming request carries
const shown = new Map() // session -> the text that was noted as given
const summarised = new Set() // sessions whose next messages are for a summary
const alone = new Map() // session -> where its ready replies lay when its compaction began without an answer of the daemon
const turns = new Map() // session -> the user's message that is being answered
const advised = new Map() // session -> call -> the advice that goes with its result
let restsUntil = 0 // of a clock that nobody sets
let beatAt = 0

export default async ({ client, directory }) => {
  let prompts = [] // of the agents in SIDE

  /** Whether another session started this one: nothing is ever given to it, its prompts are a model's. */
  async function isChild(session) {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => null)
      if (found?.data?.id === session) parents.set(session, found.data.parentID ?? "")
    }
    return Boolean(parents.get(session))
  }

  /** Whether a request is for a title or a summary: the hook is not told the agent, but its prompt stands first. */
  async function isSide([first = ""]) {
    if (prompts.length === 0) {
      const agents = (await client.app.agents().catch(() => null))?.data ?? []
      prompts = agents.filter(({ name, prompt }) => SIDE.includes(name) && prompt).map(({ prompt }) => prompt)
    }
    return prompts.length ? prompts.some((prompt) => first.startsWith(prompt)) : !first.includes("<env>")
  }

  beat()
  return {
    "experimental.chat.system.transform": harmless(async ({ sessionID, model }, { system }, left) => {
      if (!isId(sessionID)) return
      const [child, side] = await Promise.all([isChild(sessionID), isSide(system)])
      if (child || side) return
      pushed.delete(sessionID)
      const { context, input, output } = model?.limit ?? {}
      const asked = { session_id: sessionID, cwd: directory, kind, model: nameOf(model), context, input, output }
      const text = await given("Request", asked, left)
      if (!text || !left() || system.some((other) => other.includes(text))) return
      system.push(text)
      pushed.set(sessionID, text)
    }),

    "experimental.session.compacting": harmless(async ({ sessionID }, { context }, left) => {
      summarised.add(sessionID)
      if (await isChild(sessionID)) return
      const answer = await ask("PreCompact", { session_id: sessionID, cwd: directory }, Math.min(ANSWER, left() - DISK))
      answer === null ? alone.set(sessionID, laid(sessionID)) : alone.delete(sessionID)
      const text = answer ?? ready("PreCompact", sessionID)
      if (text && left()) context.push(text)
    }),

    "tool.execute.before": harmless(async ({ tool, sessionID, callID }, { args }, left) => {
      if (!CALLS.includes(tool) || !isId(sessionID) || !callID || (await isChild(sessionID))) return
      const asked = { session_id: sessionID, cwd: directory, turn: turns.get(sessionID), call_id: callID, tool, args }
      const text = await ask("Call", asked, Math.min(ANSWER, left()))
      if (!text || !left()) return
      advice(sessionID).set(callID, text)
      note(sessionID, "advised", { call_id: callID, message_id: turns.get(sessionID), text })
    }),

    // What was said of a call stands behind its result, in this request and in all later ones, and in none for a summary, whose
    // messages come here right after the hook for it. The client keeps none of it.
    "experimental.chat.messages.transform": harmless((_, { messages }) => {
      if (summarised.delete(messages[0]?.info.sessionID)) return
      for (const message of messages) {
        const said = advice(message.info.sessionID)
        if (said.size) message.parts = message.parts.map((part) => withAdvice(part, said.get(part.callID)))
      }
    }),

    "command.execute.before": harmless(({ sessionID, command, arguments: words }) => {
      commands.set(sessionID, { name: command, arguments: words, at: Date.now() })
    }),

    "chat.message": harmless(async (_, { message, parts }) => {
      const session = message.sessionID
      const { at, ...command } = commands.get(session) ?? { at: 0 }
      const expanded = Date.now() - at < COMMAND
      commands.delete(session)
      messages.add(message.id)
      if (await isChild(session)) return
      const own = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      note(session, "message", {
        message_id: message.id,
        kind,
        command: expanded ? command : null,
        parts: expanded ? [] : own.map((part) => part.id), // a command's text is its template, not the person's
      })
    }),

    "chat.params": harmless(async ({ sessionID, agent, model, message }) => {
      if (SIDE.includes(agent) || (await isChild(sessionID))) return
      if (message?.id) turns.set(sessionID, message.id)
      const { context, input, output } = model?.limit ?? {}
      const window = { model: nameOf(model), context, input, output }
      if (windows.get(sessionID) !== JSON.stringify(window)) note(sessionID, "window", window)
      windows.set(sessionID, JSON.stringify(window))
      const text = pushed.get(sessionID)
      pushed.delete(sessionID)
      if (!text || shown.get(sessionID) === text) return
      shown.set(sessionID, text)
      const [, number, code] = ENDING.exec(text) ?? []
      note(sessionID, "injected", { number: Number(number) || null, code: code ?? null, message_id: message?.id })
    }),

    event: harmless(async ({ event }) => {
      const { type, properties } = event
      const session = properties?.sessionID ?? properties?.info?.id
      beat()
      switch (type) {
        case "session.created":
        case "session.updated":
          return parents.set(session, properties.info.parentID ?? "")
        case "message.updated":
          return await shell(session, properties.info)
        case "session.compacted":
          shown.delete(session)
          standsNext(session)
          return tell(session)
        case "session.idle":
        case "session.deleted":
          return tell(session)
      }
    }),
  }

  /** A user's message that no prompt made: a shell command, or the client's own. Copies of a fork keep their old time. */
  async function shell(session, { id, role, time }) {
    if (role !== "user" || messages.has(id) || Date.now() - time.created > BEAT) return
    messages.add(id)
    if (!(await isChild(session))) note(session, "message", { message_id: id, kind, command: null, parts: [] })
  }
}

/** What a session was advised, by call; what an earlier process of the client was told stands in the notes. */
function advice(session) {
  if (!isId(session)) return new Map()
  if (!advised.has(session)) advised.set(session, new Map(noted(session)))
  return advised.get(session)
}

function noted(session) {
  try {
    const lines = fs.readFileSync(path.join(state, "sessions", "opencode", session, "notes.jsonl"), "utf8").split("\n")
    const found = lines.filter((line) => line.startsWith('{"v":1,"type":"advised"')).map((line) => JSON.parse(line))
    return found.map(({ call_id, text }) => [call_id, text])
  } catch {
    return []
  }
}

/** A call's part with the advice behind its result; both are copies, since the part is the client's. */
function withAdvice(part, text) {
  const result = { completed: "output", error: "error" }[part.state?.status]
  if (!text || part.type !== "tool" || !result) return part
  return { ...part, state: { ...part.state, [result]: `${part.state[result]}\n\n${text}` } }
}

/** A hook that cannot fail, and for which OpenCode waits no longer than BUDGET; `left` gives what is left of that. */
function harmless(hook) {
  return (input, output) =>
    new Promise((resolve) => {
      const clock = countdown(BUDGET, resolve)
      Promise.resolve()
        .then(() => hook(input, output, clock.left))
        .catch(() => {})
        .then(clock.stop)
        .then(resolve)
    })
}

/** Calls `over` after `ms` in which this process could have heard an answer: while OpenCode itself is busy, nothing can. */
function countdown(ms, over) {
  let left = ms
  const tick = () => {
    left -= TICK
    if (left > 0) return
    clearInterval(timer)
    over()
  }
  const timer = setInterval(tick, TICK)
  return { left: () => Math.max(0, left), stop: () => clearInterval(timer) }
}

/** memd's text for an event: the daemon's, else what lies ready on disk, else none. */
async function given(event, payload, left) {
  const answer = await ask(event, payload, Math.min(ANSWER, left() - DISK))
  return answer ?? ready(event, payload.session_id)
}

function ready(event, session) {
  try {
    if (!isId(session) || !isOurs(state)) return ""
    return fs.readFileSync(path.join(state, "sessions", "opencode", session, "ready", event), "utf8")
  } catch {
    return ""
  }
}

/** The directory that a session's ready replies lie in; another one when the daemon has laid others. */
function laid(session) {
  try {
    return isId(session) && isOurs(state) ? fs.realpathSync(path.join(state, "sessions", "opencode", session, "ready")) : ""
  } catch {
    return ""
  }
}

/**
 * The text that the daemon laid for the next compaction stands in every request from this one on; where it has come back
 * meanwhile and laid others, they are of this compaction already.
 */
function standsNext(session) {
  try {
    const place = alone.get(session)
    if (!alone.delete(session) || !place || laid(session) !== place) return
    const text = fs.readFileSync(path.join(place, "Next"), "utf8")
    const file = path.join(place, "Request")
    if (!text) return
    fs.writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 })
    fs.renameSync(`${file}.${process.pid}`, file)
  } catch {}
}

/** The daemon's text; null when the disk is best: nobody there, too late, a cut answer, or one that says so. */
function ask(event, payload, patience) {
  return new Promise((resolve) => {
    if (patience <= 0 || performance.now() < restsUntil || !isTrusted(socketPath)) return resolve(null)
    const chunks = []
    const end = (text) => {
      clock.stop()
      peer.destroy()
      resolve(text)
    }
    const clock = countdown(patience, () => {
      if (event !== "Note") restsUntil = performance.now() + REST
      end(null)
    })
    const peer = net.createConnection(socketPath)
    peer.on("error", () => end(null))
    peer.on("close", () => end(null))
    peer.on("connect", () => {
      const body = Buffer.from(JSON.stringify(payload, shortened))
      peer.write(Buffer.concat([Buffer.from(`1 opencode ${event} - - ${body.length}\n`), body]))
    })
    peer.on("data", (chunk) => {
      chunks.push(chunk)
      const text = parse(Buffer.concat(chunks))
      if (text !== undefined) end(text)
    })
  })
}

const shortened = (_, value) => (typeof value === "string" ? value.slice(0, LONGEST) : value)

/** The text of an answer, null for one without, undefined while it is not whole. */
function parse(answer) {
  const at = answer.indexOf(10)
  if (at < 0) return answer.length < 64 ? undefined : null
  const size = Number(/^text (\d{1,7})$/.exec(answer.toString("latin1", 0, at))?.[1] ?? -1)
  const body = answer.subarray(at + 1)
  if (body.length < size) return undefined
  if (body.length > size) return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body)
  } catch {
    return null
  }
}

/** One line more in a session's notes, in one write, and a word to the daemon that it is there. */
function note(session, type, fields) {
  try {
    if (!isId(session) || !isOurs(state)) return
    const folder = path.join(state, "sessions", "opencode", session)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const line = JSON.stringify({ v: 1, type, at: Date.now(), session_id: session, ...fields })
    fs.appendFileSync(path.join(folder, "notes.jsonl"), line + "\n", { mode: 0o600 })
    tell(session)
  } catch {}
}

/** Says that there is something to read, and does not wait for an answer. */
function tell(session) {
  ask("Note", { session_id: session }, ANSWER).catch(() => {})
}

/** A sign of life, at most one each BEAT. */
function beat() {
  try {
    if (Math.abs(Date.now() - beatAt) < BEAT || !isOurs(state)) return
    beatAt = Date.now()
    const file = path.join(state, "opencode", "alive.json")
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const alive = { v: 1, type: "alive", at: beatAt, pid: process.pid, version: VERSION, kind }
    fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(alive) + "\n", { mode: 0o600 })
    fs.renameSync(`${file}.${process.pid}`, file)
  } catch {}
}

/**
 * Socket and state directory: the environment's word, what install wrote, or the default places (as in memd/config.py).
 * Where a variable names a relative path, which would be another one for each process, there is neither.
 */
function where(env) {
  const home = env.HOME || os.homedir()
  const place = (name) => (env[name] ?? "").replace(/^~(?=\/)/, home)
  const [chosen, socket] = [place("MEMD_STATE_DIR"), place("MEMD_SOCKET")]
  if ([chosen, socket].some((given) => given && !path.isAbsolute(given))) return ["/dev/null/memd.sock", "/dev/null"]
  const elsewhere = chosen && chosen !== STATE // it belongs to another daemon
  const local = process.platform === "darwin" ? "Library/Application Support" : ".local/state"
  const base = path.isAbsolute(env.XDG_STATE_HOME ?? "") ? env.XDG_STATE_HOME : path.join(home, local)
  const directory = chosen || STATE || path.join(base, "memd")
  return [socket || (!elsewhere && SOCKET) || path.join(directory, "memd.sock"), directory]
}

/** What this process is; `tui`: a person's terminal is where its prompts come from. */
function kindOf([, script, ...words]) {
  if (/[\\/]tui[\\/]worker\.[jt]s$/.test(script ?? "")) return "tui"
  return words.find((word) => COMMANDS.includes(word)) ?? (words.includes("--mini") ? "tui" : "other")
}

const nameOf = (model) => (model ? `${model.providerID}/${model.id}` : null)

const isId = (session) => typeof session === "string" && /^[A-Za-z0-9_-]{1,199}$/.test(session) // it may stand in a path

function isOurs(directory) {
  const found = fs.statSync(directory)
  return found.isDirectory() && found.uid === process.getuid()
}

/** Whether the socket is our own and nobody else can have put it there: Bun cannot ask for the peer's user. */
function isTrusted(socket) {
  try {
    const [found, folder] = [fs.statSync(socket), fs.statSync(path.dirname(socket))]
    const guarded = (folder.mode & 0o022) === 0 || (folder.mode & 0o1000) !== 0
    return found.isSocket() && found.uid === process.getuid() && guarded && [0, found.uid].includes(folder.uid)
  } catch {
    return false
  }
}
