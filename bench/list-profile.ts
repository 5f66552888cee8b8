import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const SHOWN_MAX = 40

/** Where the processor's time went in the functions themselves, most first, of the profiles that Node wrote. */
export function describeProfiles(files: string[]): string {
  const byFunction = new Map<string, number>()
  let total = 0
  for (const file of files) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
    const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
    for (const [n, id] of samples.entries()) {
      const name = names.get(id) ?? ''
      if (name === '(idle)') continue
      const us = timeDeltas[n] ?? 0
      total += us
      byFunction.set(name, (byFunction.get(name) ?? 0) + us)
    }
  }
  const most = [...byFunction].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN_MAX)
  const lines = most.map(([name, us]) => `${((us / total) * 100).toFixed(1).padStart(6)} %  ${name}\n`)
  return `${Math.round(total / 1_000)} ms of processor time\n${lines.join('')}`
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName
  const parts = url.split('/node_modules/').at(-1)?.split('/') ?? []
  const place = url.includes('node_modules') ? parts.slice(0, 2).join('/') : basename(url)
  return `${functionName || '(anonymous)'} ${place}:${lineNumber + 1}`
}
