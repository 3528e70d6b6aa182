/** What may be wrong, in words, and whether it is so; looked for in this order. */
export type Faults<Checked> = Readonly<Record<string, (checked: Checked) => boolean>>;

/** The words of the first fault; null when there is none. */
export function firstFault<Checked>(faults: Faults<Checked>, checked: Checked): string | null {
  return Object.keys(faults).find((fault) => faults[fault]!(checked)) ?? null;
}
