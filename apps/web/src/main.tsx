import './styles.css'
import { setNonce } from 'get-nonce'
import { startApp } from './app.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
allowStyles()

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')
startApp(root)

/** Dialogs add a style element that stops the page from scrolling; the nonce allows it under the CSP. */
function allowStyles() {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
  if (nonce) setNonce(nonce)
}
