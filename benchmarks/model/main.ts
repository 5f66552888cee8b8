import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StringModel, train } from './train.ts'

const FILE = 'packages/engine/src/address/data/string-model.ts'
const PATH = join(import.meta.dirname, '../..', FILE)

/**
 * `pnpm model train` writes the model; with `--check` it only reports whether training reproduces the committed one.
 */
const [command, option] = process.argv.slice(2)
if (command !== 'train' || (option !== undefined && option !== '--check')) {
  process.stderr.write('Usage: pnpm model train [--check]\n')
  process.exitCode = 1
} else {
  const { model, figures } = train()
  const text = sourceOf(model)
  const same = readFileSync(PATH, 'utf8') === text
  if (option === undefined) writeFileSync(PATH, text)
  else if (!same) process.exitCode = 1
  process.stderr.write(same ? `${FILE} is what training gives.\n` : `${FILE} ${option ? 'differs' : 'was written'}.\n`)
  process.stdout.write(
    `${JSON.stringify({ hash: model.hash, file_bytes: text.length, threshold: model.threshold, ...figures })}\n`,
  )
}

function sourceOf({ name, version, hash, examples, weights, ...numbers }: StringModel): string {
  const lines = [
    ...Object.entries({ name, version, hash }).map(([key, value]) => `  ${key}: '${value}',`),
    ...Object.entries(numbers).map(([key, value]) => `  ${key}: ${value},`),
    '  examples: [',
    ...Object.entries(examples).map(([text, logit]) => `    { text: '${text}', logit: ${logit} },`),
    '  ],',
    `  weights:\n    '${weights}',`,
  ]
  return `/** Written by \`pnpm model train\`. The hash is that of the scales, the intercept, the threshold and the weights. */
export const STRING_MODEL_DATA = {
${lines.join('\n')}
}
`
}
