/**
 * Where payouts in bitcoin, litecoin and bitcoincash may go: every standard type of the right
 * network, and no address of ours in any spelling.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { addressOf, scriptOf } from '../../../src/adapters/chains/utxo/codec/address.ts';
import { utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import { UTXO_FAMILIES } from '../../../src/domain/catalog/family.ts';
import { type FakeJourney, openFakeJourney } from '../../support/fake/fake-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const ASSETS = { bitcoin: 'btc_bitcoin', litecoin: 'ltc_litecoin', bitcoincash: 'bch_bitcoincash' } as const;

/** The text of Bitcoin for a script: Bitcoin Cash reads its base58 too. */
function legacy(cashaddr: string): string {
  const script = scriptOf(utxoNetwork('bitcoincash', 'main'), cashaddr);
  return addressOf(utxoNetwork('bitcoin', 'main'), script ?? new Uint8Array()) ?? '';
}

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts in bitcoin and its kin', () => {
  let journey: FakeJourney;
  beforeAll(async () => {
    journey = await openFakeJourney();
  });
  afterAll(() => journey.close());

  /**
   * The rule that refuses a payout to the address; the merchant has no balance, so the last one is
   * that.
   */
  async function ruleAgainst(asset: string, address: string): Promise<string> {
    const { live } = journey.merchant;
    const uniq = { 'x-uniq-id': randomUUID() };
    const body = { address, amount: 0.01, asset };
    const answer = await journey.it.call(live, 'POST', '/api/v2/payouts', body, uniq);
    expect(answer.body.error?.code).toBe('PAYOUT_REJECTED');
    return answer.body.error.details.rule;
  }

  test.each([
    [
      'bitcoin',
      [
        '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
        '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
        'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
        'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      ],
    ],
    ['litecoin', ['MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh']],
    [
      'bitcoincash',
      [
        '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
        'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
        'bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe',
        'bitcoincash:pvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqpkp7fqn0',
      ],
    ],
  ] as const)('in %s every standard type of address may be paid', async (family, addresses) => {
    for (const address of addresses)
      expect([address, await ruleAgainst(ASSETS[family], address)]).toEqual([
        address,
        'insufficient_balance',
      ]);
  });

  test.each([
    [
      'bitcoin',
      [
        'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
        'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
        'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
        'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
        'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      ],
    ],
    ['litecoin', ['1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4']],
    [
      'bitcoincash',
      [
        'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q',
        'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t',
        'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      ],
    ],
  ] as const)('in %s a slip of the pen and another network are refused', async (family, addresses) => {
    for (const address of addresses)
      expect([address, await ruleAgainst(ASSETS[family], address)]).toEqual([address, 'invalid_address']);
  });

  test.each([...UTXO_FAMILIES])('in %s a deposit address and the hot wallet are refused', async (family) => {
    const asset = ASSETS[family];
    const invoice = await journey.create({ asset });
    const hotWallet = journey.it.service.dependencies.liveDerivers.get(family)?.hotWallet() ?? '';
    for (const address of [invoice.address_to, invoice.address_to.toUpperCase(), hotWallet])
      expect([address, await ruleAgainst(asset, address)]).toEqual([address, 'own_address']);
  });

  test('a deposit address of bitcoincash is ours in its legacy form, too', async () => {
    const { address_to: address } = await journey.create({ asset: 'bch_bitcoincash' });
    expect(address).toStartWith('bitcoincash:q');
    const hotWallet = journey.it.service.dependencies.liveDerivers.get('bitcoincash')?.hotWallet() ?? '';
    for (const text of [address.slice('bitcoincash:'.length), legacy(address), legacy(hotWallet)])
      expect([text, await ruleAgainst('bch_bitcoincash', text)]).toEqual([text, 'own_address']);
  });
});
