import { join } from 'node:path'
import { measureShape } from './src/shape.ts'

/** `pnpm -s check:shape [folder]`: sizes of apps and packages. The last line is JSON. */
const shape = measureShape(process.argv[2] ?? join(import.meta.dirname, '..'))

console.log(
  'package'.padEnd(24),
  'files'.padStart(6),
  'lines'.padStart(7),
  'files/1,000'.padStart(12),
  'longest function'.padStart(17),
  'small files'.padStart(12),
)
for (const { name, files, lines, filesPer1000Lines, longestFunction, smallFiles } of shape.packages) {
  const columns = [String(files).padStart(6), String(lines).padStart(7), String(filesPer1000Lines).padStart(12)]
  console.log(name.padEnd(24), ...columns, String(longestFunction).padStart(17), String(smallFiles).padStart(12))
}
console.log(JSON.stringify(shape))
