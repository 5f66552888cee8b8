import { expect, test } from 'vitest'
import { openPasswords, refuseWeakPassword } from './passwords.ts'

test('a hash is Argon2id with the OWASP settings and accepts only the right password', async () => {
  const { hash, verify } = openPasswords()
  const stored = await hash('correct horse battery staple')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await verify({ hash: stored, password: 'correct horse battery staple' })).toBe(true)
  expect(await verify({ hash: stored, password: 'correct horse battery stapl' })).toBe(false)
  expect(await hash('correct horse battery staple')).not.toBe(stored)
})

test('a password matches in every Unicode normalization form', async () => {
  const { hash, verify } = openPasswords()
  const stored = await hash('Zu\u0308rich liegt am See')
  expect(await verify({ hash: stored, password: 'Z\u00fcrich liegt am See' })).toBe(true)
})

test('hashes of other libraries are verified with the settings in the hash', async () => {
  const { verify } = openPasswords()
  // From the tests of the reference implementation.
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  expect(await verify({ hash, password: 'password' })).toBe(true)
  expect(await verify({ hash, password: 'Password' })).toBe(false)
})

// The library hashes the password of an unknown address and verifies that of a known one.
test.each(['hash', 'verify'] as const)(
  '%s runs twice at once, 32 more wait, and further ones are rejected',
  async (name) => {
    const { hash, verify } = openPasswords()
    const stored = { hash: await hash('correct horse battery staple'), password: 'correct horse battery staple' }
    const run = () => (name === 'hash' ? hash(stored.password) : verify(stored))
    const results = await Promise.allSettled(Array.from({ length: 40 }, run))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(results.slice(0, 34).every((result) => result.status === 'fulfilled')).toBe(true)
    expect(refused).toHaveLength(6)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'overloaded', retryAfterS: 1 })
    await expect(hash('correct horse battery staple')).resolves.toMatch(/^\$argon2id/)
  },
)

test('known clients have a queue of their own, which takes turns with the queue of other clients', async () => {
  const { verify, forKnownClient } = openPasswords()
  // With settings that take no time.
  const hash = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const finished: string[] = []
  const check = async (name: string) => {
    await verify({ hash, password: 'password' })
    finished.push(name)
  }
  const countFulfilled = (outcomes: PromiseSettledResult<void>[]) =>
    outcomes.filter(({ status }) => status === 'fulfilled').length
  const flood = Promise.allSettled(Array.from({ length: 40 }, () => check('flood')))
  const known = Promise.allSettled(Array.from({ length: 4 }, () => forKnownClient(() => check('known'))))
  expect(countFulfilled(await known)).toBe(4)
  // Two were hashed before, and each known client waited for at most one other.
  expect(finished.filter((name) => name === 'flood').length).toBeLessThanOrEqual(2 + 4 + 1)
  expect(countFulfilled(await flood)).toBe(34)

  const crowd = Array.from({ length: 40 }, () => forKnownClient(() => check('known')))
  expect(countFulfilled(await Promise.allSettled(crowd))).toBe(34)
})

test.each([
  'short',
  'elevenchars',
  'aaaaaaaaaaaaaaa',
  'abababababab',
  '123456789012',
  'abcdefghijkl',
  'qwertyuiopas',
  'password1234',
  'Password2026!',
  'passwordpassword',
  'P@ssw0rd1234',
  '1q2w3e4r5t6y',
  'changeme1234',
  'Welcome12345!',
  'letmeinletmein',
  '12345password',
  'liverpool1234',
  'L1verp00l2026!',
  'justinbieber',
  'Chocolate2026!',
  'counterstrike',
  'jenniferjennifer',
  '!!!arsenal1886',
  'Qazwsxedcrfv',
])('%s is rejected', async (password) => {
  await expect(refuseWeakPassword(password)).rejects.toMatchObject({ code: 'weak_password' })
})

test.each(['correct horse battery staple', 'kq3vpz8ymt1x', 'Das Wetter ist schön', 'пароль который длинный'])(
  '%s is accepted',
  async (password) => {
    await expect(refuseWeakPassword(password)).resolves.toBeUndefined()
  },
)
