/**
 * The chains of the configuration: derivers, scanners, senders and watchers. A family's client is
 * loaded only when one of its chains is configured.
 */
import type { FakeChain } from '../../adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../adapters/chains/fake/fake-deriver.ts';
import { CHAIN_FAMILIES } from '../../adapters/chains/families.ts';
import type { ChainClients, FamilyWallet } from '../../adapters/chains/shared/family.ts';
import { scannerInTurn, senderInTurn } from '../../adapters/chains/shared/nodes/client-urgencies.ts';
import { readInPieces } from '../../adapters/chains/shared/read/in-pieces.ts';
import { missingFamilies, type PublicKeys } from '../../adapters/signer/keystore-file.ts';
import { toldHeads } from '../../app/chains/announced-heads.ts';
import { type HeardScanner, hearing } from '../../app/chains/latest-head.ts';
import type { AppDependencies } from '../../app/dependencies.ts';
import type { FollowedChain } from '../../app/jobs.ts';
import { hotWalletOf } from '../../app/sending/sending-chain.ts';
import { chainWatcher } from '../../app/watching/watch-chain.ts';
import { watchList } from '../../app/watching/watch-list.ts';
import type { Config } from '../../config/types.ts';
import type { AssetCatalog } from '../../domain/catalog/asset.ts';
import { CHAINS, type Chain, chainNamed } from '../../domain/catalog/chain.ts';
import {
  FAMILIES,
  type Family,
  hasWalletKey,
  isUtxo,
  UTXO_FAMILIES,
  type UtxoFamily,
} from '../../domain/catalog/family.ts';
import type { AddressDeriver } from '../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../ports/chains/address-pool.ts';
import type { ChainHeads } from '../../ports/chains/chain-heads.ts';
import type { ChainNodes } from '../../ports/chains/chain-nodes.ts';
import type { ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { ChangeAddresses } from '../../ports/chains/change-addresses.ts';
import type { WalletPayments } from '../../ports/chains/wallet-payments.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import { publicKeyText, type WalletDerivers, walletDerivers } from '../wallet/wallet.ts';
import type { ChainIdentities } from './chain-identities.ts';
import { pollMsOf } from './configured-poll-ms.ts';

export interface ComposedChains {
  readonly liveDerivers: ReadonlyMap<Family, AddressDeriver>;
  readonly sandboxDerivers: ReadonlyMap<Family, AddressDeriver>;
  /** The change addresses, in the families with UTXOs. */
  readonly change: ReadonlyMap<UtxoFamily, ChangeAddresses>;
  /** With CHAINS=fake: the chains in memory, by name; null otherwise. */
  readonly fakes: ReadonlyMap<string, FakeChain> | null;
  /** Real ones, by chain name. */
  readonly scanners: ReadonlyMap<string, ChainScanner>;
  /** By chain name. The API role has them too, to ask what sending costs. */
  readonly senders: ReadonlyMap<string, ChainSender>;
  /** Of real chains, by name. */
  readonly nodes: ReadonlyMap<string, ChainNodes>;
  /** Of real chains whose wallets need them, by name. */
  readonly walletPayments: ReadonlyMap<string, WalletPayments>;
  /** The newest tip of each chain that its scanner or a stream of heads reported. */
  readonly heard: ReadonlyMap<string, HeardScanner['heard']>;
  watchers(deps: AppDependencies): readonly FollowedChain[];
  close(): Promise<void>;
}

interface Parts {
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the wallet that the database belongs to. */
  readonly keys: PublicKeys;
  addressPool(family: string): AddressPool;
  readonly identities: Pick<ChainIdentities, 'of'>;
  /** Used with CHAINS=fake in place of new ones. */
  readonly fakes?: ReadonlyMap<string, FakeChain> | undefined;
}

export async function composeChains(config: Config, parts: Parts): Promise<ComposedChains> {
  const sandboxDerivers = new Map(FAMILIES.map((family) => [family, fakeDeriver({ family })]));
  const { keys } = parts;
  const lacking = missingFamilies(keys);
  if (lacking.length > 0) parts.logger.warn('chain.public_keys_missing', { families: lacking });
  const own = await walletDerivers(config, keys, (family) =>
    // Without the chain no job fills the pool.
    config.fakeChains || config.chains[family] === undefined ? null : parts.addressPool(family),
  );
  const wallet = own.derivers;
  const change = config.fakeChains
    ? new Map(UTXO_FAMILIES.map((family) => [family, own.change.get(family) ?? fakeDeriver({ family })]))
    : own.change;
  const fakes = config.fakeChains
    ? (parts.fakes ?? (await import('./fake-chains.ts')).fakeChains({ ...parts, change }))
    : null;
  const clients = fakes ? fakeClients(fakes) : await realClients(config, parts, own);
  const { senders, nodes, heads, walletPayments } = clients;
  const heard = new Map(
    [...clients.scanners].map(([name, scanner]) => [name, hearing(scanner, parts.clock)]),
  );
  const scanners = new Map([...heard].map(([name, { scanner }]) => [name, scanner]));
  const live: ReadonlyMap<Family, AddressDeriver> = fakes ? new Map([...sandboxDerivers, ...wallet]) : wallet;
  return {
    liveDerivers: live,
    // A family with keys has the wallet's addresses in the sandbox too, so that real money sent to
    // one can be found.
    sandboxDerivers: new Map([...sandboxDerivers, ...wallet]),
    change,
    fakes,
    scanners: fakes === null ? scanners : new Map(),
    senders,
    nodes,
    walletPayments,
    heard: new Map([...heard].map(([name, each]) => [name, each.heard])),
    watchers: (deps) =>
      CHAINS.flatMap((chain) => {
        const scanned = heard.get(chain.name);
        const on = { config, live, senders, change, heads };
        return scanned ? [followedChain(on, deps, chain, scanned)] : [];
      }),
    async close() {
      for (const client of [...scanners.values(), ...senders.values()]) await client.close();
    },
  };
}

interface Following {
  readonly config: Config;
  readonly live: ReadonlyMap<Family, AddressDeriver>;
  readonly senders: ReadonlyMap<string, ChainSender>;
  readonly change: ReadonlyMap<UtxoFamily, ChangeAddresses>;
  readonly heads: ReadonlyMap<string, ChainHeads>;
}

function followedChain(
  on: Following,
  deps: AppDependencies,
  chain: Chain,
  { scanner, heard }: HeardScanner,
): FollowedChain {
  const { config, heads } = on;
  const settings = config.chains[chain.name];
  const { arrivals, spending } = hotWalletWatch(on, chain);
  const watcher = chainWatcher(deps, {
    chain,
    scanner,
    watch: watchList(deps, chain, { arrivals, spending }),
    hotWallet: arrivals,
    startHeight: settings?.startHeight ?? null,
  });
  const pollMs = config.fakeChains || !settings ? 0 : pollMsOf(chain, settings);
  const streams = heads.get(chain.name) ?? null;
  const told = streams && toldHeads(deps, { chain, streams, pollMs, heard });
  return { watcher, pollMs, told };
}

/**
 * The watched activity of the hot wallet: payments to it, on chains that count them one by one, and
 * its spending.
 */
function hotWalletWatch({ live, senders, change }: Following, { name, family }: Chain) {
  const deriver = live.get(family);
  const sender = senders.get(name);
  if (!deriver || !sender) return { arrivals: null, spending: null };
  const wallet = hotWalletOf({ deriver });
  const arrives = sender.utxos !== null || sender.capabilities.pooled === true;
  const ownChange = isUtxo(family) ? (change.get(family) ?? null) : null;
  return { arrivals: arrives ? wallet : null, spending: { wallet, change: ownChange } };
}

interface Clients {
  readonly scanners: ReadonlyMap<string, ChainScanner>;
  readonly senders: ReadonlyMap<string, ChainSender>;
  readonly nodes: ReadonlyMap<string, ChainNodes>;
  readonly heads: ReadonlyMap<string, ChainHeads>;
  readonly walletPayments: ReadonlyMap<string, WalletPayments>;
}

/** Without a key of the wallet nothing is sent, as in production. */
function fakeClients(fakes: ReadonlyMap<string, FakeChain>): Clients {
  return {
    scanners: new Map([...fakes].map(([name, fake]) => [name, fake.scanner])),
    senders: new Map(
      [...fakes].flatMap(([name, fake]) =>
        hasWalletKey(chainNamed(name).family) ? [[name, fake.sender]] : [],
      ),
    ),
    nodes: new Map(),
    heads: new Map(),
    walletPayments: new Map(),
  };
}

async function realClients(config: Config, parts: Parts, wallet: WalletDerivers): Promise<Clients> {
  const scanners = new Map<string, ChainScanner>();
  const senders = new Map<string, ChainSender>();
  const nodes = new Map<string, ChainNodes>();
  const heads = new Map<string, ChainHeads>();
  const walletPayments = new Map<string, WalletPayments>();
  for (const chain of CHAINS) {
    const settings = config.chains[chain.name];
    if (!settings) continue;
    const boundTo = parts.identities.of(chain.name);
    const { family } = chain;
    const clients = await CHAIN_FAMILIES[family].clients({
      ...parts,
      chain,
      settings,
      boundTo,
      publicKey: publicKeyText(parts.keys, family),
      wallet: walletOf(family, wallet),
    });
    scanners.set(chain.name, scannerInTurn(readInPieces(clients.scanner, clients.nodes)));
    if (clients.sender !== null) senders.set(chain.name, senderInTurn(clients.sender));
    nodes.set(chain.name, withStreams(clients));
    if (clients.heads !== null) heads.set(chain.name, clients.heads);
    if (clients.walletPayments) walletPayments.set(chain.name, clients.walletPayments);
  }
  return { scanners, senders, nodes, heads, walletPayments };
}

function walletOf(family: Family, { derivers, change }: WalletDerivers): FamilyWallet | null {
  const deriver = derivers.get(family);
  if (deriver === undefined) return null;
  return { deriver, change: isUtxo(family) ? (change.get(family) ?? null) : null };
}

/** The nodes, with the state of their streams. */
function withStreams({ nodes, heads }: Pick<ChainClients, 'nodes' | 'heads'>): ChainNodes {
  if (heads === null) return nodes;
  return {
    ...nodes,
    standings: () => nodes.standings().map((each) => ({ ...each, stream: heads.isAliveAt(each.node) })),
  };
}
