export const shopAddress = {
  lines: ['48 Needle Lane', 'Providence, RI 02903'],
  phone: '+1 401 555 0148',
  phoneLink: 'tel:+14015550148',
  email: 'hello@haberdash.example',
  hours: 'Monday to Saturday, 9 am to 6 pm Eastern time',
} as const
