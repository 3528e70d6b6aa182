/**
 * What is known of an address without its family's adapter: whether it is nobody's, whether payouts go there, and whether it has
 * the right shape (alphabet, prefix and length on the main network). The shape is the check for families whose adapter, with the full
 * checksum, is not there; nothing is ever sent on its word alone.
 */
import type { Family } from './family.ts';

const SHAPES: Readonly<Record<Family, RegExp>> = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  bitcoin: /^(bc1[02-9ac-hj-np-z]{11,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  litecoin: /^(ltc1[02-9ac-hj-np-z]{11,87}|[LM3][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  bitcoincash: /^((bitcoincash:)?[qp][02-9ac-hj-np-z]{41}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  xrp: /^(r[1-9A-HJ-NP-Za-km-z]{24,34}(:\d{1,10})?|X[1-9A-HJ-NP-Za-km-z]{46})$/,
  ton: /^([EUk0][Qf][A-Za-z0-9_-]{46}|(0|-1):[0-9a-fA-F]{64})$/,
  monero: /^[48][1-9A-HJ-NP-Za-km-z]{94}([1-9A-HJ-NP-Za-km-z]{11})?$/,
};

const EVM_ZERO_ADDRESS = /^0x0{40}$/i;
/** The zero address in base58check: there is one text for it. */
const TRON_ZERO_ADDRESS = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
const TON_ZERO_ADDRESS = /^(0|-1):0{64}$/;

/** Whether what is sent there is burnt: nobody has the key. */
export function isNobodys(family: Family, address: string): boolean {
  return (
    (family === 'evm' && EVM_ZERO_ADDRESS.test(address)) ||
    (family === 'tron' && address === TRON_ZERO_ADDRESS) ||
    (family === 'ton' && TON_ZERO_ADDRESS.test(address))
  );
}

/** `-1:` raw; in the form for people, the byte after the flags makes the second character an f. */
const TON_MASTERCHAIN = /^(-1:|[EUk0]f[A-Za-z0-9+/_-]{46}$)/;

/**
 * Whether payouts do not go there, though the address is one: gas and messages of TON's masterchain cost many times what is
 * reckoned with, and its accounts are the network's own contracts and those of validators.
 */
export function isOutOfReach(family: Family, address: string): boolean {
  return family === 'ton' && TON_MASTERCHAIN.test(address);
}

export function hasAddressShape(family: Family, address: string): boolean {
  return SHAPES[family].test(address);
}
