/**
 * Contracts that burn gas when they are paid, put on an anvil without a transaction (safety.md G1,
 * G3).
 */
import type { EvmLab } from './evm-lab.ts';

const GAS_PER_ROUND = 26;
let burners = 0;

/**
 * Address of a contract that takes about `gas` gas when it is paid, beside the 21,000 of the
 * transaction. An `address` gets another code.
 */
export async function gasBurner(
  { anvil }: Pick<EvmLab, 'anvil'>,
  gas: number,
  address = freshContract(),
): Promise<string> {
  const rounds = Math.floor(gas / GAS_PER_ROUND)
    .toString(16)
    .padStart(6, '0');
  // PUSH3 rounds; JUMPDEST; PUSH1 1; SWAP1; SUB; DUP1; PUSH1 4; JUMPI; STOP
  await anvil.rpc('anvil_setCode', [address, `0x62${rounds}5b600190038060045700`]);
  return address;
}

/**
 * Address of a contract that takes little where no gas price is paid, as in most trials, and all
 * that it is given elsewhere.
 */
export async function gasPriceTrap(
  { anvil }: Pick<EvmLab, 'anvil'>,
  address = freshContract(),
): Promise<string> {
  // GASPRICE; ISZERO; PUSH1 6; JUMPI; INVALID; JUMPDEST; STOP
  await anvil.rpc('anvil_setCode', [address, '0x3a15600657fe5b00']);
  return address;
}

const freshContract = (): string => `0xb0${(burners++).toString(16).padStart(38, '0')}`;
