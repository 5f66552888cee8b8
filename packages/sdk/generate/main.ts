import { writeFileSync } from 'node:fs'
import { WIRE_TYPES_FILE, writeWireTypes } from './wire-types.ts'

writeFileSync(WIRE_TYPES_FILE, await writeWireTypes())
