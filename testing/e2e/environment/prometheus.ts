import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPrometheus } from '@probity/lab/services/prometheus'
import { whenDone } from '@probity/lab/when-done'
import { ROOT } from './programs.ts'

export const MONITORING = join(ROOT, 'deploy/monitoring')

/** Days in the files are seconds in a test: `for` lasts one second instead of minutes, and ranges are short. */
function inAHurry(text: string): string {
  return text
    .replaceAll(/for: \d+[mh]/g, 'for: 1s')
    .replaceAll(/\[1d\]/g, '[60s]')
    .replaceAll(/\[\d+m\]/g, '[20s]')
    .replaceAll(/_interval: \d+s/g, '_interval: 1s')
}

/**
 * A Prometheus with the files of deploy/monitoring that scrapes these two processes instead of those of the compose
 * file.
 */
export async function startPrometheusFor(ports: { api: number; worker: number }) {
  const read = (name: string) => inAHurry(readFileSync(join(MONITORING, name), 'utf8'))
  const config = read('prometheus.yml')
    .replace('api:9464', `127.0.0.1:${ports.api}`)
    .replace('worker:9465', `127.0.0.1:${ports.worker}`)
  const prometheus = await startPrometheus({ 'prometheus.yml': config, 'alerts.yml': read('alerts.yml') })
  whenDone(() => prometheus.stop())
  return prometheus
}

type Panel = { title: string; targets?: { expr: string }[] }

/** The queries of the dashboards, without duplicates. */
export function listDashboardQueries(): string[] {
  const text = readFileSync(join(MONITORING, 'grafana/dashboards/probity.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: Panel[] }
  return [...new Set(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => inAHurry(expr))))]
}

/** The metrics of a query: names with their label matchers. */
export function listSelectors(query: string): string[] {
  return query.match(/\b(?:up|(?:probity|process|nodejs)_[a-z0-9_]+)(?:\{[^}]*\})?/g) ?? []
}
