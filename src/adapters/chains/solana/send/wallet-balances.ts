/**
 * A wallet's balances of all assets as of one block. Nodes keep only the present state. The balance
 * at an earlier block is the balance before the wallet's next transaction, which the node's history
 * of the account shows; without one, nothing changed.
 */
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { type Account, accounts, lamports, wholeNumber, withSlot } from '../answers.ts';
import { readHead } from '../head.ts';
import { associatedAccount } from '../programs.ts';
import { CONFIRMED, FINALIZED, MAX_VERSION, type SlotBlock } from '../read/blocks.ts';
import { movementsIn } from '../read/movements.ts';
import { accountDataOf } from '../token-account.ts';
import type { ListedToken } from '../tokens.ts';
import { ownWallet, type SolanaSending } from './sending.ts';

/** Transactions of an account per page, and most pages to read. */
const PAGE = 1_000;
const PAGES_MAX = 20;

type CommitmentLevel = typeof CONFIRMED | typeof FINALIZED;

interface WalletHolding {
  readonly account: string;
  /** Null for the native coin. */
  readonly token: ListedToken | null;
}

/**
 * Balances in base units by asset key. ChainUnavailable when the node does not keep enough history
 * of the wallet.
 */
export async function walletBalances(
  { pool, assets: sendable, heights }: SolanaSending,
  query: { wallet: string; assets: readonly string[]; at: { height: number } | null },
): ReturnType<ChainSender['balances']> {
  const wallet = ownWallet(query.wallet);
  const keys = [...new Set(query.assets)];
  return pool.use(async (node) => {
    const holdings: WalletHolding[] = [];
    for (const key of keys) {
      const token = await sendable.checked(key, node);
      holdings.push({ token, account: token === null ? wallet : associatedAccount(wallet, token) });
    }
    const { tip, finalizedHeight } = await readHead(node);
    const block = query.at === null ? tip : await heights.at(node, query.at.height);
    if (block === null) throw new NodeLagging(`has no block ${query.at?.height}`);
    const units = await heldAt(node, holdings, {
      block,
      standing: block.height <= finalizedHeight ? FINALIZED : CONFIRMED,
    });
    return {
      block: { height: block.height, hash: block.hash },
      units: new Map(keys.map((key, position) => [key, units[position] ?? 0n])),
    };
  });
}

/** The present state is read first: a change after it appears in the history that is read next. */
async function heldAt(
  node: RpcNode,
  holdings: readonly WalletHolding[],
  { block, standing }: { block: SlotBlock; standing: CommitmentLevel },
): Promise<readonly bigint[]> {
  const asked = holdings.map(({ account }) => account);
  const options = { ...standing, encoding: 'base64', minContextSlot: block.slot };
  const answer = await node.call('getMultipleAccounts', asked, options);
  const present = accounts(withSlot(answer, 'accounts').value, asked.length);
  return Promise.all(
    holdings.map(async (holding, position) => {
      const next = await firstSince(node, holding.account, { slot: block.slot, standing });
      return next === null
        ? presentUnits(present[position] ?? null, holding)
        : unitsBefore(node, next, holding, standing);
    }),
  );
}

function presentUnits(account: Account | null, { token }: WalletHolding): bigint {
  return token === null ? (account?.lamports ?? 0n) : accountDataOf(account, token).units;
}

/**
 * The account's first transaction after the slot; null when there is none. Nodes list them from the
 * newest backwards.
 */
async function firstSince(
  node: RpcNode,
  account: string,
  { slot, standing }: { slot: number; standing: CommitmentLevel },
): Promise<string | null> {
  let first: string | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const options = { ...standing, limit: PAGE, ...(first === null ? {} : { before: first }) };
    const answer = list(await node.call('getSignaturesForAddress', account, options), 'signatures');
    for (const item of answer) {
      const { signature, slot: at } = fields(item, 'signature');
      if (wholeNumber(at, 'slot') <= slot) return first;
      if (typeof signature !== 'string') throw unusable('signature');
      first = signature;
    }
    if (answer.length < PAGE) return first;
  }
  throw new NodeLagging(`${node.label}: too much happened to ${account} since slot ${slot}`);
}

async function unitsBefore(
  node: RpcNode,
  txid: string,
  holding: WalletHolding,
  standing: CommitmentLevel,
): Promise<bigint> {
  const { account, token } = holding;
  const answer = await node.call('getTransaction', txid, { ...standing, ...MAX_VERSION, encoding: 'json' });
  if (answer === null) throw new NodeLagging(`${node.label}: does not keep ${txid}`);
  const { accounts: touched, before, tokensBefore } = movementsIn(answer);
  if (token !== null) return tokensBefore.find((held) => held.account === account)?.units ?? 0n;
  return lamports(before[touched.indexOf(account)], 'balance');
}
