import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

/** A database of its own on a server, copied from another one. */
export async function makeDatabase(server: string, template: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(server, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    drop: () => onServer(server, `drop database ${name} with (force)`),
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url.replace(/\/postgres$/, '/template1') })
  await client.connect()
  await client.query(statement)
  await client.end()
}
