/** Provider limits in the shape of the engine's own table. */
export type SimulatedLimits = {
  probe: 'A' | 'B' | 'C' | 'D' | '?'
  recipientsPerTransaction: number
  recipientsPerConnection: number
  connectionsPerEgress: number
  connectionsPerMinute: number
  errorsPerConnection: number
  errorsPerHour: number | null
  tls: 'never' | 'demanded' | 'offered'
  retryDelaysS: number[]
  suspendS: Partial<Record<'ip_blocked' | 'rate_limited' | 'too_many_errors' | 'sender_rejected', number>>
  truthfulDomains: string[]
}

/** No limits per hour or minute, and delays of seconds: greylisting lasts one to three. */
const QUICK: SimulatedLimits = {
  probe: '?',
  recipientsPerTransaction: 25,
  recipientsPerConnection: 200,
  connectionsPerEgress: 20,
  connectionsPerMinute: 1_000_000,
  errorsPerConnection: 4,
  errorsPerHour: null,
  tls: 'never',
  retryDelaysS: [1, 2, 3, 5],
  suspendS: { ip_blocked: 2, rate_limited: 1, too_many_errors: 1, sender_rejected: 2 },
  truthfulDomains: [],
}

/**
 * Limits per IP address in the shape of the engine's own: the same as for a site, since each host has its own address.
 */
export const SIMULATED_ADDRESS_LIMITS = {
  connections: QUICK.connectionsPerEgress,
  perMinute: QUICK.connectionsPerMinute,
}

/** Connection limits and probe grades are the real ones for the providers of this simulation. */
export const SIMULATED_LIMITS: Record<string, SimulatedLimits> & { '': SimulatedLimits } = {
  '': QUICK,
  apple: { ...QUICK, probe: 'B', errorsPerConnection: 5, truthfulDomains: ['icloud.com'] },
  barracuda: { ...QUICK, probe: 'C' },
  cisco: { ...QUICK, probe: 'C' },
  comcast: { ...QUICK, probe: 'B', truthfulDomains: ['comcast.net'] },
  gmx: { ...QUICK, probe: 'B', errorsPerConnection: 1, truthfulDomains: ['gmx.de', 'web.de'] },
  godaddy: { ...QUICK, probe: 'A' },
  google: { ...QUICK, probe: 'C', recipientsPerTransaction: 50, truthfulDomains: ['gmail.com'] },
  ionos: { ...QUICK, probe: 'B', errorsPerConnection: 1 },
  mail_ru: { ...QUICK, probe: 'D' },
  messagelabs: { ...QUICK, probe: 'C' },
  microsoft: { ...QUICK, probe: 'B', recipientsPerTransaction: 1, truthfulDomains: ['outlook.com', 'hotmail.com'] },
  microsoft365: { ...QUICK, probe: 'C', recipientsPerTransaction: 1 },
  mimecast: { ...QUICK, probe: 'C' },
  orange: { ...QUICK, probe: 'B', truthfulDomains: ['orange.fr', 'wanadoo.fr'] },
  ovh: { ...QUICK, probe: 'A' },
  proofpoint: { ...QUICK, probe: 'C' },
  proofpoint_essentials: { ...QUICK, probe: 'C' },
  rackspace: { ...QUICK, probe: 'A' },
  spamexperts: { ...QUICK, probe: 'A' },
  strato: { ...QUICK, probe: 'A' },
  t_online: { ...QUICK, probe: 'B' },
  trendmicro: { ...QUICK, probe: 'C' },
  yahoo: { ...QUICK, probe: 'D' },
  yandex: { ...QUICK, probe: 'C', truthfulDomains: ['yandex.ru'] },
  zoho: { ...QUICK, probe: 'A' },
}
