/**
 * Makes the bundle that `scripts/serve` runs, unless there is one of these sources. scripts/serve
 * does so at a start; an image or a checkout that the service may not write is prepared with it.
 */
import { join } from 'node:path';
import { makeBundle } from './support/make-bundle.ts';
import { findBundle } from './support/service-bundle.ts';

const ROOT = join(import.meta.dir, '..');

try {
  if (findBundle(ROOT) === null) await makeBundle(ROOT);
} catch (error) {
  console.error(`The bundle of the service was not made: ${String(error)}`);
  process.exit(1);
}
