import { invalidInput } from '#shop/platform/errors.ts'

/** Words that people make passwords of, with or without digits around them: names, teams, pets, hopes, machines. */
const words = `
  password passwort passw pass parola contrasena motdepasse senha haslo wachtwoord secret geheim private access login
  logon letmein welcome willkommen bienvenue hello hallo admin administrator root user username guest test tester
  testing temp temporary default changeme change master boss system server computer internet network windows linux
  microsoft google facebook youtube twitter instagram netflix amazon apple samsung nokia android iphone blackberry
  haberdash shop shopping fashion customer demo example
  monkey dragon tiger lion panther eagle falcon hawk phoenix wolf bear horse dolphin shark spider snake scorpion
  kitten kitty puppy doggy bunny rabbit turtle penguin panda butterfly chicken buddy lucky smokey shadow midnight
  ginger pepper cookie peanut muffin pumpkin cupcake banana orange apple cherry strawberry chocolate cheese coffee
  pizza butter sugar honey candy brownie
  football soccer baseball basketball hockey tennis golf cricket rugby swimming skateboard snowboard runner boxing
  arsenal chelsea liverpool everton manchester united barcelona madrid juventus milan bayern dortmund celtic rangers
  cowboys steelers packers yankees lakers raiders eagles broncos redsox bulldogs tigers warriors
  superman batman spiderman ironman wolverine hulk joker marvel starwars startrek skywalker vader yoda matrix neo
  pokemon pikachu mario zelda sonic naruto minecraft roblox fortnite callofduty halo warcraft diablo assassin
  gandalf hobbit frodo merlin harrypotter hermione hogwarts gryffindor simpsons homer garfield snoopy mickey minnie
  donald tweety barbie cinderella tinkerbell disney
  ferrari porsche mercedes mustang camaro corvette chevy chevrolet honda toyota yamaha harley suzuki nissan subaru
  audi jaguar maserati lamborghini
  love iloveyou loveyou iloveu lover lovely loveme loverboy babygirl baby babe honeybun sweetheart sweetie sweet angel
  angels princess prince queen king kingdom beautiful pretty gorgeous cutie handsome sexy happy smile smiley friend
  friends friendship forever family mother father mommy daddy sister brother jesus christ heaven blessed faith grace
  believe freedom peace hope dream dreamer dreams miracle trustno trustme fuckyou asshole bullshit whatever nothing
  summer winter spring autumn january february march april august september october november december monday friday
  saturday sunday sunshine sunflower sunset moonlight star starlight rainbow thunder lightning storm hurricane ocean
  flower flowers diamond silver golden crystal purple yellow green black white killer hunter ranger rocket cowboy
  pirate ninja samurai soldier warrior gladiator knight wizard magic mystery legend champion winner victory power
  genius hacker player gamer rockstar guitar music metallica nirvana eminem beatles slipknot blink elvis madonna
  michael michelle jennifer jessica ashley amanda samantha elizabeth stephanie nicole danielle victoria charlotte
  sophia olivia emily hannah sarah rachel rebecca laura maria marina natasha angela melissa melanie veronica vanessa
  patricia christine christina katherine catherine alexandra alexander alexis alejandra alejandro andrea andrew
  anthony antonio benjamin brandon charles charlie chris christian christopher daniel david diego edward fernando
  francisco gabriel george harry jackson james jason jasmine jeremy jonathan jordan jordan jose joseph joshua justin
  kevin leonardo lauren louis lucas marcus martin matthew maxwell maverick miguel nathan nicholas oliver oscar patrick
  peter philip rafael richard robert roberto ronaldo messi neymar ryan samuel sebastian stephen steven taylor thomas
  vincent william zachary
  america american american england london paris berlin germany deutschland france espana mexico brasil canada
  australia india pakistan china japan tokyo newyork chicago dallas boston denver houston california florida texas
  phoenix scotland ireland russia moscow
  one two three abc abcd abcdef xyz asdf asdfgh asdfghjk qwer qwert qwerty qwertz azerty zxcv zxcvbn qazwsx qweasd
  qweasdzxc wasd iamgod idontknow idontcare letme nopassword mypassword thepassword newpassword yourpassword
  passpass opensesame abracadabra security corporate company office business money dollar million rich
  cowabunga bismillah allah buddha ganesh krishna mohammed muhammad
`
const commonWords = new Set(words.trim().split(/\s+/))

/** Along the rows, down the columns, and the order of the alphabet and of the digits. */
const walks = [
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1s2d3f4g5h6j7k8l9',
  'zaq12wsxcde34rfv',
  '1234qwerasdfzxcv',
  '!@#$%^&*()_+',
  '12345678901234567890',
  'abcdefghijklmnopqrstuvwxyzabcdefghij',
  'a1b2c3d4e5f6g7h8i9j0',
  '14789632147',
  '147258369147',
  '741852963741',
  '123qweasdzxc',
  'qweasdzxc123',
  'qwe123asd456',
]

/** Signs that stand for letters, as in `P@ssw0rd`. */
const lookalikes: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/**
 * Whether a password is among the first that are tried: a common word with little around it (`Password123!`), a
 * walk along the keyboard, a row of digits, one bit said again and again, or a date.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase().trim()
  return isRepetition(plain) || isWalk(plain) || isDate(plain) || isDecoratedWord(plain)
}

/** @throws ShopError 400 */
export function requireUncommon(password: string, path: string): void {
  if (!isCommonPassword(password)) return
  throw invalidInput([{ path, message: 'is one of the most common passwords: please choose another' }])
}

/** `iloveyou2`, `1password!`, `P@$$w0rd1`, `lovelove`: a word, once or twice, with up to six other signs at an end. */
function isDecoratedWord(text: string): boolean {
  const head = text.replace(/[^a-z]{0,6}$/, '')
  const core = head.replace(/^[^a-z]{0,6}/, '')
  return [core, inLetters(core), inLetters(head)].some((word) => {
    const half = word.slice(0, word.length / 2)
    return commonWords.has(word) || (half.repeat(2) === word && commonWords.has(half))
  })
}

function inLetters(text: string): string {
  return text.replace(/[@43!10$57]/g, (sign) => lookalikes[sign] ?? sign)
}

/** `aaaaaaaa`, `12341234`, `abcabcabc`: up to four signs again and again. */
function isRepetition(text: string): boolean {
  const signs = [...text]
  return [1, 2, 3, 4].some((period) => signs.every((sign, index) => sign === signs[index % period]))
}

/** In either direction, once or twice. */
function isWalk(text: string): boolean {
  const half = text.slice(0, text.length / 2)
  const once = half.repeat(2) === text ? half : text
  const backwards = [...once].reverse().join('')
  return walks.some((walk) => walk.includes(once) || walk.includes(backwards))
}

/** Eight digits that are a day of the last or this century: a birthday, most likely. */
function isDate(text: string): boolean {
  const day = '(0[1-9]|[12]\\d|3[01])'
  const month = '(0[1-9]|1[0-2])'
  const year = '(19|20)\\d\\d'
  return new RegExp(`^(${day}${month}${year}|${month}${day}${year}|${year}${month}${day})$`).test(text)
}
