import { join } from 'node:path'
import { listFaults } from './src/house-rules.ts'

/**
 * `node checks/main.ts [folder]`: rules of the repository that the linters cannot check. The tests pass a folder with
 * planted faults.
 */
const faults = listFaults(process.argv[2] ?? join(import.meta.dirname, '..'))

for (const { path, line, message } of faults) console.error(`${path}:${line} ${message}`)
if (faults.length > 0) process.exitCode = 1
