/** What a wallet is asked to pay, and how it can end. */

export interface Order {
  /** Hex chain id on EVM, else `main`, `test` or `regtest`. */
  readonly network: string;
  readonly to: string;
  /** Base units. */
  readonly units: bigint;
  /** The token's contract; '' for the chain's coin. */
  readonly contract: string;
  /** A transaction for the wallet, from the server. */
  unsigned(from: string): Promise<Uint8Array>;
}

export interface Wallet {
  readonly name: string;
  /** Resolves when the wallet says that it sent. Rejects with Unpaid. */
  pay(order: Order): Promise<void>;
}

/** `network`: the wallet is on another network and did not change. */
export type UnpaidReason = 'rejected' | 'network' | 'failed';

export class Unpaid extends Error {
  readonly why: UnpaidReason;
  constructor(why: UnpaidReason) {
    super(why);
    this.why = why;
  }
}

/** EIP-1193: the user said no. Other wallets use the same number. */
const USER_REJECTED = 4001;

/** Why a wallet's own error means that nothing was sent. */
export function unpaid(error: unknown): Unpaid {
  if (error instanceof Unpaid) return error;
  return new Unpaid(codeOf(error) === USER_REJECTED || isRefusal(error) ? 'rejected' : 'failed');
}

export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}

/** Wallets without error codes say it in English. */
function isRefusal(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error);
  return /reject|declin|denied|cancell?ed/i.test(text);
}
