/**
 * The nodes of a chain in CONFIG_FILE: URLs, or objects with the provider's requirements and
 * limits.
 */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import { CHAIN_ROWS, type ChainName } from '../domain/catalog/chain-rows.ts';
import type { ConfigError } from './config-error.ts';
import { closed, Decimal, documented, HttpUrl, optional, Text, whole } from './json-file.ts';
import type { NodeConfig } from './types.ts';

const HEADER_VALUE = '^[\\x20-\\x7e]+$';
const limits = {
  max_rps: optional(
    Type.Number({ minimum: 0.1, maximum: 100_000, description: 'calls a second, 0.1 to 100000' }),
    'learned from refusals',
    'Calls a second that the plan allows',
  ),
  max_per_day: optional(
    whole(1, Number.MAX_SAFE_INTEGER),
    'none',
    'Calls a day (UTC) that the plan allows. Reading leaves some of them for payouts',
  ),
  priority: optional(whole(1, 100), '1', 'The node with the lowest number is asked first'),
  price_per_million_calls: optional(
    Decimal,
    'none',
    'Price of a million calls at the provider, in US dollars. `bun run chains status` then shows the cost of a month',
  ),
};
const node = {
  url: documented(HttpUrl, 'needed', 'URL of the node'),
  headers: optional(
    Type.Record(Type.String(), Type.String({ pattern: HEADER_VALUE, description: 'a header value' }), {
      description: 'an object of header names and values',
    }),
    'none',
    'Headers of each request, for providers that need a key in a special header: `{"x-api-key": "..."}`',
  ),
  api_key: optional(
    Text,
    "the chain's `api_key`",
    "The provider's key. It is sent as `TRON-PRO-API-KEY` on tron and as `x-api-key` elsewhere",
  ),
  ...limits,
};
const WS_URL = 'quittance-ws-url';
FormatRegistry.Set(WS_URL, (text) => /^wss?:$/.test(URL.parse(text)?.protocol ?? ''));
const Node = Type.Object(node, closed);
const StreamingNode = Type.Object(
  {
    ...node,
    stream: optional(
      Type.String({ format: WS_URL, description: 'a ws(s) URL' }),
      'none',
      'Where the node announces new heads; `headers` and `api_key` are sent there too. Payments then show immediately. Without it, and during its outages, the chain is polled. It is worthwhile on some chains: [EVM](chains/evm.md), [Solana](chains/solana.md), [XRP](chains/xrp.md)',
    ),
  },
  closed,
);

const nodesOf = <T extends TSchema>(each: T) =>
  Type.Array(Type.Union([HttpUrl, each], { description: 'an http(s) URL or an object with a url' }), {
    minItems: 1,
    description: 'a list of at least one http(s) URL',
  });
export const Nodes = nodesOf(Node);
/** For chains whose nodes announce heads over WebSockets. */
export const StreamingNodes = nodesOf(StreamingNode);

const ELECTRUM_URL = 'quittance-electrum-url';
FormatRegistry.Set(
  ELECTRUM_URL,
  (text) => /^(ssl|tcp):\/\/[^/?#@\s]+:\d{1,5}$/.test(text) && URL.canParse(text),
);
const ElectrumUrl = Type.String({
  format: ELECTRUM_URL,
  description: 'ssl://host:port or tcp://host:port',
});
const ElectrumNode = Type.Object(
  {
    url: documented(ElectrumUrl, 'needed', 'URL of the Electrum server'),
    certificate_sha256: optional(
      Type.String({
        pattern: '^([0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2}$',
        description: 'the SHA-256 fingerprint of a certificate, 64 hex digits',
      }),
      'an authority must have signed it',
      'The only accepted certificate, for a server that signed its own. Without this setting the gateway does not connect to such a server',
    ),
    ...limits,
  },
  closed,
);

export const ElectrumNodes = Type.Array(
  Type.Union([ElectrumUrl, ElectrumNode], { description: 'ssl://host:port or an object with a url' }),
  { minItems: 1, description: 'a list of at least one ssl://host:port' },
);

export const RPC_DOC =
  'Nodes in order of preference. Each is a URL, with `user:password@` if the node requires it, or an object (below). Two or more must agree before a payment is credited';
export const rpcOf = <T extends TSchema>(nodes: T): T => documented(nodes, 'needed', RPC_DOC);

/** `bitcoin 2, litecoin 6`: the confirmations of the catalog. */
function blocks(...chains: readonly ChainName[]): string {
  return chains.map((chain) => `${chain} ${CHAIN_ROWS[chain].confirmations}`).join(', ');
}

/** The settings of every chain in the file. */
export const chainFields = {
  rpc: rpcOf(Nodes),
  confirmations: optional(
    whole(0, 100_000),
    `the node's \`finalized\` tag; ${blocks('bitcoin', 'litecoin', 'bitcoincash', 'monero')}, on the main network ${blocks('tron', 'solana')}`,
    'Blocks that make a payment final. Tron and Solana also wait for the node to report it as final',
  ),
  poll_ms: optional(
    whole(10, 3_600_000),
    'by chain: 12 s on ethereum, 6 s on other evm chains, tron and solana, 10 s on bitcoin and its kind (over `electrum` 4 s, and 40 s where every `rpc` node of theirs has a plan)',
    'Milliseconds between two polls of the chain. A node has a plan if it has `max_rps`, `max_per_day`, `price_per_million_calls` or `api_key`',
  ),
  start_height: optional(
    whole(0, Number.MAX_SAFE_INTEGER),
    'the tip at the first start',
    'First block to read',
  ),
  behind_after_seconds: optional(
    whole(60, 604_800),
    '600',
    'Age of undetected payments from which the chain is late. A late chain is not offered for new invoices, open checkouts show a notice, and an alarm is raised',
  ),
};

type NodeInFile = string | (Static<typeof StreamingNode> & Partial<Static<typeof ElectrumNode>>);

/** `sharedKey` belongs to all nodes without a key of their own. */
export function toNodes(nodes: readonly NodeInFile[] = [], sharedKey?: string): readonly NodeConfig[] {
  return nodes.map((given) => {
    const node = typeof given === 'string' ? { url: given } : given;
    return {
      url: node.url.replace(/\/+$/, ''),
      headers: node.headers ?? {},
      apiKey: node.api_key ?? sharedKey ?? null,
      stream: node.stream ?? null,
      maxRps: node.max_rps ?? null,
      maxPerDay: node.max_per_day ?? null,
      priority: node.priority ?? 1,
      pricePerMillionCalls: node.price_per_million_calls ?? null,
      certificateSha256: node.certificate_sha256?.replaceAll(':', '').toLowerCase() ?? null,
    };
  });
}

/** A chain is read from one kind of source: two kinds that disagree would block every credit. */
export function sourceFaults(chains: Readonly<Record<string, object>>): readonly ConfigError[] {
  return Object.entries(chains).flatMap(([name, chain]) =>
    ['rpc', 'esplora', 'electrum'].filter((kind) => kind in chain).length === 1
      ? []
      : [{ path: `chains.${name}`, message: 'needs either rpc, esplora or electrum' }],
  );
}
