/**
 * Signs with the keystore's keys after checking payload and order against each other, the policy,
 * its own log and, where available, the database's records. Every signature is in the log, on disk,
 * before it is returned.
 */
import type { Asset, AssetCatalog } from '../../domain/catalog/asset.ts';
import type { Family } from '../../domain/catalog/family.ts';
import { outpointText } from '../../domain/chains/outpoint.ts';
import { coldAddressOf, type SigningPolicy } from '../../domain/sending/signing-policy.ts';
import { StorageUnavailable } from '../../ports/repositories.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';
import {
  type Signed,
  type Signer,
  SignerUnavailable,
  type SigningOrder,
  SigningRefused,
} from '../../ports/sending/signer.ts';
import type { SigningRecords } from '../../ports/sending/signing-records.ts';
import { derivedAddresses } from './derived-addresses.ts';
import {
  checkCold,
  checkHistory,
  checkKeys,
  checkPayments,
  checkPolicy,
  checkRecords,
} from './order-rules.ts';
import type { CurrentPolicy } from './policy-file.ts';
import type { ResendableEntry, SignedEntry } from './signing-entry.ts';
import type { SigningHistory } from './signing-history.ts';
import { type SigningLog, SigningLogUnusable } from './signing-log.ts';

export interface KeystoreSignerParts {
  readonly catalog: AssetCatalog;
  /** EIP-155 id of a configured chain; null for chains without one. */
  readonly chainId: (chain: string) => number | null;
  readonly families: ReadonlyMap<Family, FamilySigning>;
  readonly policy: CurrentPolicy;
  readonly log: SigningLog;
  /** Null: the caller's records are trusted, since it runs in the same process. */
  readonly records: SigningRecords | null;
  readonly clock: Clock;
}

/** Closing it closes the log. */
export function keystoreSigner(parts: KeystoreSignerParts): Signer {
  const { catalog, families, log, clock } = parts;

  async function sign(order: SigningOrder): Promise<Signed> {
    const policy = await policyNow(parts.policy);
    if (policy.halt) throw new SigningRefused('the policy halts all signing', { lasting: false });
    const asset = catalog.get(order.asset);
    if (!asset || asset.chain !== order.chain)
      throw new SigningRefused('the asset is not one of the chain in the catalog', { lasting: false });
    const family = families.get(asset.family);
    if (!family)
      throw new SigningRefused(`there are no keys of the family ${asset.family}`, { lasting: false });
    checkPayments(order);
    await checkKeys(order, asset, family);
    checkCold(order, policy, family);
    const { decimals } = asset;
    const terms = { chainId: parts.chainId(order.chain), contract: contractOf(asset), decimals };
    const { maxFeeUnits } = await family.check(order, terms);
    checkPolicy(order, policy, { asset, native: catalog.nativeOf(asset.chain), maxFeeUnits });
    await checkStored(parts.records, order, family);
    const signed = await family.sign(order);
    const at = clock.now();
    const entry: SignedEntry = {
      at,
      purpose: order.purpose,
      chain: order.chain,
      wallet: normalized(family, order.wallet),
      nonce: order.nonce,
      asset: order.asset,
      payments: order.payments.map(({ transferId, referenceId, to, units }) => ({
        ...{ transferId, referenceId, units },
        to: normalized(family, to),
      })),
      inputs: order.inputs.map(outpointText),
      voids: order.voids,
      maxFeeUnits,
      txid: signed.txid,
      resendable: resendableEntry(family, order, { at, raw: signed.raw }),
    };
    const allow = (history: SigningHistory) => checkHistory(entry, asset, policy, history);
    const stands = await log.append(entry, allow, order.replaces);
    return stands === entry || stands.resendable === null ? signed : givenOutAgain(stands, stands.resendable);
  }

  return {
    async sign(order) {
      try {
        return await sign(order);
      } catch (error) {
        if (error instanceof SigningLogUnusable || error instanceof StorageUnavailable)
          throw new SignerUnavailable(error.message, { cause: error });
        throw error;
      }
    },
    addresses: (wanted) => derivedAddresses(families, wanted),
    coldAddress: async (of) => coldAddressOf(await policyNow(parts.policy), of),
    close: () => log.close(),
  };
}

function resendableEntry(
  family: FamilySigning,
  order: SigningOrder,
  { at, raw }: { at: Date; raw: string },
): ResendableEntry | null {
  const aliveUntil = family.aliveUntil?.(order, at);
  if (aliveUntil === undefined) return null;
  if (order.validUntil === null) throw new SigningRefused('the order has no end of validity');
  return { raw, validUntil: order.validUntil, aliveUntil };
}

const givenOutAgain = ({ txid, maxFeeUnits }: SignedEntry, { raw, validUntil }: ResendableEntry): Signed => ({
  ...{ raw, txid },
  again: { validUntil, maxFeeUnits },
});

async function policyNow(current: CurrentPolicy): Promise<SigningPolicy> {
  try {
    return await current();
  } catch (error) {
    throw new SigningRefused(`the policy cannot be used: ${(error as Error).message}`, { lasting: false });
  }
}

async function checkStored(
  records: SigningRecords | null,
  order: SigningOrder,
  family: FamilySigning,
): Promise<void> {
  if (records === null) return;
  for (const payment of order.payments) {
    const { transferId, referenceId } = payment;
    const payoutId = order.purpose === 'payout' ? referenceId : null;
    checkRecords(order, payment, await records.of({ transferId, payoutId }), family);
  }
}

function contractOf(asset: Asset): string | null {
  if (asset.type === 'native') return null;
  if (asset.contract === null)
    throw new SigningRefused('the catalog has no contract of the asset', { lasting: false });
  return asset.contract;
}

function normalized(family: FamilySigning, address: string): string {
  const key = family.normalize(address);
  if (key === null) throw new SigningRefused('the order names an invalid address');
  return key;
}
