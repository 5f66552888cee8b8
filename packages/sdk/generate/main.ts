import { writeFileSync } from 'node:fs'
import { API_TYPES_FILE, writeApiTypes } from './api-types.ts'
import { REFERENCE_FILE, writeReference } from './reference.ts'

writeFileSync(API_TYPES_FILE, await writeApiTypes())
writeFileSync(REFERENCE_FILE, writeReference())
