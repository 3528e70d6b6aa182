/** A run of seeds in several processes: each plays every n-th seed, and tells its results. */
import { join } from 'node:path';
import type { SeedResult } from './seeds.ts';

const SIMULATE = join(import.meta.dir, '..', 'simulate.ts');

export interface PartsRun {
  readonly results: AsyncIterable<SeedResult>;
  /** Ends its processes; what they told so far still comes. */
  end(): void;
}

/** `options`: those of the whole run. Throws when a process ends otherwise than after its seeds. */
export function playParts(options: readonly string[], parts: number): PartsRun {
  let isEnded = false;
  const children = Array.from({ length: parts }, (_, nth) =>
    Bun.spawn([process.execPath, SIMULATE, ...options, '--part', `${nth}/${parts}`], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  async function* results(): AsyncGenerator<SeedResult> {
    const readers = new Map(children.map((child, nth) => [nth, resultsOf(child)] as const));
    const next = new Map([...readers].map(([nth, reader]) => [nth, nextOf(nth, reader)] as const));
    while (next.size > 0) {
      const { nth, done, value } = await Promise.race(next.values());
      if (done === true) next.delete(nth);
      else {
        next.set(nth, nextOf(nth, readers.get(nth)!));
        yield value;
      }
    }
    for (const child of children) {
      const code = await child.exited;
      if (code !== 0 && !isEnded) throw new Error(`a process of the run ended with ${code}`);
    }
  }
  return {
    results: { [Symbol.asyncIterator]: results },
    end() {
      isEnded = true;
      for (const child of children) child.kill();
    },
  };
}

async function nextOf(nth: number, reader: AsyncGenerator<SeedResult>) {
  const { done, value } = await reader.next();
  return { nth, done, value: value as SeedResult };
}

async function* resultsOf({ stdout }: { stdout: ReadableStream<Uint8Array> }): AsyncGenerator<SeedResult> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as SeedResult;
  }
}
