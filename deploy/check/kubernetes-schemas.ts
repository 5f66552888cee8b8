import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as validateHorizontalPodAutoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler'
import { validate as validateJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as validateConfigMap } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap'
import { validate as validateNamespace } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace'
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as validateServiceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount'
import { validate as validateIngress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress'
import { validate as validateNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as validatePodDisruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { type Manifest, nameOf } from './kubernetes-manifests.ts'

/** A compiled JSON schema. Its errors are a property of the function. */
type Validate = { (data: unknown): boolean; errors?: { instancePath: string; message?: string; keyword: string }[] }

const SCHEMAS: Record<string, Validate> = {
  'apps/v1 Deployment': validateDeployment,
  'autoscaling/v2 HorizontalPodAutoscaler': validateHorizontalPodAutoscaler,
  'batch/v1 Job': validateJob,
  'networking.k8s.io/v1 Ingress': validateIngress,
  'networking.k8s.io/v1 NetworkPolicy': validateNetworkPolicy,
  'policy/v1 PodDisruptionBudget': validatePodDisruptionBudget,
  'v1 ConfigMap': validateConfigMap,
  'v1 Namespace': validateNamespace,
  'v1 Service': validateService,
  'v1 ServiceAccount': validateServiceAccount,
}

/** Faults of a manifest by the schema of its kind: invalid values, missing fields and unknown fields. */
export function listSchemaFaults(manifest: Manifest): string[] {
  const name = nameOf(manifest)
  const validate = SCHEMAS[`${manifest.apiVersion} ${manifest.kind}`]
  if (validate === undefined) return [`${name} has an unknown kind, ${manifest.apiVersion} ${manifest.kind}`]
  const read = new Set<string>()
  const isValid = validate(recordReads(manifest, '', read))
  const errors = isValid ? [] : (validate.errors ?? [])
  return [
    ...errors.map(({ instancePath, keyword }) => `${name} ${instancePath} is invalid (${keyword})`),
    ...listUnread(manifest, read)
      .filter((path) => !errors.some(({ instancePath }) => path.startsWith(instancePath)))
      .map((path) => `${name} ${path} is an unknown field`),
  ]
}

/**
 * The schemas of kubernetes-models allow additional properties, so a misspelled field is valid. The compiled schema reads every property
 * that it describes: properties that it does not read are unknown.
 */
function recordReads<T extends object>(data: T, path: string, read: Set<string>): T {
  return new Proxy(data, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof key !== 'string') return value
      const below = `${path}/${key}`
      read.add(below)
      return typeof value === 'object' && value !== null ? recordReads(value, below, read) : value
    },
  })
}

/** The fields that were not read, without those below them. */
function listUnread(data: unknown, read: Set<string>, path = ''): string[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([key, value]) => {
    const below = `${path}/${key}`
    return read.has(below) ? listUnread(value, read, below) : [below]
  })
}
