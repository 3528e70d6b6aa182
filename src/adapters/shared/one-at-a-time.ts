/** Work that waits for the one before it, whether that succeeds or fails. */
export function oneAtATime(): <Done>(work: () => Promise<Done>) => Promise<Done> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}
