/**
 * Where a nonce is only a name (Tron, Solana), nothing but its end keeps a transaction from paying
 * beside the one that was signed after it: the signer waits for that end by its own clock, gives
 * out again what its caller lost, and counts every signature against the limit of a day.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { solanaSigning } from '../../../src/adapters/chains/solana/codec/sign.ts';
import { tronSigning } from '../../../src/adapters/chains/tron/codec/sign.ts';
import type { SigningOrder } from '../../../src/ports/sending/signer.ts';
import { anId, NOW } from '../../support/builders.ts';
import {
  type CoinSigning,
  coinOrder,
  limits,
  openCoinSigning,
  payment,
} from '../../support/chains/utxo-signing.ts';

const LIFE_SECONDS = 60;
let signer: CoinSigning;
beforeEach(async () => {
  signer = await openCoinSigning(null, {
    aliveUntil: (_, at) => new Date(at.getTime() + LIFE_SECONDS * 1000),
  });
});
afterEach(() => signer.close());

const paying = (units: bigint): SigningOrder =>
  coinOrder({ payments: [payment({ units })], inputs: [], validUntil: 700n });
/** The same once more, by other bytes; `knows`: what whoever asks has stored of it. */
const again = (order: SigningOrder, knows: string | null): SigningOrder => ({
  ...order,
  payload: anId(),
  validUntil: 800n,
  replaces: knows,
});

test('another transaction of a nonce is signed only once the first can be mined no more, also after a restart', async () => {
  const order = paying(1_000n);
  const first = await signer.sign(order);
  const { message, lasting } = await signer.refusal(again(order, first.txid));
  expect(message).toContain('may be mined until');
  expect(lasting).toBe(false);
  signer.clock.advance(LIFE_SECONDS - 1);
  await signer.restart();
  await signer.refusal(again(order, first.txid));
  expect(await signer.sign(order)).toEqual(first);
  signer.clock.advance(1);
  const second = await signer.sign(again(order, first.txid));
  expect(second.txid).not.toBe(first.txid);
  expect(second.again).toBeUndefined();
  await signer.refusal(again(order, second.txid));
});

test('what was signed is given out again to whoever does not know of it, however late, and nothing else is signed', async () => {
  const order = paying(1_000n);
  const first = await signer.sign(order);
  for (const seconds of [0, LIFE_SECONDS, 30 * 24 * 3_600]) {
    signer.clock.advance(seconds);
    await signer.restart();
    for (const knows of [null, 'ab'.repeat(32)])
      expect(await signer.sign(again(order, knows))).toEqual({
        ...first,
        again: { validUntil: 700n, maxFeeUnits: 1_000n },
      });
  }
  expect(await signer.logged()).toHaveLength(1);
  const second = await signer.sign(again(order, first.txid));
  // Who knows only of the first gets the second, with its own end.
  expect(await signer.sign(again(order, first.txid))).toEqual({
    ...second,
    again: { validUntil: 800n, maxFeeUnits: 1_000n },
  });
});

test('each finds its own again, however long the log has become', async () => {
  const orders = Array.from({ length: 300 }, () => paying(1n));
  const signed = [];
  for (const order of orders) signed.push(await signer.sign(order));
  await signer.restart();
  for (const place of [0, 1, 150, 299]) {
    const { raw, txid } = await signer.sign(again(orders[place]!, null));
    expect({ raw, txid }).toEqual(signed[place]!);
  }
});

test('what is signed under other nonces meanwhile neither waits nor lets the first be forgotten', async () => {
  const order = paying(1_000n);
  const { txid } = await signer.sign(order);
  signer.clock.advance(LIFE_SECONDS / 2);
  for (let count = 0; count < 3; count += 1) await signer.sign(paying(1n));
  await signer.refusal(again(order, txid));
});

test('a nonce of something else is refused with the first one that is unused, and a payout of another nonce waits for an operator', async () => {
  const [one, other] = [paying(1n), paying(1n)];
  await signer.sign(one);
  await signer.sign(other);
  const { unusedFrom, message } = await signer.refusal({ ...paying(1n), nonce: one.nonce });
  expect(message).toContain('another transfer');
  expect(unusedFrom).toBe(other.nonce + 1n);
  // Whether its nonce was used or not: it may be paid already, so it must not fail.
  for (const nonce of [one.nonce, other.nonce + 9n]) {
    const { lasting, transferId } = await signer.refusal({ ...other, nonce, payload: anId() });
    expect({ lasting, transferId }).toEqual({ lasting: false, transferId: other.payments[0]!.transferId });
  }
});

test('each transaction of a nonce counts against the limit of a day: the signer cannot know which were mined', async () => {
  signer.policy(limits({ day: 10_000n }));
  const order = paying(4_000n);
  const first = await signer.sign(order);
  await signer.sign(order);
  signer.clock.advance(LIFE_SECONDS);
  const second = await signer.sign(again(order, first.txid));
  signer.clock.advance(LIFE_SECONDS);
  expect((await signer.refusal(again(order, second.txid))).message).toContain('24 hours');
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
