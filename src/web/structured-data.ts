import { isReduced } from '#shop/contract/money.ts'
import type { ProductWithReviews } from '#shop/reviews/web/api.ts'
import { countReviews } from '#shop/reviews/web/review-list.tsx'
import { absolute } from './head.ts'
import { paths } from './paths.ts'
import { shopAddress } from './shop-address.ts'

/*
 * JSON-LD as Google reads it: https://developers.google.com/search/docs/appearance/structured-data. It contains
 * nothing that the page does not say: delivery and returns are those of `/pages`.
 */
const context = 'https://schema.org'

export function organization(publicUrl: string): object {
  const [street, place = ''] = shopAddress.lines
  const [, locality, region, postalCode] = /^(.+), ([A-Z]{2}) (\d{5})$/.exec(place) ?? []
  return {
    '@context': context,
    '@type': 'OnlineStore',
    '@id': `${publicUrl}/#organization`,
    name: 'Haberdash',
    url: `${publicUrl}/`,
    logo: `${publicUrl}/icon-512.png`,
    description: 'Men’s clothing, accessories and grooming.',
    email: shopAddress.email,
    telephone: shopAddress.phone,
    address: {
      '@type': 'PostalAddress',
      streetAddress: street,
      addressLocality: locality,
      addressRegion: region,
      postalCode,
      addressCountry: 'US',
    },
    contactPoint: {
      '@type': 'ContactPoint',
      contactType: 'customer service',
      email: shopAddress.email,
      telephone: shopAddress.phone,
    },
    hasMerchantReturnPolicy: returns,
  }
}

export function website(publicUrl: string): object {
  return {
    '@context': context,
    '@type': 'WebSite',
    name: 'Haberdash',
    url: `${publicUrl}/`,
    publisher: { '@id': `${publicUrl}/#organization` },
    potentialAction: {
      '@type': 'SearchAction',
      target: {
        '@type': 'EntryPoint',
        urlTemplate: `${publicUrl}${paths.search}?q={search_term_string}`,
      },
      'query-input': 'required name=search_term_string',
    },
  }
}

export function breadcrumbs(
  publicUrl: string,
  steps: readonly (readonly [name: string, path: string])[],
): object {
  return {
    '@context': context,
    '@type': 'BreadcrumbList',
    itemListElement: steps.map(([name, path], index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: publicUrl + path,
    })),
  }
}

const mostReviews = 10

export function productData(
  publicUrl: string,
  { product, reviews, distribution }: ProductWithReviews,
): object {
  const url = publicUrl + paths.product(product._id)
  const reviewCount = countReviews(distribution)
  return {
    '@context': context,
    '@type': 'Product',
    '@id': `${url}#product`,
    name: product.name,
    description: product.description,
    sku: product._id,
    category: product.category,
    color: product.color,
    url,
    ...(product.image && {
      image: [product.image, ...product.views].map((each) => absolute(each, publicUrl)),
    }),
    offers: {
      '@type': 'Offer',
      url,
      price: product.price.toFixed(2),
      priceCurrency: 'USD',
      ...(isReduced(product) && { priceSpecification: strikethrough(product.oldPrice) }),
      // All products in the shop can be bought; those that are sold out are removed from it.
      availability: `${context}/InStock`,
      itemCondition: `${context}/NewCondition`,
      seller: { '@type': 'Organization', '@id': `${publicUrl}/#organization`, name: 'Haberdash' },
      shippingDetails: delivery,
      hasMerchantReturnPolicy: returns,
    },
    ...(reviewCount > 0 && {
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: Number(product.rating.toFixed(2)),
        reviewCount,
        bestRating: 5,
        worstRating: 1,
      },
      review: reviews.slice(0, mostReviews).map((review) => ({
        '@type': 'Review',
        author: { '@type': 'Person', name: review.userId.username },
        datePublished: review.createdAt,
        ...(review.comment && { reviewBody: review.comment }),
        reviewRating: { '@type': 'Rating', ratingValue: review.rating, bestRating: 5, worstRating: 1 },
      })),
    }),
  }
}

function strikethrough(oldPrice: number): object {
  return {
    '@type': 'UnitPriceSpecification',
    priceType: `${context}/StrikethroughPrice`,
    price: oldPrice.toFixed(2),
    priceCurrency: 'USD',
  }
}

const country = 'US'

/**
 * 'Delivery is free on every order. … we pack the same day; most parcels are with you four working days later.'
 */
const delivery = {
  '@type': 'OfferShippingDetails',
  shippingRate: { '@type': 'MonetaryAmount', value: 0, currency: 'USD' },
  shippingDestination: { '@type': 'DefinedRegion', addressCountry: country },
  deliveryTime: {
    '@type': 'ShippingDeliveryTime',
    handlingTime: days(0, 1),
    transitTime: days(1, 4),
  },
}

function days(minValue: number, maxValue: number): object {
  return { '@type': 'QuantitativeValue', minValue, maxValue, unitCode: 'DAY' }
}

/** 'You have thirty days … and we refund all of your money to the card you paid with.' */
const returns = {
  '@type': 'MerchantReturnPolicy',
  applicableCountry: country,
  returnPolicyCategory: `${context}/MerchantReturnFiniteReturnWindow`,
  merchantReturnDays: 30,
  returnMethod: `${context}/ReturnByMail`,
  refundType: `${context}/FullRefund`,
}
