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
  /** In its place until it comes. */
  fallback?: ReactNode
  /** In its place when it does not. */
  instead?: ReactNode
  /** Whoever shows it takes it away again, so that it is asked for anew the next time. */
  onMissing?: () => void
}

/**
 * A part of a page in a file of its own, asked for when it is first shown. With `lazy()` alone, a file that did not come
 * once would never come, and would take the page with it.
 */
export function part<Props extends object>(find: () => Promise<ComponentType<Props>>) {
  const begin = () => lazy<ComponentType<Props & PartProps>>(load)
  const load = async () => {
    try {
      return { default: (await find()) as ComponentType<Props & PartProps> }
    } catch (error) {
      console.error('A part of the page did not come', error)
      latest = begin()
      return { default: Missing }
    }
  }
  let latest = begin()
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
  const tell = useEffectEvent(() => {
    showAlert('A part of this page could not be loaded. Please load the page again.', {
      tone: 'error',
    })
    onMissing?.()
  })
  useEffect(() => tell(), [])
  return instead
}
