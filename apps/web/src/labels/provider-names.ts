/** The names that do not follow from the id alone. */
const NAMES: Record<string, string> = {
  abv: 'ABV',
  att: 'AT&T',
  centurylink: 'CenturyLink',
  free_fr: 'Free',
  gmx: 'GMX',
  godaddy: 'GoDaddy',
  ionos: 'IONOS',
  mail_ru: 'Mail.ru',
  mailbox_org: 'mailbox.org',
  mailchannels: 'MailChannels',
  messagelabs: 'MessageLabs',
  microsoft: 'Microsoft Outlook.com',
  microsoft365: 'Microsoft 365',
  mxlogic: 'MX Logic',
  netease: 'NetEase',
  ovh: 'OVH',
  proofpoint_essentials: 'Proofpoint Essentials',
  sfr: 'SFR',
  spamexperts: 'SpamExperts',
  t_online: 'T-Online',
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
