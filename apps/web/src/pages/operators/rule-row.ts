import type { UnclassifiedReply } from '@probity/contract/schemas/operators'

/** A row for the engine's classification rules, filled from the reply. The operator adds the reason and the scope. */
export function ruleRow({ provider, stage, code, reply }: UnclassifiedReply): string {
  const enhanced = /^([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1]
  const words = reply
    .slice(enhanced?.length ?? 0)
    .trim()
    .toLowerCase()
  const lines = [
    `stage: '${stage === 'rcpt' ? 'rcpt' : 'early'}',`,
    ...(provider ? [`provider: ['${provider}'],`] : []),
    `code: '${code}',`,
    ...(enhanced ? [`enhanced: '${enhanced}',`] : []),
    `says: /${escapePattern(words)}/,`,
    `reason: '',`,
    `scope: '',`,
    `seen: ${JSON.stringify(`${code} ${reply}`)},`,
  ]
  return `{\n${lines.map((line) => `  ${line}`).join('\n')}\n},\n`
}

function escapePattern(words: string): string {
  return words.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
