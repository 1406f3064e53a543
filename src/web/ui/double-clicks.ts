/** What the first click was meant for. */
let target: EventTarget | null = null
let hasMoved = false

/**
 * Many people double-click where one click is enough. If the first click leads on (as in a pager), opens a dialog
 * or removes a row, something else comes under the pointer. The second click is not meant for that, and is
 * dropped.
 */
export function dropStraySecondClicks(): void {
  const listen = (event: MouseEvent) => {
    // The browser itself counts quick clicks at one place.
    if (event.detail < 2) [target, hasMoved] = [event.target, false]
    else if (hasMoved && event.target !== target) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  document.addEventListener('click', listen, { capture: true })
}

/** To be called when the page has changed or scrolled, or something over it has opened or closed. */
export function notePageMoved(): void {
  hasMoved = true
}
