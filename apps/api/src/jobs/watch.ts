import type { Job } from '@probity/contract/schemas/jobs/jobs'
import { type Db, inTenant } from '@probity/database/connection/connect'
import type { View } from '@probity/database/connection/scope'
import { findJob } from '@probity/database/jobs/jobs'
import { presentJob } from '@probity/database/jobs/present-job'
import type { FastifyBaseLogger } from 'fastify'

const LOOK_EVERY_MS = 1_000

/** Receives the job; undefined after it was deleted. */
type Listener = (job: Job | undefined) => void

type Room = { view: View; jobId: string; listeners: Set<Listener>; timer?: NodeJS.Timeout }

/** Polls the jobs that have listeners. */
export type JobWatch = {
  /** Calls the listener about once a second with the job, until the returned function is called. */
  listen(view: View, jobId: string, listener: Listener): () => void
}

/** One query per second serves all listeners of a job. */
export function openJobWatch(db: Db, log: FastifyBaseLogger): JobWatch {
  const rooms = new Map<string, Room>()

  async function look(room: Room): Promise<void> {
    try {
      const job = await inTenant(db, room.view.accountId, (trx) => findJob(trx, room.view, room.jobId))
      for (const listener of room.listeners) listener(job && presentJob(job))
    } catch (error) {
      log.warn({ err: error, jobId: room.jobId }, 'failed to read a job; retrying')
    }
    if (room.listeners.size > 0) lookLater(room)
  }

  function lookLater(room: Room): void {
    room.timer = setTimeout(() => void look(room), LOOK_EVERY_MS).unref()
  }

  function openRoom(name: string, view: View, jobId: string): Room {
    const room: Room = { view, jobId, listeners: new Set() }
    rooms.set(name, room)
    lookLater(room)
    return room
  }

  return {
    listen(view, jobId, listener) {
      const name = `${view.accountId}/${view.mode}/${jobId}`
      const room = rooms.get(name) ?? openRoom(name, view, jobId)
      room.listeners.add(listener)
      return () => {
        room.listeners.delete(listener)
        if (room.listeners.size > 0) return
        clearTimeout(room.timer)
        if (rooms.get(name) === room) rooms.delete(name)
      }
    },
  }
}
