/**
 * The signer's policy file (SIGNER_POLICY): JSON, amounts in whole coins as decimal strings. All
 * faults are reported together with their places, and a file with a fault allows nothing.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Asset, AssetCatalog } from '../domain/catalog/asset.ts';
import { parseDecimal, toUnits } from '../domain/money/decimal.ts';
import { OUTGOING_PURPOSES } from '../domain/sending/outgoing-purpose.ts';
import { type SigningPolicy, UNLIMITED_SIGNING } from '../domain/sending/signing-policy.ts';
import type { ConfigError } from './config-error.ts';
import { closed, Decimal, named, optional, readJson, schemaFaults, Text } from './json-file.ts';

const Limits = Type.Object(
  {
    per_transaction: optional(Decimal, 'no limit', 'Most that one payout or top-up may move, in whole coins'),
    per_day: optional(
      Decimal,
      'no limit',
      'Most that payouts and top-ups may move in any 24 hours, in whole coins',
    ),
    forward_per_day: optional(
      Decimal,
      'no limit',
      'Most that forwards may move to the cold address in any 24 hours, in whole coins. The other two limits do not count them',
    ),
  },
  closed,
);
const ChainPolicy = Type.Object(
  {
    max_fee: optional(
      Decimal,
      'no limit',
      "Highest fee of one transaction, in the chain's own coin. A payout above it waits while all fees are above it, and is held otherwise",
    ),
  },
  closed,
);

type PolicyFile = Static<ReturnType<typeof policySchema>>;

/** Null for an unusable file, with its errors appended to `faults`. */
export function readSigningPolicy(
  path: string,
  files: { read(path: string): string },
  catalog: AssetCatalog,
  faults: ConfigError[],
): SigningPolicy | null {
  const before = faults.length;
  const json = readJson('SIGNER_POLICY', path, files, faults);
  if (faults.length > before) return null;
  faults.push(...schemaFaults(json, policySchema(catalog), 'SIGNER_POLICY'));
  if (faults.length > before) return null;
  const policy = toPolicy(json as PolicyFile, catalog, faults);
  return faults.length > before ? null : policy;
}

export function policySchema(catalog: AssetCatalog) {
  const choices = OUTGOING_PURPOSES.join(', ');
  const purpose = Type.Union(
    OUTGOING_PURPOSES.map((name) => Type.Literal(name)),
    { description: `one of ${choices}` },
  );
  const payout = Type.String({ pattern: '^[0-9a-f]{24}$', description: 'a payout id of 24 hex digits' });
  const assets = catalog.all.map(({ key }) => key);
  const chains = [...new Set(catalog.all.map(({ chain }) => chain))];
  return Type.Object(
    {
      halt: optional(
        Type.Boolean({ description: 'true or false' }),
        'false',
        '`true` refuses everything immediately',
      ),
      purposes: optional(
        Type.Array(purpose, { description: `a list of ${choices}` }),
        'all',
        'What may be signed: `payout` (refunds too), `sweep`, `topup`, `gap` (using up a nonce), `bump` and `consolidation` (UTXO chains), `lend` and `reclaim` (energy for sweeps on Tron), `forward` (to the cold address)',
      ),
      assets: named('<key>', assets, () => Limits),
      chains: named('<chain>', chains, () => ChainPolicy),
      resign: optional(
        Type.Array(payout, { description: 'a list of payout ids' }),
        'none',
        'Payouts that may be signed a second time ([operations](operations/signer.md#the-policy))',
      ),
      cold_addresses: named('<key or chain>', [...assets, ...chains], () => ({
        ...Text,
        without: 'none',
        doc: 'The only address that forwards of the asset, or of all assets of the chain, go to; on XRP with its destination tag. Never one of ours ([operations](operations/signer.md#the-cold-address))',
      })),
    },
    closed,
  );
}

function toPolicy(file: PolicyFile, catalog: AssetCatalog, faults: ConfigError[]): SigningPolicy {
  const units = (place: string, text: string | undefined, { decimals }: Asset): bigint | null => {
    if (text === undefined) return null;
    const parsed = parseDecimal(text);
    const value = parsed && toUnits(parsed, decimals);
    if (value === null)
      faults.push({ path: place, message: `must have at most ${decimals} decimals, as the coin has` });
    return value;
  };
  const limits = Object.entries(file.assets ?? {}).map(([key, given]) => {
    const asset = catalog.require(key);
    const limit = {
      perTransactionUnits: units(`assets.${key}.per_transaction`, given.per_transaction, asset),
      perDayUnits: units(`assets.${key}.per_day`, given.per_day, asset),
    };
    return [key, limit] as const;
  });
  const forwards = Object.entries(file.assets ?? {}).flatMap(([key, { forward_per_day }]) => {
    const most = units(`assets.${key}.forward_per_day`, forward_per_day, catalog.require(key));
    return most === null ? [] : [[key, most] as const];
  });
  const fees = Object.entries(file.chains ?? {}).flatMap(([chain, { max_fee }]) => {
    const fee = units(`chains.${chain}.max_fee`, max_fee, catalog.nativeOf(chain));
    return fee === null ? [] : [[chain, fee] as const];
  });
  return {
    halt: file.halt ?? false,
    purposes: file.purposes ? new Set(file.purposes) : UNLIMITED_SIGNING.purposes,
    limits: new Map(limits),
    maxFeeUnits: new Map(fees),
    resign: new Set(file.resign),
    forwardsPerDay: new Map(forwards),
    coldAddresses: new Map(Object.entries(file.cold_addresses ?? {})),
  };
}
