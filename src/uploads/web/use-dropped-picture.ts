import { useEffect, useState } from 'react'

/**
 * Takes a picture that is pasted or dropped anywhere on the page. The browser would otherwise open a file that
 * misses the field in place of the page, and a half-filled form would be lost.
 *
 * @returns whether a file is being dragged over the page
 */
export function useDroppedPicture(take: (file: Blob) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    const paste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'))
      if (!file) return
      event.preventDefault()
      take(file)
    }
    const over = (event: DragEvent) => {
      // Text that is dragged within a form is left to the browser.
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      const file = event.dataTransfer?.files[0]
      if (!file) return
      event.preventDefault()
      take(file)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    document.addEventListener('paste', paste, { signal })
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('drop', drop, { signal })
    document.addEventListener('dragleave', leave, { signal })
    return () => listening.abort()
  })
  return isOver
}
