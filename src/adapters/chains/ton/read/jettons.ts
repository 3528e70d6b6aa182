/**
 * The listed jettons, each checked against its master contract before use. A jetton is not scanned
 * when its decimals on the chain differ from the catalog's (safety.md E9), or when the addresses of
 * its wallets cannot be computed. The code of a jetton decides what is credited: no single node is
 * believed (A3), and nothing is read while nodes disagree.
 */
import { Address, beginCell, Cell } from '@ton/core';
import { ChainUnavailable, type UnscannedAsset } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { fields, unusable } from '../../shared/nodes/answers.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import { parseTonAddress, rawAddress } from '../address.ts';
import { stackCell, wholeNumber } from '../answers.ts';
import type { CellId } from '../codec/cell-hash.ts';
import { chainDecimals } from '../codec/jetton-content.ts';
import type { TonNetwork } from '../network.ts';
import type { TonNode } from '../toncenter.ts';
import { type JettonWalletOf, jettonWalletRule } from './jetton-wallets.ts';

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
  /**
   * By asset; the same object as long as it is the same jetton. ChainUnavailable when no node
   * answers, or nodes disagree.
   */
  usable(): Promise<ReadonlyMap<string, Jetton>>;
  /** The result of the last check; empty before the first call. */
  faults(): readonly UnscannedAsset[];
  /** Only these jettons. All parts share what is learnt of a jetton. */
  among(jettons: readonly Pick<JettonListing, 'asset'>[]): JettonBook;
}

/**
 * An answer from only some of the nodes is checked again after so long (monotonic milliseconds).
 */
const RECHECK_MS = 60_000;

/**
 * Hash of the code of a jetton's wallets on the main network, by master (raw), where it is certain:
 * USDT's is also among the precompiled contracts of the network's configuration (parameter 45).
 */
const KNOWN_CODES: ReadonlyMap<string, string> = new Map([
  [
    '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
    '89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b',
  ],
]);

interface KnownJetton {
  readonly found: Jetton | UnscannedAsset;
  /** Monotonic milliseconds until which it is not asked again. */
  readonly until: number;
}

interface JettonBookOptions {
  readonly chain: string;
  readonly network: TonNetwork;
  readonly pool: Pick<NodePool<TonNode>, 'size' | 'every'>;
  readonly jettons: readonly JettonListing[];
  /** Two of our own addresses (hashes) to test the rule with. */
  readonly owners: readonly Uint8Array[];
  readonly logger: Logger;
}

interface JettonBookState extends Omit<JettonBookOptions, 'jettons'> {
  /** By asset. */
  readonly known: Map<string, KnownJetton>;
  /** Jettons found unfit, with the reason: each is logged once. */
  readonly told: Set<string>;
}

/** Throws for a contract that is no address, or is listed twice. */
export function jettonBook({ jettons, ...options }: JettonBookOptions): JettonBook {
  const { chain, network } = options;
  const listed = jettons.map((jetton) => {
    const address = parseTonAddress(network, jetton.contract);
    if (address === null) throw new Error(`${jetton.asset}: ${jetton.contract} is not a TON address`);
    return { ...jetton, hash: address.hash, master: rawAddress(address) };
  });
  if (new Set(listed.map(({ master }) => master)).size !== listed.length)
    throw new Error(`${chain}: one jetton is listed for two assets`);
  return partOf({ ...options, known: new Map(), told: new Set() }, listed);
}

function partOf(held: JettonBookState, listed: readonly ListedJetton[]): JettonBook {
  const found = (): readonly (Jetton | UnscannedAsset)[] =>
    listed.flatMap(({ asset }) => held.known.get(asset)?.found ?? []);
  return {
    async usable() {
      const now = performance.now();
      const due = listed.filter(({ asset }) => now >= (held.known.get(asset)?.until ?? 0));
      if (due.length > 0) await check(held, due);
      return new Map(found().flatMap((jetton) => ('reason' in jetton ? [] : [[jetton.asset, jetton]])));
    },
    faults: () => found().flatMap((jetton) => ('reason' in jetton ? [jetton] : [])),
    among(jettons) {
      const assets = new Set(jettons.map(({ asset }) => asset));
      return partOf(
        held,
        listed.filter(({ asset }) => assets.has(asset)),
      );
    },
  };
}

/**
 * Notes each jetton as all nodes report it. A misfit may be a node's passing fault, so it is
 * checked again each time.
 */
async function check(held: JettonBookState, due: readonly ListedJetton[]): Promise<void> {
  const { chain, pool, owners, known } = held;
  const answers = await pool.every((node) => Promise.all(due.map((jetton) => opened(node, jetton, owners))));
  const [first] = answers;
  if (first === undefined) throw new ChainUnavailable(`${chain}: no node tells what the listed jettons are`);
  for (const [position, { asset }] of due.entries())
    if (new Set(answers.map((found) => saidOf(found[position]!, owners))).size > 1)
      throw new ChainUnavailable(`${chain}: nodes tell different things about the contract of ${asset}`);
  const lifetime = answers.length === pool.size ? Number.POSITIVE_INFINITY : RECHECK_MS;
  for (const jetton of first) {
    const before = known.get(jetton.asset)?.found;
    const isSame = before !== undefined && saidOf(before, owners) === saidOf(jetton, owners);
    const isFit = !('reason' in jetton);
    if (!isFit) tell(held, jetton);
    const until = isFit ? performance.now() + lifetime : 0;
    known.set(jetton.asset, { found: isSame ? before : jetton, until });
  }
}

function tell({ chain, told, logger }: JettonBookState, { asset, reason }: UnscannedAsset): void {
  if (told.has(`${asset} ${reason}`)) return;
  told.add(`${asset} ${reason}`);
  logger.error('asset.contract_unfit', { chain, asset, reason });
}

/** Equal for the same jetton at two nodes. */
function saidOf(jetton: Jetton | UnscannedAsset, owners: readonly Uint8Array[]): string {
  if ('reason' in jetton) return jetton.reason;
  const wallets = owners.map((owner) => Buffer.from(jetton.walletOf(owner)).toString('hex'));
  return [Buffer.from(jetton.code.hash).toString('hex'), jetton.code.depth, ...wallets].join(' ');
}

interface ListedJetton extends JettonListing {
  readonly hash: Uint8Array;
  readonly master: string;
}

/** A node that cannot tell throws, and is asked again later. */
async function opened(
  node: TonNode,
  { asset, decimals, hash, master }: ListedJetton,
  owners: readonly Uint8Array[],
): Promise<Jetton | UnscannedAsset> {
  const answer = await getMethod(node, { address: master, method: 'get_jetton_data', stack: [] });
  if (answer === null) return { asset, reason: `${master} is not a jetton on this chain` };
  const [content, code] = [3, 4].map((position) => cellOf(stackCell(answer, position, 'jetton data')));
  const found = chainDecimals(content!);
  if (found !== null && found !== decimals)
    return { asset, reason: `${master} has ${found} decimals, the catalog says ${decimals}` };
  const walletCode = { hash: code!.hash(), depth: code!.depth() };
  const known = KNOWN_CODES.get(master);
  if (known !== undefined && known !== walletCode.hash.toString('hex'))
    return { asset, reason: `the wallets of ${master} have another code than is known of them` };
  const samples = [];
  for (const owner of owners) samples.push({ owner, wallet: await askedWallet(node, master, owner) });
  const walletOf = jettonWalletRule({ master: hash, code: walletCode }, samples);
  if (walletOf === null) return { asset, reason: `the wallets of ${master} are laid out in an unknown way` };
  return { asset, master, code: walletCode, walletOf };
}

/** The hash of the wallet's address, as the master itself returns it. */
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

/** The result's stack; null where the contract does not exist or has no such method. */
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
