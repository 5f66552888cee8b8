import { EVIDENCE_CHECKS } from '@probity/contract/constants/data/evidence-checks'

const { passed: _, ...reasons } = EVIDENCE_CHECKS.syntax.outcomes

/** The reasons for which a text is not an address, each with its meaning: the outcomes of the check `syntax`. */
export const MALFORMED_REASONS = reasons
