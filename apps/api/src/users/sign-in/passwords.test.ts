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

test('two passwords are hashed at once, sixteen wait, and further ones are rejected', async () => {
  const { hash } = openPasswords()
  const results = await Promise.allSettled(Array.from({ length: 25 }, () => hash('correct horse battery staple')))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(results.slice(0, 18).every((result) => result.status === 'fulfilled')).toBe(true)
  expect(refused).toHaveLength(7)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'overloaded', retryAfterS: 1 })
  await expect(hash('correct horse battery staple')).resolves.toMatch(/^\$argon2id/)
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
