/** Chains from configuration: derivers, scanners and watchers. A family's client is loaded only when one of its chains is configured. */
import type { FakeChain } from '../adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../adapters/chains/fake/fake-deriver.ts';
import { openKeystore, readPublicKeys } from '../adapters/vault/keystore.ts';
import type { PublicKeys } from '../adapters/vault/keystore-file.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { type ChainWatcher, chainWatcher } from '../app/watch-chain.ts';
import { watchList } from '../app/watch-list.ts';
import type { Config } from '../config.ts';
import type { Asset, AssetCatalog } from '../domain/asset.ts';
import { CHAINS, type Chain, FAMILIES, type Family } from '../domain/chain.ts';
import type { AddressDeriver } from '../ports/address-deriver.ts';
import type { ChainScanner } from '../ports/chain-scanner.ts';
import type { ChainSender } from '../ports/chain-sender.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

export interface ComposedChains {
  readonly liveDerivers: ReadonlyMap<Family, AddressDeriver>;
  readonly sandboxDerivers: ReadonlyMap<Family, AddressDeriver>;
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

const ALL_FAMILIES: readonly Family[] = [...FAMILIES, 'monero'];

export async function composeChains(config: Config, parts: Parts): Promise<ComposedChains> {
  const sandboxDerivers = new Map(ALL_FAMILIES.map((family) => [family, fakeDeriver({ family })]));
  const keys = await publicKeys(config, parts.masterKey);
  const wallet = await walletDerivers(keys);
  const fakes = config.fakeChains ? await fakeChains(parts) : null;
  const { scanners, senders } = fakes ? fakeClients(fakes) : await realClients(config, parts);
  const live = fakes ? new Map([...sandboxDerivers, ...wallet]) : wallet;
  return {
    liveDerivers: live,
    // Sandbox addresses of a family that we have keys for are ours, so that real money sent to one can be found.
    sandboxDerivers: new Map([...sandboxDerivers, ...wallet]),
    fakes,
    senders,
    watchers: (deps) =>
      CHAINS.flatMap((chain) => {
        const scanner = scanners.get(chain.name);
        if (!scanner) return [];
        const settings = config.chains[chain.name];
        const watcher = chainWatcher(deps, {
          chain,
          scanner,
          watch: watchList(deps, chain),
          startHeight: settings?.startHeight ?? null,
        });
        return [{ watcher, pollMs: fakes ? 0 : (settings?.pollMs ?? chain.pollMs) }];
      }),
    async close() {
      for (const client of [...scanners.values(), ...senders.values()]) await client.close();
    },
  };
}

/** Public keys are enough for the API role, and where another process signs: they never make a wallet. */
async function publicKeys(config: Config, masterKey: Uint8Array): Promise<PublicKeys> {
  if (config.role === 'api' || config.signer.socket !== null) return readPublicKeys(config.dataDir);
  const keystore = await openKeystore({ directory: config.dataDir, masterKey, createIfMissing: true });
  return keystore.publicKeys();
}

async function walletDerivers(keys: PublicKeys): Promise<Map<Family, AddressDeriver>> {
  const { evmDeriver } = await import('../adapters/chains/evm/deriver.ts');
  return new Map([['evm', evmDeriver({ accountXpub: keys.evm.xpub })]]);
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

async function realClients(config: Config, parts: Parts): Promise<Clients> {
  const scanners = new Map<string, ChainScanner>();
  const senders = new Map<string, ChainSender>();
  for (const chain of CHAINS) {
    const settings = config.chains[chain.name];
    if (!settings) continue;
    if (chain.family !== 'evm' || chain.chainId === null) {
      parts.logger.warn('this chain is configured, but its family is not built yet: it is not watched', {
        chain: chain.name,
      });
      continue;
    }
    const { evmScanner } = await import('../adapters/chains/evm/scanner.ts');
    const { evmSender } = await import('../adapters/chains/evm/sender.ts');
    const assets = parts.catalog.all.filter((asset) => asset.chain === chain.name && asset.enabled);
    const options = {
      chain: chain.name,
      chainId: settings.chainId ?? chain.chainId,
      rpc: settings.rpc,
      finality: { confirmations: settings.confirmations },
      nativeAsset: nativeOf(parts.catalog, chain).key,
      tokens: assets.flatMap((asset) =>
        asset.contract === null
          ? []
          : [{ asset: asset.key, contract: asset.contract, decimals: asset.decimals }],
      ),
      logger: parts.logger,
    };
    scanners.set(chain.name, evmScanner(options));
    senders.set(chain.name, evmSender(options));
  }
  return { scanners, senders };
}

function nativeOf(catalog: AssetCatalog, chain: Chain): Asset {
  const native = catalog.all.find((asset) => asset.chain === chain.name && asset.type === 'native');
  if (!native) throw new Error(`the catalog has no native asset of ${chain.name}`);
  return native;
}

async function fakeChains({ catalog, clock }: Parts): Promise<Map<string, FakeChain>> {
  const { fakeChain } = await import('../adapters/chains/fake/fake-chain.ts');
  return new Map(
    CHAINS.map((chain) => [
      chain.name,
      fakeChain({
        chain: chain.name,
        family: chain.family,
        assets: [
          nativeOf(catalog, chain),
          ...catalog.all.filter((asset) => asset.chain === chain.name && asset.type === 'token'),
        ].map((asset) => ({ asset: asset.key, decimals: asset.decimals })),
        clock,
        confirmations: chain.confirmations,
      }),
    ]),
  );
}
