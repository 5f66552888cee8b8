/** A program of this repository: the limit of its external packages, and the reason. `as` is its part of the tree. */
type RuntimeProgram = { as: string; packagesMax: number; because: string }

/**
 * The limit is the current number and a small margin: an update may add a package or two, and a new dependency that
 * adds ten needs a review. Raise a limit in the commit that needs it, with its reason.
 */
export const RUNTIME_PROGRAMS: RuntimeProgram[] = [
  {
    as: 'api',
    packagesMax: 255,
    because:
      'Fastify brings 48, sign-in 41 with its adapters, the S3 client 37, migrations 36, the API reference 28, BullMQ 25, traces 8, workbooks 6',
  },
  {
    as: 'worker',
    packagesMax: 145,
    because: 'the S3 client brings 37, migrations 36, BullMQ 25, pg 14, pino 13, metrics and traces 13, workbooks 4',
  },
  {
    as: 'admin',
    packagesMax: 130,
    because:
      'the doctor brings what a worker has, the S3 client (37), BullMQ (25) and the lists of the engine (10) among it; migrations bring 36',
  },
  { as: 'cli', packagesMax: 30, because: 'people install it beside everything else they have' },
  {
    as: 'web',
    packagesMax: 140,
    because: 'Radix brings 77, one for each part of a page, and the charts 42; the bundle holds what pages use of them',
  },
]

/** The packages of an installation, except the CLI, which is installed separately. */
export const INSTALLED = ['api', 'worker', 'admin', 'web']
