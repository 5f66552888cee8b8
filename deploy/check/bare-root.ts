import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { boot, type Machine } from './machine.ts'
import { readCommands } from './page.ts'
import { layOutSources, prepareDownloads, prepareRoot } from './prepare.ts'
import { run, tell } from './run.ts'

const SUITE = 'bookworm'
/** The path of the repository copy in the page's commands. */
const HOME = '/root/probity'
const SECONDS_MAX = 300
/** The environment of a root shell, without interactive prompts. */
const OF_ROOT = {
  HOME: '/root',
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  DEBIAN_FRONTEND: 'noninteractive',
}

/**
 * Follows docs/debian.md on a fresh Debian: its blocks unchanged, in one shell, in a container with its own systemd
 * and without a network. All downloads of the page were made before, and are in the caches of apt, npm and pnpm.
 */
export async function followPage(cache: string): Promise<object> {
  const commands = readCommands('bare-root')
  if (commands.length < 4) throw new Error('docs/debian.md has lost its commands')
  const bare = prepareRoot(cache, SUITE, commands[0] ?? '')
  const downloads = prepareDownloads(cache, readCommands('bare-root-download').join('\n'))

  const folder = mkdtempSync(join(tmpdir(), 'probity-bare-root-'))
  const root = join(folder, 'root')
  try {
    run('cp', ['--archive', bare, root])
    layOutSources(join(root, HOME))
    run('cp', [downloads.nodeArchive, join(root, HOME)])
    // Copied and not mounted, so that pnpm finds its store on the disk that it installs to, as on a machine with one
    // disk.
    for (const kept of downloads.folders) {
      mkdirSync(dirname(join(root, kept)), { recursive: true })
      run('cp', ['--archive', kept, dirname(join(root, kept))])
    }
    // On a shared machine a duration means little without the load at that time.
    const busy = () => Math.round(loadavg()[0] ?? 0)
    const before = busy()
    const figures = await followIn(root, commands, { ...OF_ROOT, ...downloads.env })
    const surroundings = { cores: availableParallelism(), load_before: before, load_after: busy() }
    if (figures.seconds > SECONDS_MAX) process.exitCode = 1
    return { debian: SUITE, ...figures, seconds_max: SECONDS_MAX, ...surroundings }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Figures = { seconds: number; boot_seconds: number; block_seconds: number[]; verdicts: (string | undefined)[] }

async function followIn(root: string, commands: string[], env: Record<string, string>): Promise<Figures> {
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 100) / 10
  const machine = await boot(root)
  try {
    const bootSeconds = seconds()
    tell(`up after ${bootSeconds} s; the page begins`)
    // The shell prints the duration of each block between the blocks.
    const script = commands.map((text) => `${text}\necho; echo "==> $SECONDS s"`).join('\n')
    const said = await machine.type(script, { folder: HOME, env })
    const total = seconds()
    const verdicts = [...said.matchAll(/"sub_status":"([a-z_]+)"/g)].map(([, reason]) => reason)
    if (verdicts.join() !== 'mailbox_full,syntax_error') throw new Error(`other verdicts than promised: ${verdicts}`)
    await installAgain(machine, env)
    await lookAtUnits(machine)
    return { seconds: total, boot_seconds: bootSeconds, block_seconds: readBlockSeconds(said), verdicts }
  } finally {
    await machine.halt()
  }
}

/** As for a new version: data is kept, the previous version is kept, and the service starts again. */
async function installAgain(machine: Machine, env: Record<string, string>): Promise<void> {
  const [again = ''] = readCommands('bare-root-again')
  if (again === '') throw new Error('docs/debian.md has lost how a new version is installed')
  const kept = 'sha256sum /etc/probity/probity.env /etc/probity/secrets/*'
  const ready = 'curl --fail --silent --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/readyz'
  const script = `before=$(${kept})\n${again}\n[ "$before" = "$(${kept})" ]\n[ -d /opt/probity.old/apps ]\n${ready}`
  await machine.type(script, { folder: HOME, env })
}

/** The duration of each block by the clock of the shell. */
function readBlockSeconds(said: string): number[] {
  const ends = [...said.matchAll(/^==> (\d+) s$/gm)].map(([, second]) => Number(second))
  return ends.map((end, n) => end - (ends[n - 1] ?? 0))
}

/** How the units run their processes: user, rights, and the end after SIGTERM. */
async function lookAtUnits(machine: Machine): Promise<void> {
  const said = await machine.type(LOOK, { folder: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin' } })
  for (const [unit, user] of Object.entries(USERS)) {
    const line = said.split('\n').find((one) => one.startsWith(`${unit} `)) ?? 'nothing'
    if (!line.includes(`active ${user} CapBnd:0000000000000000 NoNewPrivs:1 Seccomp:2`))
      throw new Error(`${unit} does not run as its unit says: ${line}`)
    if (!line.includes('stopped:success')) throw new Error(`${unit} does not stop as it was told: ${line}`)
  }
  if (!said.includes('NOAUTH')) throw new Error('Redis accepts clients without a password')
  if (!said.includes('worker: no write')) throw new Error("the worker's user can write uploads")
}

/** The system user of each unit. */
const USERS = { 'probity-api': 'probity', 'probity-worker': 'probity-worker', 'probity-maintenance': 'probity' }

const LOOK = `
for unit in probity-api probity-worker probity-maintenance; do
  pid=$(systemctl show --property MainPID --value $unit)
  user=$(stat --format %U /proc/$pid)
  rights=$(sed -n 's/^\\(NoNewPrivs\\|CapBnd\\|Seccomp\\):\\s*/\\1:/p' /proc/$pid/status | sort | tr '\\n' ' ')
  state=$(systemctl is-active $unit)
  systemctl stop $unit
  echo "$unit $state $user $rights stopped:$(systemctl show --property Result --value $unit)"
done
redis-cli ping || true
runuser --user=probity-worker -- touch /var/lib/probity/uploads/file 2>/dev/null || echo 'worker: no write'
`
