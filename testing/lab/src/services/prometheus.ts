import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder, startDaemon } from './daemon.ts'

export type PrometheusServer = {
  /** The current value of a query. */
  query(expression: string): Promise<{ metric: Record<string, string>; value: number }[]>
  /** The loaded rules, each with its query in Prometheus's normal form. */
  listRules(): Promise<{ name: string; query: string }[]>
  /** The names of the firing alerts. */
  listFiring(): Promise<string[]>
  stop(): Promise<void>
}

/** Debian's Prometheus on loopback with these files in its folder; `prometheus.yml` is its configuration. */
export async function startPrometheus(
  files: Record<'prometheus.yml', string> & Record<string, string>,
): Promise<PrometheusServer> {
  const folder = makeFolder('probity-prometheus')
  const port = await freePort()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const place = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`]
  const command = ['prometheus', ...place, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn']
  const daemon = await startDaemon(command, port, { logFile: join(folder, 'prometheus.log') })

  async function ask<T>(path: string): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`Prometheus: ${error}`)
    return data
  }
  return {
    async query(expression) {
      type Sample = { metric: Record<string, string>; value: [number, string] }
      const { result } = await ask<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
    },
    async listRules() {
      const { groups } = await ask<{ groups: { rules: { name: string; query: string }[] }[] }>('rules')
      return groups.flatMap(({ rules }) => rules.map(({ name, query }) => ({ name, query })))
    },
    async listFiring() {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts')
      const firing = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
      return [...new Set(firing)].toSorted()
    },
    async stop() {
      await daemon.stop()
      removeFolder(folder)
    },
  }
}
