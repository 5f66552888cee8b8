import { readFileSync } from 'node:fs'

type Frame = { functionName: string; url: string; lineNumber: number }
type Profile = {
  nodes: { id: number; callFrame: Frame; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

const SHOWN_MAX = 30
/** Module loading of a process: work that each start does once. */
const LOADING = ['node:internal/modules/', 'node:internal/vm', 'node:internal/bootstrap']

/**
 * CPU time of the profiles that Node wrote, without module loading: by part (npm package, package of this repository,
 * Node), and by the calling function of this repository.
 */
export function describeProfiles(files: string[]): string {
  const parts = new Map<string, number>()
  const callers = new Map<string, number>()
  let [total, loading] = [0, 0]
  for (const file of files) {
    for (const { stack, us } of readSamples(JSON.parse(readFileSync(file, 'utf8')) as Profile)) {
      if (stack.some(({ url }) => LOADING.some((prefix) => url.startsWith(prefix)))) {
        loading += us
        continue
      }
      total += us
      add(parts, partOf(stack[0]), us)
      add(callers, nameOf(stack.find(isOwn)), us)
    }
  }
  const seconds = (us: number) => (us / 1_000_000).toFixed(1)
  const headline = `${seconds(total)} s of processor time (and ${seconds(loading)} s to load modules)`
  return `${headline}\n\nby part\n${table(parts, total)}\nby calling function\n${table(callers, total)}`
}

/** The samples that were not idle, each with its frames from the innermost outward. */
function* readSamples({ nodes, samples, timeDeltas }: Profile): Generator<{ stack: Frame[]; us: number }> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const stackOf = (id: number | undefined): Frame[] => {
    const frame = id === undefined ? undefined : frames.get(id)
    return frame === undefined || id === undefined ? [] : [frame, ...stackOf(parents.get(id))]
  }
  const stacks = new Map(nodes.map(({ id }) => [id, stackOf(id)]))
  for (const [n, id] of samples.entries()) {
    const stack = stacks.get(id) ?? []
    if (stack[0]?.functionName !== '(idle)') yield { stack, us: timeDeltas[n] ?? 0 }
  }
}

const isOwn = ({ url }: Frame) => url.startsWith('file:') && !url.includes('/node_modules/')

function partOf(frame: Frame | undefined): string {
  if (!frame) return '(none)'
  const { functionName, url } = frame
  if (url === '') return functionName.startsWith('(') ? functionName : 'Node, native functions'
  if (url.startsWith('node:')) return `Node, ${url.split('/').slice(0, 2).join('/')}`
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  return library ?? /\/((?:apps|packages)\/[^/]+)\//.exec(url)?.[1] ?? 'benchmark'
}

function nameOf(frame: Frame | undefined): string {
  if (!frame) return '(called by Node or a library)'
  return `${frame.functionName || '(anonymous)'} ${frame.url.split('/').slice(-3).join('/')}:${frame.lineNumber + 1}`
}

function add(map: Map<string, number>, name: string, us: number): void {
  map.set(name, (map.get(name) ?? 0) + us)
}

function table(times: Map<string, number>, total: number): string {
  const most = [...times].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN_MAX)
  return most.map(([name, us]) => `${((us / total) * 100).toFixed(1).padStart(6)} %  ${name}\n`).join('')
}
