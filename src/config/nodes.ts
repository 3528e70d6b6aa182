/** The nodes of a chain in the configuration file: URLs, or objects with what the provider asks for and allows. */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import type { ConfigFault, NodeConfig } from '../config.ts';
import { closed, Decimal, HttpUrl, Text, whole } from './json-file.ts';

const HEADER_VALUE = '^[\\x20-\\x7e]+$';
const limits = {
  max_rps: Type.Optional(
    Type.Number({ minimum: 0.1, maximum: 100_000, description: 'calls a second, 0.1 to 100000' }),
  ),
  max_per_day: Type.Optional(whole(1, Number.MAX_SAFE_INTEGER)),
  priority: Type.Optional(whole(1, 100)),
  price_per_million_calls: Type.Optional(Decimal),
};
const node = {
  url: HttpUrl,
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ pattern: HEADER_VALUE, description: 'a header value' }), {
      description: 'an object of header names and values',
    }),
  ),
  api_key: Type.Optional(Text),
  ...limits,
};
const WS_URL = 'quittance-ws-url';
FormatRegistry.Set(WS_URL, (text) => /^wss?:$/.test(URL.parse(text)?.protocol ?? ''));
const Node = Type.Object(node, closed);
const StreamingNode = Type.Object(
  { ...node, stream: Type.Optional(Type.String({ format: WS_URL, description: 'a ws(s) URL' })) },
  closed,
);

const nodesOf = <T extends TSchema>(each: T) =>
  Type.Array(Type.Union([HttpUrl, each], { description: 'an http(s) URL or an object with a url' }), {
    minItems: 1,
    description: 'a list of at least one http(s) URL',
  });
export const Nodes = nodesOf(Node);
/** Of chains whose nodes tell heads over WebSockets. */
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
    url: ElectrumUrl,
    certificate_sha256: Type.Optional(
      Type.String({
        pattern: '^([0-9a-fA-F]{2}:?){31}[0-9a-fA-F]{2}$',
        description: 'the SHA-256 fingerprint of a certificate, 64 hex digits',
      }),
    ),
    ...limits,
  },
  closed,
);

export const ElectrumNodes = Type.Array(
  Type.Union([ElectrumUrl, ElectrumNode], { description: 'ssl://host:port or an object with a url' }),
  { minItems: 1, description: 'a list of at least one ssl://host:port' },
);

/** What every chain of the file has. */
export const chainFields = {
  rpc: Nodes,
  confirmations: Type.Optional(whole(0, 100_000)),
  poll_ms: Type.Optional(whole(10, 3_600_000)),
  start_height: Type.Optional(whole(0, Number.MAX_SAFE_INTEGER)),
  behind_after_seconds: Type.Optional(whole(60, 604_800)),
};

type NodeInFile = string | (Static<typeof StreamingNode> & Partial<Static<typeof ElectrumNode>>);

/** `sharedKey` is that of all nodes without one of their own. */
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

/** A chain is read from one kind of source: two kinds that disagree would hold up every credit. */
export function sourceFaults(chains: Readonly<Record<string, object>>): readonly ConfigFault[] {
  return Object.entries(chains).flatMap(([name, chain]) =>
    ['rpc', 'esplora', 'electrum'].filter((kind) => kind in chain).length === 1
      ? []
      : [{ path: `chains.${name}`, message: 'needs either rpc, esplora or electrum' }],
  );
}
