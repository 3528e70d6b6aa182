/** Tables in memory keep what their schema says, as PostgreSQL does, and take changes back. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { payoutToRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import { aMerchant, aPayout, NOW, secondsAfter } from '../../../support/builders.ts';
import { type MemoryStore, memoryStore, type Tables } from './memory-store.ts';

const FINGERPRINT = 'a'.repeat(64);

let store: MemoryStore;
let tables: Tables;
beforeEach(() => {
  store = memoryStore();
  tables = store.tables;
});

const merchantRow = () => {
  const { allowedSubnets, acceptedCoins, ...columns } = aMerchant();
  return {
    ...columns,
    allowedSubnets: [...allowedSubnets],
    acceptedCoins: acceptedCoins && [...acceptedCoins],
  };
};
const aWalletKey = (given: { fingerprint?: string; replacedAt?: Date | null } = {}) => ({
  ...{ family: 'evm' as const, fingerprint: FINGERPRINT, notedAt: NOW },
  ...given,
});
const aDerived = (derivationIndex: number, address: string) => ({
  ...{ family: 'solana', derivationIndex, address },
});

/** What refuses the statement: its SQLSTATE and constraint. */
async function refusal(statement: () => void): Promise<[string, string | null]> {
  const error = await store.write(statement).catch((reason: unknown) => reason);
  if (!(error instanceof StatementRefused)) throw new Error('nothing refused it', { cause: error });
  return [error.sqlState, error.constraint];
}

describe('a table in memory', () => {
  test('finds rows by their primary key, in the order of its columns', async () => {
    await store.write(() => {
      tables.derivedAddresses.insert(aDerived(1, 'one'));
      tables.derivedAddresses.insert(aDerived(2, 'two'));
    });
    expect(tables.derivedAddresses.find('solana', 2)).toEqual(aDerived(2, 'two'));
    expect(tables.derivedAddresses.find('solana', 3)).toBeUndefined();
    expect(tables.derivedAddresses.find('evm', 2)).toBeUndefined();
    expect(tables.derivedAddresses.size).toBe(2);
  });

  test('does not mistake one key of two texts for another', async () => {
    const keys = [
      ['a\u0001b', 'c'],
      ['a', 'b\u0001c'],
    ] as const;
    await store.write(() => {
      for (const [chain, address] of keys) tables.wallets.insert({ chain, address, nextNonce: 0n });
    });
    expect(tables.wallets.size).toBe(2);
    for (const [chain, address] of keys) expect(tables.wallets.find(chain, address)?.chain).toBe(chain);
  });

  test('refuses a second row with the same primary key', async () => {
    await store.write(() => void tables.walletKeys.insert(aWalletKey({ replacedAt: NOW })));
    expect(await refusal(() => tables.walletKeys.insert(aWalletKey()))).toEqual([
      '23505',
      'wallet_keys_family_fingerprint_pk',
    ]);
    expect(tables.walletKeys.size).toBe(1);
  });

  test('refuses a second row with the same unique columns, in an insert and in an update', async () => {
    await store.write(() => {
      tables.derivedAddresses.insert(aDerived(1, 'one'));
      tables.derivedAddresses.insert(aDerived(2, 'two'));
    });
    const once = ['23505', 'derived_addresses_once'] as [string, string];
    expect(await refusal(() => tables.derivedAddresses.insert(aDerived(3, 'one')))).toEqual(once);
    const second = tables.derivedAddresses.find('solana', 2)!;
    expect(await refusal(() => tables.derivedAddresses.update(second, { address: 'one' }))).toEqual(once);
    await store.write(() => {
      tables.derivedAddresses.update(second, { address: 'other' });
      tables.derivedAddresses.delete(tables.derivedAddresses.find('solana', 1)!);
      // What was given up is free again.
      tables.derivedAddresses.insert(aDerived(3, 'one'));
      tables.derivedAddresses.insert(aDerived(4, 'two'));
    });
    expect(tables.derivedAddresses.size).toBe(3);
  });

  test('applies a partial unique index to its rows only', async () => {
    const [second, third] = ['b'.repeat(64), 'c'.repeat(64)];
    await store.write(() => {
      tables.walletKeys.insert(aWalletKey({ replacedAt: NOW }));
      tables.walletKeys.insert(aWalletKey({ fingerprint: second, replacedAt: NOW }));
      tables.walletKeys.insert(aWalletKey({ fingerprint: third }));
    });
    const one = ['23505', 'wallet_keys_one_wallet'] as [string, string];
    const of = (fingerprint: string) => tables.walletKeys.find('evm', fingerprint)!;
    expect(await refusal(() => tables.walletKeys.update(of(second), { replacedAt: null }))).toEqual(one);
    await store.write(() => {
      tables.walletKeys.update(of(third), { replacedAt: NOW });
      tables.walletKeys.update(of(second), { replacedAt: null });
    });
    expect(await refusal(() => tables.walletKeys.update(of(third), { replacedAt: null }))).toEqual(one);
  });

  test('lets nulls of a unique index stand beside each other', async () => {
    const merchant = merchantRow();
    const payout = (seq: bigint | null) => {
      const row = payoutToRow(aPayout({ merchantId: merchant.id }));
      return { ...row, txHashes: [...row.txHashes], seq };
    };
    await store.write(() => {
      tables.merchants.insert(merchant);
      for (const seq of [null, null, 1n]) tables.payouts.insert(payout(seq));
    });
    expect(await refusal(() => tables.payouts.insert(payout(1n)))).toEqual(['23505', 'payouts_by_seq']);
  });

  test('refuses a row without a required value, and one that loses it', async () => {
    const unnamed = { ...merchantRow(), name: null as unknown as string };
    expect(await refusal(() => tables.merchants.insert(unnamed))).toEqual(['23502', null]);
    const merchant = merchantRow();
    await store.write(() => void tables.merchants.insert(merchant));
    const row = tables.merchants.find(merchant.id)!;
    expect(await refusal(() => tables.merchants.update(row, { name: unnamed.name }))).toEqual([
      '23502',
      null,
    ]);
    expect(tables.merchants.find(merchant.id)?.name).toBe(merchant.name);
  });

  test('refuses a row that refers to nothing; null refers to nothing and may stand', async () => {
    const merchant = merchantRow();
    const brand = { merchantId: merchant.id };
    expect(await refusal(() => tables.merchantBrands.insert(brand))).toEqual([
      '23503',
      'merchant_brands_merchant_id_merchants_id_fk',
    ]);
    await store.write(() => {
      tables.merchants.insert(merchant);
      tables.merchantBrands.insert(brand);
      tables.utxos.insert({
        ...{ chain: 'bitcoin', txid: 't', vout: 0, address: 'a', keyRole: 'hot', units: 1n, claimedBy: null },
      });
    });
    const [coin] = tables.utxos.all();
    expect(await refusal(() => tables.utxos.update(coin!, { claimedBy: 'none' }))).toEqual([
      '23503',
      'coins_claimed_by_outgoing_transfers_id_fk',
    ]);
  });

  test('fills in defaults, and computes what is generated', async () => {
    const merchant = merchantRow();
    const logo = Buffer.from('picture');
    await store.write(() => {
      tables.merchants.insert(merchant);
      tables.merchantBrands.insert({ merchantId: merchant.id, logo, logoType: 'image/png' });
    });
    const brand = tables.merchantBrands.find(merchant.id)!;
    const digest = new Bun.CryptoHasher('sha256').update(logo).digest('hex');
    expect(brand).toMatchObject({ name: null, frameAncestors: [], logoDigest: digest });
    expect(tables.merchantBrands.by('logoDigest', digest)).toEqual([brand]);
    await store.write(() => void tables.merchantBrands.update(brand, { logo: null, logoType: null }));
    expect(tables.merchantBrands.find(merchant.id)?.logoDigest).toBeNull();
    expect(tables.merchantBrands.by('logoDigest', digest)).toEqual([]);
  });

  test('does nothing on a conflict where it is told to, of one constraint or of any', async () => {
    const other = 'b'.repeat(64);
    const { walletKeys } = tables;
    await store.write(() => {
      expect(walletKeys.insertUnlessThere(aWalletKey())).toEqual(walletKeys.find('evm', FINGERPRINT)!);
      expect(walletKeys.insertUnlessThere(aWalletKey())).toBeNull();
      expect(walletKeys.insertUnlessThere(aWalletKey({ fingerprint: other }))).toBeNull();
      expect(
        walletKeys.insertUnlessThere(aWalletKey({ fingerprint: other }), 'wallet_keys_one_wallet'),
      ).toBeNull();
    });
    expect(
      await refusal(() =>
        walletKeys.insertUnlessThere(aWalletKey({ fingerprint: other }), 'wallet_keys_family_fingerprint_pk'),
      ),
    ).toEqual(['23505', 'wallet_keys_one_wallet']);
    expect(walletKeys.size).toBe(1);
  });

  test('updates the row that is there on a conflict, or inserts', async () => {
    const put = (at: Date) =>
      tables.chainIdentities.insertOrUpdate({ chain: 'a', network: 'main', notedAt: at }, () => ({
        notedAt: at,
      }));
    await store.write(() => {
      expect(put(NOW).notedAt).toEqual(NOW);
      expect(put(secondsAfter(1)).notedAt).toEqual(secondsAfter(1));
    });
    expect(tables.chainIdentities.size).toBe(1);
  });

  test('leaves a row that was read as it was read', async () => {
    await store.write(() => void tables.derivedAddresses.insert(aDerived(1, 'one')));
    const read = tables.derivedAddresses.find('solana', 1)!;
    await store.write(() => {
      const after = tables.derivedAddresses.update(read, { address: 'two' });
      expect(after).toEqual(aDerived(1, 'two'));
      // An older version names the row, and what others changed since stays.
      expect(tables.derivedAddresses.update(read, {})).toEqual(aDerived(1, 'two'));
    });
    expect(read).toEqual(aDerived(1, 'one'));
    expect(tables.derivedAddresses.find('solana', 1)).toEqual(aDerived(1, 'two'));
  });

  test('refuses another primary key, and the update of a row that is gone', async () => {
    await store.write(() => void tables.derivedAddresses.insert(aDerived(1, 'one')));
    const read = tables.derivedAddresses.find('solana', 1)!;
    const fails = (statement: () => unknown) => expect(store.write(statement)).rejects.toThrow();
    await fails(() => tables.derivedAddresses.update(read, { derivationIndex: 2 }));
    await store.write(() => tables.derivedAddresses.delete(read));
    await fails(() => tables.derivedAddresses.update(read, { address: 'two' }));
    // As a statement that finds nothing.
    await store.write(() => tables.derivedAddresses.delete(read));
  });

  test('tells rows by a value in the order of their insertion, whenever the index was made', async () => {
    const { walletKeys } = tables;
    const replacedAt = [NOW, NOW, secondsAfter(1), NOW];
    const found = (at: Date | null) => walletKeys.by('replacedAt', at).map(({ fingerprint }) => fingerprint);
    await store.write(() => {
      for (const [n, at] of replacedAt.entries())
        walletKeys.insert(aWalletKey({ fingerprint: `${n}`, replacedAt: at }));
    });
    expect([found(NOW), found(secondsAfter(1)), found(null)]).toEqual([['0', '1', '3'], ['2'], []]);
    await store.write(() => walletKeys.update(walletKeys.find('evm', '0')!, { replacedAt: null }));
    expect([found(NOW), found(null)]).toEqual([['1', '3'], ['0']]);
    await store.write(() => {
      walletKeys.update(walletKeys.find('evm', '2')!, { replacedAt: NOW });
      walletKeys.update(walletKeys.find('evm', '0')!, { replacedAt: NOW });
      walletKeys.delete(walletKeys.find('evm', '1')!);
    });
    expect([found(NOW), found(null)]).toEqual([['0', '2', '3'], []]);
  });

  test('does not take a text for null', async () => {
    await store.write(() => {
      tables.chainIdentities.insert({ chain: 'a', network: 'main', genesis: 'null', notedAt: NOW });
      tables.chainIdentities.insert({ chain: 'b', network: 'main', notedAt: NOW });
    });
    const chains = (genesis: string | null) =>
      tables.chainIdentities.by('genesis', genesis).map(({ chain }) => chain);
    expect([chains('null'), chains(null)]).toEqual([['a'], ['b']]);
  });

  test('may have no primary key: equal rows stand beside each other', async () => {
    const change = {
      ...{ merchantId: 'm', sandbox: false, list: 'invoices' as const, label: '', asset: '' },
      ...{ block: 0n, change: 1 },
    };
    const { listCountChanges } = tables;
    await store.write(() => {
      for (let n = 0; n < 3; n += 1) listCountChanges.insert(change);
      const [first, second] = listCountChanges.by('merchantId', 'm');
      listCountChanges.update(first!, { change: 7 });
      listCountChanges.delete(second!);
    });
    expect(Array.from(listCountChanges.all(), (row) => row.change)).toEqual([7, 1]);
  });
});
