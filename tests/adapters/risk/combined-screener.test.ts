import { expect, test } from 'bun:test';
import { combinedScreener } from '../../../src/adapters/risk/combined-screener.ts';
import { denyListScreener } from '../../../src/adapters/risk/deny-list-screener.ts';
import { httpScreener } from '../../../src/adapters/risk/http-screener.ts';
import type { RiskScreener, RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import {
  DENIED_EVM,
  DENIED_TRON,
  describeRiskScreener,
  riskSubject,
} from '../../contracts/deposits/risk-screener.ts';
import { startRiskService } from '../../support/rates/risk-service.ts';

describeRiskScreener('deny list and HTTP service together', async () => {
  const service = startRiskService([DENIED_TRON]);
  return {
    screener: combinedScreener([
      denyListScreener({ addresses: [DENIED_EVM] }),
      httpScreener({ url: service.url, timeoutMs: 2_000 }),
    ]),
    breakDown: async () => service.answerWith(() => new Response('busy', { status: 503 })),
    repair: async () => service.answerWith(null),
    close: service.stop,
  };
});

const pass: RiskVerdict = { kind: 'pass' };
const hitA: RiskVerdict = { kind: 'hit', reason: 'a' };
const hitB: RiskVerdict = { kind: 'hit', reason: 'b' };
const downA: RiskVerdict = { kind: 'unavailable', reason: 'a' };
const downB: RiskVerdict = { kind: 'unavailable', reason: 'b' };

test.each<[readonly RiskVerdict[], RiskVerdict]>([
  [[], pass],
  [[pass], pass],
  [[pass, pass], pass],
  [[hitA, hitB], hitA],
  [[pass, hitB], hitB],
  [[downA, pass], downA],
  [[pass, downB], downB],
  [[downA, downB], downA],
  [[downA, hitB], hitB],
  [[hitA, downB], hitA],
])('%j together give %j', async (verdicts, expected) => {
  const screeners = verdicts.map((verdict): RiskScreener => ({ screen: async () => verdict }));
  expect(await combinedScreener(screeners).screen(riskSubject())).toEqual(expected);
});

test('those after a hit are not asked', async () => {
  let asked = 0;
  const counting: RiskScreener = {
    screen: async () => {
      asked += 1;
      return pass;
    },
  };
  await combinedScreener([counting, { screen: async () => hitA }, counting]).screen(riskSubject());
  expect(asked).toBe(1);
});
