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

/** The promise's value, or an error that says what did not end in time. */
export async function within<T>(what: string, deadlineMs: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} did not end within ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
