/**
 * The listed jettons, each held against its master contract before use: one whose decimals on the chain differ from the
 * catalog's (safety.md E9), or the addresses of whose wallets cannot be computed, is not scanned.
 */
import { Address, beginCell, Cell } from '@ton/core';
import type { UnscannedAsset } from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { fields, unusable } from '../shared/answers.ts';
import { parseTonAddress, rawAddress } from './address.ts';
import { stackCell, wholeNumber } from './answers.ts';
import type { CellId } from './cell-hash.ts';
import { chainDecimals } from './jetton-content.ts';
import { type JettonWalletOf, jettonWalletRule } from './jetton-wallets.ts';
import type { TonNetwork } from './network.ts';
import type { TonNode } from './toncenter.ts';

export interface JettonListing {
  readonly asset: string;
  /** Address of the master contract. */
  readonly contract: string;
  readonly decimals: number;
}

export interface Jetton {
  readonly asset: string;
  /** Raw. */
  readonly master: string;
  /** Of its wallets. */
  readonly code: CellId;
  readonly walletOf: JettonWalletOf;
}

export interface JettonBook {
  /** By asset; checked on `node` at the first call. */
  readonly usable: (node: TonNode) => Promise<ReadonlyMap<string, Jetton>>;
  /** What the check found; empty before the first call. */
  readonly faults: () => readonly UnscannedAsset[];
}

/** `owners`: two addresses of ours (hashes) to try the rule on. Throws for a contract that is no address, or is listed twice. */
export function jettonBook(options: {
  chain: string;
  network: TonNetwork;
  jettons: readonly JettonListing[];
  owners: readonly Uint8Array[];
  logger: Logger;
}): JettonBook {
  const { chain, network, owners, logger } = options;
  const listed = options.jettons.map((jetton) => {
    const address = parseTonAddress(network, jetton.contract);
    if (address === null) throw new Error(`${jetton.asset}: ${jetton.contract} is not a TON address`);
    return { ...jetton, hash: address.hash, master: rawAddress(address) };
  });
  if (new Set(listed.map(({ master }) => master)).size !== listed.length)
    throw new Error(`${chain}: one jetton is listed for two assets`);

  let checked: ReadonlyMap<string, Jetton> | null = null;
  let faults: readonly UnscannedAsset[] = [];

  async function check(node: TonNode): Promise<ReadonlyMap<string, Jetton>> {
    const found = await Promise.all(listed.map((jetton) => opened(node, jetton, owners)));
    faults = found.flatMap((jetton) => ('reason' in jetton ? [jetton] : []));
    for (const { asset, reason } of faults)
      logger.error('asset is not scanned: its contract does not fit the catalog', { chain, asset, reason });
    return new Map(found.flatMap((jetton) => ('reason' in jetton ? [] : [[jetton.asset, jetton]])));
  }

  return {
    usable: async (node) => {
      checked ??= await check(node);
      return checked;
    },
    faults: () => faults,
  };
}

interface Listed extends JettonListing {
  readonly hash: Uint8Array;
  readonly master: string;
}

/** A node that cannot tell throws, and is asked again later. */
async function opened(
  node: TonNode,
  { asset, decimals, hash, master }: Listed,
  owners: readonly Uint8Array[],
): Promise<Jetton | UnscannedAsset> {
  const answer = await getMethod(node, { address: master, method: 'get_jetton_data', stack: [] });
  if (answer === null) return { asset, reason: `${master} is not a jetton on this chain` };
  const [content, code] = [3, 4].map((position) => cellOf(stackCell(answer, position, 'jetton data')));
  const found = chainDecimals(content!);
  if (found !== null && found !== decimals)
    return { asset, reason: `${master} has ${found} decimals, the catalog says ${decimals}` };
  const samples = [];
  for (const owner of owners) samples.push({ owner, wallet: await askedWallet(node, master, owner) });
  const walletCode = { hash: code!.hash(), depth: code!.depth() };
  const walletOf = jettonWalletRule({ master: hash, code: walletCode }, samples);
  if (walletOf === null) return { asset, reason: `the wallets of ${master} are laid out in an unknown way` };
  return { asset, master, code: walletCode, walletOf };
}

/** The hash of the wallet's address, as the master itself says it. */
async function askedWallet(node: TonNode, master: string, owner: Uint8Array): Promise<Uint8Array> {
  const slice = beginCell()
    .storeAddress(new Address(0, Buffer.from(owner)))
    .endCell();
  const stack = [['tvm.Slice', slice.toBoc().toString('base64')]];
  const answer = await getMethod(node, { address: master, method: 'get_wallet_address', stack });
  if (answer === null) throw unusable('a jetton that does not tell the address of a wallet');
  return cellOf(stackCell(answer, 0, 'wallet address'))
    .beginParse()
    .loadAddress().hash;
}

/** The answer's stack; null where the contract has no such method, or is not there. */
export async function getMethod(
  node: TonNode,
  query: { address: string; method: string; stack: readonly unknown[]; seqno?: number },
): Promise<unknown> {
  const answer = fields(await node.call('runGetMethod', query), 'get method');
  const exitCode = wholeNumber(answer.exit_code, 'exit_code');
  return exitCode === 0 || exitCode === 1 ? answer.stack : null;
}

export function cellOf(boc: string): Cell {
  try {
    return Cell.fromBase64(boc);
  } catch {
    throw unusable('a bag of cells');
  }
}
