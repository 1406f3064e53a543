import type { ReactNode } from 'react'

export type IconProps = { className?: string }

export function Icon({ className = 'size-5', children }: IconProps & { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={className}
    >
      {children}
    </svg>
  )
}

export const CloseIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M5.5 5.5l13 13M18.5 5.5l-13 13" />
  </Icon>
)
export const MenuIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.5 8h17M3.5 16h17" />
  </Icon>
)
export const SearchIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="10.5" cy="10.5" r="6" />
    <path d="M15 15l5.5 5.5" />
  </Icon>
)
export const PersonIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="8" r="4" />
    <path d="M4 20.5c1-4 4.2-6 8-6s7 2 8 6" />
  </Icon>
)
/** A shopping bag with handles. */
export const BagIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M5 8h14l1 12.5H4L5 8z" />
    <path d="M8.5 10.5V7a3.5 3.5 0 017 0v3.5" />
  </Icon>
)
export const PlusIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 5v14M5 12h14" />
  </Icon>
)
export const MinusIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M5 12h14" />
  </Icon>
)
export const ArrowIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M4 12h16M14 6l6 6-6 6" />
  </Icon>
)
export const FilterIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.5 7.5h9M17.5 7.5h3M3.5 16.5h3M11.5 16.5h9" />
    <circle cx="15" cy="7.5" r="2.3" />
    <circle cx="9" cy="16.5" r="2.3" />
  </Icon>
)
export const HangerIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M9.8 6.2a2.2 2.2 0 113.4 1.9c-.8.5-1.2 1-1.2 1.9v.6l8.6 5.6c1 .7.6 2.3-.7 2.3H4.1c-1.3 0-1.7-1.6-.7-2.3l8.6-5.6" />
  </Icon>
)
