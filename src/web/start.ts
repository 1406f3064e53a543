/**
 * Runs the page's scripts after the first paint, which they would delay on a slow processor. They wait in a
 * template until this file is loaded and the page has been parsed and painted.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
const run = () => scripts && document.body.append(scripts.content)
requestAnimationFrame(() => setTimeout(run))
// A page in the background is not painted. If the scripts run already, the template is empty.
setTimeout(run, 500)

/** Pictures further down wait for the scripts (see `theme.css`), unless somebody scrolls towards them. */
const letPicturesCome = () => document.documentElement.classList.add('pictured')
addEventListener('scroll', letPicturesCome, { once: true })

const pressed = new Set<HTMLElement>()

/** Keeps presses on controls that do nothing before hydration. Links and submit buttons work without script. */
function keepPress({ target }: Event): void {
  const control = (target as Element).closest<HTMLElement>('button[type=button], input[type=radio]')
  if (!control) return
  // Each control once, in the order of the last presses.
  pressed.delete(control)
  pressed.add(control)
  control.ariaBusy = 'true'
}

/** Stops listening, and shows the pressed controls as usual again. */
function stopKeepingPresses(): void {
  removeEventListener('click', keepPress)
  removeEventListener('error', onScriptError, true)
  for (const control of pressed) {
    control.ariaBusy = null
    // A radio is reset to what the server sent, so that pressing it once more chooses it.
    if (control instanceof HTMLInputElement) control.checked = control.defaultChecked
  }
}

/** Hands what was pressed before hydration over to `main.tsx`, which presses it again. */
function handOver(event: Event): void {
  stopKeepingPresses()
  ;(event as CustomEvent<HTMLElement[]>).detail.push(...pressed)
}

/** After a script has failed to load, nothing will handle the presses, and pictures wait no longer. */
function onScriptError({ target }: Event): void {
  if (!(target instanceof HTMLScriptElement)) return
  stopKeepingPresses()
  letPicturesCome()
}

/** The state that the server sent; the element is removed once the page is hydrated. */
const sent = document.getElementById('sent')
if (sent) {
  const addressOf = () => location.href.split('#')[0]
  const shown = addressOf()
  // Back and Forward before the router works: only a reload shows another page.
  addEventListener('popstate', () => {
    if (sent.isConnected && addressOf() !== shown) location.reload()
  })
  addEventListener('click', keepPress)
  addEventListener('come-to-life', handOver, { once: true })
  addEventListener('error', onScriptError, true)
}
