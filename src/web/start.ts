/**
 * What is seen first comes first: on a slow processor the scripts would take from the first paint what it needs. They
 * have been asked for, and stand in a template until this file has come, and the page has been read and painted.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
const run = () => scripts && document.body.append(scripts.content)
requestAnimationFrame(() => setTimeout(run))
// A page that nobody looks at paints nothing. Once the scripts run, the template is empty.
setTimeout(run, 500)

/** Pictures further down wait for the scripts (`theme.css`), but not when somebody is on the way to them. */
const letPicturesCome = () => document.documentElement.classList.add('pictured')
addEventListener('scroll', letPicturesCome, { once: true })

const pressed = new Set<HTMLElement>()

/** Links, and buttons that send a form, work by themselves. All others would do nothing yet. */
function keepPress({ target }: Event): void {
  const control = (target as Element).closest<HTMLElement>('button[type=button], input[type=radio]')
  if (!control) return
  // Each once, in the order they were last pressed in.
  pressed.delete(control)
  pressed.add(control)
  control.ariaBusy = 'true'
}

/** Nobody waits for an answer any more. */
function letGo(): void {
  removeEventListener('click', keepPress)
  removeEventListener('error', giveUp, true)
  for (const control of pressed) {
    control.ariaBusy = null
    // A radio is as it was sent, and chosen when it is pressed again.
    if (control instanceof HTMLInputElement) control.checked = control.defaultChecked
  }
}

/** What was pressed while the page was only seen is handed over once to whoever takes care of it from then on. */
function handOver(event: Event): void {
  letGo()
  ;(event as CustomEvent<HTMLElement[]>).detail.push(...pressed)
}

/** A file that does not come: then nothing will take care of it. */
function giveUp({ target }: Event): void {
  if (!(target instanceof HTMLScriptElement)) return
  letGo()
  letPicturesCome()
}

/** Is there until the page has come to life. */
const sent = document.getElementById('sent')
if (sent) {
  // Back and Forward, before anything can show another page; a `#` link the browser follows by itself.
  addEventListener('popstate', () => {
    if (sent.isConnected && !location.hash) location.reload()
  })
  addEventListener('click', keepPress)
  addEventListener('come-to-life', handOver, { once: true })
  addEventListener('error', giveUp, true)
}
