import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react'
import { useAlert } from './alert.tsx'

type PartProps = {
  /** Shown until the part is loaded. */
  fallback?: ReactNode
  /** Shown when the part fails to load. */
  instead?: ReactNode
  /** Called when it fails to load: its parent then removes it, so that it is requested again the next time. */
  onMissing?: () => void
}

/**
 * A part of a page in a file of its own, loaded when it is first shown. With `lazy()` alone, a file that failed to
 * load once would never be loaded, and would break the page.
 */
export function part<Props extends object>(find: () => Promise<ComponentType<Props>>) {
  const createLazy = () => lazy<ComponentType<Props & PartProps>>(load)
  const load = async () => {
    try {
      return { default: (await find()) as ComponentType<Props & PartProps> }
    } catch (error) {
      console.error('A part of the page did not load', error)
      latest = createLazy()
      return { default: Missing }
    }
  }
  let latest = createLazy()
  return function Part({ fallback, ...props }: Props & PartProps) {
    const [Lazy] = useState(() => latest)
    return (
      <Suspense fallback={fallback}>
        <Lazy {...(props as Props & PartProps)} />
      </Suspense>
    )
  }
}

function Missing({ instead, onMissing }: PartProps) {
  const showAlert = useAlert()
  const reportMissing = useEffectEvent(() => {
    showAlert('A part of this page could not be loaded. Please load the page again.', {
      tone: 'error',
    })
    onMissing?.()
  })
  useEffect(() => reportMissing(), [])
  return instead
}
