/** Given names from many countries, in ASCII, as in email addresses. Combinations do not refer to real people. */
export const GIVEN_NAMES = `
aaron abel ada adele adrian agnes aisha alan alba albert alexa alfred alice alina amelia amir ana andre andrea angela anita
anja anna antonio anton arjun arthur astrid aurora axel barbara beatrice ben bernd bianca bjorn boris brigitte bruno camille
carla carlos carmen caroline cecilia chiara chloe christine clara claudia colin connor dagmar daniel daria david deborah
denise diana diego dimitri dora doris edgar edith eduardo elena elias elif elisa ella elliot emil emily emma enzo eric erika
esther eva fatima felix fiona flora florian frances frank frida gabriel gemma george gerda gianni giulia gloria grace greta
gustav hannah harald hassan heidi helen henrik hugo ida ilse imran ines ingrid irene isaac isabel ivan jack jana jasmin javier
jean jens jessica joana johan jonas jorge judith julia julian karim karin karl katja kenji kevin klara kurt lara lars laura
leila lena leo leon liam lidia linda lisa louis lucia lucas luis lukas lydia magda maja manuel marco margaret maria marie
mario marta martin mateo mathilde max maya mehmet mia michael miguel mila milan miriam mohamed monika nadia natalie nicolas
nils nina noah nora olga oliver olivia omar oscar otto pablo patricia paul pavel pedro petra philip pia rachel rafael ravi
rebecca renata robert rosa ruth sabine samir samuel sandra sara sergio silvia simon sofia sonja stefan susan sven tamara
teresa theo thomas tim tina tomas ulrike ursula valentina vera victor viola walter wanda yara yusuf zoe
`
  .trim()
  .split(/\s+/)

export const FAMILY_NAMES = `
abbott acosta adler aguilar ahmed albers almeida alvarez anders archer arnold ashby aydin bach bailey baker balog barnes
barros bauer baxter beck becker bell benson berg berger bianchi bishop blake blanc bloom boone borg bosch bowen brandt braun
brennan brock brooks bruno bryant burke burns bush caldwell campos cardoso carlsen carr carter casey castro chambers chan
chapman christensen clarke cohen cole collins conrad conti cook cooper correia costa craig cruz cunha curtis dahl dalton
daniels das davies dawson decker delgado demir diaz dietrich dixon dogan doyle drake dubois duncan dunn dupont duran eaton
eckert egan ellis engel erickson esposito evans falk farkas farrell faure ferrari fields finch fischer fisher fleming flores
flynn fontaine ford forster foster fox francis franke frost fuchs fuentes gallagher garcia gardner garnier geiger gibson
gilbert gomez gordon graham graves greco green greene griffin gruber guerra gupta haas hagen hahn hale hall hamilton hansen
hardy harper hart hartmann hayes heath heller henry herman herrera hicks hoffman holland holm holt horn horvath howard huber
hughes hunt ibrahim jacobs jansen jensen johansen jordan joseph kaiser kaplan kaya kelly kemp khan kim king klein knight
koch koenig kovacs kowalski kramer kraus kruger kumar lambert lane lang larsen lawson lee lehmann leroy levy lewis lind lindgren
lopez lorenz lowe lucas ludwig lund lynch maier malone mancini mann marino marsh martens martinez mason maurer mayer mendes
mercier meyer mills molina monroe morales moreau morgan moser muller murphy myers nagy nash navarro neumann newman nguyen
nichols nielsen nolan novak nunez olsen ortega osborne otto owens palmer park parker patel paulsen pearson pereira perez
perry peters petrov pfeiffer phillips pierce pinto porter powell preston quinn ramirez ramos reed reid reyes ricci richter riley
rios ritter rivera robin rocha rojas romano rossi roth rowe ruiz russo ryan sala salazar sanders santos sauer schaefer schmidt
schneider scholz schulz schwarz seidel serra shah sharp shaw silva simmons simon singh soares sommer stark stein stone suarez
sutton tanaka taylor thiel tran turner vargas vega vogel voss wagner walsh watson weber weiss wells werner west winkler
winter wolf wong wood yilmaz young zimmer
`
  .trim()
  .split(/\s+/)

/** Local parts with non-ASCII characters, which need SMTPUTF8 (RFC 6531). */
export const NAMES_BEYOND_ASCII = `
jürgen.groß françois.lefèvre josé.núñez søren.åberg zoë.köhler łukasz.wójcik çağla.şahin žofie.dvořák bjørn.ødegård
rené.gómez gülşen.öztürk ágnes.szűcs θάνος.νικολάου ольга.орлова 佐藤.葵 müge.yıldız
`
  .trim()
  .split(/\s+/)

export const ROLES = [
  'info',
  'sales',
  'contact',
  'support',
  'office',
  'hr',
  'billing',
  'admin',
  'accounts',
  'jobs',
  'marketing',
  'orders',
  'press',
  'reception',
  'service',
  'team',
]

export const TAGS = ['news', 'shop', 'newsletter', 'work', 'spam', 'travel', 'lists', 'forum', 'web', 'signup']

/**
 * Two of these, one from each list, make the name of a business or a club; all of them end in `.example` (RFC 2606).
 */
export const FIRST_WORDS = `
amber arctic autumn azure basalt birch bold bright bronze brook calm cedar central cinder citrus clear clover coastal cobalt
copper coral crimson crystal delta early eastern elder ember falcon fern first forest garden gentle glacier golden granite
green harbour hazel heather highland hollow honey indigo iron ivory jade juniper lantern laurel lime linen lunar maple marble
meadow merry midland misty modern mossy noble north northern oak ocean olive opal orchard pacific pearl pine polar prairie
quartz quiet rapid raven river robin royal ruby russet sage sandy scarlet silver slate solar southern spring stone summer
sunny swift teal tidal timber upper velvet vivid western wild willow winter yellow
`
  .trim()
  .split(/\s+/)

export const SECOND_WORDS = `
advisers archive atelier bakery bank bikes books brewery bridge builders cafe capital care carpentry ceramics chemists cinema
clinic club coffee college consulting cycles dairy dental design electric energy engineering estates events farm films finance
florist foods foundation foundry freight gallery games glass grid group guild hardware health hotel housing imports institute
insurance kitchen labs legal library lighting logistics machines market media mills museum music networks nursery optics orchestra
paper partners pharma photo physio pottery press print records rentals repairs research robotics roofing school security shipping
software solar sports stores studio supply systems taxi tea textiles theatre tools tours toys trading travel trust vets vineyard
water works yachts
`
  .trim()
  .split(/\s+/)

/** Common mistakes of people and programs in an address. `{a}` and `{b}` are names. */
export const BROKEN = [
  '{a}.{b}',
  '{a}.{b}@',
  '@{b}.example',
  '{a}..{b}@gmail.com',
  '{a} {b}@gmail.com',
  '.{a}.{b}@outlook.com',
  '{a}.{b}.@yahoo.com',
  '{a}.{b}@gmail',
  '{a}.{b}@gmail..com',
  '{a}.{b}@gmail,com',
  '{a},{b}@web.de',
  '{a}@{b}@hotmail.com',
  '{a}.{b}@-{b}.example',
  '{a}.{b}(at)icloud.com',
  '<{a}.{b}@gmx.de>',
] as const
