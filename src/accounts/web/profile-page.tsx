import { useSelector } from 'react-redux'
import type { User } from '#shop/accounts/contract.ts'
import { Button } from '#shop/web/ui/button.tsx'
import { useOverlay } from '#shop/web/ui/overlay.ts'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { part } from '#shop/web/ui/part.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import type { ImageSlot } from './edit-profile.tsx'
import { PasswordForm } from './password-form.tsx'
import { selectUser } from './session.ts'

const EditProfile = part(async () => (await import('./edit-profile.tsx')).EditProfile)

/** `imageField` is passed in, because uploads belong to a later domain, which this one must not import. */
export function ProfilePage({ imageField }: { imageField: ImageSlot }) {
  const user = useSelector(selectUser)
  if (!user) return null
  return (
    <>
      <PageTitle title="Your profile" />
      <h1 className="mb-8 text-title">Profile</h1>
      <Profile user={user} imageField={imageField} />
      <section aria-labelledby="password" className="mt-14 max-w-3xl border-t border-line pt-10">
        <h2 id="password" className="mb-6 text-section">
          Change your password
        </h2>
        <PasswordForm email={user.email} />
      </section>
    </>
  )
}

function Profile({ user, imageField }: { user: User; imageField: ImageSlot }) {
  const { isOpen, wasOpened, open, close, giveUp } = useOverlay()
  return (
    <section aria-label="What others see" className="flex max-w-3xl flex-wrap gap-x-10 gap-y-6">
      <Picture
        src={user.profileImage || '/pictures/avatar.webp'}
        alt={`Profile picture of ${user.username}`}
        ratio="square"
        sizes="160px"
        isFirst
        className="size-36 shrink-0 self-start rounded-round sm:size-40"
        emblem={<span className="font-display text-title">{[...user.username][0]?.toUpperCase()}</span>}
      />
      <div className="flex min-w-0 flex-[1_1_18rem] flex-col items-start gap-3 *:max-w-full">
        <h2 className="text-section wrap-anywhere">{user.username}</h2>
        <p className="font-medium wrap-anywhere">{user.profession || <Missing what="profession" />}</p>
        <p dir="auto" className="max-w-prose whitespace-pre-line wrap-anywhere">
          {user.bio || <Missing what="bio" />}
        </p>
        <p className="text-small text-muted wrap-anywhere">{user.email}</p>
        <Button variant="outline" aria-haspopup="dialog" className="mt-3" onClick={open}>
          Edit Profile
        </Button>
      </div>
      {wasOpened && (
        <EditProfile user={user} isOpen={isOpen} onClose={close} onMissing={giveUp} imageField={imageField} />
      )}
    </section>
  )
}

function Missing({ what }: { what: string }) {
  return <span className="font-normal text-muted">{`No ${what} yet`}</span>
}
