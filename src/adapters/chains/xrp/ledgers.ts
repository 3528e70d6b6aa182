/** Validated ledgers of one node: only these exist for us, since all others may still be replaced. */
import { type BlockRef, ChainUnavailable } from '../../../ports/chain-scanner.ts';
import { unusable } from '../shared/answers.ts';
import { NodeBehind } from '../shared/faults.ts';
import { type ValidatedLedger, validatedLedger } from './decode.ts';
import { type LedgerNode, unless } from './ledger-node.ts';

/** A megabyte each: enough to keep up with history, few enough not to be throttled. */
const READ_AT_ONCE = 4;

/** The youngest validated ledger. */
export async function lastLedger(node: LedgerNode): Promise<BlockRef> {
  const ledger = validatedLedger(await node.ask('ledger', { ledger_index: 'validated' }));
  if (ledger === null) throw new NodeBehind(`${node.label}: has no validated ledger`);
  return refOf(ledger);
}

/**
 * The validated ledger at `height`, null when there is none yet. NodeBehind when there is one and the node does not have it:
 * nodes keep as much history as their operators like.
 */
export async function ledgerAt(node: LedgerNode, height: number): Promise<BlockRef | null> {
  const ledger = await read(node, height, false);
  return ledger === null ? null : refOf(ledger);
}

/** The ledgers `from` .. `to` with their transactions, linked; NodeBehind when the node does not have them all. */
export async function readLedgers(
  node: LedgerNode,
  { from, to }: { from: number; to: number },
): Promise<readonly ValidatedLedger[]> {
  const ledgers: ValidatedLedger[] = [];
  for (let next = from; next <= to; next += READ_AT_ONCE) {
    const heights = Array.from(
      { length: Math.min(READ_AT_ONCE, to - next + 1) },
      (_, offset) => next + offset,
    );
    const found = await Promise.all(heights.map((height) => read(node, height, true)));
    for (const [position, ledger] of found.entries()) {
      if (ledger === null) throw new NodeBehind(`${node.label}: has no ledger ${heights[position]}`);
      ledgers.push(ledger);
    }
  }
  const linked = ledgers.every(
    (ledger, position) => position === 0 || ledger.parentHash === ledgers[position - 1]!.hash,
  );
  if (!linked) throw new ChainUnavailable(`ledgers ${from} to ${to} were replaced while they were read`);
  return ledgers;
}

async function read(
  node: LedgerNode,
  height: number,
  withTransactions: boolean,
): Promise<ValidatedLedger | null> {
  const parameters = { ledger_index: height, transactions: withTransactions, expand: withTransactions };
  const answer = await unless('lgrNotFound', () => node.ask('ledger', parameters));
  if (answer === null) {
    const { height: last } = await lastLedger(node);
    if (height <= last) throw new NodeBehind(`${node.label}: does not keep ledger ${height}`);
    return null;
  }
  const ledger = validatedLedger(answer);
  if (ledger !== null && ledger.height !== height) throw unusable('another ledger than asked');
  return ledger;
}

function refOf({ height, hash, parentHash, time }: ValidatedLedger): BlockRef {
  return { height, hash, parentHash, time };
}
