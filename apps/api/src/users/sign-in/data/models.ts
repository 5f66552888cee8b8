/** Maps the models and fields of the sign-in library to our tables and columns. */
const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' }

export const MODELS = {
  user: { modelName: 'users', fields: { emailVerified: 'email_verified', ...TIMES } },
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'user_id',
      token: 'token_hash', // see hashedSessionTokens in auth.ts
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...TIMES,
    },
    // Written by our session code and by the database; the library only returns it.
    additionalFields: {
      lastSeenAt: { type: 'date' as const, fieldName: 'last_seen_at', input: false, required: false },
    },
  },
  account: {
    modelName: 'credentials',
    fields: { userId: 'user_id', providerId: 'provider', accountId: 'subject', ...TIMES },
  },
  verification: { modelName: 'verifications', fields: { expiresAt: 'expires_at', ...TIMES } },
}

export const ACCOUNT_MODELS = {
  session: { fields: { activeOrganizationId: 'active_account' } },
  organization: { modelName: 'account_profiles', fields: { createdAt: 'created_at' } },
  member: {
    modelName: 'members',
    fields: { organizationId: 'account_id', userId: 'user_id', createdAt: 'created_at' },
  },
  invitation: {
    modelName: 'invitations',
    fields: {
      organizationId: 'account_id',
      inviterId: 'inviter_id',
      expiresAt: 'expires_at',
      createdAt: 'created_at',
    },
  },
}

export const SECOND_FACTOR_MODELS = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'two_factors',
    fields: {
      userId: 'user_id',
      backupCodes: 'recovery_codes',
      failedVerificationCount: 'failed_count',
      lockedUntil: 'locked_until',
    },
  },
}
