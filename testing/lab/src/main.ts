import { Command, InvalidArgumentError, Option } from 'commander'
import { startDns } from './dns/start.ts'
import { MAIL_DOMAINS } from './mail/data/mail-fixtures.ts'
import { type MailTown, startMailServers } from './mail/start.ts'
import { freePort } from './services/daemon.ts'
import { WORLDS, type WorldName } from './simulation/data/worlds.ts'
import { DOMAINS_MIN } from './simulation/domains.ts'
import { describeSimulation } from './simulation/guide.ts'
import { writeList } from './simulation/list-file.ts'
import { startSimulation } from './simulation/start.ts'
import { WORLD_NAMES } from './simulation/worlds.ts'

/** The simulated mail internet for manual probes. All servers listen on loopback until Ctrl-C. */
const program = new Command('lab').description('The mail internet in a box, on loopback alone.')

program
  .command('world')
  .description('A population of domains and addresses whose truth is known; plain Node, nothing to install.')
  .option('--seed <number>', 'the same seed makes the same world', readCount, 1)
  .option('--domains <count>', `how many domains, at least ${DOMAINS_MIN}`, readDomains, 2_000)
  .option('--addresses <count>', 'how many addresses', readCount, 100_000)
  .addOption(
    new Option('--only <world>', 'the domains of one world whose servers mislead, instead').choices(WORLD_NAMES),
  )
  .option('--port <number>', 'where mail servers listen; 0 is a free port', readCount, 0)
  .option('--dns-port <number>', 'where DNS listens; 0 is a free port', readCount, 0)
  .option('--list <file>', 'write every address with the truth about it, as CSV')
  .action(runSimulation)

program
  .command('servers')
  .description('Real Postfix, Exim and OpenSMTPD behind real NSD and Unbound; needs root and Debian.')
  .option('--port <number>', 'where mail servers listen; 0 is a free port', readCount, 0)
  .action(runServers)

if (process.argv.length > 2) await program.parseAsync()
else program.outputHelp()

type SimulationFlags = {
  seed: number
  domains: number
  addresses: number
  port: number
  dnsPort: number
  only?: WorldName
  list?: string
}

async function runSimulation({ list, only, port, dnsPort, ...size }: SimulationFlags): Promise<void> {
  const interrupted = untilInterrupted()
  const populated = only === undefined ? size : { worlds: [only] }
  const running = await startSimulation({ ...populated, port, dnsPort })
  if (list !== undefined) await writeList(running.simulation, list)
  const title = only === undefined ? `seed ${size.seed}` : `${only}: ${WORLDS[only].about}`
  process.stdout.write(`${describeSimulation(running, title)}Ctrl-C ends it.\n`)
  await interrupted
  await running.stop()
}

async function runServers({ port }: { port: number }): Promise<void> {
  const interrupted = untilInterrupted()
  const mail = await startMailServers({ port: port === 0 ? await freePort() : port })
  try {
    await showServers(mail, interrupted)
  } finally {
    await mail.stop()
  }
}

async function showServers({ names, servers, port }: MailTown, interrupted: Promise<void>): Promise<void> {
  const dns = await startDns({ names, faults: {} })
  for (const [domain, { at, mailboxes }] of Object.entries(MAIL_DOMAINS)) {
    const people = mailboxes.map(({ local, is }) => `${local} (${is})`)
    process.stdout.write(`${domain} at ${servers[at].host}: ${people.join(', ')}\n`)
  }
  process.stdout.write(`\nDNS answers on 127.0.0.1:${dns.port}, mail servers on port ${port} of these addresses.\n`)
  process.stdout.write('Ctrl-C ends it.\n')
  await interrupted
  await dns.stop()
}

/** Registered first, because server processes would otherwise survive an interrupt during startup. */
function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}

function readCount(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 0) throw new InvalidArgumentError('A whole number, please.')
  return count
}

function readDomains(text: string): number {
  const count = readCount(text)
  if (count < DOMAINS_MIN) throw new InvalidArgumentError(`With fewer than ${DOMAINS_MIN} some behaviour is left out.`)
  return count
}
