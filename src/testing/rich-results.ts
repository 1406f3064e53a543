/** JSON-LD, as far as these checks read it. */
export type Data = { '@type'?: string } & Record<string, unknown>

type Check = (value: unknown) => boolean
type Shape = { required: Record<string, Check>; recommended?: Record<string, Check> }

const isText: Check = (value) => typeof value === 'string' && value.trim() !== ''
const isAddress: Check = (value) =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'
const isMoment: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isCurrency: Check = (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value)
const isCountry: Check = (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value)
const isOne =
  (...names: string[]): Check =>
  (value) =>
    names.some((name) => value === `https://schema.org/${name}`)
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(check)
const isA =
  (...types: string[]): Check =>
  (value) =>
    types.includes((value as Data | undefined)?.['@type'] ?? '') && missingFields(value as Data).length === 0

/**
 * The fields that Google requires, and those it recommends that a shop can know, type by type: see the tables of
 * https://developers.google.com/search/docs/appearance/structured-data/merchant-listing and its neighbours.
 */
const shapes: Record<string, Shape> = {
  Product: {
    required: { name: isText, image: isListOf(isAddress), offers: isA('Offer') },
    recommended: {
      description: isText,
      sku: isText,
      color: isText,
      category: isText,
      url: isAddress,
      aggregateRating: isA('AggregateRating'),
      review: isListOf(isA('Review')),
    },
  },
  Offer: {
    required: {
      price: (value) => typeof value === 'string' && /^\d+\.\d\d$/.test(value) && Number(value) > 0,
      priceCurrency: isCurrency,
    },
    recommended: {
      availability: isOne('InStock', 'OutOfStock'),
      itemCondition: isOne('NewCondition'),
      url: isAddress,
      shippingDetails: isA('OfferShippingDetails'),
      hasMerchantReturnPolicy: isA('MerchantReturnPolicy'),
    },
  },
  OfferShippingDetails: {
    required: { shippingRate: isA('MonetaryAmount'), shippingDestination: isA('DefinedRegion') },
    recommended: { deliveryTime: isA('ShippingDeliveryTime') },
  },
  MonetaryAmount: { required: { value: isNumber, currency: isCurrency } },
  DefinedRegion: { required: { addressCountry: isCountry } },
  ShippingDeliveryTime: {
    required: { handlingTime: isA('QuantitativeValue'), transitTime: isA('QuantitativeValue') },
  },
  QuantitativeValue: {
    required: { minValue: isNumber, maxValue: isNumber, unitCode: (value) => value === 'DAY' },
  },
  MerchantReturnPolicy: {
    required: {
      applicableCountry: isCountry,
      returnPolicyCategory: isOne('MerchantReturnFiniteReturnWindow'),
      merchantReturnDays: isCount,
    },
    recommended: { returnMethod: isOne('ReturnByMail') },
  },
  AggregateRating: {
    required: { ratingValue: (value) => isNumber(value) && Number(value) >= 1 && Number(value) <= 5 },
    recommended: { reviewCount: isCount, bestRating: isNumber, worstRating: isNumber },
  },
  Review: {
    required: { author: isA('Person'), reviewRating: isA('Rating') },
    recommended: { datePublished: isMoment },
  },
  Rating: {
    required: { ratingValue: isCount },
    recommended: { bestRating: isNumber, worstRating: isNumber },
  },
  Person: { required: { name: isText } },
  BreadcrumbList: { required: { itemListElement: isListOf(isA('ListItem')) } },
  ListItem: { required: { position: isCount, name: isText, item: isAddress } },
  OnlineStore: {
    required: { name: isText, url: isAddress },
    recommended: {
      logo: isAddress,
      description: isText,
      email: isText,
      telephone: isText,
      address: isA('PostalAddress'),
      contactPoint: isA('ContactPoint'),
      hasMerchantReturnPolicy: isA('MerchantReturnPolicy'),
    },
  },
  PostalAddress: {
    required: { addressCountry: isCountry },
    recommended: {
      streetAddress: isText,
      addressLocality: isText,
      addressRegion: isText,
      postalCode: isText,
    },
  },
  ContactPoint: { required: { telephone: isText, email: isText } },
  WebSite: {
    required: { name: isText, url: isAddress },
    recommended: { potentialAction: isA('SearchAction') },
  },
  SearchAction: {
    required: {
      target: isA('EntryPoint'),
      'query-input': (value) => value === 'required name=search_term_string',
    },
  },
  EntryPoint: {
    required: { urlTemplate: (value) => isText(value) && String(value).includes('{search_term_string}') },
  },
}

/** The fields that are missing or invalid. A field is invalid, too, if an object in it lacks something. */
export function missingFields(data: Data): string[] {
  const type = data['@type'] ?? ''
  const shape = shapes[type]
  if (!shape) return [`unknown type ${type}`]
  return Object.entries({ ...shape.required, ...shape.recommended })
    .filter(([field, check]) => !check(data[field]))
    .map(([field]) => `${type}.${field}`)
}
