import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import type { User } from '#shop/accounts/contract.ts'
import { fieldErrorsOf } from '#shop/web/api-failure.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { Dialog } from '#shop/web/ui/dialog.tsx'
import { Field, Refusal, TextField } from '#shop/web/ui/field.tsx'
import { useForm } from '#shop/web/ui/form.ts'
import { useEditProfileMutation } from './api.ts'
import { DraftNotice } from './draft-notice.tsx'
import { useDraft } from './draft.ts'

/** A field in which to type a picture's address or to upload a picture. */
export type ImageSlot = (field: {
  label: string
  name: string
  defaultValue: string
  error: string | undefined
  /** Nothing is saved while a picture is being uploaded. */
  onBusy: (isBusy: boolean) => void
  /** The field was filled or emptied other than by typing. */
  onPut: () => void
}) => ReactNode

type EditProfileProps = { user: User; isOpen: boolean; onClose: () => void; imageField: ImageSlot }

export function EditProfile({ isOpen, onClose, ...form }: EditProfileProps) {
  // Each edit begins with a new form, even while the dialog of the last one is still fading out.
  const [starts, setStarts] = useState(0)
  const startOver = () => setStarts(starts + 1)
  const end = () => {
    startOver()
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Edit Profile">
      <ProfileForm key={starts} {...form} onEnd={end} onStartOver={startOver} />
    </Dialog>
  )
}

type ProfileFormProps = Omit<EditProfileProps, 'isOpen' | 'onClose'> & {
  onEnd: () => void
  onStartOver: () => void
}

function ProfileForm({ user, onEnd, imageField, onStartOver }: ProfileFormProps) {
  const [isUploading, setUploading] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const saved = JSON.stringify([user.username, user.profileImage, user.bio, user.profession])
  const { draft, drop } = useDraft(form, `the profile ${saved}`)
  const leave = (then: () => void) => () => {
    drop()
    then()
  }
  const { errors, clearError, onInput, refusal, isLoading, submit } = useEdit(user, leave(onEnd))
  return (
    <form
      ref={form}
      noValidate
      onInput={onInput}
      onSubmit={(event) => {
        if (isUploading) event.preventDefault()
        else void submit(event)
      }}
      className="flex flex-col gap-5"
    >
      {draft && <DraftNotice onStartOver={leave(onStartOver)} />}
      <Field
        label="Username"
        name="username"
        autoComplete="nickname"
        required
        defaultValue={draft?.username ?? user.username}
        error={errors.username}
      />
      {imageField({
        label: 'Profile image',
        name: 'profileImage',
        defaultValue: draft?.profileImage ?? user.profileImage ?? '',
        error: errors.profileImage,
        onBusy: setUploading,
        onPut: () => clearError('profileImage'),
      })}
      <TextField label="Bio" name="bio" required defaultValue={draft?.bio ?? user.bio} error={errors.bio} />
      <Field
        label="Profession"
        name="profession"
        autoComplete="organization-title"
        required
        defaultValue={draft?.profession ?? user.profession}
        error={errors.profession}
      />
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-col gap-3 border-t border-line bg-raised px-5 py-4 [@media(max-height:32rem)]:static">
        <Refusal text={refusal} />
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="outline" onClick={leave(onEnd)}>
            Cancel
          </Button>
          <Button type="submit" isBusy={isLoading || isUploading}>
            Save
          </Button>
        </div>
      </div>
    </form>
  )
}

function useEdit(user: User, onDone: () => void) {
  const { errors, refusal, clearError, onInput, read, showRefusal } = useForm({
    username: 'Username',
    profileImage: 'Profile image',
    bio: 'Bio',
    profession: 'Profession',
  })
  const [editProfile, { isLoading }] = useEditProfileMutation()
  const showAlert = useAlert()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = read(form)
    if (!typed || isLoading) return
    const { error } = await editProfile({ id: user._id, profileData: { ...typed, userId: user._id } })
    // The page asks to log in; afterwards the draft brings back what was typed.
    if (statusOf(error) === 401) return
    if (error) {
      console.error('Error updating profile', error)
      showRefusal(form, 'Failed to update profile. Please try again.', fieldErrorsOf(error))
      return
    }
    showAlert('Profile Update Successfully')
    onDone()
  }
  return { errors, clearError, onInput, refusal, isLoading, submit }
}
