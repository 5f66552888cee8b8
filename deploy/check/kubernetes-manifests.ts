import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec'
import { parseAllDocuments } from 'yaml'
import { ROOT } from './page.ts'

const require = createRequire(import.meta.url)

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
}

/** The template of the pods of a Deployment or Job. */
export type PodTemplate = { name: string; labels: Record<string, string>; pod: NonNullable<IPodTemplateSpec['spec']> }

export type Container = PodTemplate['pod']['containers'][number]

/** The manifests of a folder of deploy/kubernetes, built by kustomize. */
export function buildManifests(folder: string): Manifest[] {
  const kustomize = require.resolve('kustomize/run.js')
  const built = spawnSync(process.execPath, [kustomize, 'build', join(ROOT, 'deploy/kubernetes', folder)], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (built.status !== 0) throw new Error(`kustomize failed: ${built.stderr}`)
  return parseAllDocuments(built.stdout).map((document) => document.toJS() as Manifest)
}

export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`
}

/** The manifests of a kind, with the type of that kind. */
export function listOfKind<T>(manifests: Manifest[], kind: string): (T & Manifest)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as (T & Manifest)[]
}

export function listPodTemplates(manifests: Manifest[]): PodTemplate[] {
  const workloads = [...listOfKind<IDeployment>(manifests, 'Deployment'), ...listOfKind<IJob>(manifests, 'Job')]
  return workloads.flatMap((workload) => {
    const { metadata, spec: pod } = workload.spec?.template ?? {}
    return pod === undefined ? [] : [{ name: nameOf(workload), labels: metadata?.labels ?? {}, pod }]
  })
}

export function listContainers({ pod }: PodTemplate): Container[] {
  return [...(pod.initContainers ?? []), ...pod.containers]
}
