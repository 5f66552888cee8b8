/** The names that do not follow from the id alone. */
const NAMES: Record<string, string> = {
  abv: 'ABV',
  addy: 'addy.io',
  all_inkl: 'ALL-INKL',
  att: 'AT&T',
  centurylink: 'CenturyLink',
  dreamhost: 'DreamHost',
  duckduckgo: 'DuckDuckGo',
  forward_email: 'Forward Email',
  free_fr: 'Free',
  gmx: 'GMX',
  godaddy: 'GoDaddy',
  improvmx: 'ImprovMX',
  ionos: 'IONOS',
  mail_ru: 'Mail.ru',
  mailbox_org: 'mailbox.org',
  mailchannels: 'MailChannels',
  messagelabs: 'MessageLabs',
  microsoft: 'Microsoft Outlook.com',
  microsoft365: 'Microsoft 365',
  mxlogic: 'MX Logic',
  namecheap_forward: 'Namecheap Forwarding',
  netease: 'NetEase',
  one_com: 'one.com',
  ovh: 'OVHcloud',
  proofpoint_essentials: 'Proofpoint Essentials',
  reg_ru: 'REG.RU',
  register_it: 'Register.it',
  sendgrid: 'SendGrid',
  sfr: 'SFR',
  simplelogin: 'SimpleLogin',
  spamexperts: 'SpamExperts',
  strato: 'STRATO',
  t_online: 'T-Online',
  transip: 'TransIP',
  trendmicro: 'Trend Micro',
  ukr_net: 'UKR.NET',
  uol: 'UOL',
  wp: 'WP',
  yahoo_japan: 'Yahoo! Japan',
}

/** The name of a mailbox provider. Providers are an extensible enum: an unknown one is shown by its id, with spaces. */
export function providerName(id: string): string {
  const spaced = id.replaceAll('_', ' ')
  return NAMES[id] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1)
}
