/** How many files, sockets among them, this process may have open at a time. */
import { readFileSync } from 'node:fs';

/** The soft limit as Linux tells it; null on other systems. */
export function openFilesMax(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}
