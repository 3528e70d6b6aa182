/** The accounts that an order touches, read at one slot. */

import { list, unusable } from '../shared/nodes/answers.ts';
import type { Moment } from '../shared/nodes/rounds/moments.ts';
import type { RpcNode } from '../shared/nodes/rpc-node.ts';
import { type Account, accounts, lamports, withSlot } from './answers.ts';
import { associatedAccount, TOKEN_2022_PROGRAM } from './programs.ts';
import { CONFIRMED } from './read/blocks.ts';
import { accountDataOf } from './token-account.ts';
import type { ListedToken } from './tokens.ts';

export interface Facts {
  readonly recipient: Account | null;
  readonly walletLamports: bigint;
  readonly payerLamports: bigint;
  /** Of the asset, in the wallet. */
  readonly heldUnits: bigint;
  /**
   * Whether the recipient's associated account is missing, and who may spend from it (null: it is
   * missing); false and null for the native coin.
   */
  readonly lacksAccount: boolean;
  readonly accountHolder: string | null;
  /** What a wallet must hold to exist, and what a token account costs. */
  readonly walletRent: bigint;
  readonly accountRent: bigint;
}

export interface PaidAccounts {
  readonly wallet: string;
  readonly feePayer: string;
  readonly recipient: string;
  readonly token: ListedToken | null;
}

/** An order has at most five accounts. */
const ACCOUNTS = { kind: 'accounts', most: 20 };

async function readFacts(node: RpcNode, order: PaidAccounts): Promise<Facts> {
  const asked = accountsOf(order);
  const [answer, ...rents] = await node.batch([accountsCall(asked), ...rentCalls(order.token)]);
  return factsOf(order, accounts(withSlot(answer, 'accounts').value, asked.length), rents);
}

/**
 * The same in a round: rents are asked once, and the accounts of many orders by one call, still
 * those of an order at one slot. An account of a strange shape is asked for alone.
 */
export async function readFactsInRound(moment: Moment, node: RpcNode, order: PaidAccounts): Promise<Facts> {
  const asked = accountsOf(order);
  const raw = await moment.gathered(ACCOUNTS, asked, (orders) => accountsOfAll(node, orders));
  if (raw === null) return readFacts(node, order);
  const kind = order.token?.program ?? 'coin';
  const rents = await moment.once(`rents ${kind}`, () => node.batch(rentCalls(order.token)));
  const facts = await moment.proven(ACCOUNTS, async () => factsOf(order, accounts(raw, asked.length), rents));
  return facts ?? readFacts(node, order);
}

/** Unchecked, of each order in turn: getMultipleAccounts takes a hundred. */
async function accountsOfAll(
  node: RpcNode,
  orders: readonly (readonly string[])[],
): Promise<readonly (readonly unknown[])[]> {
  const all = [...new Set(orders.flat())];
  const { method, params } = accountsCall(all);
  const told = list(withSlot(await node.call(method, ...params), 'accounts').value, 'accounts');
  if (told.length !== all.length) throw unusable('accounts');
  const found = new Map(all.map((address, place) => [address, told[place]]));
  return orders.map((asked) => asked.map((address) => found.get(address)));
}

function accountsOf({ wallet, feePayer, recipient, token }: PaidAccounts): readonly string[] {
  const ofToken = token === null ? [] : [wallet, recipient].map((owner) => associatedAccount(owner, token));
  return [wallet, feePayer, recipient, ...ofToken];
}

const accountsCall = (asked: readonly string[]) => ({
  method: 'getMultipleAccounts',
  params: [asked, { ...CONFIRMED, encoding: 'base64' }],
});

function factsOf(
  { token }: PaidAccounts,
  found: readonly (Account | null)[],
  [walletRent, accountRent]: readonly unknown[],
): Facts {
  const [own, payer, paid = null, source = null, destination = null] = found;
  const walletLamports = own?.lamports ?? 0n;
  const accountHolder = token === null ? null : accountDataOf(destination, token).holder;
  return {
    recipient: paid,
    walletLamports,
    payerLamports: payer?.lamports ?? 0n,
    heldUnits: token === null ? walletLamports : accountDataOf(source, token).units,
    lacksAccount: token !== null && accountHolder === null,
    accountHolder,
    walletRent: lamports(walletRent, 'rent'),
    accountRent: lamports(accountRent, 'rent'),
  };
}

/**
 * Bytes of an associated account: the usual size, and for Token-2022 with the extensions that its
 * mints commonly require.
 */
const ACCOUNT_BYTES = 165;
const EXTENDED_BYTES = 230;

const rentCall = (bytes: number) => ({ method: 'getMinimumBalanceForRentExemption', params: [bytes] });

/** The calls for the rent of a wallet and of a token account. */
export function rentCalls(token: ListedToken | null) {
  return [rentCall(0), rentCall(token?.program === TOKEN_2022_PROGRAM ? EXTENDED_BYTES : ACCOUNT_BYTES)];
}
