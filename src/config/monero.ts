/**
 * `chains.monero` of CONFIG_FILE: daemons, a wallet program, and the keys of a view-only wallet.
 * The view key may be in a file of its own.
 */
import { type Static, Type } from '@sinclair/typebox';
import { closed, documented, HttpUrl, optional, Text, Urls } from './json-file.ts';
import { chainFields } from './nodes.ts';
import type { ConfigError, MoneroSettings } from './types.ts';

const NETWORKS = ['main', 'test', 'stage', 'regtest'] as const;
const USUAL_NETWORK = 'main';
const VIEW_KEY = /^[0-9a-f]{64}$/i;

export const MoneroChain = Type.Object(
  {
    ...chainFields,
    // A login of its own kind goes with each request: no headers, no keys.
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

/** Where the fault is: never with the key in it. */
const PLACE = 'chains.monero.view_key';

/** The settings that only Monero has; null, with a fault, without a usable view key. */
export function readMonero(
  chain: Static<typeof MoneroChain>,
  files: { read(path: string): string },
  faults: ConfigError[],
): MoneroSettings | null {
  const viewKey = readViewKey(chain, files, faults);
  if (viewKey === null) return null;
  return {
    walletRpc: chain.wallet_rpc.replace(/\/+$/, ''),
    primaryAddress: chain.primary_address,
    viewKey,
    network: chain.network ?? USUAL_NETWORK,
  };
}

function readViewKey(
  { view_key, view_key_file }: Static<typeof MoneroChain>,
  files: { read(path: string): string },
  faults: ConfigError[],
): string | null {
  const fault = (place: string, message: string): null => {
    faults.push({ path: place, message });
    return null;
  };
  if ((view_key === undefined) === (view_key_file === undefined))
    return fault(PLACE, 'is needed, here or in the file that view_key_file names, and not in both');
  if (view_key_file === undefined) return view_key?.toLowerCase() ?? null;
  let text: string;
  try {
    text = files.read(view_key_file).trim();
  } catch (error) {
    return fault(`${PLACE}_file`, `${view_key_file} cannot be read: ${(error as Error).message}`);
  }
  if (!VIEW_KEY.test(text)) return fault(`${PLACE}_file`, `${view_key_file} must hold 64 hex digits`);
  return text.toLowerCase();
}
