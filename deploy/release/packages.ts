import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')

type Versions = Record<string, string>

/** The parts of a manifest that depend on where the package is used: in this repository or from a registry. */
export type Manifest = {
  name: string
  version: string
  private?: boolean
  scripts?: object
  devDependencies?: object
  dependencies?: Versions
}

/** Entry points of a published package. In the repository, they are TypeScript sources. */
type EntryPoints = { bin: Versions } | { main: string; types: string; exports: object }

const PACKAGES: Record<string, EntryPoints> = {
  'packages/sdk': {
    // `main` and `types` are for tools that do not read `exports`, such as TypeScript with moduleResolution node10.
    main: './probity.cjs',
    types: './probity.d.cts',
    exports: {
      '.': {
        import: { types: './probity.d.ts', default: './probity.js' },
        require: { types: './probity.d.cts', default: './probity.cjs' },
      },
      './package.json': './package.json',
    },
  },
  'apps/cli': { bin: { probity: './probity.mjs' } },
}

/**
 * Builds and packs the public packages and writes SHA256SUMS beside them. The same sources result in the same bytes: npm sorts the
 * entries of a tarball and gives all of them the same time and owner.
 */
export function packPackages(folder: string, repository: string): string[] {
  mkdirSync(folder, { recursive: true })
  const tarballs = Object.keys(PACKAGES).map((path) => packPackage(path, folder, repository))
  const sums = tarballs.map((file) => `${hashFile(join(folder, file))}  ${file}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  return tarballs
}

function packPackage(path: string, folder: string, repository: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'probity-package-'))
  try {
    const source = join(ROOT, path)
    run(join(source, 'node_modules/.bin/tsdown'), ['--log-level', 'error', '--out-dir', staging], source)
    const manifest = composeManifest(path, readManifest(path), repository)
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    for (const file of ['README.md', 'LICENSE']) cpSync(join(source, file), join(staging, file))
    const [packed] = JSON.parse(run('npm', ['pack', staging, '--json', '--pack-destination', folder], folder))
    return (packed as { filename: string }).filename
  } finally {
    rmSync(staging, { recursive: true })
  }
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as Manifest
}

/** npm needs `repository` to check the provenance of a package. */
export function composeManifest(path: string, manifest: Manifest, repository: string): object {
  const { private: _, scripts: __, devDependencies: ___, dependencies, ...published } = manifest
  return {
    ...published,
    ...PACKAGES[path],
    ...(dependencies && { dependencies: resolveVersions(dependencies) }),
    ...(repository !== '' && { repository: { type: 'git', url: `git+${repository}.git`, directory: path } }),
    publishConfig: { access: 'public' },
  }
}

/** Replaces `catalog:` by the version of pnpm-workspace.yaml. Packages of this repository are bundled, so no dependency is one. */
function resolveVersions(dependencies: Versions): Versions {
  const { catalog } = parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) as { catalog: Versions }
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, specifier]) => {
      const version = catalog[name]
      if (specifier !== 'catalog:' || version === undefined)
        throw new Error(`${name} ${specifier} is not in the catalog`)
      return [name, version]
    }),
  )
}

function hashFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Returns standard output. Standard error is shown. */
function run(program: string, args: string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
