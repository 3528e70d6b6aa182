/**
 * What happened in a history, line by line, and its digest: two runs of a seed that do the same
 * have the same digest, whatever the storage is.
 */

export interface Told {
  /** A process, or who else acted: `customer`, `miner`, `node`. */
  readonly by: string;
  readonly what: string;
}

export interface Story {
  tell(told: Told): void;
  readonly digest: number;
  /** Empty unless lines are kept. */
  readonly lines: readonly string[];
}

export function story({ keeps }: { readonly keeps: boolean }): Story {
  const lines: string[] = [];
  let digest = 0;
  return {
    tell({ by, what }) {
      for (const text of [by, what])
        for (let at = 0; at < text.length; at += 1)
          digest = (Math.imul(digest, 31) + text.charCodeAt(at)) | 0;
      if (keeps) lines.push(`${by}: ${what}`);
    },
    get digest() {
      return digest;
    },
    lines,
  };
}
