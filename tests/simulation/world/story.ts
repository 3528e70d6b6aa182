/**
 * What happened in a history, line by line, and its digest: two runs of a seed that do the same
 * have the same digest, whatever the storage is. Lines are kept only where somebody reads them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Told {
  /** A process, or who else acted: `customer`, `miner`, `node`. */
  readonly by: string;
  readonly what: string;
}

/** `point`: a process went on at a point. `change`: rows of the books changed. */
export type LineKind = 'act' | 'point' | 'fault' | 'change';

export interface StoryLine extends Told {
  readonly kind: LineKind;
  readonly atMs: number;
  /** The job or request within which it happened. */
  readonly task: string | null;
}

export interface Story {
  tell(kind: LineKind, told: Told): void;
  /** The same for a line of a task, whose name was taken earlier. */
  tellOf(task: string | null, kind: LineKind, told: Told): void;
  /** For people only: no part of the digest. */
  note(told: Told): void;
  /** Runs `work`; what it causes is told as its own. */
  within<T>(task: string, work: () => T): T;
  readonly task: string | null;
  readonly keeps: boolean;
  readonly digest: number;
  /** Empty unless lines are kept. */
  readonly lines: readonly StoryLine[];
}

const current = new AsyncLocalStorage<string>();

export function story({ keeps, now }: { readonly keeps: boolean; readonly now: () => number }): Story {
  const lines: StoryLine[] = [];
  let digest = 0;
  const task = () => (keeps ? (current.getStore() ?? null) : null);
  function tellOf(of: string | null, kind: LineKind, { by, what }: Told): void {
    digest = digestOf(digestOf(digest, by), what);
    if (keeps) lines.push({ kind, atMs: now(), by, task: of, what });
  }
  return {
    tell: (kind, told) => tellOf(task(), kind, told),
    tellOf,
    note({ by, what }) {
      if (keeps) lines.push({ kind: 'change', atMs: now(), by, task: task(), what });
    },
    within: (of, work) => (keeps ? current.run(of, work) : work()),
    get task() {
      return task();
    },
    keeps,
    get digest() {
      return digest;
    },
    lines,
  };
}

function digestOf(digest: number, text: string): number {
  let next = digest;
  for (let at = 0; at < text.length; at += 1) next = (Math.imul(next, 31) + text.charCodeAt(at)) | 0;
  return next;
}

/** Amounts are bigints, which JSON lacks. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
