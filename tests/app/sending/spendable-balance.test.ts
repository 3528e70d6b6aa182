/** What a wallet can still pay: its money less the fees, what was promised, what it keeps and what is nobody's to spend yet. */
import { expect, test } from 'bun:test';
import { purseOf, type WalletView } from '../../../src/app/sending/spendable-balance.ts';

const COIN = 'eth_ethereum';
const TOKEN = 'usdt_ethereum';
const NOTHING = { floorUnits: new Map<string, bigint>() };
const view: WalletView = {
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
const pays = (purse: ReturnType<typeof purseOf>, asset: string, sentUnits: bigint) =>
  purse.lacking({ asset, sentUnits }) === null;

test('the coin pays amount and fee, a token its amount and the coin the fee', () => {
  const purse = purseOf(view, [], NOTHING);
  expect([pays(purse, COIN, 90n), pays(purse, COIN, 91n)]).toEqual([true, false]);
  expect([pays(purse, TOKEN, 50n), pays(purse, TOKEN, 51n)]).toEqual([true, false]);
  purse.take({ asset: COIN, sentUnits: 71n });
  expect([pays(purse, TOKEN, 1n), pays(purse, COIN, 9n), pays(purse, COIN, 10n)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('what is promised, kept or withheld is not spent again', () => {
  const promised = [{ asset: TOKEN, units: 30n, payments: 2 }];
  const keeps = { floorUnits: new Map([[TOKEN, 5n]]) };
  const purse = purseOf(view, promised, keeps, 40n);
  expect([pays(purse, TOKEN, 15n), pays(purse, TOKEN, 16n)]).toEqual([true, false]);
  expect([pays(purse, COIN, 10n), pays(purse, COIN, 11n)]).toEqual([true, false]);
});
