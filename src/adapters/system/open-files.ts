/** How many files, including sockets, this process may have open at a time. */
import { readFileSync } from 'node:fs';

/** The soft limit on Linux; null on other systems. */
export function openFilesMax(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}
