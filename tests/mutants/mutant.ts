/** A bug of one line that somebody could write, and the tests that must notice it. */
export interface Mutant {
  /** Source file, from the root of the checkout. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly find: string;
  /** What the bug makes of it. The file must still be TypeScript, or SQL as a migration is. */
  readonly replace: string;
  /** Test files of which at least one must fail. */
  readonly tests: readonly string[];
  /** Why no test can notice it, or need not. Such a mutant must survive. */
  readonly survives?: string;
}

/** The source with the bug in it. Throws where `find` does not stand there exactly once. */
export function plant(source: string, { file, find, replace }: Mutant): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} places that say: ${find}`);
  if (find === replace) throw new Error(`${file}: nothing changes: ${find}`);
  return source.replace(find, () => replace);
}

/** One bug: what stands there, what it becomes, and why it survives where it must. */
export type Planting = readonly [find: string, replace: string, survives?: string];

/** Bugs of one file that the same tests must notice. */
export function bugs(
  file: string,
  tests: readonly string[],
  plantings: readonly Planting[],
): readonly Mutant[] {
  return plantings.map(([find, replace, survives]) => ({
    ...{ file, find, replace, tests },
    ...(survives === undefined ? {} : { survives }),
  }));
}
