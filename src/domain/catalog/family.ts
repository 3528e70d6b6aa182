/** The families of chains. */

export const FAMILIES = [
  'evm',
  'bitcoin',
  'litecoin',
  'bitcoincash',
  'tron',
  'solana',
  'xrp',
  'ton',
] as const;
/** Families that have permanent addresses (specification, "Permanent deposit address"). */
export type PermanentFamily = (typeof FAMILIES)[number];
export type Family = PermanentFamily | 'monero';
