import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from './page.ts'

/** The fields of a compose.yaml service that the check reads; the Compose schema validates the others. */
export type Service = {
  image: string
  build?: { context: string; dockerfile: string; target: string }
  user?: string
  entrypoint?: string[]
  command?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  volumes?: string[]
  tmpfs?: string[]
  ports?: string[]
  networks?: string[] | Record<string, unknown>
  profiles?: string[]
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  pids_limit?: number
  mem_limit?: string
  restart?: string
  healthcheck?: { test?: string[]; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
}

export type ComposeFile = {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
  networks: Record<string, { internal?: boolean }>
}

export function readComposeFile(): ComposeFile {
  return parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as ComposeFile
}
