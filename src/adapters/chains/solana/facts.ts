/** The accounts that an order touches, read at one slot. */

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

export async function readFacts(
  node: RpcNode,
  order: { wallet: string; feePayer: string; recipient: string; token: ListedToken | null },
): Promise<Facts> {
  const { wallet, feePayer, recipient, token } = order;
  const ofToken = token === null ? [] : [wallet, recipient].map((owner) => associatedAccount(owner, token));
  const asked = [wallet, feePayer, recipient, ...ofToken];
  const [answer, walletRent, accountRent] = await node.batch([
    { method: 'getMultipleAccounts', params: [asked, { ...CONFIRMED, encoding: 'base64' }] },
    ...rentCalls(token),
  ]);
  const found = accounts(withSlot(answer, 'accounts').value, asked.length);
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
