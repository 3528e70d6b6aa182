/**
 * The fee of a transaction: the present fee of the open ledger, within the configured bounds. All
 * in drops.
 */

import { larger, smaller } from '../../../domain/money/larger.ts';
import type { SendingPrice } from '../../../ports/sending/chain-sender.ts';
import { fields } from '../shared/nodes/answers.ts';
import { drops } from './codec/decode.ts';
import type { LedgerNode } from './ledger-node.ts';
import type { XrpSending } from './send/sending.ts';

/** 10 drops, the base fee, and a fifth more: it may rise while the transaction is on its way. */
export const DEFAULT_FLOOR = 12n;
/** 0.1 XRP. */
export const DEFAULT_CEILING = 100_000n;
/** What is set aside for a fee that rises before the transaction is signed. */
const HEADROOM = 4n;

/** The fee to offer now, which may be over the ceiling. */
export async function presentFee(node: LedgerNode, { fees }: Pick<XrpSending, 'fees'>): Promise<bigint> {
  const { drops: levels } = await node.ask('fee', {});
  const open = drops(fields(levels, 'fee levels').open_ledger_fee, 'open ledger fee');
  return larger(fees.floor, (open * 6n + 4n) / 5n);
}

export async function presentPrice(sending: XrpSending): Promise<SendingPrice> {
  const expectedUnits = await sending.pool.use((node) => presentFee(node, sending));
  const most = smaller(expectedUnits * HEADROOM, sending.fees.ceiling);
  return { expectedUnits, maxUnits: larger(expectedUnits, most) };
}
