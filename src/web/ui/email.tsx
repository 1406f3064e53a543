/** An e-mail address that breaks, where it must, before its `@` and not within a word. */
export function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  )
}
