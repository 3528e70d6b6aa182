/**
 * `chains.monero` of CONFIG_FILE, whose wallet is the operator's own: daemons, a wallet program,
 * and the keys of a view-only wallet. The view key may be in a separate file.
 */
import { type Static, Type } from '@sinclair/typebox';
import { chainNamed } from '../domain/catalog/chain.ts';
import { FAMILY_ROWS } from '../domain/catalog/family.ts';
import type { ConfigError } from './config-error.ts';
import { closed, documented, HttpUrl, optional, Text, Urls } from './json-file.ts';
import { chainFields } from './nodes.ts';
import type { ChainConfig, OwnWalletSettings } from './types.ts';

const NETWORKS = ['main', 'test', 'stage', 'regtest'] as const;
const USUAL_NETWORK = 'main';
const VIEW_KEY = /^[0-9a-f]{64}$/i;

export const OwnWalletChain = Type.Object(
  {
    ...chainFields,
    // Each request has Monero's own login: no headers, no keys.
    rpc: documented(Urls, 'needed', 'URLs of monerod nodes in order of preference'),
    wallet_rpc: documented(
      HttpUrl,
      'needed',
      'URL of a monero-wallet-rpc for this service alone ([Monero](chains/monero.md))',
    ),
    primary_address: documented(
      Type.String({
        pattern: '^[1-9A-HJ-NP-Za-km-z]{95}$',
        description: 'the primary address of the wallet (95 characters)',
      }),
      'needed',
      'Wallet that invoices are paid to',
    ),
    view_key: optional(
      Type.String({ pattern: VIEW_KEY.source.replace('a-f', 'a-fA-F'), description: '64 hex digits' }),
      'needed, or `view_key_file`',
      'Private view key of the wallet',
    ),
    view_key_file: optional(Text, 'none', 'File that holds the view key, instead of `view_key`'),
    network: optional(
      Type.Union(
        NETWORKS.map((name) => Type.Literal(name)),
        { description: `one of ${NETWORKS.join(', ')}` },
      ),
      `"${USUAL_NETWORK}"`,
      'Network of the wallet',
    ),
  },
  closed,
);

/**
 * `chains`, with the operator's own wallets for chains that have one. `given`: the same chains as
 * in the file.
 */
export function withOwnWallets(
  chains: Readonly<Record<string, ChainConfig>>,
  given: Readonly<Record<string, object>>,
  files: { read(path: string): string },
  faults: ConfigError[],
): Readonly<Record<string, ChainConfig>> {
  const read = (name: string, chain: ChainConfig): ChainConfig => {
    if (FAMILY_ROWS[chainNamed(name).family].settings !== 'ownWallet') return chain;
    const settings = given[name] as Static<typeof OwnWalletChain>;
    return { ...chain, network: null, ownWallet: ownWalletOf(name, settings, files, faults) };
  };
  return Object.fromEntries(Object.entries(chains).map(([name, chain]) => [name, read(name, chain)]));
}

/** Null, with a fault, without a usable view key. */
function ownWalletOf(
  name: string,
  chain: Static<typeof OwnWalletChain>,
  files: { read(path: string): string },
  faults: ConfigError[],
): OwnWalletSettings | null {
  const viewKey = readViewKey(chain, files, (fault) =>
    // The place of the fault, never with the key in it.
    faults.push({ path: `chains.${name}.${fault.setting}`, message: fault.message }),
  );
  if (viewKey === null) return null;
  return {
    walletRpc: chain.wallet_rpc.replace(/\/+$/, ''),
    primaryAddress: chain.primary_address,
    viewKey,
    network: chain.network ?? USUAL_NETWORK,
  };
}

function readViewKey(
  { view_key, view_key_file }: Static<typeof OwnWalletChain>,
  files: { read(path: string): string },
  tell: (fault: { setting: string; message: string }) => void,
): string | null {
  const fault = (setting: string, message: string): null => {
    tell({ setting, message });
    return null;
  };
  if ((view_key === undefined) === (view_key_file === undefined))
    return fault('view_key', 'is needed, here or in the file that view_key_file names, and not in both');
  if (view_key_file === undefined) return view_key?.toLowerCase() ?? null;
  let text: string;
  try {
    text = files.read(view_key_file).trim();
  } catch (error) {
    return fault('view_key_file', `${view_key_file} cannot be read: ${(error as Error).message}`);
  }
  if (!VIEW_KEY.test(text)) return fault('view_key_file', `${view_key_file} must hold 64 hex digits`);
  return text.toLowerCase();
}
