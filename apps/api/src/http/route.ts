import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Services } from '../server/services.ts'

/** A plugin that serves one path. Its options are its dependencies. */
export type Route = FastifyPluginAsyncTypebox<Services>
