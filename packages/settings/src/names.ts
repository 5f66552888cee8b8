export type Environment = Record<string, string | undefined>

/** Documented names have this prefix. The short names, without it, are accepted too. */
const PREFIX = 'PROBITY_'

/** Variables that OpenTelemetry defines have no other name. */
const STANDARD = /^OTEL_/

/** The name of a setting in the documentation and in error messages. */
export function documentedName(name: string): string {
  return STANDARD.test(name) ? name : `${PREFIX}${name}`
}

/** The name of a setting in the schemas: without the prefix. */
export function shortName(name: string): string {
  const short = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
  return STANDARD.test(short) ? name : short
}

/** Adds settings to an environment, each only if the environment does not set it under either name. */
export function withDefaults(env: Environment, defaults: Environment): Environment {
  const missing = Object.entries(defaults).filter(([name]) => !env[name] && !env[documentedName(name)])
  return { ...env, ...Object.fromEntries(missing) }
}

/** Replaces settings of an environment: the values under both names, and the secret files that would contradict them. */
export function withSettings(env: Environment, settings: Environment): Environment {
  const replaced = Object.keys(settings).flatMap((name) => [name, `${name}_FILE`])
  const removed = replaced.flatMap((name) => [
    [name, undefined],
    [documentedName(name), undefined],
  ])
  return { ...env, ...Object.fromEntries(removed), ...settings }
}
