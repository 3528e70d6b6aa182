/**
 * What a wallet can still pay: its money less the fees, what was committed, what it keeps and what
 * is nobody's to spend yet.
 */
import { expect, test } from 'bun:test';
import { spendableBalanceOf, type WalletSnapshot } from '../../../src/app/sending/spendable-balance.ts';

const COIN = 'eth_ethereum';
const TOKEN = 'usdt_ethereum';
const NOTHING = { floorUnits: new Map<string, bigint>() };
const view: WalletSnapshot = {
  ...{ nativeAsset: COIN, height: 1, since: { height: 1 }, unasked: new Map() },
  units: new Map([
    [COIN, 100n],
    [TOKEN, 50n],
  ]),
  feeUnits: new Map([
    [COIN, 10n],
    [TOKEN, 20n],
  ]),
};
const pays = (spendable: ReturnType<typeof spendableBalanceOf>, asset: string, sentUnits: bigint) =>
  spendable.shortfall({ asset, sentUnits }) === null;

test('the coin pays amount and fee, a token its amount and the coin the fee', () => {
  const spendable = spendableBalanceOf(view, [], NOTHING);
  expect([pays(spendable, COIN, 90n), pays(spendable, COIN, 91n)]).toEqual([true, false]);
  expect([pays(spendable, TOKEN, 50n), pays(spendable, TOKEN, 51n)]).toEqual([true, false]);
  spendable.reserve({ asset: COIN, sentUnits: 71n });
  expect([pays(spendable, TOKEN, 1n), pays(spendable, COIN, 9n), pays(spendable, COIN, 10n)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('what is committed, kept or withheld is not spent again', () => {
  const committed = [{ asset: TOKEN, units: 30n, payments: 2 }];
  const keeps = { floorUnits: new Map([[TOKEN, 5n]]) };
  const spendable = spendableBalanceOf(view, committed, keeps, 40n);
  expect([pays(spendable, TOKEN, 15n), pays(spendable, TOKEN, 16n)]).toEqual([true, false]);
  expect([pays(spendable, COIN, 10n), pays(spendable, COIN, 11n)]).toEqual([true, false]);
});
