/**
 * Files that are complete or absent, even if several processes write at the same time or one is
 * killed.
 */
import { randomUUID } from 'node:crypto';
import { link, open, realpath, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes `text` (mode 0600, flushed to disk) under `path`, and leaves an existing file alone. The
 * text is complete before it gets its name: `link` is atomic and, unlike `rename`, fails if the
 * name exists.
 * @returns whether this call created the file
 */
export async function createFileOnce(path: string, text: string): Promise<boolean> {
  const temporary = await writeBeside(path, text);
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

/**
 * Replaces an existing file with `text` (mode 0600, flushed to disk); readers see the old or the
 * new one.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path);
  const temporary = await writeBeside(target, text);
  try {
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  await flushDirectory(dirname(target));
}

async function writeBeside(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
  return temporary;
}

async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
