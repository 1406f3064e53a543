import type { CardErrors, CardField, CardForm } from './card.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'

type Field = (
  name: CardField,
  label: string,
  attributes: Record<string, string>,
  countries?: string[],
) => Html

/** Not every country has them. */
const optional: CardField[] = ['line2', 'postalCode', 'state']

/** After a refusal the card number is what has to change, so it is marked and gets the focus. */
export function fieldOf(form: CardForm, errors: CardErrors, refusal: string | undefined): Field {
  const wrong = Object.keys(errors)[0] ?? (refusal === undefined ? undefined : 'number')
  return (name, label, attributes, countries) => {
    const error = errors[name]
    const isRefused = refusal !== undefined && name === 'number'
    const described = error === undefined ? isRefused && 'refusal' : `${name}-error`
    const isOptional = optional.includes(name)
    const value = name === 'cvc' ? '' : form[name]
    const rest = html`id="${name}" name="${name}"
    ${Object.entries(attributes).map(([key, each]) => html` ${key}="${each}"`)} ${!isOptional && 'required'}
    ${described && html` aria-invalid="true" aria-describedby="${described}"`}
    ${name === wrong && 'autofocus'}`
    return html`<div>
      <label for="${name}">${label}${isOptional && ' (optional)'}</label>
      ${
        countries
          ? html`<select ${rest}>
              ${countryOptions(countries, value)}
            </select>`
          : html`<input ${rest} value="${value}" />`
      }
      ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
    </div>`
  }
}

export function deliveryFields(field: Field, shipTo: string[]): Html {
  const shippingAutocomplete = (name: string) => ({ autocomplete: `shipping ${name}` })
  return html`<fieldset>
    <legend>Delivery address</legend>
    ${field('shippingName', 'Full name', shippingAutocomplete('name'))}
    ${field('country', 'Country', shippingAutocomplete('country'), shipTo)}
    ${field('line1', 'Street and number', shippingAutocomplete('address-line1'))}
    ${field('line2', 'Apartment, floor', shippingAutocomplete('address-line2'))}
    <div class="pair">
      ${field('postalCode', 'Postal code', shippingAutocomplete('postal-code'))}
      ${field('city', 'City', shippingAutocomplete('address-level2'))}
    </div>
    ${field('state', 'State or province', shippingAutocomplete('address-level1'))}
  </fieldset>`
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** If there is only one country, it is already selected. */
function countryOptions(countries: string[], chosen: string): Html[] {
  const named = countries.map((code) => ({ code, name: countryNames.of(code) ?? code }))
  const inOrder = named.toSorted((one, other) => one.name.localeCompare(other.name))
  const options = countries.length > 1 ? [{ code: '', name: 'Choose a country' }, ...inOrder] : inOrder
  return options.map(
    ({ code, name }) => html`<option value="${code}" ${code === chosen && 'selected'}>${name}</option>`,
  )
}
