/**
 * Signs a bundle and stores the bytes before anybody can broadcast them (safety.md, 2). Network and signer are asked outside
 * transactions; what comes back is stored only if nothing changed meanwhile, and is thrown away, never sent, otherwise.
 */
import {
  type Bundle,
  decideOutgoing,
  type OutgoingTransfer,
  type SignedTransaction,
} from '../domain/outgoing.ts';
import type { Coin } from '../ports/chain-sender.ts';
import { SendingRefused } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import { type SigningOrder, SigningRefused } from '../ports/signer.ts';
import { mayBePaid, refusedBundle } from './refused-bundle.ts';
import {
  bundleOf,
  hotWalletText,
  lockBundle,
  lockPayouts,
  normalized,
  type SendingChain,
  type SendingNeeds,
  walletKey,
} from './sending.ts';
import { applyPayoutEvent } from './settle-payout.ts';

/** Signs the first transaction of a bundle, or one that replaces `earlier`. Null when it could not be, or must not be now. */
export async function signBundle(
  deps: SendingNeeds,
  on: SendingChain,
  [lead]: Bundle,
  earlier: readonly SignedTransaction[],
): Promise<SignedTransaction | null> {
  const orders = await deps.unitOfWork.run(async (repositories) =>
    (await repositories.outgoing.signingStopped()) === null ? ordersFor(repositories, on, lead) : null,
  );
  if (orders === null) return null;
  const { bundle, order, inputs } = orders;
  const { bundleId, voided: voids } = lead;
  try {
    const unsigned = await on.sender.prepare({ ...order, inputs }, earlier.at(-1) ?? null);
    const { payload, maxFeeUnits, validUntil } = unsigned;
    const { raw, txid } = await on.signer.sign({ ...order, inputs, payload, validUntil });
    const ordinal = earlier.length + 1;
    const limits = { maxFeeUnits, validUntil };
    const signed = { bundleId, ordinal, txid, raw, voids, ...limits, signedAt: deps.clock.now() };
    return (await store(deps, on, bundle, signed)) ? { ...signed, broadcastAt: null } : null;
  } catch (error) {
    if (error instanceof SendingRefused || error instanceof SigningRefused)
      await refusedBundle(deps, on, bundle, error);
    else throw error;
    return null;
  }
}

/** The whole bundle, as it is to be prepared and signed. */
async function ordersFor(
  repositories: Repositories,
  on: SendingChain,
  { bundleId, wallet }: OutgoingTransfer,
): Promise<{
  bundle: Bundle;
  order: Omit<SigningOrder, 'payload' | 'inputs' | 'validUntil'>;
  inputs: readonly Coin[];
}> {
  const bundle = await bundleOf(repositories, bundleId);
  const [{ sequence, purpose, asset, voided: voids }] = bundle;
  const feePayer = purpose === 'sweep' && on.sender.ways.hotWalletPaysFees ? hotWalletText(on) : null;
  const payments = [];
  for (const { id: transferId, referenceId, to, units } of bundle) {
    const toKey = purpose === 'payout' ? null : await walletKey(repositories, on, normalized(on.deriver, to));
    payments.push({ transferId, referenceId, to, toKey, units });
  }
  const key = await walletKey(repositories, on, wallet);
  const inputs = on.sender.coins === null ? [] : await repositories.coins.ofBundle(bundleId);
  return {
    bundle,
    inputs,
    order: { chain: on.chain, key, wallet, sequence, purpose, asset, payments, voids, feePayer },
  };
}

/** False when the bytes must not be used: signing was stopped, a transfer changed, or another worker was first. */
function store(
  deps: SendingNeeds,
  on: SendingChain,
  [{ bundleId }]: Bundle,
  signed: Omit<SignedTransaction, 'broadcastAt'>,
): Promise<boolean> {
  return deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return false;
    const payouts = await lockPayouts(repositories, bundleId);
    const bundle = await lockBundle(repositories, bundleId);
    const stored: OutgoingTransfer[] = [];
    for (const transfer of bundle) {
      const next = decideOutgoing(transfer, { type: 'signed' });
      if (next === null || transfer.voided !== signed.voids) return false;
      stored.push({ ...transfer, ...next, hurried: false });
    }
    if (!signed.voids && !payouts.every(mayBePaid)) return false;
    if (!(await repositories.outgoing.insertSigned(signed))) return false;
    for (const transfer of stored) await repositories.outgoing.save(transfer);
    if (on.sender.coins !== null) await repositories.coins.insert(on.chain, coinsBack(on, bundle, signed));
    if (signed.voids) return true;
    const event = { type: 'broadcast', txid: signed.txid, at: signed.signedAt } as const;
    for (const payout of payouts) await applyPayoutEvent(deps, repositories, payout, event);
    return true;
  });
}

/** What a transaction brings back to our keys: its change, and whatever is paid to the hot wallet. */
function coinsBack(on: SendingChain, bundle: Bundle, signed: { raw: string; txid: string }): Coin[] {
  const [{ sequence, purpose }] = bundle;
  const change = on.sender.coins?.changeOf({ raw: signed.raw, sequence }) ?? null;
  const { txid } = signed;
  const back: Coin[] = change === null ? [] : [{ txid, ...change }];
  if (purpose === 'payout') return back;
  for (const { position, to, units } of bundle)
    back.push({ txid, vout: position, address: normalized(on.deriver, to), key: { role: 'hot' }, units });
  return back;
}
