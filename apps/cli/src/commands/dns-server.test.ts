import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { readDnsServer } from './options.ts'

test('readDnsServer accepts IP addresses with and without a port', () => {
  const texts = ['127.0.0.1', '127.0.0.1:5353', '::1', '[::1]:5353']
  expect(texts.reduce<string[]>((earlier, text) => readDnsServer(text, earlier), [])).toEqual(texts)
})

test.each(['', 'dns.example', '127.0.0.1:', '127.0.0.1:99999', '[::1', '1.2.3'])('readDnsServer rejects %j', (text) => {
  expect(() => readDnsServer(text)).toThrow(InvalidArgumentError)
})
