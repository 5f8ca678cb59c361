// How fast plainjob, a job queue for Node on SQLite (WAL, synchronous=NORMAL), drains jobs that do nothing.
// Usage: node plainjob.mjs MODULES DIR BODY JOBS      MODULES: where `npm install plainjob better-sqlite3` was run.
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , modules, dir, body, jobs] = process.argv
const require = createRequire(pathToFileURL(resolve(modules) + '/'))
const load = name => import(pathToFileURL(require.resolve(name)))
const { better, defineQueue, defineWorker } = await load('plainjob')
const { default: Database } = await load('better-sqlite3')

const quiet = { error () {}, warn () {}, info () {}, debug () {} }
const file = `${dir}/plainjob-${process.pid}.db`
const db = new Database(file)
const queue = defineQueue({ connection: better(db), logger: quiet })
const count = Number(jobs)
for (let at = 0; at < count; at += 1000)
  queue.addMany('job', Array.from({ length: Math.min(1000, count - at) }, () => 'x'.repeat(Number(body))))

let done = 0
let end
const ended = new Promise(resolve => { end = resolve })
const worker = defineWorker('job', async () => { if (++done === count) end() }, { queue, logger: quiet })
const began = process.hrtime.bigint()
worker.start()
await ended
const seconds = Number(process.hrtime.bigint() - began) / 1e9
await worker.stop()
for (const tail of ['', '-wal', '-shm']) rmSync(file + tail, { force: true })
console.log(JSON.stringify({ per_second: count / seconds }))
process.exit(0) // its timers would go on
