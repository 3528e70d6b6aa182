/** Work that is done in batches. */

/**
 * Repeats a step while it returns full batches and is not stopped: the rest is done after the next
 * start.
 */
export async function drain(
  step: (limit: number) => Promise<number>,
  limit: number,
  stopping?: AbortSignal,
): Promise<void> {
  let done = limit;
  while (done >= limit && !stopping?.aborted) done = await step(limit);
}
