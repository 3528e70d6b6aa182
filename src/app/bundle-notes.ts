/** What is remembered of bundles between steps, and may be forgotten: it only spares questions, or repeated alarms. */

/** Notes kept; the oldest go first. */
const NOTES_MAX = 20_000;

/** By bundle id. */
export function bundleNotes<Note>() {
  const kept = new Map<string, Note>();
  return {
    get: (bundleId: string): Note | undefined => kept.get(bundleId),
    set(bundleId: string, note: Note): void {
      kept.delete(bundleId);
      kept.set(bundleId, note);
      const [oldest] = kept.keys();
      if (kept.size > NOTES_MAX && oldest !== undefined) kept.delete(oldest);
    },
  };
}
