/** Contracts that burn gas when they are paid, put on an anvil without a transaction (safety.md G1, G3). */
import type { EvmLab } from './evm-lab.ts';

const GAS_PER_ROUND = 26;
let burners = 0;

/** Address of a contract that takes about `gas` gas when it is paid, beside the 21,000 of the transaction. */
export async function gasBurner({ anvil }: Pick<EvmLab, 'anvil'>, gas: number): Promise<string> {
  const address = `0xb0${(burners++).toString(16).padStart(38, '0')}`;
  const rounds = Math.floor(gas / GAS_PER_ROUND)
    .toString(16)
    .padStart(6, '0');
  // PUSH3 rounds; JUMPDEST; PUSH1 1; SWAP1; SUB; DUP1; PUSH1 4; JUMPI; STOP
  await anvil.rpc('anvil_setCode', [address, `0x62${rounds}5b600190038060045700`]);
  return address;
}
