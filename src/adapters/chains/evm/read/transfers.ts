/**
 * The payments in a block's transactions, logs and traces: pure functions from checked answers to
 * candidate transfers.
 */
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { address, type NodeLog, type NodeTransaction, quantity } from '../decode.ts';

/** keccak-256 of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * The value of a transaction itself; null when it moves nothing to somebody else. Its receipt
 * decides whether it succeeded (E1).
 */
export function nativeTransfer(transaction: NodeTransaction, asset: string): Transfer | null {
  const { hash, from, to, value } = transaction;
  if (to === null || to === from || value === 0n) return null;
  return { txid: hash, output: 'native', asset, to, from, units: value, kind: 'payment' };
}

/**
 * ERC-20 transfers of the listed contracts (`tokens`: lower-case contract -> asset), amounts as
 * logged (E3). Ignored: logs of other contracts (E2), of another shape, of zero value (E10), and to
 * the sender itself. The key's number counts the contract's payments to that recipient within the
 * transaction, so it survives a reorganisation that moves log indexes (E8).
 */
export function tokenTransfers(
  logs: readonly NodeLog[],
  tokens: ReadonlyMap<string, string>,
): readonly Transfer[] {
  const counts = new Map<string, number>();
  return logs
    .toSorted((a, b) => a.logIndex - b.logIndex)
    .flatMap(({ contract, topics, data, txid }): Transfer[] => {
      const asset = tokens.get(contract);
      const [topic, fromWord, toWord] = topics;
      if (asset === undefined || topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 66)
        return [];
      const [from, to] = [addressInWord(fromWord!), addressInWord(toWord!)];
      const units = BigInt(data);
      if (from === null || to === null || from === to || units === 0n) return [];
      const key = `${txid} ${contract} ${to}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return [{ txid, output: `log:${contract}:${to}:${count}`, asset, to, from, units, kind: 'payment' }];
    });
}

/** The address in a 32-byte topic; null when the twelve bytes before it are not zero. */
function addressInWord(word: string): string | null {
  return word.startsWith(`0x${'0'.repeat(24)}`) ? `0x${word.slice(26)}` : null;
}

/** Frames that move money. DELEGATECALL and its like repeat the outer value and move none. */
const PAYING_FRAMES = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'];

/**
 * Native transfers inside a transaction, from its callTracer frame. A failed frame reverts
 * everything below it, although its children carry no error (E5). The top frame is not internal:
 * nativeTransfer covers it.
 */
export function internalTransfers(options: {
  txid: string;
  frame: unknown;
  asset: string;
}): readonly Transfer[] {
  const { txid, asset } = options;
  const found: Transfer[] = [];
  const visit = (value: unknown, path: readonly number[]): void => {
    const frame = fields(value, 'call frame');
    if (frame.error != null && frame.error !== '') return;
    if (
      path.length > 0 &&
      PAYING_FRAMES.includes(String(frame.type)) &&
      frame.to != null &&
      frame.value != null
    ) {
      const [from, to] = [address(frame.from, 'frame from'), address(frame.to, 'frame to')];
      const units = quantity(frame.value, 'frame value');
      if (units > 0n && from !== to)
        found.push({ txid, output: `call:${path.join('.')}`, asset, to, from, units, kind: 'payment' });
    }
    if (frame.calls == null) return;
    for (const [position, child] of list(frame.calls, 'frame calls').entries())
      visit(child, [...path, position]);
  };
  visit(options.frame, []);
  return found;
}

/**
 * The frames of a block's trace, one per transaction in order. RpcError when the node could not
 * trace one of them.
 */
export function blockFrames(trace: unknown, transactions: readonly NodeTransaction[]): readonly unknown[] {
  const entries = list(trace, 'block trace').map((entry) => fields(entry, 'transaction trace'));
  const complete =
    entries.length === transactions.length &&
    entries.every(({ result, txHash }, position) => {
      const { hash } = transactions[position]!;
      const same = txHash === undefined || (typeof txHash === 'string' && txHash.toLowerCase() === hash);
      return same && result != null;
    });
  if (!complete) throw new RpcError(0, 'the node traced only a part of a block');
  return entries.map(({ result }) => result);
}
