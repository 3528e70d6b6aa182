/** Reads a picture from a file. */
import { readFileSync, statSync } from 'node:fs';
import { LOGO_BYTES_MAX, logoHeader } from '../../src/domain/merchants/brand.ts';
import type { PictureType } from '../../src/domain/merchants/image-header.ts';
import { UsageError } from './failures.ts';

/** A PNG, JPEG or WebP of at most LOGO_BYTES_MAX. Throws UsageError for anything else. */
export function imageOf(path: string): { readonly type: PictureType; readonly bytes: Uint8Array } {
  const bytes = bytesOf(path);
  const header = logoHeader(bytes);
  if (typeof header === 'string') throw new UsageError(`will not do: ${path} ${header}`);
  return { type: header.type, bytes };
}

function bytesOf(path: string): Uint8Array {
  try {
    const file = statSync(path);
    if (!file.isFile()) throw new Error(`${path} is no file`);
    if (file.size > LOGO_BYTES_MAX) throw new Error(`${path} has more than ${LOGO_BYTES_MAX / 1024} KiB`);
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot be taken: ${(error as Error).message}`);
  }
}
