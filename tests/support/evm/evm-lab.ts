/**
 * A laboratory on anvil: the test contracts deployed, payments of every kind, and a logger that
 * remembers.
 */
import { Interface, type InterfaceAbi, Wallet } from 'ethers';
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import artefact from '../contracts/tokens.artefact.json';
import { type Anvil, startAnvil } from './anvil.ts';

type ContractName = keyof typeof artefact.contracts;

interface LabTransaction {
  readonly to?: string;
  readonly value?: bigint;
  readonly data?: string;
  /** Index of the paying account; default 0, the owner of all tokens. */
  readonly from?: number;
}

export interface EvmLab {
  readonly anvil: Anvil;
  /** Lower-case addresses of the deployed contracts. */
  readonly contracts: Readonly<Record<'usdc' | 'tether' | 'bscTether' | 'spoofing' | 'router', string>>;
  /** A never used address, lower case. */
  freshAddress(): string;
  /** The address of a contract of its own, deployed and mined. */
  deployed(contract: ContractName, args?: readonly unknown[]): Promise<string>;
  /**
   * Into the mempool; answers the txid. Gas is fixed, so that failing transactions are mined too.
   */
  send(transaction: LabTransaction): Promise<string>;
  /** The call data of a contract's method. */
  call(contract: ContractName, method: string, args: readonly unknown[]): string;
  /** Mines, and answers the new tip's height. */
  mine(count?: number): Promise<number>;
  /** As Anvil.reorg, and even empty blocks get other hashes. */
  reorg(depth: number, transactions?: readonly (readonly [string, number])[]): Promise<void>;
  /** A transaction signed outside the node, for reorganisations that bring it. */
  sign(transaction: LabTransaction & { readonly nonce: number; readonly gasPrice: bigint }): Promise<string>;
}

const GAS = '0x200000';
const LEGACY_GAS_PRICE = '0x77359400';
export const TOKEN_SUPPLY = 10n ** 30n;

export async function openEvmLab(options: { chainId?: number; hardfork?: 'berlin' } = {}): Promise<EvmLab> {
  const anvil = await startAnvil(options);
  let addressesUsed = 0;
  let reorganisations = 0;

  const send = ({ to, value = 0n, data, from = 0 }: LabTransaction): Promise<string> =>
    anvil.rpc('eth_sendTransaction', [
      {
        from: anvil.accounts[from]!.address,
        gas: GAS,
        value: `0x${value.toString(16)}`,
        // anvil fills in fields of EIP-1559 where there are none yet.
        ...(options.hardfork === undefined ? {} : { gasPrice: LEGACY_GAS_PRICE }),
        ...(to === undefined ? {} : { to }),
        ...(data === undefined ? {} : { data }),
      },
    ]);
  const codecs = new Map(
    Object.entries(artefact.contracts).map(([name, { abi }]) => [name, new Interface(abi as InterfaceAbi)]),
  );
  const deploy = (name: ContractName, args: readonly unknown[] = []): Promise<string> => {
    const constructorData = codecs.get(name)!.encodeDeploy(args).slice(2);
    return send({ data: artefact.contracts[name].bytecode + constructorData });
  };

  const deployments = [
    await deploy('OrdinaryToken', [6, TOKEN_SUPPLY]),
    await deploy('TetherLikeToken', [TOKEN_SUPPLY]),
    await deploy('OrdinaryToken', [18, TOKEN_SUPPLY]),
    await deploy('SpoofingToken'),
    await deploy('Router'),
  ];
  await anvil.mine();
  const deployedBy = async (txid: string): Promise<string> => {
    const receipt = await anvil.rpc<{ contractAddress: string; status: string }>(
      'eth_getTransactionReceipt',
      [txid],
    );
    if (receipt.status !== '0x1') throw new Error('a test contract was not deployed');
    return receipt.contractAddress.toLowerCase();
  };
  const addresses = await Promise.all(deployments.map(deployedBy));
  const [usdc, tether, bscTether, spoofing, router] = addresses as [string, string, string, string, string];

  return {
    anvil,
    contracts: { usdc, tether, bscTether, spoofing, router },
    freshAddress: () => `0xcafe${(++addressesUsed).toString(16).padStart(36, '0')}`,
    deployed: async (contract, args) => {
      const txid = await deploy(contract, args);
      await anvil.mine();
      return deployedBy(txid);
    },
    send,
    call: (contract, method, args) => codecs.get(contract)!.encodeFunctionData(method, args),
    mine: async (count = 1) => {
      await anvil.mine(count);
      return Number(await anvil.rpc<string>('eth_blockNumber'));
    },
    reorg: async (depth, transactions = []) => {
      // An empty block mined again within the second would have the same hash but for its miner.
      await anvil.rpc('anvil_setCoinbase', [`0xb10c${(++reorganisations).toString(16).padStart(36, '0')}`]);
      await anvil.reorg(depth, transactions);
    },
    sign: ({ to, value = 0n, data = '0x', from = 0, nonce, gasPrice }) =>
      new Wallet(anvil.accounts[from]!.privateKey).signTransaction({
        chainId: anvil.chainId,
        type: 0,
        gasLimit: GAS,
        nonce,
        gasPrice,
        value,
        data,
        ...(to === undefined ? {} : { to }),
      }),
  };
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its lines. */
export function recordingLogger(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (event: LogEvent, fields: Readonly<Record<string, unknown>> = {}): void => {
      lines.push({ level, event, fields });
    };
  const logger = { info: at('info'), warn: at('warn'), error: at('error') };
  return { ...logger, lines, with: () => recordingLogger() };
}
