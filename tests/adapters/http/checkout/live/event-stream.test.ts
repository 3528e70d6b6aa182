import { describe, expect, test } from 'bun:test';
import { eventStream } from '../../../../../src/adapters/http/checkout/live/event-stream.ts';

const textOf = (chunk: { value?: Uint8Array | undefined }) => new TextDecoder().decode(chunk.value);

describe('a stream of events', () => {
  test('keeps the newest one only for a reader that is slow', async () => {
    const stream = eventStream(() => undefined);
    for (let number = 0; number < 1_000; number += 1) stream.send(`data: ${number}`);
    stream.beat();
    const reader = stream.body.getReader();
    const read = [textOf(await reader.read()), textOf(await reader.read())];
    expect(read).toEqual(['data: 0\n\n', 'data: 999\n\n']);
    stream.beat();
    expect(textOf(await reader.read())).toBe(':\n\n');
  });

  test('says once that it is gone, and takes nothing afterwards', async () => {
    for (const go of ['reader', 'sender'] as const) {
      let gone = 0;
      const stream = eventStream(() => {
        gone += 1;
      });
      const reader = stream.body.getReader();
      if (go === 'reader') await reader.cancel();
      else stream.end();
      stream.send('data: late');
      stream.beat();
      stream.end();
      expect(gone).toBe(1);
      expect((await reader.read()).done).toBe(true);
    }
  });
});
