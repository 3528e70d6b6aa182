/** `chains` of CONFIG_FILE: the settings of each chain, and their conversion. */
import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox';
import { chainNamed, GAS_CEILINGS } from '../domain/catalog/chain.ts';
import { FAMILY_ROWS, NETWORKS } from '../domain/catalog/family.ts';
import type { SettingsKind } from '../domain/catalog/family-facts.ts';
import { closed, optional, Text, whole } from './json-file.ts';
import { chainFields, ElectrumNodes, Nodes, RPC_DOC, rpcOf, StreamingNodes, toNodes } from './nodes.ts';
import { OwnWalletChain } from './own-wallet.ts';
import type { ChainConfig } from './types.ts';

const FEE_PRICE = 'quittance-fee-price';
const RELAYED_FEE_PRICE = 'quittance-relayed-fee-price';
FormatRegistry.Set(FEE_PRICE, (text) => /^(?=.*[1-9])\d{1,9}(?:\.\d{1,3})?$/.test(text));
FormatRegistry.Set(RELAYED_FEE_PRICE, (text) => /^(?!0+(?:\.|$))\d{1,9}(?:\.\d{1,3})?$/.test(text));

const FeePrice = Type.String({
  format: FEE_PRICE,
  description: 'a decimal above zero with at most three places, as a string',
});
/**
 * No Bitcoin-like node relays below 1 satoshi per virtual byte: with a lower ceiling nothing is
 * ever sent.
 */
const RelayedFeePrice = Type.String({
  format: RELAYED_FEE_PRICE,
  description: 'a decimal of at least 1 with at most three places, as a string',
});
const MOST = 'Highest fee that is ever offered to the network';

const chainSettings = {
  ...chainFields,
  chain_id: optional(
    whole(1, Number.MAX_SAFE_INTEGER),
    "the chain's own",
    'EIP-155 id, for test networks (evm only)',
  ),
  stuck_ms: optional(
    whole(1_000, 86_400_000),
    '90000',
    'Milliseconds after which a transaction without a block is replaced by one with higher fees, as long as it offers less than twice the present price',
  ),
  fee_ceiling: optional(FeePrice, usualCeilings(), `${MOST}: gwei per unit of gas. Above it payouts wait`),
};
const GasChain = Type.Object({ ...chainSettings, rpc: rpcOf(StreamingNodes) }, closed);

const INSTEAD = 'none; replaces `rpc`';
const UtxoChain = Type.Object(
  {
    ...chainSettings,
    fee_ceiling: optional(RelayedFeePrice, '500', `${MOST}: satoshi per virtual byte. Above it payouts wait`),
    rpc: optional(Nodes, 'needed, or `esplora`, or `electrum`', RPC_DOC),
    esplora: optional(
      Nodes,
      INSTEAD,
      'Esplora servers (`https://host/api`) instead of nodes. URLs, or objects as in `rpc`',
    ),
    electrum: optional(
      ElectrumNodes,
      INSTEAD,
      'Electrum servers (`ssl://host:50002`, `tcp://host:50001`) instead of nodes ([Bitcoin](chains/bitcoin.md)). URLs, or objects (below)',
    ),
    network: optional(
      Type.Union(
        NETWORKS.map((name) => Type.Literal(name)),
        { description: NETWORKS.map((name) => `"${name}"`).join(' or ') },
      ),
      '"main"',
      'Network of the nodes. It decides which addresses are given out and accepted',
    ),
  },
  closed,
);

/** Chains whose transactions expire, so that none is ever stuck and replaced. */
const expiringChain = {
  ...chainFields,
  fee_ceiling: optional(
    FeePrice,
    'tron 100, solana 0.0005, xrp 0.1, ton none',
    `${MOST} for one transaction, in whole coins. Above it payouts wait`,
  ),
  network: optional(
    Type.Union([Type.Literal('main'), Type.Literal('test')], { description: '"main" or "test"' }),
    '"main"',
    'Network of the nodes. It decides which addresses are given out and accepted',
  ),
  api_key: optional(Text, 'none', 'Key of every node of the chain that has none of its own'),
};
const ExpiringChain = Type.Object(expiringChain, closed);
const StreamingChain = Type.Object({ ...expiringChain, rpc: rpcOf(StreamingNodes) }, closed);

const SETTINGS: Readonly<Record<SettingsKind, TSchema>> = {
  gas: GasChain,
  utxo: UtxoChain,
  expiring: ExpiringChain,
  streaming: StreamingChain,
  ownWallet: OwnWalletChain,
};

/** Every setting of any chain. */
type ChainInFile = Static<typeof UtxoChain> & Pick<Static<typeof ExpiringChain>, 'api_key'>;

export const chainSchema = (name: string) =>
  Type.Unsafe<ChainInFile>(SETTINGS[FAMILY_ROWS[chainNamed(name).family].settings]);

export function toChain(chain: ChainInFile): ChainConfig {
  return {
    rpc: toNodes(chain.rpc, chain.api_key),
    esplora: toNodes(chain.esplora),
    electrum: toNodes(chain.electrum),
    chainId: chain.chain_id ?? null,
    network: chain.network ?? null,
    confirmations: chain.confirmations ?? null,
    pollMs: chain.poll_ms ?? null,
    startHeight: chain.start_height ?? null,
    behindAfterSeconds: chain.behind_after_seconds ?? null,
    stuckMs: chain.stuck_ms ?? null,
    feeCeiling: chain.fee_ceiling ?? null,
    ownWallet: null,
  };
}

/** `500; polygon 10000`: the value of most chains with gas, and the exceptions. */
function usualCeilings(): string {
  const usual = GAS_CEILINGS.find(({ chain }) => chain === 'ethereum')?.gwei ?? '';
  const others = GAS_CEILINGS.filter(({ gwei }) => gwei !== usual);
  return [usual, others.map(({ chain, gwei }) => `${chain} ${gwei}`).join(', ')].join('; ');
}
