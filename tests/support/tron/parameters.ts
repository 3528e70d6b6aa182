/**
 * The network's parameters, as on mainnet in 2026; sun unless named otherwise. A test may change
 * them.
 */
export const USUAL_PARAMETERS = {
  energyFee: 100n,
  /** For a byte. */
  transactionFee: 1_000n,
  freeNetLimit: 600n,
  createAccountFee: 100_000n,
  createNewAccountFeeInSystemContract: 1_000_000n,
  updateAccountPermissionFee: 100_000_000n,
  maxFeeLimit: 15_000_000_000n,
  /** Energy of all that is staked for it, and how many TRX that is. */
  totalEnergyLimit: 180_000_000_000n,
  totalEnergyWeight: 18_000_000_000n,
};

export type Parameters = typeof USUAL_PARAMETERS;

export const TRX = 1_000_000n;
export const BLOCK_MS = 3_000;
export const DAY_MS = 86_400_000;
