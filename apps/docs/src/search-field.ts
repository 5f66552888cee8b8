/** The field of the search comes late, and with no name but its tooltip. */
const place = document.querySelector('#starlight__search')
const arrival = new MutationObserver(() => {
  const field = place?.querySelector('input')
  if (!field) return
  field.setAttribute('aria-label', field.title)
  arrival.disconnect()
})
if (place) arrival.observe(place, { childList: true, subtree: true })
