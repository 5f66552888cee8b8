import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'

// What is made of schemas is made when it is first needed. All of it at the start takes as long as all else that a process does
// before it listens: most routes are there twice, for keys and for people, and most of what they can answer are problems.

type Writer = (answer: unknown) => string
const writers = new WeakMap<object, Writer>()

/** How answers are written. Made once for all routes that share a schema, as all do that of problems. */
export const writeResponses: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: Writer | undefined
  return (answer) => {
    write ??= writerOf(schema)
    return write(answer)
  }
}

function writerOf(schema: object): Writer {
  const made = writers.get(schema)
  if (made) return made
  const write = fastJson(schema)
  writers.set(schema, write)
  return write
}

/** How a part of a request is checked. */
export const checkRequests: FastifySchemaCompiler<TSchema> = (part) => {
  let check: ReturnType<typeof TypeBoxValidatorCompiler> | undefined
  return (value) => {
    check ??= TypeBoxValidatorCompiler(part)
    return check(value)
  }
}
