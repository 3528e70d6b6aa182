/**
 * The body of a stream of server-sent events of which only the newest counts: a reader that is slow gets the latest one when
 * it reads again, and never makes us keep more than that.
 */

const ENCODER = new TextEncoder();

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** One or more lines as server-sent events have them. Takes the place of what was not read yet. */
  send(lines: string): void;
  /** Only where nothing else is on its way. */
  beat(): void;
  end(): void;
}

/** `onGone` is called once, when the reader goes away or the stream has ended. */
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
