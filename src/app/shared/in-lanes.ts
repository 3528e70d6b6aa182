const AT_A_TIME = 8;

/** Runs `work` for each item, a bounded number at a time; the first failure ends it. */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failed = false;
  const lane = async () => {
    for (const item of left) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
}
