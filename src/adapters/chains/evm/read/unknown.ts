/**
 * What our hot wallet sent in some blocks without this gateway (safety.md K4), from their
 * transactions, logs and receipts.
 */
import type { Transfer, UnknownTransaction } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../../../ports/chains/watch-list.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { withoutSigned } from '../../shared/read/unknown.ts';
import { type NodeBlock, type NodeReceipt, type NodeTransaction, quantity } from '../decode.ts';
import type { ReceiptReader } from './receipts.ts';
import { nativeTransfer } from './transfers.ts';

/** For each block. `tokens`: all transfers of listed contracts in the blocks. */
export async function unknownIn(
  node: RpcNode,
  blocks: readonly NodeBlock[],
  {
    spending,
    nativeAsset,
    tokens,
    receipts,
  }: {
    spending: WatchedSpending | undefined;
    nativeAsset: string;
    tokens: readonly Transfer[];
    receipts: ReceiptReader;
  },
): Promise<readonly (readonly UnknownTransaction[])[]> {
  const sent = blocks.map((block) =>
    block.transactions
      .filter(({ from }) => from === spending?.wallet)
      .map((item) => ({ txid: item.hash, item, block })),
  );
  const strange = await withoutSigned(spending, sent);
  const found = await receipts.of(node, strange.flat());
  return strange.map((ofBlock) =>
    ofBlock.map(({ txid, item }) => unknownOf(item, found.get(txid)!, { nativeAsset, tokens })),
  );
}

function unknownOf(
  item: NodeTransaction,
  { succeeded, feeWei }: NodeReceipt,
  { nativeAsset, tokens }: { nativeAsset: string; tokens: readonly Transfer[] },
): UnknownTransaction {
  const { hash: txid, from, to } = item;
  const coin = nativeTransfer(item, nativeAsset);
  const paid = [
    ...(coin === null ? [] : [coin]),
    ...tokens.filter((transfer) => transfer.txid === txid && transfer.from === from),
  ];
  return {
    txid,
    nonce: quantity(item.nonce, 'transaction nonce'),
    feeUnits: feeWei,
    payments: succeeded ? paid.map(({ to: payee, asset, units }) => ({ to: payee, asset, units })) : [],
    harmless: !succeeded || to === from,
  };
}
