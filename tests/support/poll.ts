/** Waiting for something to become true, with a deadline: never a sleep that hopes. */
export async function until(
  what: string,
  deadlineMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`after ${deadlineMs} ms still waiting until ${what}`);
    await Bun.sleep(20);
  }
}
