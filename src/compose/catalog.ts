/** The catalog of a start: what is built in, what the configuration changes of it, and the tokens that it adds. */
import { normalizeEvmAddress } from '../adapters/chains/shared/eip55.ts';
import { normalizeSolanaAddress } from '../adapters/chains/solana/address.ts';
import { parseTonAddress, rawAddress } from '../adapters/chains/ton/address.ts';
import { tonNetwork } from '../adapters/chains/ton/network.ts';
import { addressHex } from '../adapters/chains/tron/address.ts';
import type { Config, ConfigFault } from '../config.ts';
import { AssetCatalog, type OwnAsset } from '../domain/asset.ts';
import { chainNamed } from '../domain/chain.ts';

type Settings = Pick<Config, 'assets' | 'ownAssets' | 'chains'>;

/** Throws for a configuration with such faults as catalogFaults tells. */
export function catalogOf(config: Settings): AssetCatalog {
  const [fault] = catalogFaults(config);
  if (fault) throw new Error(`${fault.path} ${fault.message}`);
  return new AssetCatalog(config.assets, config.ownAssets);
}

/** What is wrong with contracts of added tokens: no address of their chain, or another asset's. */
export function catalogFaults(config: Settings): readonly ConfigFault[] {
  const taken = new Map<string, string>();
  for (const { key, chain, contract } of new AssetCatalog(config.assets).all)
    if (contract !== null) taken.set(`${chain} ${contractOf(config, chain, contract) ?? contract}`, key);
  return config.ownAssets.flatMap(({ key, chain, contract }) => {
    const found = contractOf(config, chain, contract);
    const place = `${chain} ${found}`;
    const other = taken.get(place);
    taken.set(place, key);
    const message = found === null ? expected(chain) : other && `is the contract of ${other} already`;
    return message ? [{ path: `assets.${key}.contract`, message }] : [];
  });
}

/** One text for each contract of the chain; null for what is no address there. */
function contractOf({ chains }: Settings, chain: string, text: string): string | null {
  switch (chainNamed(chain).family) {
    case 'evm':
      return normalizeEvmAddress(text);
    case 'tron':
      return addressHex(text);
    case 'solana':
      return normalizeSolanaAddress(text);
    case 'ton': {
      // Wallets read the form for people alone, and the payment link names the contract.
      const address = parseTonAddress(tonNetwork(chains.ton?.network ?? 'main'), text);
      return address === null || address.bounceable === null ? null : rawAddress(address);
    }
    default:
      return null;
  }
}

function expected(chain: OwnAsset['chain']): string {
  switch (chainNamed(chain).family) {
    case 'evm':
      return 'must be an address of 40 hex digits behind 0x, its capitals right or none';
    case 'ton':
      return "must be the address of the jetton's master in the form for people, EQ...";
    case 'solana':
      return "must be the address of the token's mint";
    default:
      return `must be an address of ${chain}`;
  }
}
