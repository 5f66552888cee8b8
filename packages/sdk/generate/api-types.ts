import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'

const ROOT = join(import.meta.dirname, '../../..')
export const API_TYPES_FILE = join(import.meta.dirname, '../src/generated/api-types.ts')

/** The document has more than a megabyte, the preset of Node. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

type Schema = Record<string, unknown>
type Document = { openapi: string; info: object; components: { schemas: Record<string, Schema> } }

/** The types of all requests and responses, generated from the OpenAPI document of the API. */
export async function writeApiTypes(): Promise<string> {
  const document = JSON.parse(run(process.execPath, ['apps/api/src/server/print-document.ts'])) as Document
  const folder = mkdtempSync(join(tmpdir(), 'probity-api-types-'))
  try {
    await createClient({
      input: schemasOf(document),
      output: { path: folder, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    })
    return format(finish(readFileSync(join(folder, 'types.gen.ts'), 'utf8')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Without operations: the client is written by hand. */
function schemasOf({ openapi, info, components }: Document) {
  const opened = Object.entries(components.schemas).map(([name, schema]) => [name, openUp(schema)])
  const unlisted = { type: 'string', description: 'A value that was added after this version was made.' }
  return { openapi, info, paths: {}, components: { schemas: { ...Object.fromEntries(opened), Unlisted: unlisted } } }
}

/** A list to which values may be added: the known ones, for an editor to offer, and any other text. */
function openUp({ 'x-extensible-enum': values, ...schema }: Schema): Schema {
  if (values === undefined) return schema
  const { type, title, description } = schema
  return { title, description, anyOf: [{ type, enum: values }, { $ref: '#/components/schemas/Unlisted' }] }
}

function finish(text: string): string {
  return text
    .replace(
      /^\/\/ This file is .*$/m,
      '// Written by `pnpm --filter @probity/sdk generate`; not to be changed by hand.',
    )
    .replace(/^export type ClientOptions = \{.*?^\};\n/ms, '')
    .replace('export type Unlisted = string;', 'export type Unlisted = string & {};') // a plain string would absorb the known values
}

function format(text: string): string {
  return run('node_modules/.bin/biome', ['format', '--stdin-file-path=packages/sdk/src/generated/api-types.ts'], text)
}

function run(program: string, args: string[], input?: string): string {
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    ...(input !== undefined && { input }),
  })
}
