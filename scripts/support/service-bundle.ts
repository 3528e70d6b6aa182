/**
 * The bundle of the service: its modules and the packages that every start loads, in few files, so
 * that a start neither finds nor transpiles a thousand of them
 * (docs/decisions/0048-bundle-of-the-service.md). A bundle lists the files that it was made of, and
 * is found only while each has the bytes that it had.
 */
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

export const ENTRY = 'main.js';
export const INPUTS = 'inputs.json';

/** What the bundle was made of: files below the root, and a digest of them. */
export interface Inputs {
  readonly files: readonly string[];
  readonly digest: string;
}

export function bundlesFolder(root: string): string {
  return join(root, '.built');
}

/**
 * The folder of the bundle whose inputs are what they were, null if there is none. It is marked as
 * used, so that making others removes it last.
 */
export function findBundle(root: string): string | null {
  const folder = bundlesFolder(root);
  for (const name of bundleNames(folder)) {
    const bundle = join(folder, name);
    if (!isCurrent(root, bundle)) continue;
    markUsed(bundle);
    return bundle;
  }
  return null;
}

/** The bundles, not what is being made. */
export function bundleNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]+$/.test(name));
  } catch {
    return []; // none was made
  }
}

/**
 * Digest of the files' names and bytes, and of what else decides how a bundle is made: the runtime,
 * and the root, which the modules' own addresses contain. Throws if a file cannot be read.
 */
export function digestOf(root: string, files: readonly string[]): string {
  const hasher = new Bun.CryptoHasher('sha256');
  const entry = (name: string, bytes: string | Uint8Array) => {
    hasher.update(`${name}\0${bytes.length}\0`);
    hasher.update(bytes);
  };
  entry('bun', `${Bun.version} ${Bun.revision} ${process.platform} ${process.arch}`);
  entry('root', root);
  for (const file of files) entry(file, readFileSync(join(root, file)));
  return hasher.digest('hex');
}

function isCurrent(root: string, bundle: string): boolean {
  try {
    const { files, digest } = JSON.parse(readFileSync(join(bundle, INPUTS), 'utf8')) as Inputs;
    return digestOf(root, files) === digest;
  } catch {
    return false; // an input is gone, or the bundle is being removed
  }
}

function markUsed(bundle: string): void {
  try {
    utimesSync(bundle, new Date(), new Date());
  } catch {
    // a disk that is only read, or another user's: nothing is removed there
  }
}
