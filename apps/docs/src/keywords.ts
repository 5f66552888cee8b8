/**
 * Words that readers search for, by the page that explains them. They count more than its title, so the page comes first in the
 * search, before pages that only mention the word.
 */
export const KEYWORDS: Record<string, string> = {
  authentication: 'authentication authenticate scopes bearer',
  'api-conventions': 'pagination pages cursor rate limit idempotency idempotent',
  'concepts/credits': 'refund ledger charge balance',
  'reverse-proxy': 'reverse proxy load balancer nginx Caddy Traefik TLS',
  'deliverability-setup': 'egress HELO PTR warm-up port 25 blocked delisting blocklist SPF',
  privacy: 'GDPR personal data',
  webhooks: 'webhook signature',
  metrics: 'p95 percentiles',
  docker: 'Docker',
  backups: 'backup restore',
  upgrading: 'upgrade',
}

/** How much a word counts in the title and in the keywords of a page, compared with its text. */
export const META_WEIGHTS = { title: 5, keywords: 10 }
