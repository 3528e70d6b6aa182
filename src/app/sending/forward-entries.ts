/**
 * The ledger entry of a forward: money of the operator leaves the treasury, as if it were taken out
 * of the hot wallet by hand. The network fee is an entry of its own (network-fee-entries.ts).
 */
import { capital } from '../../domain/ledger.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Settling } from './network-fee-entries.ts';
import type { SendingNeeds } from './sending-chain.ts';

/** Posts it once a final block has the forward, and reverses it when that block left the chain. */
export async function postForward(
  { clock, ids, logger }: Pick<SendingNeeds, 'clock' | 'ids' | 'logger'>,
  { ledger }: Pick<Repositories, 'ledger'>,
  { before, after }: Settling,
): Promise<void> {
  if (after.purpose !== 'forward') return;
  const { id: referenceId, chain, asset, units, txid, status, failure } = after;
  const fields = { chain, transferId: referenceId, asset, units: units.toString(), txid };
  if (status === 'failed' && before.status !== 'failed')
    logger.error('forward.failed', { ...fields, code: failure?.code, reason: failure?.text });
  const was = before.status === 'confirmed';
  const is = status === 'confirmed';
  if (was === is) return;
  if (is) logger.info('forward.arrived', fields);
  else logger.error('forward.reorganised', fields);
  await ledger.post({
    ...{ id: ids.id(), merchantId: null, sandbox: false, referenceId, depositId: null, feed: null },
    kind: is ? 'forward' : 'forward_reversed',
    postings: capital(asset, is ? -units : units),
    at: clock.now(),
  });
}
