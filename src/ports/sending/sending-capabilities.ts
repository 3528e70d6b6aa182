/** How the transactions of a chain follow each other, and what becomes of one that waits. */
export interface SendingCapabilities {
  /**
   * `counted`: the chain counts a wallet's transactions and takes them in that order (EVM's nonce, XRP's Nonce, TON's seqno),
   * so a nonce that was taken must be used up. `free`: it only names a batch in our books (UTXOs, Tron, Solana).
   */
  readonly nonces: 'counted' | 'free';
  /** Signed bytes end by themselves (validUntil). They are never replaced, and signed again only once that is proven. */
  readonly expires: boolean;
  /** For how long after it was written a transaction may be mined at most, by the chain's own time; absent where it does not expire. */
  readonly lifeSeconds?: number;
  /** Most batches of a wallet on their way at a time; those behind them are not signed yet. */
  readonly batchesAtOnce: number;
  /** Most payments in one transaction. */
  readonly paymentsAtOnce: number;
  /**
   * Money leaves its wallet in one block and arrives in a later one, or comes back in one (TON): that many blocks after the first, it
   * has as good as certainly come to its end. Absent where all of it happens in one block.
   */
  readonly arrivesWithin?: number;
  /** Fees of sweeps are the hot wallet's, not those of the address that is swept. */
  readonly hotWalletPaysFees: boolean;
  /**
   * Native base units that an address may gain or lose without a payment (TON: rent, the gas of what arrives, coins that go
   * along with a token): a difference up to that is none. Default: nothing.
   */
  readonly uncountedUnits?: bigint;
  /**
   * Deposits arrive at the hot wallet itself (XRP: one account, and a tag for each address): there is nothing to sweep, and what
   * nobody decided on yet lies beside the money that payouts are made of.
   */
  readonly pooled?: true;
}

/** EVM's: one payment under a nonce, replaced while it waits. */
export const EVM_CAPABILITIES: SendingCapabilities = {
  nonces: 'counted',
  expires: false,
  batchesAtOnce: Number.POSITIVE_INFINITY,
  paymentsAtOnce: 1,
  hotWalletPaysFees: false,
};
