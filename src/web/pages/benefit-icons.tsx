import { Icon, type IconProps } from '#shop/web/ui/icons.tsx'

// The three promises of the home page: delivery, guaranty, support. No other page loads them.
export const ParcelIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M3.5 8l8.5-4.5L20.5 8v8.5L12 21l-8.5-4.5V8zM3.5 8l8.5 4.5L20.5 8M12 12.5V21M7.8 5.8l8.5 4.4" />
  </Icon>
)
export const SealIcon = (props: IconProps) => (
  <Icon {...props}>
    <circle cx="12" cy="9.5" r="6" />
    <path d="M9.5 9.5l1.8 1.8 3.2-3.5M8.5 14.5L7 21l5-2.5L17 21l-1.5-6.5" />
  </Icon>
)
export const SpoolIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M6 3.5h12M6 20.5h12M8 3.5l1 3h6l1-3M8 20.5l1-3h6l1 3M9 6.5v11M15 6.5v11M9 9.5l6-1.5M9 12.8l6-1.5M9 16l6-1.5M15 14.5c3 0 5 1 5.5 3.5" />
  </Icon>
)
