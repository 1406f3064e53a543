export const cards = {
  pays: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  needsAuthorization: '4000 0025 0000 3155',
  refundsFail: '4000 0000 0000 5126',
} as const

/** Submits the provider's card page; returns where it leads, or null when it shows the page again. */
export async function submitCard(
  url: string,
  card: string = cards.pays,
  more: Record<string, string> = {},
): Promise<string | null> {
  const payer = { email: 'guest@example.com', name: 'G. Uest', ...more }
  return submitForm(url, { ...payer, number: card, expiry: '12/40', cvc: '123' })
}

/** Submits a form and returns where the response redirects to. */
export async function submitForm(url: string, form: Record<string, string>): Promise<string | null> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  await response.arrayBuffer()
  return response.headers.get('location')
}
