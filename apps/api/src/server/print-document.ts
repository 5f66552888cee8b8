import { describeApp } from './describe-app.ts'
import { finishDocument, type OpenApiDocument } from './openapi.ts'

// Prints the OpenAPI document, for programs that generate code from it.
const app = await describeApp()
process.stdout.write(JSON.stringify(finishDocument(app.swagger() as unknown as OpenApiDocument)))
