import { isKnown } from '@probity/settings/every-setting'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IService } from 'kubernetes-models/v1/Service'
import {
  type Container,
  listContainers,
  listOfKind,
  listPodTemplates,
  type Manifest,
  nameOf,
  type PodTemplate,
} from './kubernetes-manifests.ts'

type Labels = Record<string, string>
type Selector = {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

/** Faults in the rights of pods: root, writable file systems, capabilities, tokens, and missing resource limits. */
export function listSecurityFaults(manifests: Manifest[]): string[] {
  return listPodTemplates(manifests).flatMap((template) => {
    const { name, pod } = template
    const { securityContext: { runAsNonRoot, runAsUser = 0, seccompProfile } = {} } = pod
    const isRoot = runAsNonRoot !== true || listContainers(template).some((each) => userOf(each, runAsUser) === 0)
    return [
      ...(isRoot ? [`${name} can run as root`] : []),
      ...(seccompProfile?.type === 'RuntimeDefault' ? [] : [`${name} has no seccomp profile`]),
      ...(pod.automountServiceAccountToken === false ? [] : [`${name} has a token of the Kubernetes API`]),
      ...(pod.enableServiceLinks === false ? [] : [`${name} has variables of Services in its environment`]),
      ...(pod.hostNetwork || pod.hostPID || pod.hostIPC ? [`${name} shares a namespace of the host`] : []),
      ...listContainers(template).flatMap((container) => listContainerFaults(`${name} ${container.name}`, container)),
    ]
  })
}

function userOf({ securityContext: { runAsUser, runAsNonRoot } = {} }: Container, ofPod: number): number {
  return runAsNonRoot === false ? 0 : (runAsUser ?? ofPod)
}

function listContainerFaults(name: string, { securityContext = {}, resources = {} }: Container): string[] {
  const { requests = {}, limits = {} } = resources
  return [
    ...(securityContext.readOnlyRootFilesystem ? [] : [`${name} has a writable file system`]),
    ...(securityContext.allowPrivilegeEscalation === false ? [] : [`${name} allows privilege escalation`]),
    ...(securityContext.capabilities?.drop?.includes('ALL') && !securityContext.capabilities.add
      ? []
      : [`${name} keeps capabilities`]),
    ...(securityContext.privileged ? [`${name} is privileged`] : []),
    ...(requests['cpu'] && requests['memory'] ? [] : [`${name} requests no CPU or memory`]),
    ...(limits['memory'] ? [] : [`${name} has no memory limit`]),
  ]
}

/** Settings of the environment and of the settings file that no program reads, and secrets that are not files. */
export function listSettingFaults(manifests: Manifest[]): string[] {
  const inEnvironment = listPodTemplates(manifests).flatMap((template) =>
    listContainers(template).flatMap(({ env = [] }) =>
      env.flatMap(({ name, value, valueFrom }) => [
        ...(isKnown(name) ? [] : [`${template.name} sets the unknown setting ${name}`]),
        ...(valueFrom === undefined && !isKnown(`${name}_FILE`) && !/:\/\/[^/]*@/.test(value ?? '')
          ? []
          : [`${template.name} sets ${name} in the environment instead of a file`]),
      ]),
    ),
  )
  const inFiles = listOfKind<IConfigMap>(manifests, 'ConfigMap').flatMap((map) =>
    listNames(map.data?.['probity.env'] ?? '').flatMap((name) => [
      ...(isKnown(name) ? [] : [`${nameOf(map)} sets the unknown setting ${name}`]),
      ...(isKnown(`${name}_FILE`) ? [`${nameOf(map)} contains the secret ${name}`] : []),
    ]),
  )
  return [...inEnvironment, ...inFiles]
}

/** The names of a settings file, also of the lines that are comments: `#PROBITY_PORT=3000`. */
function listNames(text: string): string[] {
  return [...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)
}

/** References to something that does not exist: labels, ports, volumes, files, ConfigMaps, Secrets, Services and service accounts. */
export function listReferenceFaults(manifests: Manifest[], secretKeys: string[]): string[] {
  return [
    ...listPodTemplates(manifests).flatMap((template) => listPodFaults(template, manifests, secretKeys)),
    ...listSelectorFaults(manifests),
    ...listBackendFaults(manifests),
  ]
}

function listPodFaults(template: PodTemplate, manifests: Manifest[], secretKeys: string[]): string[] {
  const { name, pod } = template
  const volumes = pod.volumes ?? []
  const files = listSecretKeys(template)
  const maps = volumes.flatMap(({ configMap }) => configMap?.name ?? [])
  const exists = (kind: string, wanted: string | undefined) =>
    manifests.some((manifest) => manifest.kind === kind && manifest.metadata.name === wanted)
  return [
    ...(exists('ServiceAccount', pod.serviceAccountName) ? [] : [`${name} has no service account`]),
    ...maps.filter((map) => !exists('ConfigMap', map)).map((map) => `${name} mounts the missing ConfigMap ${map}`),
    ...files.filter((key) => !secretKeys.includes(key)).map((key) => `${name} uses the undocumented secret ${key}`),
    ...listContainers(template).flatMap((container) => {
      const mounts = container.volumeMounts ?? []
      const folder = mounts.find(({ name: volume }) => volume === 'secrets')?.mountPath
      const ports = container.ports ?? []
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
      return [
        ...mounts
          .filter((mount) => !volumes.some((volume) => volume.name === mount.name))
          .map((mount) => `${name} mounts the missing volume ${mount.name}`),
        ...(container.env ?? [])
          .filter((each) => each.name !== 'PROBITY_SETTINGS_FILE' && each.name.endsWith('_FILE'))
          .filter(({ value }) => !files.some((file) => value === `${folder}/${file}`))
          .map((each) => `${name} sets ${each.name} to a missing file`),
        ...probes
          .flatMap((probe) => probe?.httpGet?.port ?? [])
          .filter((port) => !ports.some((each) => each.name === port))
          .map((port) => `${name} probes the missing port ${port}`),
      ]
    }),
  ]
}

/** The keys of Secrets that a pod mounts as files. */
export function listSecretKeys({ pod }: PodTemplate): string[] {
  const sources = (pod.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])
  return sources.flatMap(({ secret }) => secret?.items ?? []).map(({ key }) => key)
}

function listSelectorFaults(manifests: Manifest[]): string[] {
  const templates = listPodTemplates(manifests)
  const selectors = [
    ...listOfKind<{ spec: { selector?: Selector } }>(manifests, 'Deployment').map((each) => [each, each.spec.selector]),
    ...listOfKind<IPodDisruptionBudget>(manifests, 'PodDisruptionBudget').map((each) => [each, each.spec?.selector]),
    ...listOfKind<INetworkPolicy>(manifests, 'NetworkPolicy').map((each) => [each, each.spec?.podSelector]),
    ...listOfKind<IService>(manifests, 'Service').map((each) => [each, { matchLabels: each.spec?.selector }]),
  ] as [Manifest, Selector | undefined][]
  return [
    ...selectors
      .filter(([, selector = {}]) => !templates.some(({ labels }) => isSelected(selector, labels)))
      .map(([manifest]) => `${nameOf(manifest)} selects no pods`),
    ...listOfKind<IHorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler')
      .filter(({ spec }) => !templates.some(({ name }) => name === `Deployment ${spec?.scaleTargetRef.name}`))
      .map((each) => `${nameOf(each)} scales a missing Deployment`),
  ]
}

function isSelected({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => operator === 'In' && values.includes(labels[key] ?? ''))
  )
}

/** Ports of Services that the selected pods do not have, and Services of Ingresses that do not exist. */
function listBackendFaults(manifests: Manifest[]): string[] {
  const services = listOfKind<IService>(manifests, 'Service')
  const templates = listPodTemplates(manifests)
  const backends = listOfKind<IIngress>(manifests, 'Ingress').flatMap(({ spec }) =>
    (spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend.service)),
  )
  return [
    ...services.flatMap((service) => {
      const selected = templates.filter(({ labels }) =>
        isSelected({ matchLabels: service.spec?.selector ?? {} }, labels),
      )
      const names = selected.flatMap(listContainers).flatMap(({ ports = [] }) => ports.map(({ name }) => name))
      return (service.spec?.ports ?? [])
        .filter(({ targetPort }) => !names.includes(String(targetPort)))
        .map(({ targetPort }) => `${nameOf(service)} refers to the missing port ${targetPort}`)
    }),
    ...backends
      .filter((backend) => {
        const service = services.find(({ metadata }) => metadata.name === backend?.name)
        return !service?.spec?.ports?.some(({ name }) => name === backend?.port?.name)
      })
      .map((backend) => `an Ingress refers to the missing Service ${backend?.name}`),
  ]
}

/** A port that pods may connect to. Without ranges, all destinations are allowed. */
export type AllowedPort = { port: number | string; ranges: string[] }

/** The connections that the NetworkPolicies allow a component to open, except to pods of the cluster. */
export function listEgress(manifests: Manifest[], component: string): AllowedPort[] {
  return listPoliciesOf(manifests, component).flatMap(({ spec }) =>
    (spec?.egress ?? [])
      .filter(({ to = [] }) => !to.some(({ podSelector }) => podSelector))
      .flatMap(({ ports = [{ port: 'all' }], to = [] }) =>
        ports.map(({ port = 'all' }) => ({ port, ranges: to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? []) })),
      ),
  )
}

/** Whether a component can neither accept nor open connections that no other policy allows. */
export function isDenied(manifests: Manifest[], component: string): boolean {
  return listPoliciesOf(manifests, component).some(
    ({ spec }) => spec?.policyTypes?.toString() === 'Ingress,Egress' && !spec.ingress && !spec.egress,
  )
}

function listPoliciesOf(manifests: Manifest[], component: string): (INetworkPolicy & Manifest)[] {
  const labels = listPodTemplates(manifests)
    .map((template) => template.labels)
    .find((each) => each['app.kubernetes.io/component'] === component)
  return listOfKind<INetworkPolicy>(manifests, 'NetworkPolicy').filter(
    ({ spec }) => labels && isSelected((spec?.podSelector ?? {}) as Selector, labels),
  )
}
