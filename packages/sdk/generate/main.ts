import { writeFileSync } from 'node:fs'
import { REFERENCE_FILE, writeReference } from './reference.ts'
import { WIRE_TYPES_FILE, writeWireTypes } from './wire-types.ts'

writeFileSync(WIRE_TYPES_FILE, await writeWireTypes())
writeFileSync(REFERENCE_FILE, writeReference())
