/** Possible faults as text, each with its test; checked in this order. */
export type FaultChecks<Checked> = Readonly<Record<string, (checked: Checked) => boolean>>;

/** The text of the first fault; null when there is none. */
export function firstFault<Checked>(faults: FaultChecks<Checked>, checked: Checked): string | null {
  return Object.keys(faults).find((fault) => faults[fault]!(checked)) ?? null;
}
