/** The part of CONFIG_FILE about the risk check of payments. */
import { type Static, Type } from '@sinclair/typebox';
import { closed, HttpUrl, optional, Text } from './json-file.ts';

export const RiskSection = Type.Object(
  {
    deny: optional(
      Type.Array(Text, { description: 'a list of addresses' }),
      'none',
      'Addresses whose payments are held',
    ),
    deny_file: optional(
      Text,
      'none',
      'File of such addresses, one per line. It is read again when it changes',
    ),
    provider_url: optional(
      HttpUrl,
      'none',
      'Service that checks each payment: `POST` of the payment, response `{"decision": "pass" or "hit", "reason"}`',
    ),
  },
  closed,
);

export interface RiskConfig {
  readonly deny: readonly string[];
  readonly denyFile: string | null;
  readonly providerUrl: string | null;
}

export function toRisk(risk: Static<typeof RiskSection>): RiskConfig {
  return {
    deny: risk.deny ?? [],
    denyFile: risk.deny_file ?? null,
    providerUrl: risk.provider_url ?? null,
  };
}
