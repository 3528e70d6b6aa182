/** Stores what a signed transaction of ours brings back to our keys, on UTXO chains. */
import type { SignedTransaction, TransferBatch } from '../../../domain/sending/outgoing.ts';
import { leavesUs } from '../../../domain/sending/outgoing-purpose.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Utxo } from '../../../ports/sending/utxo-spending.ts';
import { postCapital } from '../../shared/capital-entry.ts';
import { normalized, type SendingChain, type SendingNeeds } from '../sending-chain.ts';

interface SignedBatch {
  readonly batch: TransferBatch;
  readonly signed: Pick<SignedTransaction, 'raw' | 'txid' | 'voids'>;
}

/**
 * No effect on other chains. After a restore the same bytes may be signed again. What they bring
 * may have been noted meanwhile as what no transaction of ours brought, and booked as capital: it
 * is our own, so the booking is reversed.
 */
export async function storeOutputs(
  deps: Pick<SendingNeeds, 'clock' | 'ids'>,
  repositories: Pick<Repositories, 'utxos' | 'capital' | 'ledger'>,
  on: SendingChain,
  signed: SignedBatch,
): Promise<void> {
  const { chain, sender } = on;
  const back = outputsBack(on, signed);
  if (back.length === 0) return;
  await repositories.utxos.insert(chain, back);
  for (const { txid, vout, units, block } of await repositories.utxos.adopt(chain, back))
    await postCapital(deps, repositories, {
      ...{ chain, asset: sender.nativeAsset, address: null, units: -units, block },
      ...{ note: `a transaction of ours brought it: ${txid}:${vout}`, coin: { txid, vout } },
    });
}

/** The change, and whatever is paid to the hot wallet. */
function outputsBack({ sender, deriver }: SendingChain, { batch, signed }: SignedBatch): readonly Utxo[] {
  if (sender.utxos === null) return [];
  const [{ nonce, purpose }] = batch;
  const { txid, raw, voids } = signed;
  const change = sender.utxos.changeOf({ raw, nonce });
  const back: Utxo[] = change === null ? [] : [{ txid, ...change }];
  if (leavesUs({ purpose }) || voids) return back;
  for (const [vout, { to, units }] of batch.entries())
    back.push({ txid, vout, address: normalized(deriver, to), key: { role: 'hot' }, units });
  return back;
}
