import type { User } from '#shop/accounts/contract.ts'
import { Picture } from './ui/picture.tsx'

/** The picture of whoever is signed in, or the first letter of their name. */
export function Avatar({ user }: { user: User }) {
  return (
    <Picture
      src={user.profileImage || '/pictures/avatar.webp'}
      alt=""
      ratio="square"
      sizes="32px"
      className="size-[32px] rounded-round"
      emblem={<span className="text-fine font-semibold">{[...user.username][0]?.toUpperCase()}</span>}
    />
  )
}
