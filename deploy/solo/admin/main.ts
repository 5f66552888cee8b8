import { spawnSync } from 'node:child_process'
import { readPasswords } from '../data.ts'
import { ownerSettings } from '../settings.ts'
import { LOGINS } from '../users.ts'

/** `docker exec NAME probity-admin COMMAND`: an operator command in a running container of the image `solo`. */
const command = ['apps/admin/src/main.ts', ...process.argv.slice(2)]
const env = ownerSettings(readPasswords(), process.env)
const { status, error } = spawnSync('node', command, { stdio: 'inherit', cwd: '/opt/probity', ...LOGINS.probity, env })
if (error) throw error
process.exitCode = status ?? 1
