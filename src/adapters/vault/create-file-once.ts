/** Creates a file whole or not at all, exactly once, even when several processes try at the same time or one is killed half way. */
import { randomUUID } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes `text` (mode 0600, flushed to disk) under `path`, and leaves an existing file alone. The text is complete before
 * it gets its name: `link` is atomic and, unlike `rename`, fails when somebody else was first.
 * @returns whether this call made the file
 */
export async function createFileOnce(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(temporary);
  }
  await flushDirectory(dirname(path));
  return true;
}

async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
