/**
 * Makes the bundle of the service. It appears whole or not at all, whoever else makes one and
 * wherever this process ends; a source that changes meanwhile makes it fail.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BunPlugin, build } from 'bun';
import { bundleNames, bundlesFolder, digestOf, ENTRY, INPUTS, type Inputs } from './service-bundle.ts';

/**
 * Packages that every start loads. All others stay in node_modules, loaded at their first use: a
 * package that signs runs as its makers published it, and as the tests run it.
 */
const BUNDLED =
  /^(@noble\/(curves|hashes)|@scure\/(base|bip32)|@sinclair\/typebox|croner|drizzle-orm|elysia|ipaddr\.js|pino|prom-client)$/;
/** Beside what the bundler reads: how it reads it, and which packages it finds. */
const SETTINGS = [
  'package.json',
  'tsconfig.json',
  'bun.lock',
  'scripts/support/make-bundle.ts',
  'scripts/support/service-bundle.ts',
];
/** The newest use counts. Each has about 10 MB. */
const KEPT = 3;
const STAGING = '.new-';
/** Nothing is made for so long: it was given up. */
const GIVEN_UP_MS = 3_600_000;

/** Answers its folder. Throws if the disk cannot be written or a source does not compile. */
export async function makeBundle(root: string): Promise<string> {
  const folder = bundlesFolder(root);
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(folder, STAGING));
  try {
    const began = statSync(staging).ctimeMs;
    const inputs = inputsOf(root, await bundled(root, staging));
    refuseChanged(root, inputs.files, began);
    writeFileSync(join(staging, INPUTS), JSON.stringify(inputs));
    chmodSync(staging, 0o755);
    // A power failure may otherwise leave the name without the bytes.
    for (const name of readdirSync(staging)) sync(join(staging, name));
    const bundle = join(folder, inputs.digest.slice(0, 16));
    moveUnlessThere(staging, bundle);
    removeOld(folder);
    return bundle;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Answers the files that the bundler read. */
async function bundled(root: string, outdir: string): Promise<readonly string[]> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const packages = Object.keys(dependencies).filter((name) => !BUNDLED.test(name));
  const { metafile } = await build({
    entrypoints: [join(root, 'src', 'main.ts')],
    root,
    outdir,
    naming: { entry: ENTRY },
    target: 'bun',
    splitting: true,
    sourcemap: 'linked',
    metafile: true,
    external: packages.flatMap((name) => [name, `${name}/*`]),
    plugins: [ownAddresses()],
  });
  for (const name of readdirSync(outdir)) if (name.endsWith('.map')) withoutSources(join(outdir, name));
  return Object.keys(metafile?.inputs ?? {}).map((path) => resolve(path));
}

/**
 * A module of a bundle that asks where it is gets the place of its source: the files of pages and
 * the migrations stand there.
 */
function ownAddresses(): BunPlugin {
  return {
    name: 'own-addresses',
    setup(builder) {
      builder.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
        loader: 'ts',
        contents: (await Bun.file(path).text())
          .replaceAll(/\bimport\.meta\.url\b/g, () => JSON.stringify(pathToFileURL(path).href))
          .replaceAll(/\bimport\.meta\.dir\b/g, () => JSON.stringify(dirname(path))),
      }));
    },
  };
}

/**
 * The map of places alone: the sources are in the checkout. It is read for the first stack trace,
 * in half the time without them.
 */
function withoutSources(path: string): void {
  const map = JSON.parse(readFileSync(path, 'utf8')) as { sources: readonly string[] };
  writeFileSync(path, JSON.stringify({ ...map, sourcesContent: map.sources.map(() => '') }));
}

function inputsOf(root: string, read: readonly string[]): Inputs {
  const settings = SETTINGS.map((name) => join(root, name)).filter((path) => existsSync(path));
  const all = new Set([...settings, ...read, ...read.flatMap(packageFiles)]);
  const files = [...all].map((path) => relative(root, path)).sort();
  return { files, digest: digestOf(root, files) };
}

/** Each package.json from the file's folder up to the folder of packages. */
function packageFiles(path: string): readonly string[] {
  const found: string[] = [];
  if (!path.includes('/node_modules/')) return found;
  for (let folder = dirname(path); basename(folder) !== 'node_modules'; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) found.push(file);
  }
  return found;
}

/**
 * The bundler may have read another text than the digest. The disk's clock counts, as `began` does:
 * what changes later has that time or a later one.
 */
function refuseChanged(root: string, files: readonly string[], began: number): void {
  const changed = files.find((file) => statSync(join(root, file)).ctimeMs >= began);
  if (changed !== undefined) throw new Error(`${changed} changed while it was bundled`);
}

/** Another process may have made the same one. */
function moveUnlessThere(staging: string, bundle: string): void {
  try {
    renameSync(staging, bundle);
  } catch (error) {
    if (!existsSync(join(bundle, INPUTS))) throw error;
  }
}

function removeOld(folder: string): void {
  const usedAt = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byUse = bundleNames(folder).toSorted((one, other) => usedAt(other) - usedAt(one));
  const givenUp = readdirSync(folder).filter(
    (name) => name.startsWith(STAGING) && usedAt(name) < Date.now() - GIVEN_UP_MS,
  );
  for (const name of [...byUse.slice(KEPT), ...givenUp]) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
