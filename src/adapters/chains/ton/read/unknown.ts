/**
 * What our hot wallet sent in some blocks without this gateway (safety.md K4), from its
 * transactions.
 */
import type { Message } from '@ton/core';
import type { UnknownPayment, UnknownTransaction } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../../../ports/chains/watch-list.ts';
import { withoutSigned } from '../../shared/read/unknown.ts';
import { enveloped, type SigningWallet } from '../codec/external.ts';
import { readTransferOrder } from '../codec/messages.ts';
import { signedSeqno } from '../codec/wallet-request.ts';
import type { TonNode } from '../toncenter.ts';
import type { ListedTransaction } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import type { Jetton } from './jettons.ts';
import { spentBy } from './trace.ts';
import { allListed } from './transactions.ts';

export interface Spender {
  readonly wallet: SigningWallet;
  readonly nativeAsset: string;
}

/**
 * For each block, whose transactions are all listed. The wallet's are read in one call; most ranges
 * have none.
 */
export async function unknownIn(
  node: TonNode,
  listed: readonly (readonly ListedTransaction[])[],
  on: Spender & { spending: WatchedSpending | undefined; jettons: Iterable<Jetton> },
): Promise<readonly (readonly UnknownTransaction[])[]> {
  const { spending, wallet } = on;
  const own = listed.map((entries) => entries.filter(({ account }) => account === spending?.wallet));
  if (own.flat().length === 0) return own.map(() => []);
  const read = new Map((await allListed(node, own.flat())).map((each) => [each.hash, each]));
  const owner = Buffer.from(wallet.address.slice(2), 'hex');
  const assets = new Map(
    [...on.jettons].map(({ asset, walletOf }) => [
      `0:${Buffer.from(walletOf(owner)).toString('hex')}`,
      asset,
    ]),
  );
  const sent = own.map((entries) =>
    entries.flatMap(({ hash }) => unknownOf(read.get(hash)!, { ...on, assets }) ?? []),
  );
  return withoutSigned(spending, sent);
}

/**
 * A transaction of the wallet, as if this gateway had not signed it; null for one that only
 * received or bounced a message.
 */
function unknownOf(
  read: ReadTransaction,
  on: Spender & { assets: ReadonlyMap<string, string> },
): UnknownTransaction | null {
  const { inMessage, outMessages } = read.transaction;
  const ordered = inMessage?.info.type === 'external-in';
  const left = [...outMessages.values()].filter(({ info }) => info.type !== 'internal' || !info.bounced);
  if (!ordered && left.length === 0) return null;
  const nonce = ordered ? signedSeqno(inMessage.body) : null;
  const message = nonce === null ? null : enveloped(inMessage!.body, nonce, on.wallet);
  const carried = left.reduce((units, each) => units + coinsOf(each), 0n);
  return {
    txid: message?.hash().toString('hex') ?? read.hash,
    nonce,
    feeUnits: spentBy(read) - carried,
    payments: left.flatMap((each) => paymentOf(each, on) ?? []),
    harmless: left.length === 0,
  };
}

/**
 * Null for an address that is no contract. Jettons of an unlisted contract look like the TON that
 * they carry.
 */
function paymentOf(
  { info, body }: Message,
  { nativeAsset, assets }: Spender & { assets: ReadonlyMap<string, string> },
): UnknownPayment | null {
  if (info.type !== 'internal') return null;
  const to = info.dest.toRawString();
  const asset = assets.get(to);
  const order = asset === undefined ? null : readTransferOrder(body);
  if (asset !== undefined && order !== null) return { to: order.to.toRawString(), asset, units: order.units };
  return { to, asset: nativeAsset, units: info.value.coins };
}

const coinsOf = ({ info }: Message): bigint => (info.type === 'internal' ? info.value.coins : 0n);
