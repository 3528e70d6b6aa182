/** `GET /checkout/{id}/wallet-transaction`: what a customer's wallet signs, where it needs that. */
import type { Application } from '../../../../app/application.ts';
import { receivedUnits } from '../../../../domain/invoices/invoice.ts';
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { networkOf } from '../../kit/caller-ip.ts';
import { RateLimiter } from '../../kit/rate-limit.ts';
import type { PublicRoute } from '../../kit/route.ts';
import type { CheckoutSources } from '../data.ts';
import { externalIdOf } from '../external-id.ts';
import { HEADERS } from '../responses.ts';
import { stageOf } from '../status-view.ts';

/** Each asks a node. */
const TRANSACTIONS_PER_MINUTE = 10;
const ADDRESS_LENGTH_MAX = 100;

export interface WalletParts {
  readonly application: Pick<Application, 'queries' | 'catalog'>;
  readonly sources: Pick<CheckoutSources, 'walletNetwork' | 'walletTransaction'>;
  readonly clock: Clock;
  readonly isLimited: boolean;
  callerIp(request: Request): string | null;
}

export function walletRoute(parts: WalletParts): PublicRoute {
  const limiter = new RateLimiter(parts.isLimited ? TRANSACTIONS_PER_MINUTE : 0);
  return {
    method: 'GET',
    path: '/checkout/:external_id/wallet-transaction',
    async respond(request, params) {
      const wait = limiter.take(networkOf(parts.callerIp(request)), parts.clock.now().getTime());
      if (wait !== null) return nothing(429, { 'retry-after': String(wait) });
      const from = new URL(request.url).searchParams.get('from') ?? '';
      if (from === '' || from.length > ADDRESS_LENGTH_MAX) return nothing(422);
      try {
        return await transactionFor(parts, externalIdOf(params), from);
      } catch (error) {
        if (error instanceof ChainUnavailable) return nothing(503, { 'retry-after': '5' });
        throw error;
      }
    },
  };
}

/** 404 where nothing is to be paid by a wallet, 422 for an address that is none. */
async function transactionFor(
  { application: { queries, catalog }, sources, clock }: WalletParts,
  externalId: string | null,
  from: string,
): Promise<Response> {
  const invoice = externalId === null ? null : await queries.invoiceByExternalId(externalId);
  if (invoice === null || invoice.sandbox || invoice.price === null || invoice.addressTo === null)
    return nothing(404);
  const { asset, dueUnits } = invoice.price;
  const { chain } = catalog.require(asset);
  if (!stageOf(invoice, clock.now()).payable || sources.walletNetwork(chain) === null) return nothing(404);
  const standing = await queries.checkoutStanding(invoice.id);
  if (standing.addressGone) return nothing(404);
  const received = receivedUnits(invoice.funds);
  const units = dueUnits > received ? dueUnits - received : dueUnits;
  const made = await sources.walletTransaction(chain, { asset, from, to: invoice.addressTo, units });
  if (made === null) return nothing(422);
  return Response.json({ transaction: Buffer.from(made).toString('base64') }, { headers: HEADERS });
}

function nothing(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...HEADERS, ...headers } });
}
