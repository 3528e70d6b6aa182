/**
 * The fee that OP-stack rollups take for publishing a transaction's data on the layer below, on top
 * of its gas. No field of a transaction limits it, so a generous estimate is set aside.
 */
import { evmFacts } from '../../../../domain/catalog/chain.ts';
import { larger } from '../../../../domain/money/larger.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { dataFeeBoundCall, dataFeeCall } from '../contract.ts';
import { hexBytes } from '../decode.ts';
import type { EvmSending } from './sending.ts';

/** The GasPriceOracle predeploy ("Predeploys" of the OP Stack's specs). */
const ORACLE = '0x420000000000000000000000000000000000000f';
/** The layer below may get more expensive before the transaction is mined. */
const HEADROOM = 2n;

export const takesDataFee = (chain: string): boolean => evmFacts(chain).gas.dataFee === 'op-stack';

export interface DataFee {
  /** Wei at present. */
  readonly expected: bigint;
  /** Wei to set aside. */
  readonly most: bigint;
}

/** For an unsigned transaction; zero where the chain takes none. */
export async function dataFee(sending: EvmSending, node: RpcNode, payload: string): Promise<DataFee> {
  if (!sending.takesDataFee) return { expected: 0n, most: 0n };
  const expected = feeOf(await ask(node, dataFeeCall(payload)));
  const bound = await boundOf(node, (payload.length - 2) / 2);
  return { expected, most: HEADROOM * larger(bound, expected) };
}

/** Zero from an oracle older than the Fjord upgrade, which has no upper bound. */
async function boundOf(node: RpcNode, bytes: number): Promise<bigint> {
  try {
    return feeOf(await ask(node, dataFeeBoundCall(bytes)));
  } catch (error) {
    if (error instanceof RpcError) return 0n;
    throw error;
  }
}

const ask = (node: RpcNode, data: string): Promise<unknown> =>
  node.call('eth_call', { to: ORACLE, data }, 'latest');

function feeOf(answer: unknown): bigint {
  const word = hexBytes(answer, 'data fee');
  if (word.length !== 66) throw new NodeError('unusable answer: data fee');
  return BigInt(word);
}
