/** Replaces the wallet that the storage in memory belongs to (safety.md K2). */
import type { ReplacedWallet } from '../../../../src/adapters/postgres/sending/replace-wallet.ts';
import { CHAINS } from '../../../../src/domain/catalog/chain.ts';
import type { Family } from '../../../../src/domain/catalog/family.ts';
import type { KeyFingerprint } from '../../../../src/domain/chains/wallet-keys.ts';
import { failureOf } from '../../../../src/domain/sending/outgoing-failure.ts';
import type { MemoryStore } from '../store/memory-store.ts';

/** Within a transaction. */
export function replaceWallet(store: MemoryStore, keys: readonly KeyFingerprint[], at: Date): ReplacedWallet {
  const families = new Set(keys.map(({ family }) => family));
  const chains = new Map<string, Family>();
  for (const { name, family } of CHAINS) if (families.has(family)) chains.set(name, family);
  noteKeys(store, keys, at);
  const unsigned = endUnsigned(store, chains);
  const addresses = freeze(store, chains, at);
  // The signer derives them again, for every family.
  const { derivedAddresses, outgoingTransfers } = store.tables;
  for (const derived of derivedAddresses.where(() => true)) derivedAddresses.delete(derived);
  const signed = outgoingTransfers.where(({ chain, status }) => chains.has(chain) && status === 'signed');
  return { addresses, unsigned, signed: signed.length };
}

function noteKeys({ tables }: MemoryStore, keys: readonly KeyFingerprint[], at: Date): void {
  const families = new Set(keys.map(({ family }) => family));
  const { walletKeys } = tables;
  for (const key of walletKeys.where((one) => families.has(one.family) && one.replacedAt === null))
    walletKeys.update(key, { replacedAt: at });
  for (const { family, fingerprint } of keys)
    walletKeys.insertOrUpdate({ family, fingerprint, notedAt: at }, () => ({
      ...{ notedAt: at, replacedAt: null },
    }));
}

/** As decideOutgoing does for the parts of a dissolved batch. */
function endUnsigned({ tables }: MemoryStore, chains: ReadonlyMap<string, Family>): number {
  const { text, code } = failureOf('wallet_replaced');
  const unsigned = tables.outgoingTransfers.where(
    ({ chain, status }) => chains.has(chain) && status === 'allocated',
  );
  for (const transfer of unsigned) {
    const { failure, failureCode } = transfer;
    tables.outgoingTransfers.update(transfer, {
      ...{ status: 'failed', failure: failure ?? text, failureCode: failureCode ?? code },
    });
  }
  for (const batch of new Set(unsigned.map(({ transferBatchId }) => transferBatchId)))
    for (const coin of tables.utxos.by('claimedBy', batch)) tables.utxos.update(coin, { claimedBy: null });
  return unsigned.length;
}

/** Freezes the addresses of the former wallet; returns how many, once per chain of their family. */
function freeze({ tables }: MemoryStore, chains: ReadonlyMap<string, Family>, frozenAt: Date): number {
  const former = new Map<string, { readonly chain: string; readonly address: string }>();
  const add = (chain: string, address: string) => former.set(`${chain} ${address}`, { chain, address });
  for (const { family, deriver, address } of tables.addresses.all())
    for (const [chain, of] of chains) if (deriver === family && of === family) add(chain, address);
  for (const { chain, address } of tables.utxos.all()) if (chains.has(chain)) add(chain, address);
  for (const { chain, address } of tables.wallets.all()) if (chains.has(chain)) add(chain, address);
  const reason = 'of the wallet that was replaced';
  for (const place of former.values())
    tables.frozenAddresses.insertOrUpdate({ ...place, reason, frozenAt, formerWallet: true }, () => ({
      ...{ formerWallet: true },
    }));
  return former.size;
}
