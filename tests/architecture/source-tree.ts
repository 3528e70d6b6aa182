/** The project's own TypeScript, as text: what the architecture tests judge. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes: `src/domain/money.ts`. */
  readonly path: string;
  readonly text: string;
}

const ROOT = join(import.meta.dir, '..', '..');
const FOLDERS = ['src', 'clients', 'scripts', 'tests', 'bench'];
/** Its tests quote what they forbid. */
const EXAMPLES = /^tests\/architecture\/.*\.test\.ts$/;
/** Built, and not in the repository. */
const BUILT = /^clients\/[a-z]+\/dist\//;

export function sourceFiles(): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => filesBelow(folder))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !EXAMPLES.test(path) && !BUILT.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  try {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) found.push(...filesBelow(path));
      else found.push(path);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return found;
}
