/** Chains from configuration: derivers, scanners and watchers. A family's client is loaded only when one of its chains is configured. */
import type { FakeChain } from '../adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../adapters/chains/fake/fake-deriver.ts';
import { missingFamilies } from '../adapters/vault/keystore-file.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { hotWalletOf } from '../app/sending.ts';
import { type ChainWatcher, chainWatcher } from '../app/watch-chain.ts';
import { watchList } from '../app/watch-list.ts';
import type { ChainConfig, Config, MoneroSettings } from '../config.ts';
import type { Asset, AssetCatalog } from '../domain/asset.ts';
import {
  CHAINS,
  type Chain,
  FAMILIES,
  type Family,
  hasCoins,
  UTXO_FAMILIES,
  type UtxoFamily,
} from '../domain/chain.ts';
import { unitsOf } from '../domain/decimal.ts';
import type { AddressDeriver } from '../ports/address-deriver.ts';
import type { ChainScanner } from '../ports/chain-scanner.ts';
import type { ChainSender } from '../ports/chain-sender.ts';
import type { ChangeAddresses } from '../ports/change-addresses.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { walletDerivers, walletKeys } from './wallet.ts';

export interface ComposedChains {
  readonly liveDerivers: ReadonlyMap<Family, AddressDeriver>;
  readonly sandboxDerivers: ReadonlyMap<Family, AddressDeriver>;
  /** Where change comes back, in the families that have coins. */
  readonly change: ReadonlyMap<UtxoFamily, ChangeAddresses>;
  /** With CHAINS=fake: the chains in memory, by name; null otherwise. */
  readonly fakes: ReadonlyMap<string, FakeChain> | null;
  /** By chain name. The API role has them too: it asks what sending costs. */
  readonly senders: ReadonlyMap<string, ChainSender>;
  watchers(deps: AppDependencies): readonly { watcher: ChainWatcher; pollMs: number }[];
  close(): Promise<void>;
}

interface Parts {
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly masterKey: Uint8Array;
}

const GWEI_DECIMALS = 9;
/** Satoshi per virtual byte, and what turns it into base units for 1,000 of them. */
const USUAL_SATOSHI_CEILING = '500';
const PER_THOUSAND_DECIMALS = 3;
const ALL_FAMILIES: readonly Family[] = [...FAMILIES, 'monero'];

export async function composeChains(config: Config, parts: Parts): Promise<ComposedChains> {
  const sandboxDerivers = new Map(ALL_FAMILIES.map((family) => [family, fakeDeriver({ family })]));
  const keys = await walletKeys(config, parts.masterKey);
  const lacking = missingFamilies(keys);
  if (lacking.length > 0)
    parts.logger.warn('keystore.json has no public keys of some families: no live address of them', {
      families: lacking,
    });
  const { derivers, change: ownChange } = await walletDerivers(config, keys);
  const wallet = new Map<Family, AddressDeriver>([...derivers, ...(await moneroDerivers(config))]);
  const change = config.fakeChains
    ? new Map(UTXO_FAMILIES.map((family) => [family, ownChange.get(family) ?? fakeDeriver({ family })]))
    : ownChange;
  const fakes = config.fakeChains ? await fakeChains(parts, change) : null;
  const { scanners, senders } = fakes ? fakeClients(fakes) : await realClients(config, parts, change);
  const live: ReadonlyMap<Family, AddressDeriver> = fakes ? new Map([...sandboxDerivers, ...wallet]) : wallet;
  return {
    liveDerivers: live,
    // Sandbox addresses of a family that we have keys for are ours, so that real money sent to one can be found.
    sandboxDerivers: new Map([...sandboxDerivers, ...wallet]),
    change,
    fakes,
    senders,
    watchers: (deps) =>
      CHAINS.flatMap((chain) => {
        const scanner = scanners.get(chain.name);
        if (!scanner) return [];
        const settings = config.chains[chain.name];
        const deriver = live.get(chain.family);
        const hotWallet = deriver && senders.get(chain.name)?.coins ? hotWalletOf({ deriver }) : null;
        const watcher = chainWatcher(deps, {
          chain,
          scanner,
          watch: watchList(deps, chain, hotWallet),
          hotWallet,
          startHeight: settings?.startHeight ?? null,
        });
        return [{ watcher, pollMs: fakes ? 0 : (settings?.pollMs ?? chain.pollMs) }];
      }),
    async close() {
      for (const client of [...scanners.values(), ...senders.values()]) await client.close();
    },
  };
}

interface Clients {
  readonly scanners: ReadonlyMap<string, ChainScanner>;
  readonly senders: ReadonlyMap<string, ChainSender>;
}

function fakeClients(fakes: ReadonlyMap<string, FakeChain>): Clients {
  return {
    scanners: new Map([...fakes].map(([name, fake]) => [name, fake.scanner])),
    senders: new Map([...fakes].map(([name, fake]) => [name, fake.sender])),
  };
}

async function realClients(
  config: Config,
  parts: Parts,
  change: ReadonlyMap<UtxoFamily, ChangeAddresses>,
): Promise<Clients> {
  const scanners = new Map<string, ChainScanner>();
  const senders = new Map<string, ChainSender>();
  for (const chain of CHAINS) {
    const settings = config.chains[chain.name];
    if (!settings) continue;
    if (settings.monero !== null) {
      scanners.set(chain.name, await moneroScannerOf(chain, settings, settings.monero, parts));
      continue;
    }
    const utxo = UTXO_FAMILIES.find((family) => family === chain.family);
    if (utxo !== undefined) {
      const clients = await utxoClients(chain, settings, parts, { family: utxo, change: change.get(utxo) });
      scanners.set(chain.name, clients.scanner);
      if (clients.sender !== null) senders.set(chain.name, clients.sender);
      continue;
    }
    if (chain.family !== 'evm' || chain.chainId === null) {
      parts.logger.warn('this chain is configured, but its family is not built yet: it is not watched', {
        chain: chain.name,
      });
      continue;
    }
    const { evmScanner } = await import('../adapters/chains/evm/scanner.ts');
    const { evmSender } = await import('../adapters/chains/evm/sender.ts');
    const tokens = parts.catalog.all.flatMap(({ key: asset, chain: on, contract, decimals, enabled }) =>
      on === chain.name && contract !== null ? [{ asset, contract, decimals, enabled }] : [],
    );
    const options = {
      chain: chain.name,
      chainId: settings.chainId ?? chain.chainId,
      rpc: settings.rpc,
      finality: { confirmations: settings.confirmations },
      nativeAsset: nativeOf(parts.catalog, chain).key,
      logger: parts.logger,
    };
    scanners.set(chain.name, evmScanner({ ...options, tokens: tokens.filter(({ enabled }) => enabled) }));
    // What left before an asset was switched off is still looked after.
    const ceilingPerGas = settings.feeCeiling === null ? null : unitsOf(settings.feeCeiling, GWEI_DECIMALS);
    const fees = ceilingPerGas === null ? {} : { ceilingPerGas };
    senders.set(chain.name, evmSender({ ...options, tokens, fees }));
  }
  return { scanners, senders };
}

/** Without the family's public key there is nowhere for change to come back, and so no sender. */
async function utxoClients(
  chain: Chain,
  settings: ChainConfig,
  { catalog, logger }: Parts,
  { family, change }: { family: UtxoFamily; change: ChangeAddresses | undefined },
): Promise<{ scanner: ChainScanner; sender: ChainSender | null }> {
  const { utxoNetwork } = await import('../adapters/chains/utxo/network.ts');
  const { utxoScanner } = await import('../adapters/chains/utxo/scanner.ts');
  const { utxoSender } = await import('../adapters/chains/utxo/sender.ts');
  const options = {
    chain: chain.name,
    network: utxoNetwork(family, settings.network ?? 'main'),
    source: settings.esplora.length > 0 ? { esplora: settings.esplora } : { rpc: settings.rpc },
    confirmations: settings.confirmations ?? chain.confirmations,
    logger,
  };
  const asset = nativeOf(catalog, chain).key;
  const ceiling = unitsOf(settings.feeCeiling ?? USUAL_SATOSHI_CEILING, PER_THOUSAND_DECIMALS);
  const sender = change && utxoSender({ ...options, nativeAsset: asset, change, fees: { ceiling } });
  return { scanner: utxoScanner({ ...options, asset }), sender: sender ?? null };
}

/** Monero's keys are the operator's own: they are in the configuration, and without them it has no live address. */
async function moneroDerivers(config: Config): Promise<readonly (readonly [Family, AddressDeriver])[]> {
  const keys = config.fakeChains ? null : config.chains.monero?.monero;
  if (!keys) return [];
  const { moneroDeriver } = await import('../adapters/chains/monero/deriver.ts');
  return [['monero', moneroDeriver(keys)]];
}

async function moneroScannerOf(
  chain: Chain,
  settings: ChainConfig,
  { walletRpc, ...keys }: MoneroSettings,
  { catalog, logger }: Parts,
): Promise<ChainScanner> {
  const { moneroScanner } = await import('../adapters/chains/monero/scanner.ts');
  return moneroScanner({
    chain: chain.name,
    asset: nativeOf(catalog, chain).key,
    rpc: settings.rpc,
    walletRpc,
    keys,
    confirmations: settings.confirmations ?? chain.confirmations,
    startHeight: settings.startHeight,
    logger,
  });
}

function nativeOf(catalog: AssetCatalog, chain: Chain): Asset {
  const native = catalog.all.find((asset) => asset.chain === chain.name && asset.type === 'native');
  if (!native) throw new Error(`the catalog has no native asset of ${chain.name}`);
  return native;
}

async function fakeChains(
  { catalog, clock }: Parts,
  change: ReadonlyMap<UtxoFamily, ChangeAddresses>,
): Promise<Map<string, FakeChain>> {
  const { fakeChain } = await import('../adapters/chains/fake/fake-chain.ts');
  return new Map(
    CHAINS.map((chain) => {
      const ownChange = hasCoins(chain.family) ? change.get(chain.family) : undefined;
      const made = fakeChain({
        chain: chain.name,
        family: chain.family,
        assets: [
          nativeOf(catalog, chain),
          ...catalog.all.filter((asset) => asset.chain === chain.name && asset.type === 'token'),
        ].map((asset) => ({ asset: asset.key, decimals: asset.decimals })),
        clock,
        confirmations: chain.confirmations,
        ...(ownChange === undefined ? {} : { change: ownChange }),
      });
      return [chain.name, made];
    }),
  );
}
