/**
 * An independent model of the credit rules, short enough to be reviewed at once and without code in common with the SQL. The property
 * test runs both side by side.
 */
export type Balances = { available: number; reserved: number; spent: number }

export type Operation =
  | { kind: 'grant'; credits: number }
  | { kind: 'adjust'; credits: number }
  | { kind: 'open'; rows: number; rollBack: boolean }
  | { kind: 'reopen'; pick: number }
  | { kind: 'leave_open'; pick: number }
  | { kind: 'finish'; pick: number; definite: boolean; rollBack: boolean }
  | { kind: 'collect'; pick: number }
  | { kind: 'reserve'; credits: number }
  | { kind: 'settle'; pick: number; credits: number; unknown: number; twice: boolean }
  | { kind: 'release'; pick: number; twice: boolean }

export type ModelValidation = { state: 'open' | 'final'; definite: boolean; leftOpen: boolean; collected: boolean }
export type ModelJob = { reserved: number; batches: number; released: boolean }

export type Model = Balances & { validations: ModelValidation[]; groups: number; jobs: ModelJob[] }

export function newModel(): Model {
  return { available: 0, reserved: 0, spent: 0, validations: [], groups: 0, jobs: [] }
}

/** Applies one operation and returns the outcome that the database must have. */
export function applyToModel(model: Model, operation: Operation): string {
  switch (operation.kind) {
    case 'grant':
      model.available += operation.credits
      return 'posted'
    case 'adjust':
      return adjust(model, operation.credits)
    case 'open':
      return open(model, operation.rows, operation.rollBack)
    case 'reopen':
      return model.groups === 0 ? 'none' : 'opened_before'
    case 'leave_open':
      return deferResult(pickFrom(model.validations, operation.pick))
    case 'finish':
      return finish(model, pickFrom(model.validations, operation.pick), operation)
    case 'collect':
      return collect(pickFrom(model.validations, operation.pick))
    case 'reserve':
      return reserve(model, operation.credits)
    case 'settle':
      return settle(model, pickFrom(model.jobs, operation.pick), operation)
    case 'release':
      return release(model, pickFrom(model.jobs, operation.pick))
  }
}

export function pickFrom<T>(list: T[], pick: number): T | undefined {
  return list.length === 0 ? undefined : list[pick % list.length]
}

function adjust(model: Model, credits: number): string {
  if (model.available + credits < 0) return 'insufficient'
  model.available += credits
  return 'posted'
}

function open(model: Model, rows: number, rollBack: boolean): string {
  if (model.available < rows) return 'refused'
  if (rollBack) return 'rolled_back'
  model.available -= rows
  model.spent += rows
  model.groups += 1
  for (let i = 0; i < rows; i++) {
    model.validations.push({ state: 'open', definite: false, leftOpen: false, collected: false })
  }
  return 'opened'
}

function deferResult(validation: ModelValidation | undefined): string {
  if (validation === undefined) return 'none'
  if (validation.state === 'final') return 'finished_before'
  validation.leftOpen = true
  return 'left_open'
}

function finish(model: Model, validation: ModelValidation | undefined, how: { definite: boolean; rollBack: boolean }) {
  if (validation === undefined) return 'none'
  if (validation.state === 'final') return 'finished_before'
  if (how.rollBack) return 'rolled_back'
  validation.state = 'final'
  validation.definite = how.definite
  if (how.definite) return 'charged'
  model.spent -= 1
  model.available += 1
  return 'refunded'
}

function collect(validation: ModelValidation | undefined): string {
  if (validation === undefined) return 'none'
  const ready = validation.leftOpen && !validation.collected && validation.state === 'final' && validation.definite
  if (!ready) return 'nothing'
  validation.collected = true
  return 'collected'
}

function reserve(model: Model, credits: number): string {
  if (model.available < credits) return 'insufficient'
  model.available -= credits
  model.reserved += credits
  model.jobs.push({ reserved: credits, batches: 0, released: false })
  return 'posted'
}

function settle(model: Model, job: ModelJob | undefined, batch: { credits: number; unknown: number; twice: boolean }) {
  const credits = Math.min(batch.credits, job?.reserved ?? 0)
  if (job === undefined || credits === 0) return 'none'
  const refunded = Math.min(batch.unknown, credits)
  job.reserved -= credits
  job.batches += 1
  model.reserved -= credits
  model.spent += credits - refunded
  model.available += refunded
  return batch.twice ? 'replayed' : 'posted'
}

function release(model: Model, job: ModelJob | undefined): string {
  if (job === undefined || job.reserved === 0) return 'none'
  model.reserved -= job.reserved
  model.available += job.reserved
  job.reserved = 0
  job.released = true
  return 'posted'
}
