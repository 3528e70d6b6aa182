/** The project's own TypeScript, as text: what the architecture tests judge. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes: `src/domain/money/fee.ts`. */
  readonly path: string;
  readonly text: string;
}

const ROOT = join(import.meta.dir, '..', '..');
const FOLDERS = ['src', 'clients', 'scripts', 'tests', 'bench'];
/** Its tests quote what they forbid. */
const EXAMPLES = /^tests\/architecture\/.*\.test\.ts$/;
/** Of no interest to a reader: fetched, built or written by a run. */
const NOT_OURS = new Set([
  'node_modules',
  '.git',
  '.bun',
  '.nodes',
  '.artifacts',
  'artefacts',
  'data',
  'dist',
]);

export function sourceFiles(): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => filesBelow(folder))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !EXAMPLES.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** The path of every file of the checkout. */
export function repositoryPaths(): readonly string[] {
  return readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(entry.name) : [entry.name];
  });
}

/** The pages, as text. */
export function pages(): readonly SourceFile[] {
  return repositoryPaths()
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  try {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (NOT_OURS.has(entry.name)) continue;
      if (entry.isDirectory()) found.push(...filesBelow(path));
      else found.push(path);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return found;
}
