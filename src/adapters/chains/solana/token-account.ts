/** A token account's data (SPL): mint, owner, amount. The other fields are not read. */
import { unusable } from '../shared/nodes/answers.ts';
import { addressText } from './address.ts';
import type { Account } from './answers.ts';
import type { TokenOf } from './programs.ts';

const OWNER_AT = 32;
const AMOUNT_AT = 64;
const ACCOUNT_BYTES = 165;

/**
 * Its token balance and its owner. The owner is null where the account does not exist, or is a
 * plain address with lamports.
 */
export function accountDataOf(
  account: Account | null,
  { mint, program }: TokenOf,
): { readonly units: bigint; readonly holder: string | null } {
  if (account === null || account.owner !== program) return { units: 0n, holder: null };
  const data = Buffer.from(account.data);
  if (data.length < ACCOUNT_BYTES || addressText(data.subarray(0, OWNER_AT)) !== mint)
    throw unusable('token account');
  const holder = addressText(data.subarray(OWNER_AT, AMOUNT_AT));
  return { units: data.readBigUInt64LE(AMOUNT_AT), holder };
}
