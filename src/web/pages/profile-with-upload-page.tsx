import { ProfilePage } from '#shop/accounts/web/profile-page.tsx'
import { ImageField } from '#shop/uploads/web/image-field.tsx'

/** The profile with the field that also takes a file. */
export function ProfileWithUpload() {
  return <ProfilePage imageField={(field) => <ImageField {...field} isRound />} />
}
