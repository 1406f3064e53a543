const phone = '+1 401 555 0148'

export const shopAddress = {
  lines: ['48 Needle Lane', 'Providence, RI 02903'],
  phone,
  phoneLink: `tel:${phone.replace(/[^+\d]/g, '')}`,
  email: 'hello@haberdash.example',
  hours: 'Monday to Saturday, 9 am to 6 pm Eastern time',
} as const
