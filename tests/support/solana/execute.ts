/**
 * Runs one transaction in the virtual machine and keeps of it what nodes keep: status, fee,
 * balances before and after.
 */
import type { Svm } from './ledger.ts';
import { type TokenBalance, tokenBalances } from './token-balances.ts';
import { transactionError } from './transaction-error.ts';
import { base58, bytesOfAddress, type DecodedTransaction } from './wire.ts';

export interface Executed extends DecodedTransaction {
  readonly meta: TransactionMeta;
}

/** `meta` of getTransaction and getBlock; bigints are written as JSON numbers. */
interface TransactionMeta {
  readonly err: unknown;
  readonly status: unknown;
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly innerInstructions: readonly object[];
  readonly logMessages: readonly string[];
  readonly loadedAddresses: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  readonly rewards: readonly never[];
  readonly computeUnitsConsumed: bigint;
}

/**
 * Null when no leader could put it into a block: nobody pays a fee for it (a wrong signature, no
 * money for the fee).
 */
export function execute(svm: Svm, transaction: DecodedTransaction): Executed | null {
  const { accounts, wire } = transaction;
  const preBalances = balances(svm, accounts);
  const preTokenBalances = tokenBalances(svm, accounts);
  const result = svm.sendVersionedTransaction(wire);
  const err = failureOf(result);
  const meta = metaOf(result);
  const postBalances = balances(svm, accounts);
  if (err !== null && preBalances[0] === postBalances[0]) return null;
  const innerInstructions = meta.innerInstructions().flatMap((list, index) => {
    if (list.length === 0) return [];
    const instructions = list.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: base58(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
  return {
    ...transaction,
    meta: {
      err,
      status: err === null ? { Ok: null } : { Err: err },
      // The runtime makes and destroys no lamports: what is missing is the fee.
      fee: sum(preBalances) - sum(postBalances),
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances: tokenBalances(svm, accounts),
      innerInstructions,
      logMessages: meta.logs(),
      loadedAddresses: { writable: [], readonly: [] },
      rewards: [],
      computeUnitsConsumed: meta.computeUnitsConsumed(),
    },
  };
}

interface Simulated {
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
}

export function simulate(svm: Svm, wire: Uint8Array, { verify }: { verify: boolean }): Simulated {
  svm.setSigverify(verify);
  try {
    const result = svm.simulateVersionedTransaction(wire);
    const meta = metaOf(result);
    return { err: failureOf(result), logs: meta.logs(), unitsConsumed: meta.computeUnitsConsumed() };
  } finally {
    svm.setSigverify(true);
  }
}

type Sent = ReturnType<Svm['sendVersionedTransaction']>;
type Result = Sent | ReturnType<Svm['simulateVersionedTransaction']>;
type Meta = ReturnType<Extract<Result, { err(): unknown }>['meta']>;

function failureOf(result: Result): unknown {
  if (!('err' in result)) return null;
  const text = /err: ([\s\S]*?), meta: /.exec(result.toString())?.[1];
  return transactionError(text ?? 'Unknown');
}

const metaOf = (result: Result): Meta => ('meta' in result ? result.meta() : result);

function balances(svm: Svm, accounts: readonly string[]): bigint[] {
  return accounts.map((account) => svm.getBalance(bytesOfAddress(account)) ?? 0n);
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
