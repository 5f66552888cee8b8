import { listArchitectureFaults } from './architecture-page.ts'
import { listBarrels } from './barrels.ts'
import { listFunctionsInData } from './data-tables.ts'
import { listDeadLinks } from './dead-links.ts'
import { listUnexplainedDependencies } from './dependencies.ts'
import { listForbiddenSteps } from './engine-steps.ts'
import type { Fault } from './fault.ts'
import { listForbiddenFolders } from './folder-imports.ts'
import { listUntaggedTimings, listWrongGates } from './gates.ts'
import { listForbiddenImports } from './import-table.ts'
import { listLooseInstalls } from './install-settings.ts'
import { listInterfaces } from './interfaces.ts'
import { listLooseDependencies } from './lockfile.ts'
import { listContractingSteps } from './migration-steps.ts'
import { listVagueNames } from './names.ts'
import { listFormFaults, listUnusedScreenshots } from './page-form.ts'
import { listProcessAliases } from './process-alias.ts'
import { listUnwantedPackages } from './runtime-packages.ts'
import { listSlowPatterns } from './slow-patterns.ts'
import { listWireWrites } from './wire-writes.ts'
import { readWorkspace, type Workspace } from './workspace.ts'

const RULES: ((workspace: Workspace) => Fault[])[] = [
  listForbiddenImports,
  listForbiddenSteps,
  listForbiddenFolders,
  listBarrels,
  listVagueNames,
  listProcessAliases,
  listInterfaces,
  listFunctionsInData,
  listUnexplainedDependencies,
  listWireWrites,
  listDeadLinks,
  listFormFaults,
  listUnusedScreenshots,
  listArchitectureFaults,
  listLooseDependencies,
  listLooseInstalls,
  listUnwantedPackages,
  listContractingSteps,
  listWrongGates,
  listUntaggedTimings,
  listSlowPatterns,
]

/** Every fault in the work tree below `root`, in file order. */
export function listFaults(root: string): Fault[] {
  const workspace = readWorkspace(root)
  return RULES.flatMap((rule) => rule(workspace)).toSorted(
    (a, b) => a.path.localeCompare(b.path) || a.line - b.line || a.message.localeCompare(b.message),
  )
}
