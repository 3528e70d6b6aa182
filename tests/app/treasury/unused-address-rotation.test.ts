/**
 * Addresses that never had a payment have their turn, wherever a process begins, and what differs
 * is looked at until it does not.
 */
import { describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { randomIds } from '../../../src/adapters/system/random-ids.ts';
import { systemClock } from '../../../src/adapters/system/system-clock.ts';
import { unusedAddressRotation } from '../../../src/app/treasury/unused-address-rotation.ts';
import { AddressesNotDerived } from '../../../src/ports/chains/address-pool.ts';
import { EVM_CAPABILITIES } from '../../../src/ports/sending/sending-capabilities.ts';

const CHAIN = 'ethereum';
const deriver = fakeDeriver({ family: 'evm' });
const on = {
  chain: CHAIN,
  family: 'evm' as const,
  deriver,
  sender: { utxos: null, capabilities: EVM_CAPABILITIES },
};
const ISSUED = deriver
  .derive({ from: 0, count: 25 })
  .map((address) => deriver.normalize(address) ?? '')
  .toSorted();

function rounds(perRun: number, issued: readonly string[] = ISSUED) {
  return unusedAddressRotation(
    {
      ids: randomIds(systemClock),
      treasuryQueries: {
        unpaidAddresses: async (_of, { after, limit }) =>
          issued.filter((address) => address > after).slice(0, limit),
      },
    },
    perRun,
  );
}

const agrees = { chain: CHAIN, differences: [], unavailable: null };
const differs = (address: string) => ({
  ...agrees,
  differences: [
    {
      kind: 'unrecorded_incoming' as const,
      address,
      asset: 'eth_ethereum',
      expectedUnits: 0n,
      foundUnits: 1n,
    },
  ],
});

describe('addresses without a payment', () => {
  test('all have their turn, whatever the run is begun with, and so does one round after the other', async () => {
    for (let start = 0; start < 20; start += 1) {
      const round = rounds(4);
      for (const turns of [7, 7]) {
        const checked = new Set<string>();
        for (let turn = 0; turn < turns; turn += 1) {
          const addresses = await round.next(on);
          expect(addresses).toHaveLength(4);
          for (const address of addresses) checked.add(address);
          round.done(agrees);
        }
        expect([...checked].toSorted()).toEqual(ISSUED);
      }
    }
  });

  test('have their turn where only the signer derives addresses (Solana), and it made few so far', async () => {
    const derive = () => Promise.reject(new AddressesNotDerived('not yet'));
    // Without what all fake ones begin with.
    const made = fakeDeriver({ family: 'solana' }).derive({ from: 0, count: 25 });
    const issued = made.map((address) => address.slice(4)).toSorted();
    const starts = new Set<string | undefined>();
    for (let start = 0; start < 30; start += 1) {
      const round = rounds(4, issued);
      const checked = new Set<string>();
      for (let turn = 0; turn < 7; turn += 1) {
        const addresses = await round.next({ ...on, deriver: { ...deriver, derive } });
        if (turn === 0) starts.add(addresses[0]);
        for (const address of addresses) checked.add(address);
        round.done(agrees);
      }
      expect([...checked].toSorted()).toEqual(issued);
    }
    expect(starts.size).toBeGreaterThan(1);
  });

  test('fewer than a run takes are all checked, each once, and none is no fault', async () => {
    const few = rounds(50);
    expect((await few.next(on)).toSorted()).toEqual(ISSUED);
    few.done(agrees);
    expect((await few.next(on)).toSorted()).toEqual(ISSUED);
    expect(await rounds(4, []).next(on)).toEqual([]);
  });

  test('those of a run that could not check are next again', async () => {
    const round = rounds(4);
    const first = await round.next(on);
    round.done({ ...agrees, unavailable: 'no node answers' });
    expect(await round.next(on)).toEqual(first);
    round.done(agrees);
    expect(await round.next(on)).not.toEqual(first);
  });

  test('one that differs is checked with the next, until it agrees', async () => {
    const round = rounds(4);
    const [odd = '', ...rest] = await round.next(on);
    round.done(differs(odd));
    for (const found of [differs(odd), agrees]) {
      const addresses = await round.next(on);
      expect(addresses).toContain(odd);
      expect(addresses).not.toContain(rest[0] ?? '');
      round.done(found);
    }
    expect(await round.next(on)).not.toContain(odd);
  });

  test('another one that differs, of those that are always checked, is not taken along', async () => {
    const round = rounds(4);
    const before = await round.next(on);
    round.done(differs('0xnotoftheround'));
    expect((await round.next(on)).some((address) => before.includes(address))).toBe(false);
  });

  test('on a UTXO chain, and where deposits lie in the hot wallet, none is asked for', async () => {
    const utxos = {} as NonNullable<(typeof on)['sender']['utxos']>;
    const pooled = { utxos: null, capabilities: { ...EVM_CAPABILITIES, pooled: true } } as const;
    for (const sender of [{ ...on.sender, utxos }, pooled])
      expect(await rounds(4).next({ ...on, sender })).toEqual([]);
  });
});
