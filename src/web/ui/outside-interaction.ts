import { useEffect, type RefObject } from 'react'

/** For a menu: calls `leave` when something outside it is pressed or gets the focus. */
export function useOutsideInteraction(
  menu: RefObject<HTMLElement | null>,
  leave: () => void,
  isOpen = true,
): void {
  useEffect(() => {
    if (!isOpen) return
    const look = ({ target }: Event) => {
      if (target instanceof Node && !menu.current?.contains(target)) leave()
    }
    document.addEventListener('pointerdown', look)
    document.addEventListener('focusin', look)
    return () => {
      document.removeEventListener('pointerdown', look)
      document.removeEventListener('focusin', look)
    }
  })
}
