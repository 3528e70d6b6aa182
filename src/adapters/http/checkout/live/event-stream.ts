/**
 * The body of a stream of server-sent events. It keeps the newest event only: a slow reader gets
 * that one when it reads again.
 */

const ENCODER = new TextEncoder();

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Takes the lines of one event. Replaces an event that was not read yet. */
  send(lines: string): void;
  /** Sends a comment, unless an event is waiting. */
  beat(): void;
  end(): void;
}

/** `onGone` is called once, when the reader disconnects or the stream ends. */
export function eventStream(onGone: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let latest: string | null = null;

  function gone(): void {
    if (controller === null) return;
    controller = null;
    latest = null;
    onGone();
  }

  function flush(): void {
    if (controller === null || latest === null || (controller.desiredSize ?? 0) <= 0) return;
    const lines = latest;
    latest = null;
    controller.enqueue(ENCODER.encode(`${lines}\n\n`));
  }

  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    pull: flush,
    cancel: gone,
  });
  return {
    body,
    send(lines) {
      latest = lines;
      flush();
    },
    beat() {
      if (latest === null) this.send(':');
    },
    end() {
      controller?.close();
      gone();
    },
  };
}
