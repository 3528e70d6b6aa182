/**
 * The plan of the house: which folders there are, in which order features lean on each other, and
 * no circles.
 */
import { posix } from 'node:path';
import { importsOf } from './import-rules.ts';
import type { SourceFile } from './source-tree.ts';

/** Of its own, without those of folders within. */
const FILES_MAX = 20;

/**
 * A feature imports from those before it. The files that stand in a layer's own folder are for all.
 */
const FEATURES = [
  'runtime',
  'shared',
  'money',
  'catalog',
  'chains',
  'rates',
  'webhooks',
  'merchants',
  'audit',
  'accounts',
  'mails',
  'notices',
  'invoices',
  'links',
  'deposits',
  'payouts',
  'sending',
  'watching',
  'sweeps',
  'treasury',
  'checkout',
  'sandbox',
  'console',
];
const CORE = /^src\/(domain|ports|app)\/(?:([a-z-]+)\/)?/;

/** One sentence per folder with too many files. */
export function folderFaults(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => /^(?:src|tests)(?:\/|$)/.test(folder) && count > FILES_MAX)
    .map(([folder, count]) => `${folder} has ${count} files: give what belongs together a folder in it`);
}

/** One sentence per import of a later feature, and per folder of the core that is no feature. */
export function orderFaults(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const [, layer, feature] = CORE.exec(path) ?? [];
    if (feature === undefined) return [];
    const rank = FEATURES.indexOf(feature);
    if (rank < 0) return [`${path}: ${feature} is no feature: see tests/architecture/house-rules.ts`];
    return importsOf(text).flatMap(({ specifier }) => {
      const target = posix.join(posix.dirname(path), specifier);
      const [, targetLayer, other] = CORE.exec(target) ?? [];
      if (targetLayer !== layer || other === undefined || FEATURES.indexOf(other) <= rank) return [];
      return [`${path} may not import ${target}: ${other} comes after ${feature}`];
    });
  });
}

/** One sentence per group of files that import each other in a circle, types included. */
export function circleFaults(files: readonly SourceFile[]): readonly string[] {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
    ]),
  );
  const faults = new Set<string>();
  const done = new Set<string>();
  function walk(path: string, above: readonly string[]): void {
    const start = above.indexOf(path);
    if (start >= 0) faults.add(`a circle of imports: ${[...above.slice(start)].sort().join(', ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) walk(next, [...above, path]);
    done.add(path);
  }
  for (const path of imports.keys()) walk(path, []);
  return [...faults];
}
