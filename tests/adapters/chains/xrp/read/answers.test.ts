/**
 * Transactions as nodes tell them: real ones of the main network, and ones that no honest node
 * tells.
 */
import { describe, expect, test } from 'bun:test';
import { hashes, verifySignature } from 'xrpl';
import { balanceChange, ledgerTransaction } from '../../../../../src/adapters/chains/xrp/codec/decode.ts';
import { arrivalsOf } from '../../../../../src/adapters/chains/xrp/read/arrivals.ts';
import { ACCOUNT_OPENED_IN_2013, TAGGED_PAYMENT_OF_2025 } from '../../../../support/xrp/recorded.ts';

type Recorded = typeof ACCOUNT_OPENED_IN_2013 | typeof TAGGED_PAYMENT_OF_2025;

const arrivedAt = (account: string, told: unknown) => arrivalsOf(ledgerTransaction(told), account);
const withMeta = (recorded: Recorded, changes: object) => ({
  ...recorded,
  meta: { ...recorded.meta, ...changes },
});

describe('recorded transactions of the main network', () => {
  test('are what was signed then: hash and signature fit', () => {
    for (const { hash, tx_json } of [ACCOUNT_OPENED_IN_2013, TAGGED_PAYMENT_OF_2025]) {
      const { DeliverMax, ...rest } = tx_json;
      const signed = { ...rest, Amount: DeliverMax };
      expect(hashes.hashSignedTx(signed as never)).toBe(hash);
      // Signatures of 2013 did not have to be canonical, and the library wants nothing else.
      if (hash === TAGGED_PAYMENT_OF_2025.hash) expect(verifySignature(signed as never)).toBe(true);
    }
  });

  test('a payment with a tag is read with what was delivered', () => {
    expect(arrivedAt('rDNvjMc6LjtpR7BdfiSNvavUBjznhhmpNq', TAGGED_PAYMENT_OF_2025)).toEqual([
      { kind: 'payment', units: 75_596_347n, tag: 905_312, from: 'rEiq1iAcpzP8WLjezP9MzAQEJ7jqKMLFSA' },
    ]);
    expect(arrivedAt('rEiq1iAcpzP8WLjezP9MzAQEJ7jqKMLFSA', TAGGED_PAYMENT_OF_2025)).toEqual([]);
    expect(balanceChange(TAGGED_PAYMENT_OF_2025.meta, 'rEiq1iAcpzP8WLjezP9MzAQEJ7jqKMLFSA')).toBe(
      -75_596_371n,
    );
  });

  test('X2: one that opened its account, from when nobody noted what was delivered, is no payment but what the balance says', () => {
    const account = 'rLQBHVhFnaC5gLEkgr6HgBJJ3bgeZHg9cj';
    const found = {
      kind: 'unexplained',
      units: 10_000_000_000n,
      tag: null,
      from: 'r3kmLJN5D28dHuH8vZNUZpMC43pEHpaocV',
    } as const;
    expect(arrivedAt(account, ACCOUNT_OPENED_IN_2013)).toEqual([found]);
    expect(arrivedAt(account, withMeta(ACCOUNT_OPENED_IN_2013, { delivered_amount: 'unavailable' }))).toEqual(
      [found],
    );
  });
});

describe('what was delivered', () => {
  const account = 'rDNvjMc6LjtpR7BdfiSNvavUBjznhhmpNq';
  const delivering = (delivered_amount: unknown) =>
    arrivedAt(account, withMeta(TAGGED_PAYMENT_OF_2025, { delivered_amount }));

  test('is never more than what the balance shows: more is parked with what arrived', () => {
    expect(delivering('75596348')).toMatchObject([{ kind: 'unexplained', units: 75_596_347n }]);
  });

  test('is credited, and what arrived beside it is told apart', () => {
    expect(delivering('1')).toMatchObject([
      { kind: 'payment', units: 1n },
      { kind: 'unexplained', units: 75_596_346n },
    ]);
  });

  test('X2: in any other shape it is parked', () => {
    const issued = { currency: 'XRP', issuer: account, value: '75596347' };
    for (const shape of [
      undefined,
      null,
      75_596_347,
      '75.5',
      '-75596347',
      '1e8',
      '',
      '0x10',
      '0',
      '9'.repeat(18),
      issued,
      [],
    ])
      expect(delivering(shape)).toMatchObject([{ kind: 'unexplained', units: 75_596_347n }]);
  });

  test('X3: without tesSUCCESS it is nothing, whatever the rest says', () => {
    for (const TransactionResult of ['tecPATH_DRY', 'tecUNFUNDED_PAYMENT', 'tesSUCCES', 'TESSUCCESS', ''])
      expect(arrivedAt(account, withMeta(TAGGED_PAYMENT_OF_2025, { TransactionResult }))).toEqual([]);
  });

  test('X4: an issued currency that leaves the balance alone is nothing', () => {
    const [sender] = TAGGED_PAYMENT_OF_2025.meta.AffectedNodes;
    const delivered_amount = { currency: 'XRP', issuer: account, value: '75596347' };
    expect(
      arrivedAt(account, withMeta(TAGGED_PAYMENT_OF_2025, { AffectedNodes: [sender], delivered_amount })),
    ).toEqual([]);
  });

  test('metadata that cannot be read puts the node at fault', () => {
    for (const meta of [
      null,
      {},
      { TransactionResult: 'tesSUCCESS' },
      { TransactionResult: 'tesSUCCESS', AffectedNodes: [{}] },
      {
        TransactionResult: 'tesSUCCESS',
        AffectedNodes: [
          {
            ModifiedNode: { LedgerEntryType: 'AccountRoot', FinalFields: { Account: account, Balance: -1 } },
          },
        ],
      },
    ])
      expect(() => arrivedAt(account, { ...TAGGED_PAYMENT_OF_2025, meta })).toThrow(/unusable answer/);
  });
});
