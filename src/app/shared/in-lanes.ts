const LANES = 8;

/**
 * Runs `work` for each item in their order, `lanes` at a time. A failure ends it, once what is
 * under way has ended as well.
 */
export async function inLanes<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  lanes = LANES,
): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const lane = async () => {
    for (const item of left) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failures.length > 0) throw failures[0];
}
