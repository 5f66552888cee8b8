/**
 * Helps people with the address they type into a form of any site. It is built into one small file of its own, with nothing else in it,
 * and must never stand in a person's way: whatever fails here lets the form through.
 */
type Answer = { decision: string; reason: string; did_you_mean: string | null }

/** What is known of the text that stands in a field. */
type Known = { value: string; asked: Promise<Answer | undefined>; answer?: Answer | undefined }

/** A person who waits longer than this has been kept from signing up by a check. */
const BUDGET_MS = 2_000
const FIELD = 'input[type=email]'

const script = document.currentScript as HTMLScriptElement
const { key = '', policy = 'signup', didYouMean = 'Did you mean' } = script.dataset
const url = new URL('/api/v1/validation/decision', script.src)
const known = new WeakMap<HTMLInputElement, Known>()
const regions = new WeakMap<HTMLInputElement, HTMLElement>()
let regionCount = 0

async function ask(email: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ email, policy }),
      credentials: 'omit',
      signal: AbortSignal.timeout(BUDGET_MS),
    })
    return response.ok ? ((await response.json()) as Answer) : undefined
  } catch {
    return undefined // away, too slow or not for this page: then nothing is said
  }
}

/** Asks about what stands in a field, once for each text, and shows what came of it if it still stands there. */
function look(field: HTMLInputElement): Known {
  const before = known.get(field)
  if (before?.value === field.value) return before
  const { value } = field
  const now: Known = { value, asked: ask(value) }
  known.set(field, now)
  void now.asked.then((answer) => {
    now.answer = answer
    if (field.value === value && answer) show(field, answer)
  })
  return now
}

function show(field: HTMLInputElement, { decision, reason, did_you_mean: suggestion }: Answer): void {
  const isBlocked = decision === 'block'
  const region = regionOf(field)
  region.replaceChildren()
  if (isBlocked) region.append(reason)
  field.setCustomValidity(isBlocked ? reason : '')
  if (isBlocked) field.setAttribute('aria-invalid', 'true')
  if (suggestion !== null) region.append(isBlocked ? ' ' : '', `${didYouMean} `, buttonFor(field, suggestion), '?')
}

function buttonFor(field: HTMLInputElement, suggestion: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = suggestion
  button.addEventListener('click', () => {
    field.value = suggestion
    // The site may keep the text elsewhere too, and must hear of it.
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
    field.focus()
  })
  return button
}

/** Where messages to a field stand. It is there before the first of them, or a screen reader would not read that one. */
function regionOf(field: HTMLInputElement): HTMLElement {
  const before = regions.get(field)
  if (before?.isConnected) return before
  const region = document.createElement('div')
  regionCount += 1
  region.id = `probity-${regionCount}`
  region.className = 'probity-message'
  region.setAttribute('role', 'status')
  // Inside of a label it would be read as part of the name of the field.
  const outside = field.closest('label') ?? field
  outside.after(region)
  field.setAttribute('aria-describedby', `${field.getAttribute('aria-describedby') ?? ''} ${region.id}`.trim())
  regions.set(field, region)
  return region
}

function fieldOf({ target }: Event): HTMLInputElement | undefined {
  return target instanceof HTMLInputElement && target.matches(FIELD) ? target : undefined
}

function isWorthAsking({ value }: HTMLInputElement): boolean {
  return value.includes('@')
}

document.addEventListener('focusin', (event) => {
  const field = fieldOf(event)
  if (field) regionOf(field)
})

document.addEventListener('focusout', (event) => {
  const field = fieldOf(event)
  if (field && isWorthAsking(field)) look(field)
})

document.addEventListener('input', (event) => {
  const field = fieldOf(event)
  if (field === undefined || !regions.has(field)) return
  field.setCustomValidity('')
  field.removeAttribute('aria-invalid')
  regionOf(field).replaceChildren()
})

/** After Enter in the field there is no blur event yet, so the form waits for the response and then submits itself. */
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target as HTMLFormElement
    const fields = [...form.querySelectorAll<HTMLInputElement>(FIELD)].filter(isWorthAsking)
    const looks = fields.map(look)
    const isStopped = looks.some(({ answer }) => answer?.decision === 'block')
    const open = looks.filter((one) => !('answer' in one))
    if (!isStopped && open.length === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const stopped = () => fields.find((field) => known.get(field)?.answer?.decision === 'block')
    void Promise.all(open.map(({ asked }) => asked)).then(() => {
      const field = stopped()
      if (field) field.focus()
      else form.requestSubmit(event.submitter)
    })
  },
  true,
)
