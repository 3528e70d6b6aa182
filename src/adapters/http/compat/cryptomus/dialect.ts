/** The differences between Cryptomus and the providers that use its API. */
import type { ProviderInvoice } from '../../../../ports/webhooks/webhook-formats.ts';
import type { NetworkNames } from '../../../shared/providers/networks.ts';

export interface Dialect {
  readonly provider: 'cryptomus' | 'heleket';
  readonly prefix: string;
  readonly networks: NetworkNames;
  readonly payment: (facts: ProviderInvoice) => Record<string, unknown>;
}
