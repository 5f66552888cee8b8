import { ROLES, type Role } from '@probity/contract/constants/users'
import type { connectAuth } from '@probity/database/users/auth-connection'
import { verifyAddress } from '@probity/database/users/profiles'
import { claimCode } from '@probity/database/users/second-factor'
import { hashSessionToken } from '@probity/database/users/sessions'
import type { EmailMessage, Mailer } from '@probity/email/send'
import { type BetterAuthPlugin, betterAuth } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { createAccessControl } from 'better-auth/plugins/access'
import { organization } from 'better-auth/plugins/organization'
import { defaultStatements } from 'better-auth/plugins/organization/access'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { FastifyBaseLogger } from 'fastify'
import { cookieNames } from '../../middleware/authentication/session.ts'
import { existingAccountEmail, invitationEmail, resetEmail, verificationEmail } from '../email/emails.ts'
import { invitationToken } from '../tokens.ts'
import { ADDRESS_HEADER, AUTH_PATH } from './data/library.ts'
import { ACCOUNT_MODELS, MODELS, SECOND_FACTOR_MODELS } from './data/models.ts'
import { PASSWORD_LENGTH_MAX, type Passwords } from './passwords.ts'
import { createRecoveryCodes, RECOVERY_CODE_STORAGE } from './recovery-codes.ts'

/** Our roles for the sign-in library. It only decides about inviting, changing and removing members. */
export function libraryRoles() {
  const access = createAccessControl(defaultStatements)
  const mayMembers = access.newRole({ member: ['create', 'update', 'delete'], invitation: ['create', 'cancel'] })
  const mayNothing = access.newRole({})
  const entries = (Object.keys(ROLES) as Role[]).map((role) => [role, ROLES[role].members ? mayMembers : mayNothing])
  return Object.fromEntries(entries) as Record<Role, typeof mayMembers>
}

/**
 * Lets the sign-in library work with session tokens while the database has only their hashes, so that a copy of the database contains no
 * session. The library has no option for it, so its database adapter is wrapped.
 */
export function hashedSessionTokens(): BetterAuthPlugin {
  return {
    id: 'hashed-session-tokens',
    init: ({ adapter }) => ({ context: { adapter: hashTokens(adapter) } }),
  }
}

type Condition = { field: string; value: unknown }
type Query = { model: string; where?: Condition[]; data?: Row; update?: Row }
type Row = Record<string, unknown>
type Method = (query: Query) => Promise<unknown>

const METHODS = [
  'create',
  'findOne',
  'findMany',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
  'incrementOne',
  'count',
] as const

/** The adapter with the same methods, which hash tokens in their input. */
function hashTokens<A extends object>(adapter: A): A {
  const methods = adapter as unknown as Record<string, Method>
  const wrapped = { ...adapter } as Record<string, unknown>
  for (const name of METHODS) {
    const method = methods[name]
    if (method) wrapped[name] = (query: Query) => (query.model === 'session' ? runHashed(method, query) : method(query))
  }
  const begin = methods['transaction'] as unknown as (work: (trx: object) => unknown) => unknown
  wrapped['transaction'] = (work: (trx: object) => unknown) => begin((trx) => work(hashTokens(trx)))
  return wrapped as A
}

async function runHashed(method: Method, query: Query): Promise<unknown> {
  const tokens = new Map<unknown, string>()
  const hashed = (token: unknown): unknown => {
    if (Array.isArray(token)) return token.map(hashed)
    if (typeof token !== 'string') return token
    const hash = hashSessionToken(token)
    tokens.set(hash, token)
    return hash
  }
  const inRow = (row: Row | undefined) => (row && 'token' in row ? { ...row, token: hashed(row['token']) } : row)
  const { where, data, update } = query
  const result = await method({
    ...query,
    ...(where && { where: where.map((one) => (one.field === 'token' ? { ...one, value: hashed(one.value) } : one)) }),
    ...(data && { data: inRow(data) }),
    ...(update && { update: inRow(update) }),
  } as Query)
  // The library gets back the tokens that it passed, for the cookie. For other sessions it gets the hash.
  const shown = (row: unknown) =>
    isRow(row) && tokens.has(row['token']) ? { ...row, token: tokens.get(row['token']) } : row
  return Array.isArray(result) ? result.map(shown) : shown(result)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
}

const DAY_S = 24 * 60 * 60
const HOUR_S = 60 * 60

type Parts = {
  people: ReturnType<typeof connectAuth>
  secret: string
  publicUrl: string | undefined
  /** Base URL of links in emails. */
  linkBase: string
  mail: Mailer
  /** Whether links are sent by email, so that a used link proves control of a mailbox. */
  hasMail: boolean
  passwords: Passwords
  /** For the audit log: the password was correct and the code was not. */
  onWrongCode(userId: string): void
  log: FastifyBaseLogger
}

/** The auth library. It is called with requests that we build ourselves. */
export type Auth = {
  handler(request: Request): Promise<Response>
  /** Operations that are not available to requests. */
  api: { verifyPassword(asked: { body: { password: string }; headers: Headers }): Promise<unknown> }
}

export function openAuth(parts: Parts): Auth {
  const { people, secret, log } = parts
  const cookies = cookieNames(parts.publicUrl)
  return betterAuth({
    appName: 'Probity',
    baseURL: new URL(parts.linkBase).origin,
    basePath: AUTH_PATH,
    secret,
    database: { db: people, type: 'postgres', transaction: true },
    ...MODELS,
    // A session ends after a week regardless of use. The database ends unused sessions earlier.
    session: { ...MODELS.session, expiresIn: 7 * DAY_S, freshAge: 0, disableSessionRefresh: true },
    verification: { ...MODELS.verification, storeIdentifier: 'hashed' },
    ...signIn(parts),
    plugins: [
      organization({
        roles: libraryRoles(),
        schema: ACCOUNT_MODELS,
        allowUserToCreateOrganization: false,
        cancelPendingInvitationsOnReInvite: true,
        invitationExpiresIn: 2 * DAY_S,
        sendInvitationEmail: ({ id, email, inviter, organization: { name } }) =>
          post(parts.mail, invitationEmail(email, inviter.user.name, name, invitationLink(parts, id))),
      }),
      twoFactor({
        issuer: 'Probity',
        schema: SECOND_FACTOR_MODELS,
        backupCodeOptions: { customBackupCodesGenerate: createRecoveryCodes, storeBackupCodes: RECOVERY_CODE_STORAGE },
      }),
      hashedSessionTokens(),
    ],
    hooks: codeHooks(parts),
    advanced: {
      database: { generateId: 'uuid', validateSchema: false },
      cookiePrefix: cookies.prefix,
      useSecureCookies: false, // its prefix __Secure- is less strict than __Host-
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: cookies.isSecure },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // Same-site requests are checked before, and more strictly (authentication/origins.ts).
      disableCSRFCheck: true,
      // Emails are sent after the response, so that its duration does not reveal whether an address is registered.
      backgroundTasks: { handler: (task) => void task },
    },
    rateLimit: { enabled: false }, // user-limits.ts counts first, for all processes together
    telemetry: { enabled: false },
    // Other errors are thrown, so that they are logged and returned like all errors.
    onAPIError: { throw: true },
    logger: { level: 'error', disableColors: true, log: (_level, _message, ...details) => logFault(log, details) },
  })
}

type LibraryContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** Authenticator codes work once (the library accepts them for 90 seconds), and wrong codes are reported. */
function codeHooks({ people, onWrongCode }: Parts) {
  const users = new WeakMap<Request, string>()
  const before = createAuthMiddleware(async (context) => {
    if (!CODE_PATHS.includes(context.path)) return undefined
    const session = await getSessionFromCtx(context)
    const userId = session ? session.user.id : await findUserOfSecondStep(context)
    if (userId === undefined) return undefined
    if (!session && context.request) users.set(context.request, userId)
    const code = String((context.body as { code?: unknown } | undefined)?.code)
    const isUsed = context.path === TOTP_PATH && /^\d{6}$/.test(code) && !(await claimCode(people, userId, code))
    // The library then counts it as a wrong code.
    return isUsed ? { context: { body: { code: 'used before' } } } : undefined
  })
  const after = createAuthMiddleware(async ({ path, request, context }) => {
    const userId = CODE_PATHS.includes(path) && request ? users.get(request) : undefined
    if (userId !== undefined && context.returned instanceof APIError) onWrongCode(userId)
  })
  return { before, after }
}

const TOTP_PATH = '/two-factor/verify-totp'
const CODE_PATHS = [TOTP_PATH, '/two-factor/verify-backup-code']

/** The user who has entered the password and now enters the code. */
async function findUserOfSecondStep(context: LibraryContext): Promise<string | undefined> {
  const { createAuthCookie, secret, internalAdapter } = context.context
  const identifier = await context.getSignedCookie(createAuthCookie('two_factor').name, secret)
  const found = identifier ? await internalAdapter.findVerificationValue(identifier) : null
  return found?.value
}

function signIn({ passwords, mail, linkBase, people, hasMail }: Parts) {
  const link = (path: string) => `${linkBase}/app/${path}`
  return {
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: 1, // checked by passwords.ts
      maxPasswordLength: PASSWORD_LENGTH_MAX,
      password: passwords,
      revokeSessionsOnPasswordReset: true,
      // The link was sent to the address, so its owner gains control of a profile that another person signed up.
      onPasswordReset: async ({ user }: { user: { id: string } }) => {
        if (hasMail) await verifyAddress(people, user.id)
      },
      resetPasswordTokenExpiresIn: HOUR_S,
      sendResetPassword: ({ user, token }: Sent) => post(mail, resetEmail(user, link(`reset-password#token=${token}`))),
      onExistingUserSignUp: ({ user }: Pick<Sent, 'user'>) => post(mail, existingAccountEmail(user, link('sign-in'))),
    },
    emailVerification: {
      sendOnSignUp: true,
      expiresIn: HOUR_S,
      sendVerificationEmail: ({ user, token }: Sent) =>
        post(mail, verificationEmail(user, link(`verify-email#token=${token}`))),
    },
  }
}

function invitationLink({ linkBase, secret }: Parts, id: string): string {
  return `${linkBase}/app/accept-invitation#id=${id}.${invitationToken(secret, id)}`
}

/** The response does not wait for the email. A user can request it again if it was not sent. */
async function post(mail: Mailer, message: EmailMessage): Promise<void> {
  await mail.send(message)
}

type Sent = { user: { email: string; name: string }; token: string }

/** The messages of the library and the database may contain an address. The stack is enough to find the error. */
function logFault(log: FastifyBaseLogger, details: unknown[]): void {
  const error = details.find((detail) => detail instanceof Error)
  const { code } = (error ?? {}) as { code?: unknown }
  const frames = error?.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '))
  log.error({ name: error?.name, code, frames }, 'auth library error')
}
