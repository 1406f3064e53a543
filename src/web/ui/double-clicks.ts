/** What the first click was meant for. */
let target: EventTarget | null = null
let hasMoved = false

/**
 * Many people click twice where once is enough. What leads on, such as the pages of a list, or opens over the page, or goes
 * from a list, brings something else under the pointer: the second click is not meant for that.
 */
export function keepDoubleClicksTogether(): void {
  const listen = (event: MouseEvent) => {
    // The browser itself counts clicks that follow each other quickly at one place.
    if (event.detail < 2) [target, hasMoved] = [event.target, false]
    else if (hasMoved && event.target !== target) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  document.addEventListener('click', listen, { capture: true })
}

/** The page begins at another place, or is another; or something lies over it, or has gone from it. */
export function pageHasMoved(): void {
  hasMoved = true
}
