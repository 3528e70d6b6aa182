/**
 * What sending costs at present, as nodes report it, and whether each recipient needs a new token
 * account.
 */

import { smaller } from '../../../../domain/money/larger.ts';
import type { SendingPrice } from '../../../../ports/sending/chain-sender.ts';
import type { RecipientPrice, RecipientPricing } from '../../../../ports/sending/recipient-pricing.ts';
import { inChunks } from '../../shared/chunks.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { pricesInTime } from '../../shared/send/recipient-prices.ts';
import { normalizeSolanaAddress } from '../address.ts';
import { type Account, accounts, lamports, withSlot } from '../answers.ts';
import { LAMPORTS_PER_SIGNATURE, priorityFee } from '../codec/transaction.ts';
import { rentCalls } from '../facts.ts';
import { associatedAccount } from '../programs.ts';
import { CONFIRMED } from '../read/blocks.ts';
import { accountDataOf } from '../token-account.ts';
import type { ListedToken } from '../tokens.ts';
import { readPrice } from './fee-market.ts';
import type { SolanaSending } from './sending.ts';

/**
 * Measured compute units of a payment with some room: of the native coin, and of a token with its
 * accounts.
 */
const USUAL_UNITS = { coin: 1_000, token: 60_000 };
/** Most accounts in one call. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * Without a recipient the expected cost includes the rent of a token account: any recipient may
 * need one. The merchant's network fee must cover it, or payouts to ever new wallets would be at
 * our cost.
 */
export async function priceOf(
  sending: SolanaSending,
  { asset, to }: { asset: string; to: string | null },
): Promise<SendingPrice> {
  const { pool, fees } = sending;
  return pool.use(async (node) => {
    const token = await sending.assets.checked(asset, node);
    const price = await readPrice(node, token === null ? [] : [token.mint], fees);
    const [has] = token === null || to === null ? [false] : await haveAccounts(node, token, [to]);
    const rent = token === null || has ? 0n : await rentOf(node, token);
    const unitLimit = token === null ? USUAL_UNITS.coin : USUAL_UNITS.token;
    const most = priorityFee(unitLimit, price) + LAMPORTS_PER_SIGNATURE;
    const expected = smaller(most, fees.ceilingUnits);
    return { expectedUnits: expected + rent, maxUnits: fees.ceilingUnits + rent, extraGas: rent };
  });
}

/** For a token recipient whose account exists, the price is lower by its rent. */
export function recipientPricing(sending: SolanaSending): RecipientPricing {
  return {
    concern: (asset) => sending.assets.mintOf(asset) !== null,
    price: (_wallet, payments) =>
      pricesInTime(sending, payments.length, (node) => pricesAt(sending, node, payments)),
  };
}

async function pricesAt(
  { assets }: SolanaSending,
  node: RpcNode,
  payments: Parameters<RecipientPricing['price']>[1],
): Promise<readonly (RecipientPrice | null)[]> {
  const prices = new Map<object, RecipientPrice>();
  for (const [asset, alike] of Map.groupBy(payments, (payment) => payment.asset)) {
    const token = await assets.checked(asset, node);
    if (token === null) continue;
    const rent = await rentOf(node, token);
    const wallets = alike.map(({ to }) => to);
    const have = await haveAccounts(node, token, wallets);
    for (const [position, payment] of alike.entries()) {
      const [extraGas, extraUnits] = have[position] ? [0n, -rent] : [rent, 0n];
      prices.set(payment, { extraGas, extraUnits, ordinaryUnits: rent });
    }
  }
  return payments.map((payment) => prices.get(payment) ?? null);
}

/** Whether each of the wallets has its token account. */
async function haveAccounts(
  node: RpcNode,
  token: ListedToken,
  wallets: readonly string[],
): Promise<readonly boolean[]> {
  const asked = wallets.filter((wallet) => normalizeSolanaAddress(wallet) !== null);
  const found = new Map<string, Account | null>();
  for (const some of inChunks(asked, ACCOUNTS_AT_ONCE)) {
    const addresses = some.map((wallet) => associatedAccount(wallet, token));
    const answer = await node.call('getMultipleAccounts', addresses, { ...CONFIRMED, encoding: 'base64' });
    for (const [position, account] of accounts(withSlot(answer, 'accounts').value, some.length).entries())
      found.set(some[position]!, account);
  }
  return wallets.map((wallet) => accountDataOf(found.get(wallet) ?? null, token).holder === wallet);
}

async function rentOf(node: RpcNode, token: ListedToken): Promise<bigint> {
  const [, rent] = await node.batch(rentCalls(token));
  return lamports(rent, 'rent');
}

/** The least balance that a wallet must keep unless it is empty. */
export async function reserveOf({ pool }: SolanaSending): Promise<bigint> {
  const [call] = rentCalls(null);
  return pool.use(async (node) => lamports((await node.batch([call!]))[0], 'rent'));
}
