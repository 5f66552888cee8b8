import {
  AtSign,
  Ban,
  Bot,
  Building2,
  EyeOff,
  Handshake,
  Inbox,
  type LucideIcon,
  Mails,
  Tag,
  Trash2,
  Users,
} from 'lucide-react'
import { providerName } from '../../../labels/provider-names.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import type { AnyResult } from './result.ts'

type Flag = { word: string; meaning: string; Icon: LucideIcon; tone?: Tone }

/** Traits of the address besides the verdict, as labels. */
export function Flags({ result }: { result: AnyResult }) {
  const flags = flagsOf(result)
  if (flags.length === 0) return null
  return (
    <ul aria-label="Address traits" className="flex flex-wrap gap-2">
      {flags.map(({ word, meaning, Icon, tone = 'unknown' }) => (
        <li key={word} title={meaning}>
          <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
            {word}
          </Badge>
        </li>
      ))}
    </ul>
  )
}

function flagsOf(result: AnyResult): Flag[] {
  const { flags, sub_status: subStatus } = result
  const traits = 'domain' in result ? result : result.details
  const isCatchall = subStatus === 'catch_all' || (result.catchall?.is_catchall ?? false)
  const provider: Flag = {
    word: providerName(traits.provider),
    meaning: 'The mailbox provider of the domain.',
    Icon: Building2,
  }
  return [
    ...(result.override === 'block' ? [BLOCKED] : []),
    ...(result.override === 'allow' ? [ALLOWED] : []),
    ...(traits.provider === '' ? [] : [provider]),
    ...(traits.is_role_based ? [ROLE] : []),
    ...(traits.is_disposable ? [DISPOSABLE] : []),
    ...(flags.is_machine_generated ? [MACHINE_MADE] : []),
    ...(isCatchall ? [CATCH_ALL] : []),
    ...(subStatus === 'mailbox_full' ? [FULL] : []),
    ...(flags.is_free ? [FREE] : []),
    ...(flags.is_privacy_relay ? [PRIVACY_RELAY] : []),
    ...(flags.is_tagged ? [TAGGED] : []),
  ]
}

const BLOCKED: Flag = {
  word: 'On your blocklist',
  meaning: 'Your account blocks the address or its domain.',
  Icon: Ban,
  tone: 'invalid',
}
const ALLOWED: Flag = {
  word: 'On your allowlist',
  meaning: 'Your account allows the address or its domain.',
  Icon: Handshake,
  tone: 'valid',
}
const ROLE: Flag = {
  word: 'Role address',
  meaning: 'A shared address such as info@ or sales@.',
  Icon: Users,
  tone: 'risky',
}
const DISPOSABLE: Flag = {
  word: 'Disposable',
  meaning: 'The domain belongs to a temporary-email provider.',
  Icon: Trash2,
  tone: 'risky',
}
const MACHINE_MADE: Flag = {
  word: 'Looks auto-generated',
  meaning:
    'The part before the @ looks machine-made or typed at random. Some of these addresses belong to real people.',
  Icon: Bot,
  tone: 'risky',
}
const CATCH_ALL: Flag = {
  word: 'Catch-all',
  meaning: 'The domain accepts mail for every recipient.',
  Icon: Mails,
  tone: 'risky',
}
const FULL: Flag = { word: 'Mailbox full', meaning: 'The mailbox is full at the moment.', Icon: Inbox, tone: 'risky' }
const FREE: Flag = { word: 'Free provider', meaning: 'The domain belongs to a free mailbox provider.', Icon: AtSign }
const PRIVACY_RELAY: Flag = {
  word: 'Privacy relay',
  meaning: 'Forwards mail to a hidden mailbox. Relay addresses are long-lived and not disposable.',
  Icon: EyeOff,
}
const TAGGED: Flag = { word: 'Tagged', meaning: 'The part before the @ contains a tag, as in ada+news.', Icon: Tag }
