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
import { Badge, type Tone } from '../ui/Badge.tsx'
import { providerName } from '../words/provider-names.ts'
import type { AnyResult } from './any-result.ts'

type Flag = { word: string; meaning: string; Icon: LucideIcon; tone?: Tone }

/** What is worth knowing besides the verdict, each with a word. */
export function Flags({ result }: { result: AnyResult }) {
  const flags = flagsOf(result)
  if (flags.length === 0) return null
  return (
    <ul aria-label="Traits of the address" className="flex flex-wrap gap-2">
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
    meaning: 'Who runs the mail servers of the domain.',
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
  word: 'On your block list',
  meaning: 'Your organisation has blocked the address or its domain.',
  Icon: Ban,
  tone: 'invalid',
}
const ALLOWED: Flag = {
  word: 'On your allow list',
  meaning: 'Your organisation vouches for the address or its domain.',
  Icon: Handshake,
  tone: 'valid',
}
const ROLE: Flag = {
  word: 'Role address',
  meaning: 'It belongs to a function, such as info or sales, rather than to a person.',
  Icon: Users,
  tone: 'risky',
}
const DISPOSABLE: Flag = {
  word: 'Disposable',
  meaning: 'The domain is known for throw-away addresses.',
  Icon: Trash2,
  tone: 'risky',
}
const MACHINE_MADE: Flag = {
  word: 'Looks auto-generated',
  meaning:
    'The part before the @ reads as if a machine had made it or somebody had typed at random. Some people have such addresses.',
  Icon: Bot,
  tone: 'risky',
}
const CATCH_ALL: Flag = {
  word: 'Catch-all',
  meaning: 'The domain accepts mail for every address.',
  Icon: Mails,
  tone: 'risky',
}
const FULL: Flag = { word: 'Mailbox full', meaning: 'The mailbox has no room now.', Icon: Inbox, tone: 'risky' }
const FREE: Flag = { word: 'Free provider', meaning: 'The domain belongs to a free mail provider.', Icon: AtSign }
const PRIVACY_RELAY: Flag = {
  word: 'Privacy relay',
  meaning: 'It forwards to a mailbox that it hides. Such relays last and are not disposable.',
  Icon: EyeOff,
}
const TAGGED: Flag = { word: 'Tagged', meaning: 'The part before the @ carries a tag, as in ada+news.', Icon: Tag }
