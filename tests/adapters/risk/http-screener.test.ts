import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { httpScreener } from '../../../src/adapters/risk/http-screener.ts';
import {
  DENIED_EVM,
  DENIED_TRON,
  describeRiskScreener,
  riskSubject,
} from '../../contracts/deposits/risk-screener.ts';
import { type RiskService, startRiskService } from '../../support/rates/risk-service.ts';

describeRiskScreener('HTTP service', async () => {
  const service = startRiskService([DENIED_EVM, DENIED_TRON]);
  return {
    screener: httpScreener({ url: service.url, timeoutMs: 2_000 }),
    breakDown: async () => service.answerWith(() => new Response('busy', { status: 503 })),
    repair: async () => service.answerWith(null),
    close: service.stop,
  };
});

let service: RiskService;
beforeEach(() => {
  service = startRiskService([]);
});
afterEach(() => service.stop());

const screen = (url = service.url, timeoutMs = 2_000) =>
  httpScreener({ url, timeoutMs }).screen(riskSubject());

test('the payment is sent whole, with its units as an exact decimal string', async () => {
  await screen();
  expect(service.requests).toEqual([
    {
      authorization: null,
      body: { ...riskSubject(), units: (2n ** 200n).toString() },
    },
  ]);
});

test('user and password of the URL are sent as Basic authentication and not as part of the URL', async () => {
  await screen(service.url.replace('http://', 'http://us%40er:p%3Ass%@'));
  expect(service.requests[0]?.authorization).toBe(`Basic ${btoa('us@er:p:ss%')}`);
});

test('a hit carries the reason of the service, made fit for storing', async () => {
  service.answerWith(() => new Response('{"decision":"hit","reason":" sanctioned\\u0000 \\ud800 mixer "}'));
  expect(await screen()).toEqual({ kind: 'hit', reason: 'sanctioned \ufffd mixer' });
  service.answerWith(() => Response.json({ decision: 'hit', reason: 'x'.repeat(2_000) }));
  expect(await screen()).toEqual({ kind: 'hit', reason: 'x'.repeat(500) });
  for (const reason of [undefined, null, 7, '  ', {}]) {
    service.answerWith(() => Response.json({ decision: 'hit', reason }));
    expect(await screen()).toEqual({ kind: 'hit', reason: 'reported by the screening service' });
  }
});

describe('no verdict comes from', () => {
  const answers: [string, () => Response | Promise<Response>][] = [
    ['an error status with a decision', () => Response.json({ decision: 'pass' }, { status: 500 })],
    ['a created status with a decision', () => Response.json({ decision: 'pass' }, { status: 201 })],
    ['a client error', () => Response.json({ decision: 'pass' }, { status: 401 })],
    ['an empty answer', () => new Response('')],
    ['a page', () => new Response('<html>pass</html>')],
    ['null', () => new Response('null')],
    ['a bare word', () => new Response('"pass"')],
    ['a list', () => Response.json([{ decision: 'pass' }])],
    ['another word', () => Response.json({ decision: 'PASS' })],
    ['a decision that is no text', () => Response.json({ decision: true })],
    ['a half object', () => new Response('{"decision":"pass"')],
    ['a huge answer', () => new Response(`{"decision":"pass","x":"${'x'.repeat(100_000)}"}`)],
  ];
  test.each(answers)('%s', async (_, respond) => {
    service.answerWith(respond);
    expect(await screen()).toEqual({
      kind: 'unavailable',
      reason: expect.stringMatching(/^the screening service /),
    });
  });

  test('a redirect, which is not followed', async () => {
    const other = startRiskService([]);
    service.answerWith(() => Response.redirect(other.url, 307));
    expect(await screen()).toEqual({
      kind: 'unavailable',
      reason: 'the screening service answered with status 307',
    });
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  test('a service that is slow, with the header or with the body', async () => {
    service.answerWith(() => new Promise(() => {}));
    expect(await screen(service.url, 100)).toEqual({
      kind: 'unavailable',
      reason: 'the screening service gave no answer within 100 ms',
    });
    service.answerWith(
      () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([123])) })),
    );
    expect((await screen(service.url, 100)).kind).toBe('unavailable');
  });

  test('a service that is not there, and the reason does not show its password', async () => {
    await service.stop();
    expect(await screen(service.url.replace('//', '//user:secret@'))).toEqual({
      kind: 'unavailable',
      reason: 'the screening service cannot be reached',
    });
  });
});

test.each(['', 'screening.example', 'ftp://screening.example'])('%p is a fault of the settings', (url) => {
  expect(() => httpScreener({ url, timeoutMs: 1 })).toThrow('must be an http(s) URL');
});
