import { join } from 'node:path'
import { countByKind, listBannedWords } from './src/words.ts'
import { readWorkspace } from './src/workspace.ts'

/** `node checks/words.ts [folder]`: banned words of texts, names, comments and test titles, and their number per kind of source. */
const faults = listBannedWords(readWorkspace(process.argv[2] ?? join(import.meta.dirname, '..')))

for (const { path, line, message } of faults) console.error(`${path}:${line} ${message}`)
console.log(JSON.stringify(countByKind(faults)))
if (faults.length > 0) process.exitCode = 1
