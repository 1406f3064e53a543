import { createHash } from 'node:crypto'
import { formOf, notAuthorized } from './card.ts'
import type { CardErrors, CardForm } from './card.ts'
import { deliveryFields, fieldOf } from './form-fields.ts'
import { Html, html } from './html.ts'
import { money } from './money.ts'
import { pageStyle } from './page-style.ts'
import type { Line, SessionRecord } from './records.ts'

const merchant = 'Haberdash'
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="11" y="2.5" rx="2" fill="#1f3a5f"/><path d="M0 5.5h16v2H0z" fill="#fff"/></svg>')}`

/** For the content security policy, which allows this style and no other. */
export const styleHash = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`

// Not wrapped over lines: with a space that was not hashed, the browser refuses the style.
const style = new Html(`<style>${pageStyle}</style>`)

type Shown = { form?: CardForm; errors?: CardErrors; refusal?: string }

/** A refusal stands above the card number: on a phone, the delivery address would push it out of view. */
export function payPage(session: SessionRecord, { form, errors = {}, refusal }: Shown = {}): Html {
  const total = money(session.amountCents, session.currency)
  const summary = summaryOf(errors)
  const field = fieldOf(form ?? formOf(session.customerEmail ?? ''), errors, refusal)
  const body = html`<h2>Pay with card</h2>
    ${summary && html`<div class="alert" role="alert">${summary}</div>`}
    <form method="post" action="/pay/${session.id}" novalidate>
      ${field('email', 'Email', { type: 'email', autocomplete: 'email' })}
      ${session.shipTo && deliveryFields(field, session.shipTo)}
      ${refusal && html`<div class="alert" id="refusal" role="alert">${refusal}</div>`}
      ${field('number', 'Card number', { ...digits, autocomplete: 'cc-number', placeholder: '1234 1234 1234 1234' })}
      <div class="pair">
        ${field('expiry', 'Expiry', { ...digits, autocomplete: 'cc-exp', placeholder: 'MM/YY' })}
        ${field('cvc', 'CVC', { ...digits, autocomplete: 'cc-csc', placeholder: '123', maxlength: '4' })}
      </div>
      ${field('name', 'Name on card', { type: 'text', autocomplete: 'cc-name' })}
      <button type="submit">Pay ${total}</button>
    </form>
    ${practiceCards}`
  return columns(session, summary || refusal ? `Error: Pay ${total}` : `Pay ${total}`, body)
}

/** The text of the alert, for screen readers. Each message is shown beside its field as well. */
function summaryOf(errors: CardErrors): string | Html | undefined {
  const messages = Object.values(errors)
  if (messages.length < 2) return messages[0]
  return html`<ul>
    ${messages.map((message) => html`<li>${message}</li>`)}
  </ul>`
}

export function authorizePage(session: SessionRecord): Html {
  const total = money(session.amountCents, session.currency)
  const body = html`<h2>Your bank asks you to confirm</h2>
    <p class="merchant">
      ${merchant} wants to charge ${total} to your card ending in ${session.awaiting?.last4}. No real bank is
      involved.
    </p>
    <form method="post" action="/pay/${session.id}/authorize">
      <button type="submit" name="decision" value="authorize">Authorize</button>
      <button type="submit" name="decision" value="cancel" class="second">Cancel</button>
    </form>`
  return columns(session, `Authorize ${total}`, body)
}

export function notAuthorizedPage(session: SessionRecord): Html {
  const form = formOf(session.awaiting?.email ?? '', session.awaiting)
  return payPage(session, { form, refusal: notAuthorized })
}

export function expiredPage(session: SessionRecord): Html {
  return messagePage(
    'This checkout has expired',
    'Nothing was charged. Start again from your cart.',
    session.cancelUrl,
  )
}

export function unknownPage(): Html {
  return messagePage('This checkout does not exist', 'Check the link, or start again from your cart.', null)
}

export function troublePage(): Html {
  return messagePage('This did not work', 'The payment page could not do that. Please try again.', null)
}

function messagePage(title: string, text: string, backUrl: string | null): Html {
  return page(
    title,
    html`<main class="message">
      <h1>${title}</h1>
      <p>${text}</p>
      ${backLink(backUrl)}
    </main>`,
  )
}

function columns(session: SessionRecord, title: string, body: Html): Html {
  const total = money(session.amountCents, session.currency)
  return page(
    title,
    html`<div class="columns">
      <header class="summary">
        <div>
          ${backLink(session.cancelUrl)}
          <p class="merchant">Pay ${merchant}</p>
          <h1 class="amount">${total}</h1>
          <ul class="lines" aria-label="Order" ${session.lines.length > 6 && html` tabindex="0"`}>
            ${session.lines.map((line) => summaryLine(line, session.currency))}
          </ul>
          <dl class="totals">
            <div>
              <dt>Total due</dt>
              <dd>${total}</dd>
            </div>
          </dl>
        </div>
      </header>
      <main class="payment"><div>${body}</div></main>
    </div>`,
  )
}

function summaryLine(line: Line, currency: string): Html {
  const [image] = line.images
  const initial = Array.from(line.name)[0]?.toUpperCase()
  const each = line.quantity > 1 && html` · ${money(line.unitAmountCents, currency)} each`
  // The style gives the picture no width: a picture with one shows an icon when it cannot be loaded.
  return html`<li class="line">
    <span class="thumb" aria-hidden="true"
      >${image === undefined ? initial : html`<img src="${image}" alt="" />`}</span
    >
    <span><strong>${line.name}</strong><small>Qty ${line.quantity}${each}</small></span>
    <span class="price">${money(line.unitAmountCents * line.quantity, currency)}</span>
  </li>`
}

const digits = { type: 'text', inputmode: 'numeric' }

const practiceCards = html`<section class="cards">
  <p>Practice cards, with any future date and any code:</p>
  <ul>
    <li><code>4242 4242 4242 4242</code> pays</li>
    <li><code>4000 0025 0000 3155</code> asks your bank first</li>
    <li><code>4000 0000 0000 0002</code> is declined</li>
    <li><code>4000 0000 0000 9995</code> has insufficient funds</li>
  </ul>
</section>`

function backLink(url: string | null): Html | null {
  return url === null ? null : html`<a class="back" href="${url}">← Back to ${merchant}</a>`
}

function page(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${merchant}</title>
        <link rel="icon" href="${icon}" />
        ${style}
      </head>
      <body>
        <aside class="practice" aria-label="Practice">
          This is a practice page. No real card is charged.
        </aside>
        ${body}
      </body>
    </html>`
}
