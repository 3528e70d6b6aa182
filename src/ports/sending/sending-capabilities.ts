/** What a chain's transactions can do: nonces, expiry, batches. */
export interface SendingCapabilities {
  /**
   * `counted`: the chain executes a wallet's transactions in the order of their nonces (EVM's
   * nonce, XRP's Sequence, TON's seqno), so every nonce that was taken must be used. `independent`:
   * the nonce only names a batch in our books (UTXO chains, Tron, Solana).
   */
  readonly nonces: 'counted' | 'independent';
  /**
   * Signed transactions expire (validUntil). They are never replaced, and a payment is signed again
   * only once the expiry is proven.
   */
  readonly expires: boolean;
  /**
   * Longest time from writing to mining, by the chain's clock; absent if transactions do not
   * expire.
   */
  readonly lifeSeconds?: number;
  /**
   * Most batches of a wallet that wait for a block at a time; later ones are not signed yet. Where
   * a batch pays many, most unsettled ones.
   */
  readonly batchesAtOnce: number;
  /** Most payments in one transaction. */
  readonly paymentsAtOnce: number;
  /**
   * TON: money leaves the wallet in one block and arrives, or comes back, in a later one. After
   * this many blocks it has almost certainly done so. Absent where all of it happens in one block.
   */
  readonly arrivesWithin?: number;
  /** The hot wallet pays the fees of sweeps, not the swept address. */
  readonly hotWalletPaysFees: boolean;
  /**
   * Sending the coin costs the same to each of our deposit addresses: no address is opened or
   * activated by a payment. Default: it may cost more at some.
   */
  readonly addressesAlike?: true;
  /**
   * Native base units that an address may gain or lose without a payment (TON: rent, gas of
   * incoming messages, coins attached to a token transfer). Reconciliation ignores a difference up
   * to this. Default: 0.
   */
  readonly uncountedUnits?: bigint;
  /**
   * Deposits arrive at the hot wallet itself (XRP: one account, and a tag per address). Nothing is
   * swept, and uncredited money lies beside the money that payouts are made from.
   */
  readonly pooled?: true;
}

/** EVM: one payment per nonce, replaceable while it waits. */
export const EVM_CAPABILITIES: SendingCapabilities = {
  nonces: 'counted',
  expires: false,
  batchesAtOnce: Number.POSITIVE_INFINITY,
  paymentsAtOnce: 1,
  hotWalletPaysFees: false,
  addressesAlike: true,
};
