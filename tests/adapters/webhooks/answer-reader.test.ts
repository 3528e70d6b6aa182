/**
 * The reader of answers: in whatever pieces they come, what is read is the same, and nothing but
 * HTTP is taken for an answer.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { answerReader } from '../../../src/adapters/webhooks/answer-reader.ts';
import { AttemptFailure } from '../../../src/adapters/webhooks/failure.ts';

interface Read {
  readonly status: number | null;
  readonly body: string;
  readonly isOver: boolean;
  readonly reusableMs: number;
  readonly failure: string | null;
}

function read(bytes: Buffer, cuts: readonly number[] = []): Read {
  const reader = answerReader();
  let failure: string | null = null;
  let from = 0;
  for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    try {
      if (to > from) reader.feed(bytes.subarray(from, to));
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      failure = error.message;
      break;
    }
    from = to;
  }
  const answer = reader.answer();
  return {
    status: answer?.status ?? null,
    body: Buffer.concat(answer?.chunks ?? []).toString('latin1'),
    isOver: reader.isOver(),
    reusableMs: reader.reusableMs(),
    failure,
  };
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const aBody = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const someCuts = fc.array(fc.nat(2_000), { maxLength: 12 });

/** A body in one of the ways that tell its end, as the fields and bytes of an answer. */
const framed = (body: string) =>
  fc.oneof(
    fc.constant(`Content-Length: ${body.length}\r\n\r\n${body}`),
    fc
      .tuple(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 8 }), fc.constantFrom('', ';a=b', ' '))
      .map(([sizes, extension]) => {
        let rest = body;
        let text = '';
        for (const size of [...sizes, rest.length]) {
          const piece = rest.slice(0, size);
          rest = rest.slice(size);
          if (piece !== '') text += `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`;
        }
        if (rest !== '') text += `${rest.length.toString(16).toUpperCase()}\r\n${rest}\r\n`;
        return `transfer-encoding: Chunked\r\n\r\n${text}0\r\nX-Trailer: 1\r\n\r\n`;
      }),
  );

const anAnswer = fc
  .record({
    status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
    interim: fc.integer({ min: 0, max: 8 }),
    body: aBody,
  })
  .chain(({ status, interim, body }) =>
    framed(body).map((rest) => ({
      status,
      body,
      text: `${'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(interim)}HTTP/1.1 ${status} A reason\r\nDate: x\r\n${rest}`,
    })),
  );

describe('W1: an answer', () => {
  test('W1: is read whole in whatever pieces it comes, and leaves its connection to the next webhook', () => {
    fc.assert(
      fc.property(anAnswer, someCuts, ({ status, body, text }, cuts) => {
        expect(read(latin1(text), cuts)).toEqual({
          ...{ status, body, isOver: true, reusableMs: 4_000, failure: null },
        });
      }),
      { numRuns: 300 },
    );
  });

  test('W1: with bytes behind its end leaves no connection to anybody', () => {
    fc.assert(
      fc.property(
        anAnswer,
        someCuts,
        fc.constantFrom('x', '\r\n', 'HTTP/1.1 200 OK\r\n\r\n'),
        (answer, cuts, more) => {
          const found = read(latin1(answer.text + more), cuts);
          expect(found).toMatchObject({ status: answer.status, body: answer.body, reusableMs: 0 });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('W1: that was cut short, or damaged, is never taken for a whole one, and breaks nothing', () => {
    const damage = fc.record({ at: fc.nat(400), byte: fc.nat(255), keep: fc.nat(800) });
    fc.assert(
      fc.property(anAnswer, someCuts, damage, (answer, cuts, { at, byte, keep }) => {
        const whole = latin1(answer.text);
        const short = whole.subarray(0, Math.min(keep, whole.length - 1));
        expect(read(short, cuts)).toMatchObject({ reusableMs: 0 });
        const damaged = Buffer.from(whole);
        damaged[at % damaged.length] = byte;
        const found = read(damaged, cuts);
        expect(found.failure === null || found.status === null).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['HTTP/1.1 204 No Content\r\n\r\n', 204, 4_000],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', 304, 4_000],
    ['HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200, 4_000],
    ['HTTP/1.1 200 OK\nContent-Length: 0\n\n', 200, 4_000],
    ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n', 200, 4_000],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', 200, 0],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, CLOSE\r\n\r\n', 200, 0],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: max=9, timeout=3\r\n\r\n', 200, 2_000],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0, 0\r\n\r\n', 200, 4_000],
    ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 200, 0],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0x0\r\n\r\n', 200, 0],
  ])('W1: %j has status %p and may be followed for %p ms', (text, status, reusableMs) => {
    expect(read(latin1(text))).toMatchObject({ status, reusableMs, body: '' });
  });

  test.each([
    ['a greeting of SSH', 'SSH-2.0-OpenSSH\r\n', 'the answer is not HTTP'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n', 'the answer is not HTTP'],
    ['a status of two digits', 'HTTP/1.1 099 x\r\n\r\n', 'the answer is not HTTP'],
    ['a status of four digits', 'HTTP/1.1 2000 x\r\n\r\n', 'the answer is not HTTP'],
    ['http in small letters', 'http/1.1 200 OK\r\n\r\n', 'the answer is not HTTP'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\n\r\n', 'the receiver switched protocols'],
    [
      'a head without end',
      `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}`,
      'the head of the answer is too long',
    ],
    ['nine interim answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(9), 'too many interim answers'],
  ])('W1: %s is none', (_, text, failure) => {
    expect(read(latin1(text))).toMatchObject({ status: null, failure, reusableMs: 0 });
  });

  test('W1: without a length goes on until the connection ends, or 64 KiB were read', () => {
    expect(read(latin1('HTTP/1.1 200 OK\r\n\r\nso far'))).toMatchObject({ isOver: false, body: 'so far' });
    const long = read(latin1(`HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(70_000)}`), [30_000, 60_000]);
    expect(long).toMatchObject({ isOver: true, reusableMs: 0 });
    expect(long.body).toHaveLength(65_536);
  });
});
