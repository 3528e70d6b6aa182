/** What differs between Cryptomus and the providers that took its API over. */
import type { ToldInvoice } from '../../../../ports/webhooks/webhook-formats.ts';
import type { NetworkNames } from '../../../shared/providers/networks.ts';

export interface Dialect {
  readonly provider: 'cryptomus' | 'heleket';
  readonly prefix: string;
  readonly networks: NetworkNames;
  readonly payment: (told: ToldInvoice) => Record<string, unknown>;
}
