/**
 * Where a sequence is only a name (Tron, Solana), nothing but its end keeps a transaction from paying beside the one that was
 * signed after it: the signer waits for that end by its own clock, and counts every signature against the limit of a day.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { solanaSigning } from '../../../src/adapters/chains/solana/sign.ts';
import { tronSigning } from '../../../src/adapters/chains/tron/sign.ts';
import type { SigningOrder } from '../../../src/ports/signer.ts';
import { anId, NOW } from '../../support/builders.ts';
import { type CoinSigning, coinOrder, limits, openCoinSigning, payment } from '../../support/coin-signing.ts';

const LIFE_SECONDS = 60;
let signer: CoinSigning;
beforeEach(async () => {
  signer = await openCoinSigning(null, {
    aliveUntil: (_, at) => new Date(at.getTime() + LIFE_SECONDS * 1000),
  });
});
afterEach(() => signer.close());

const paying = (units: bigint): SigningOrder => coinOrder({ payments: [payment({ units })], inputs: [] });
const again = (order: SigningOrder): SigningOrder => ({ ...order, payload: anId() });

test('another transaction of a sequence is signed only once the first can be mined no more, also after a restart', async () => {
  const order = paying(1_000n);
  const first = await signer.sign(order);
  const { message, lasting } = await signer.refusal(again(order));
  expect(message).toContain('may be mined until');
  expect(lasting).toBe(false);
  signer.clock.advance(LIFE_SECONDS - 1);
  await signer.restart();
  await signer.refusal(again(order));
  expect(await signer.sign(order)).toEqual(first);
  signer.clock.advance(1);
  const second = await signer.sign(again(order));
  expect(second.txid).not.toBe(first.txid);
  await signer.refusal(again(order));
});

test('what is signed under other sequences meanwhile neither waits nor lets the first be forgotten', async () => {
  const order = paying(1_000n);
  await signer.sign(order);
  signer.clock.advance(LIFE_SECONDS / 2);
  for (let count = 0; count < 3; count += 1) await signer.sign(paying(1n));
  await signer.refusal(again(order));
});

test('each transaction of a sequence counts against the limit of a day: the signer cannot know which were mined', async () => {
  signer.policy(limits({ day: 10_000n }));
  const order = paying(4_000n);
  await signer.sign(order);
  await signer.sign(order);
  signer.clock.advance(LIFE_SECONDS);
  await signer.sign(again(order));
  signer.clock.advance(LIFE_SECONDS);
  expect((await signer.refusal(again(order))).message).toContain('24 hours');
  await signer.restart();
  await signer.refusal(paying(2_001n));
  await signer.sign(paying(2_000n));
});

test('the end of a transaction of Tron is the one that it carries, and that of Solana two lives of its blockhash, with a margin', () => {
  const mnemonic = () => Promise.reject(new Error('nothing is signed'));
  const until = (validUntil: bigint) => coinOrder({ validUntil });
  const expiration = BigInt(NOW.getTime() + 600_000);
  expect(tronSigning({ mnemonic }).aliveUntil?.(until(expiration), NOW)).toEqual(
    new Date(NOW.getTime() + 630_000),
  );
  expect(solanaSigning({ mnemonic }).aliveUntil?.(until(5n), NOW)).toEqual(new Date(NOW.getTime() + 120_000));
});
