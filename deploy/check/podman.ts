/** Podman's default runtime needs a newer kernel interface than every machine has; runc works with both. */
export const PODMAN = ['--runtime', 'runc']
/** The public sandbox key of the documentation. */
export const SANDBOX_KEY = 'pb_test_PublicSandboxPublicSandboxPublic2NO9Jx'
