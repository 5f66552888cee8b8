import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listBreakingChanges } from './compare-documents.ts'
import { isJson, type Json } from './compare-schemas.ts'

/** The OpenAPI document that clients rely on, in its canonical form. */
const SNAPSHOT = 'packages/contract/openapi.json'
/** Exists from the first release on. Before it, no client relies on the document. */
const RELEASED = 'packages/database/released.json'

/** Documentation fields, which may change at any time. Tags and operation ids are for readers and generators. */
const WORDS = new Set(['title', 'description', 'summary', 'example', 'examples', 'externalDocs', 'tags', 'operationId'])
const ABOUT = new Set(['info', 'servers', 'tags'])
/** Objects with field names as keys: a field may be called `title`. */
const NAMED = new Set([
  ...['paths', 'webhooks', 'responses', 'content', 'headers', 'properties', 'patternProperties', '$defs'],
  ...['schemas', 'parameters', 'securitySchemes', 'mapping'],
])
const UNORDERED = new Set(['required', 'enum', 'x-extensible-enum', 'type'])

/**
 * The document without documentation fields and with sorted keys, so that two documents differ only where the API does.
 */
export function canonize(document: Json): Json {
  const parts = Object.entries(document).filter(([name]) => !ABOUT.has(name))
  return strip(Object.fromEntries(parts), false) as Json
}

function strip(node: unknown, isNamed: boolean): unknown {
  if (Array.isArray(node)) return node.map((part) => strip(part, false))
  if (!isJson(node)) return node
  const names = Object.keys(node).filter((name) => isNamed || !WORDS.has(name))
  return Object.fromEntries(names.toSorted().map((name) => [name, stripPart(name, node[name], isNamed)]))
}

/** By their JSON: a list may contain null besides strings. */
function compareValues(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}

function stripPart(name: string, part: unknown, isNamed: boolean): unknown {
  if (!isNamed && UNORDERED.has(name) && Array.isArray(part)) return part.toSorted(compareValues)
  if (!isNamed && (name === 'default' || name === 'const')) return part
  return strip(part, !isNamed && NAMED.has(name))
}

/** The canonical document of the current routes. */
export function readCurrent(root: string): Json {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  return canonize(
    JSON.parse(execFileSync(process.execPath, ['apps/api/src/server/print-document.ts'], options)) as Json,
  )
}

export function readSnapshot(root: string): Json {
  return JSON.parse(readFileSync(join(root, SNAPSHOT), 'utf8')) as Json
}

const LINE_MAX = 120

/** JSON with short values on one line, so that a change is a few lines of a diff. */
function print(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  if (line.length + indent.length <= LINE_MAX || typeof value !== 'object' || value === null) return line
  const below = `${indent} `
  if (Array.isArray(value)) return `[\n${value.map((part) => below + print(part, below)).join(',\n')}\n${indent}]`
  const parts = Object.entries(value).map(([name, part]) => `${below}${JSON.stringify(name)}: ${print(part, below)}`)
  return `{\n${parts.join(',\n')}\n${indent}}`
}

type Outcome = { kind: 'current' | 'written' } | { kind: 'stale' | 'refused'; breaking: string[] }

/**
 * Compares the snapshot with the document, and with `write` replaces it. After the first release only compatible changes are written:
 * an incompatible one needs a new version of the API.
 */
export function updateSnapshot(root: string, current: Json, write: boolean): Outcome {
  const text = `${print(current)}\n`
  const file = join(root, SNAPSHOT)
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '{}'
  if (kept === text) return { kind: 'current' }
  const breaking = listBreakingChanges(JSON.parse(kept) as Json, current)
  if (!write) return { kind: 'stale', breaking }
  if (breaking.length > 0 && existsSync(join(root, RELEASED))) return { kind: 'refused', breaking }
  writeFileSync(file, text)
  return { kind: 'written' }
}
