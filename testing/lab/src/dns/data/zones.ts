import type { Zones } from '../zone-file.ts'
import { PUBLIC_MAIL } from './public-mail.ts'

/** One domain for each DNS configuration. IP addresses are reserved for documentation (RFC 5737, RFC 3849). */
export const ZONES: Zones = {
  names: {
    ...PUBLIC_MAIL,

    // Domains with mail hosts.
    'two-mx.example': {
      mx: [
        [20, 'mx2.two-mx.example'],
        [10, 'mx1.two-mx.example'],
      ],
      txt: ['v=spf1 mx -all'],
    },
    'mx1.two-mx.example': { a: ['192.0.2.11'] },
    'mx2.two-mx.example': { a: ['192.0.2.12'], aaaa: ['2001:db8::12'] },
    '_dmarc.two-mx.example': { txt: ['v=DMARC1; p=reject; rua=mailto:dmarc@two-mx.example'] },
    'equal-mx.example': {
      mx: [
        [10, 'c.equal-mx.example'],
        [10, 'a.equal-mx.example'],
        [10, 'b.equal-mx.example'],
        [5, 'z.equal-mx.example'],
      ],
    },
    'same-mx.example': {
      mx: [
        [30, 'mx1.two-mx.example'],
        [10, 'MX1.two-mx.example'],
        [20, 'mx2.two-mx.example'],
      ],
    },
    'google-hosted.example': {
      mx: [
        [1, 'aspmx.l.google.com'],
        [5, 'alt1.aspmx.l.google.com'],
        [5, 'alt2.aspmx.l.google.com'],
      ],
    },
    'xn--bcher-kva.example': { mx: [[10, 'mx.xn--bcher-kva.example']] },
    'mx.xn--bcher-kva.example': { a: ['192.0.2.13'] },

    // A domain that is its own mail host (RFC 5321 §5.1).
    'a-only.example': { a: ['192.0.2.21'] },
    'aaaa-only.example': { aaaa: ['2001:db8::21'] },
    'both-addresses.example': { a: ['192.0.2.22'], aaaa: ['2001:db8::22'] },

    // Domains without mail.
    'no-data.example': { txt: ['exists, and has nothing to do with mail'] },
    'leaf.empty-node.example': { a: ['192.0.2.23'] },
    'null-mx.example': { mx: [[0, '.']], a: ['192.0.2.24'], txt: ['v=spf1 -all'] },
    'null-mx-preferred.example': { mx: [[10, '.']] },
    'null-mx-and-real.example': {
      mx: [
        [0, '.'],
        [10, 'mx1.two-mx.example'],
      ],
    },
    'two-null-mx.example': {
      mx: [
        [0, '.'],
        [10, '.'],
      ],
    },

    // Aliases.
    'alias.example': { cname: 'two-mx.example' },
    'alias-chain.example': { cname: 'hop1.alias-chain.example' },
    'hop1.alias-chain.example': { cname: 'hop2.alias-chain.example' },
    'hop2.alias-chain.example': { cname: 'hop3.alias-chain.example' },
    'hop3.alias-chain.example': { cname: 'two-mx.example' },
    'alias-of-a.example': { cname: 'a-only.example' },
    'alias-of-nothing.example': { cname: 'no-data.example' },
    'alias-dangling.example': { cname: 'not-there.example' },
    'alias-self.example': { cname: 'alias-self.example' },
    'alias-loop.example': { cname: 'other.alias-loop.example' },
    'other.alias-loop.example': { cname: 'alias-loop.example' },
    'mx-to-alias.example': { mx: [[10, 'alias.mx-to-alias.example']] },
    'alias.mx-to-alias.example': { cname: 'mx1.two-mx.example' },

    // MX records that are not host names.
    'mx-integer.example': { mx: [[10, '2130706433']] },
    'mx-literal.example': { mx: [[10, '127.0.0.1']] },
    'mx-short-literal.example': { mx: [[10, '127.1']] },
    'mx-hex-literal.example': { mx: [[10, '127.0.0.0x1']] },
    'mx-zero.example': { mx: [[10, '0']] },
    'mx-localhost.example': { mx: [[10, 'localhost']] },
    'mx-below-localhost.example': { mx: [[10, 'mail.localhost']] },
    'mx-single-label.example': { mx: [[10, 'redis']] },
    'mx-underscore.example': { mx: [[10, 'mail_1.mx-underscore.example']] },
    'mx-hyphen.example': { mx: [[10, '-mail.mx-hyphen.example']] },
    'mx-control.example': { mx: [[10, 'a\\013\\010b.example']] },
    'mx-space.example': { mx: [[10, 'a\\032b.example']] },
    'mx-nul.example': { mx: [[10, 'a\\000.example']] },
    'mx-dot-in-label.example': { mx: [[10, 'a\\.b.example']] },
    'mx-bad-idna.example': { mx: [[10, 'xn--99999999.example']] },
    'mx-local.example': { mx: [[10, 'mail.printer.local']] },
    'mx-internal.example': { mx: [[10, 'mail.corp.internal']] },
    'mx-onion.example': { mx: [[10, 'mail.abcdefghijklmnop.onion']] },
    'mx-arpa.example': { mx: [[10, 'mail.home.arpa']] },
    'mx-invalid.example': { mx: [[10, 'mail.nowhere.invalid']] },
    'mx-test.example': { mx: [[10, 'mail.somewhere.test']] },
    'mx-alt.example': { mx: [[10, 'mail.somewhere.alt']] },
    'mx-odd-and-real.example': {
      mx: [
        [0, '0'],
        [5, 'localhost'],
        [10, 'mx1.two-mx.example'],
      ],
    },

    // MX host names without a reachable address.
    'mx-no-address.example': { mx: [[10, 'nothing.mx-no-address.example']] },
    'nothing.mx-no-address.example': { txt: ['no address here'] },
    'mx-not-there.example': { mx: [[10, 'not-there.example']] },
    'mx-private.example': { mx: [[10, 'mx.mx-private.example']] },
    'mx.mx-private.example': { a: ['10.0.0.25', '127.0.0.1', '169.254.169.254'], aaaa: ['fd00::25', '::1'] },
    'mx-itself.example': { mx: [[10, 'mx-itself.example']], a: ['192.0.2.25'] },

    // SPF and DMARC.
    'spf-none.example': { mx: [[10, 'mx1.two-mx.example']], txt: ['other=text', 'v=spf10 not spf', 'spf2.0/pra ?all'] },
    'spf-among-others.example': {
      mx: [[10, 'mx1.two-mx.example']],
      txt: ['site-verification=abc', 'V=SPF1 include:_spf.example ~all', ''],
    },
    'spf-bare.example': { mx: [[10, 'mx1.two-mx.example']], txt: ['v=spf1'] },
    'spf-in-parts.example': { mx: [[10, 'mx1.two-mx.example']], txt: [['v=s', 'pf1 ', '-all']] },
    'spf-twice.example': { mx: [[10, 'mx1.two-mx.example']], txt: ['v=spf1 -all', 'v=spf1 mx ~all'] },
    'dmarc-organisation.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-organisation.example': { txt: ['v=DMARC1; p=none; sp=quarantine'] },
    'news.dmarc-organisation.example': { mx: [[10, 'mx1.two-mx.example']] },
    'deep.news.dmarc-organisation.example': { mx: [[10, 'mx1.two-mx.example']] },
    'own.dmarc-organisation.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.own.dmarc-organisation.example': { txt: ['v=DMARC1;p=reject'] },
    'dmarc-twice.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-twice.example': { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    'dmarc-other-text.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-other-text.example': {
      txt: ['v=spf1 -all', 'p=none; v=DMARC1', 'v=DMARC12; p=none', 'v=dmarc1; p=none'],
    },
    'dmarc-no-policy.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-no-policy.example': { txt: ['v=DMARC1; sp=none'] },
    'dmarc-report-only.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-report-only.example': { txt: ['v=DMARC1; rua=mailto:reports@two-mx.example'] },
    'dmarc-servfail.example': { mx: [[10, 'mx1.two-mx.example']] },
    'dmarc-alias.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-alias.example': { cname: '_dmarc.two-mx.example' },
    'dmarc-alias-of-nothing.example': { mx: [[10, 'mx1.two-mx.example']] },
    '_dmarc.dmarc-alias-of-nothing.example': { cname: 'no-data.example' },
  },

  faults: {
    'servfail.example': 'servfail',
    'refused.example': 'refused',
    'silent.example': 'silent',
    'unreachable.example': 'unreachable',
    '_dmarc.dmarc-servfail.example': 'servfail',
  },
}
