// How fast a job queue for Node on Redis drains jobs that do nothing and of which nothing is kept: bullmq or bee-queue.
// Usage: node redis_peer.mjs NAME MODULES PORT BODY JOBS AT_ONCE
// MODULES: where `npm install bullmq ioredis bee-queue` was run. AT_ONCE: handlers that may run at the same time.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , name, modules, port, body, jobs, atOnce] = process.argv
const require = createRequire(pathToFileURL(resolve(modules) + '/'))
const load = async module => await import(pathToFileURL(require.resolve(module)))
const server = { host: '127.0.0.1', port: Number(port) }
const count = Number(jobs)
const STEP = 1000

// Each: fill(bodies) adds jobs; work(handle) begins to run them.
async function bullmq () {
  const { Queue, Worker } = await load('bullmq')
  const queue = new Queue('bench', { connection: server, defaultJobOptions: { removeOnComplete: true, removeOnFail: true } })
  return {
    fill: bodies => queue.addBulk(bodies.map(text => ({ name: 'job', data: { text } }))),
    work: handle => new Worker('bench', handle, { connection: server, concurrency: Number(atOnce) })
  }
}

async function beeQueue () {
  const { default: Queue } = await load('bee-queue')
  const queue = new Queue('bench', { redis: server, getEvents: false, storeJobs: false, removeOnSuccess: true })
  await queue.ready()
  return {
    fill: bodies => queue.saveAll(bodies.map(text => queue.createJob({ text }))),
    work: handle => queue.process(Number(atOnce), handle)
  }
}

const peers = { bullmq, 'bee-queue': beeQueue }
if (!peers[name]) throw new Error(`no peer '${name}': ${Object.keys(peers).join(' or ')}`)
const peer = await peers[name]()
for (let at = 0; at < count; at += STEP)
  await peer.fill(Array.from({ length: Math.min(STEP, count - at) }, () => 'x'.repeat(Number(body))))

let done = 0
let end
const ended = new Promise(resolve => { end = resolve })
const began = process.hrtime.bigint()
peer.work(async () => { if (++done === count) end() })
await ended
console.log(JSON.stringify({ per_second: count / (Number(process.hrtime.bigint() - began) / 1e9) }))
process.exit(0) // its connections would keep it alive
