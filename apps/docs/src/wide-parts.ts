/** A table that is wider than the page can be moved sideways by keyboard too. */
const tables = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})
for (const frame of document.querySelectorAll('.wide')) tables.observe(frame)

/** Expressive Code does the same for code, and makes a landmark of it: on a page with twenty of them that is no help. */
const code = new MutationObserver((records) => {
  for (const { target } of records) (target as Element).removeAttribute('role')
})
for (const block of document.querySelectorAll('.expressive-code pre'))
  code.observe(block, { attributeFilter: ['role'] })
