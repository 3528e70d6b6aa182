/** Validated ledgers of one node. Others are ignored, since they may still be replaced. */
import {
  type BlockRef,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import { unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { type ValidatedLedger, validatedLedger } from '../codec/decode.ts';
import { type LedgerNode, unless } from '../ledger-node.ts';

/** A megabyte each: enough to keep up with history, few enough not to be throttled. */
const PARALLEL_READS = 4;

/** The newest validated ledger. */
export async function lastLedger(node: LedgerNode): Promise<BlockRef> {
  const ledger = validatedLedger(await node.ask('ledger', { ledger_index: 'validated' }));
  if (ledger === null) throw new NodeLagging(`${node.label}: has no validated ledger`);
  return refOf(ledger);
}

/**
 * The validated ledger at `height`, null when there is none yet. NodeLagging when there is one and
 * the node does not have it: operators choose how much history their nodes keep.
 */
export async function ledgerAt(node: LedgerNode, height: number): Promise<BlockRef | null> {
  const ledger = await read(node, height, false);
  return ledger === null ? null : refOf(ledger);
}

/** The ledgers `from` .. `to`, linked; NodeLagging when one is missing. */
export async function readLedgers(
  node: LedgerNode,
  { from, to }: { from: number; to: number },
  withTransactions = true,
): Promise<readonly ReadLedger[]> {
  const heights = heightsOf({ from, to });
  return linked(await ledgersAt(node, heights, withTransactions));
}

/**
 * A ledger of a range. Where ledgers before it were left out, `follows` is the hash of the one
 * before them.
 */
export type ReadLedger = ValidatedLedger & Pick<ScannedBlock, 'follows'>;

/** These ledgers in order; ChainUnavailable when two neighbours are not linked. */
export function linked(ledgers: readonly ValidatedLedger[]): readonly ReadLedger[] {
  return ledgers.map((ledger, position) => {
    const before = ledgers[position - 1];
    if (before === undefined || before.hash === ledger.parentHash) return ledger;
    if (before.height + 1 < ledger.height) return { ...ledger, follows: before.hash };
    throw new ChainUnavailable(`ledger ${ledger.height} was replaced while ledgers were read`);
  });
}

/** The ledgers of these heights, in order; NodeLagging when one is missing. */
export async function ledgersAt(
  node: LedgerNode,
  heights: readonly number[],
  withTransactions = false,
): Promise<readonly ValidatedLedger[]> {
  const ledgers: ValidatedLedger[] = [];
  while (ledgers.length < heights.length) {
    const next = heights.slice(ledgers.length, ledgers.length + PARALLEL_READS);
    const found = await Promise.all(next.map((height) => read(node, height, withTransactions)));
    for (const [position, ledger] of found.entries()) {
      if (ledger === null) throw new NodeLagging(`${node.label}: has no ledger ${next[position]}`);
      ledgers.push(ledger);
    }
  }
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
    if (height <= last) throw new NodeLagging(`${node.label}: does not keep ledger ${height}`);
    return null;
  }
  const ledger = validatedLedger(answer);
  if (ledger !== null && ledger.height !== height) throw unusable('another ledger than asked');
  return ledger;
}

function refOf({ height, hash, parentHash, time }: ValidatedLedger): BlockRef {
  return { height, hash, parentHash, time };
}
