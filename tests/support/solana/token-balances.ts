/** Token accounts as nodes show them: pre/postTokenBalances, and the amount of one account. */
import type { Svm } from './ledger.ts';
import { addressOf, bytesOfAddress } from './wire.ts';

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

/**
 * Layout of a token account (SPL): mint, owner, amount, ..., state; an extended one names its kind
 * after that.
 */
const OWNER_AT = 32;
const AMOUNT_AT = 64;
const STATE_AT = 108;
const ACCOUNT_BYTES = 165;
const KIND_ACCOUNT = 2;
const MINT_DECIMALS_AT = 44;

export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: object;
}

/** Of those among `accounts` that are token accounts. */
export function tokenBalances(svm: Svm, accounts: readonly string[]): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = svm.getAccount(bytesOfAddress(account));
    if (held === null) return [];
    const programId = addressOf(held.owner());
    const data = held.data();
    const extended = data.length > ACCOUNT_BYTES;
    const isAccount =
      TOKEN_PROGRAMS.includes(programId) &&
      data.length >= ACCOUNT_BYTES &&
      data[STATE_AT] !== 0 &&
      (!extended || data[ACCOUNT_BYTES] === KIND_ACCOUNT);
    if (!isAccount) return [];
    const mint = addressOf(data.slice(0, OWNER_AT));
    const decimals = svm.getAccount(bytesOfAddress(mint))?.data()[MINT_DECIMALS_AT] ?? 0;
    const owner = addressOf(data.slice(OWNER_AT, AMOUNT_AT));
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(amountIn(data), decimals) }];
  });
}

const amountIn = (data: Uint8Array): bigint =>
  new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(AMOUNT_AT, true);

function uiAmount(amount: bigint, decimals: number): object {
  const shown = Number(amount) / 10 ** decimals;
  return { amount: amount.toString(), decimals, uiAmount: shown, uiAmountString: `${shown}` };
}

/** What a token account holds; nothing where there is none. */
export function tokenUnitsOf(svm: Svm, account: string): bigint {
  const held = svm.getAccount(bytesOfAddress(account));
  return held === null || held.data().length < ACCOUNT_BYTES ? 0n : amountIn(held.data());
}
