/** The search field is added after the page has loaded and has no accessible name except its title. */
const container = document.querySelector('#starlight__search')
const observer = new MutationObserver(() => {
  const field = container?.querySelector('input')
  if (!field) return
  field.setAttribute('aria-label', field.title)
  observer.disconnect()
})
if (container) observer.observe(container, { childList: true, subtree: true })
