import { execFileSync } from 'node:child_process'

/** Runs a program to its end and returns its output. The error of a failed program contains its output. */
export function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env }, stdio: 'pipe' } as const
  try {
    return execFileSync(program, args, options)
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  }
}
