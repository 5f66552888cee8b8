/** The search field is added after the page has loaded and has no accessible name except its title. */
const place = document.querySelector('#starlight__search')
const arrival = new MutationObserver(() => {
  const field = place?.querySelector('input')
  if (!field) return
  field.setAttribute('aria-label', field.title)
  arrival.disconnect()
})
if (place) arrival.observe(place, { childList: true, subtree: true })
