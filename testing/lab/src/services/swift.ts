import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { libraryPath, unpackPackages } from '../mail/packages.ts'
import { freePort, makeFolder, makeSubfolder, removeFolder, startDaemon } from './daemon.ts'

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object']
const BUCKET = 'lab'
/** Four Python servers take a second when idle and many seconds on a busy machine. */
const STARTS_WITHIN_MS = 120_000

export type SwiftServer = {
  endpoint: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

/**
 * Debian's OpenStack Swift with its S3 interface on loopback, and one empty bucket: real signatures, real multipart
 * uploads.
 */
export async function startSwift(): Promise<SwiftServer> {
  const unpacked = await unpackPackages([PACKAGES])
  const folder = makeFolder('probity-swift')
  makeSubfolder(makeSubfolder(folder, 'devices'), 'disk')
  const secretAccessKey = randomBytes(16).toString('hex')
  const ports = {
    proxy: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  }
  for (const [name, text] of Object.entries(settings(folder, secretAccessKey))) writeFileSync(join(folder, name), text)
  const program = join(folder, 'start.py')
  writeFileSync(program, PROGRAM)

  const command = [pythonOf(unpacked), program, folder, BUCKET, JSON.stringify(ports)]
  const env = {
    PATH: '/usr/bin:/bin',
    PYTHONPATH: join(unpacked, 'usr/lib/python3/dist-packages'),
    LD_LIBRARY_PATH: libraryPath(unpacked),
  }
  const options = { logFile: join(folder, 'swift.log'), env, startsWithinMs: STARTS_WITHIN_MS }
  const daemon = await startDaemon(command, ports.proxy, options)
  return {
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    bucket: BUCKET,
    accessKeyId: 'lab:tester',
    secretAccessKey,
    stop: async () => {
      await daemon.stop('SIGKILL') // none of its data is kept
      removeFolder(folder)
    },
  }
}

/** On a system without Python it was unpacked together with the other packages. */
function pythonOf(unpacked: string): string {
  const own = join(unpacked, 'usr/bin/python3')
  return existsSync(own) ? own : '/usr/bin/python3'
}

/**
 * One file per server. `inside` is the proxy without authentication, to create the bucket. The authenticated proxy
 * requires a configured cache but works without one: no process listens on port 1.
 */
function settings(folder: string, secret: string): Record<string, string> {
  const storage = (kind: string) => `
[DEFAULT]
devices = ${join(folder, 'devices')}
mount_check = false
swift_dir = ${folder}
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`
  const proxy = (pipeline: string) => `
[DEFAULT]
swift_dir = ${folder}
[pipeline:main]
pipeline = ${pipeline}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_lab_tester = ${secret} .admin
`
  return {
    'account.conf': storage('account'),
    'container.conf': storage('container'),
    'object.conf': storage('object'),
    'inside.conf': proxy('catch_errors proxy-server'),
    'proxy.conf': proxy('catch_errors gatekeeper cache listing_formats bulk s3api tempauth copy slo proxy-server'),
  }
}

/** All four servers in one process, as Swift's own tests run them; the proxy listens last, after the bucket exists. */
const PROGRAM = `
import json, logging, os, sys
folder, bucket, ports = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
from swift.common import utils
utils.HASH_PATH_SUFFIX = b'lab' # instead of what would stand in /etc/swift
utils.eventlet_monkey_patch()
import eventlet, eventlet.wsgi
logging.getLogger().addHandler(logging.StreamHandler()) # else its faults go to syslog
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder
from swift.common.swob import Request
from swift.common.wsgi import loadapp

for kind in ('account', 'container', 'object'):
    ring = RingBuilder(1, 1, 1)
    ring.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': ports[kind], 'device': 'disk', 'weight': 1})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, kind + '.ring.gz'))

def load(kind):
    return loadapp(os.path.join(folder, kind + '.conf'), global_conf={'log_name': kind})

def serve(kind):
    listener = eventlet.listen(('127.0.0.1', ports[kind]))
    # Without their own spelling, the SDK would miss the header ETag.
    options = {'protocol': SwiftHttpProtocol, 'capitalize_response_headers': False}
    return eventlet.spawn(eventlet.wsgi.server, listener, load(kind), utils.NullLogger(), **options)

for kind in ('account', 'container', 'object'):
    serve(kind)
made = Request.blank('/v1/AUTH_lab/' + bucket, environ={'REQUEST_METHOD': 'PUT'}).get_response(load('inside'))
if not made.is_success:
    sys.exit('no bucket: ' + made.status)
serve('proxy').wait()
`
