/**
 * The console under /console: merchants and operators see and do everything in a browser. Pages are
 * made on the server; every route passes the gate (kit/gate.ts).
 */
import type { Accounts } from '../../../app/accounts/accounts.ts';
import type { Application } from '../../../app/application.ts';
import type { MerchantDesk } from '../../../app/console/merchant-desk.ts';
import type { OperatorDesk } from '../../../app/console/operator-desk.ts';
import type { OperatorQueries } from '../../../ports/operator-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { LiveHub } from '../checkout/live/live-hub.ts';
import type { PublicRoute } from '../kit/route.ts';
import { invitationRoutes } from './account/invitation.ts';
import { peopleRoutes } from './account/people.ts';
import { securityRoutes } from './account/security.ts';
import { signInRoutes } from './account/sign-in.ts';
import { CONSOLE_HEADERS } from './kit/answers.ts';
import { consoleAssets } from './kit/assets.ts';
import { consoleGate, type Gate, notFound } from './kit/gate.ts';
import { type ConsoleRoute, ofAccount } from './kit/route.ts';
import { liveRoute } from './live.ts';
import { addressRoutes } from './merchant/addresses.ts';
import { approvalRoutesOfMerchant } from './merchant/approvals.ts';
import { attentionRoutes } from './merchant/attention.ts';
import { balanceRoutes } from './merchant/balance.ts';
import { brandRoutes } from './merchant/brand.ts';
import { createRoutes } from './merchant/create.ts';
import { linkRoutesOfMerchant } from './merchant/links.ts';
import { overviewRoutes } from './merchant/overview.ts';
import { paymentRoutes } from './merchant/payments.ts';
import { payoutFileRoutes } from './merchant/payout-file.ts';
import { payoutRoutesOfMerchant } from './merchant/payouts.ts';
import { claimRoutes } from './merchant/refunds.ts';
import { searchRoutes } from './merchant/search.ts';
import { settingsRoutes } from './merchant/settings.ts';
import { statementRoutes } from './merchant/statements.ts';
import { approvalRoutesOfOperators } from './operator/approvals.ts';
import { auditRoutes } from './operator/audit.ts';
import { caseRoutes } from './operator/cases.ts';
import { creditRoutes } from './operator/credit-queue.ts';
import { merchantPageRoutes } from './operator/merchants/merchant.ts';
import { merchantBrandRoutes } from './operator/merchants/merchant-brand.ts';
import { merchantRoutes } from './operator/merchants/merchants.ts';
import { queueRoutes } from './operator/queue.ts';
import { searchRoutesOfOperators } from './operator/search.ts';
import { signingRoutes } from './operator/signing.ts';
import { walletRoutes } from './operator/wallets.ts';
import { wellRoutes } from './operator/well.ts';

/** What compose gives the console beyond the API's. */
export interface ConsoleParts {
  readonly accounts: Accounts;
  readonly merchantDesk: MerchantDesk;
  readonly operatorDesk: OperatorDesk;
  readonly operatorQueries: OperatorQueries;
  /** Anybody may open an account. */
  readonly registrationIsOpen: boolean;
}

export interface ConsoleDependencies extends ConsoleParts {
  readonly application: Application;
  readonly clock: Clock;
  readonly ids: { uuid(): string };
  /** Logs a bug that shows after a response has begun. */
  onBug(thrown: unknown): void;
  readonly config: {
    /** Public address of the service. */
    readonly baseUrl: string;
    readonly checkoutUrl: string;
    /** Per network. */
    readonly rateLimitPerMinute: number;
  };
  readonly hub: LiveHub;
  callerIp(request: Request): string | null;
}

export function consoleRoutes(dependencies: ConsoleDependencies): readonly PublicRoute[] {
  const { application, accounts, clock, ids, config, callerIp } = dependencies;
  const gate = consoleGate({ application, accounts, clock, ids, callerIp, ...config });
  return [
    { method: 'GET', path: '/console/assets/:name', respond: assetOf },
    ...consoleTable(dependencies, gate).map((route) => gate.guarded(route)),
  ];
}

/** Every route, with who may open it. */
export function consoleTable(
  dependencies: ConsoleDependencies,
  gate: Pick<Gate, 'isSecure'>,
): readonly ConsoleRoute[] {
  const { accounts, operatorQueries, registrationIsOpen } = dependencies;
  const pages = { accounts, isSecure: gate.isSecure, isOpen: registrationIsOpen };
  return [
    ...signInRoutes(pages),
    ...invitationRoutes(pages),
    ...securityRoutes(pages),
    ...peopleRoutes(accounts, operatorQueries),
    ...merchantConsole(dependencies),
    ...operatorConsole(dependencies),
    liveRoute(dependencies.hub, { accounts, isSecure: gate.isSecure }),
    // What exists nowhere answers as what a role may not open.
    ofAccount('GET', '/*', ({ shell }) => notFound(shell)),
  ];
}

function merchantConsole({ application, merchantDesk: desk, config, onBug }: ConsoleDependencies) {
  const of = { application, desk, onBug, api: { application, checkoutUrl: config.checkoutUrl } };
  return [
    ...overviewRoutes(of),
    ...searchRoutes(of),
    ...attentionRoutes(of),
    ...paymentRoutes(of),
    ...claimRoutes(of),
    ...createRoutes(of),
    ...linkRoutesOfMerchant(of),
    ...balanceRoutes(of),
    ...statementRoutes(of),
    ...payoutFileRoutes(of),
    ...payoutRoutesOfMerchant(of),
    ...addressRoutes(of),
    ...approvalRoutesOfMerchant(of),
    ...brandRoutes(of),
    ...settingsRoutes(of),
  ];
}

function operatorConsole({
  application,
  operatorDesk: desk,
  operatorQueries,
  config,
}: ConsoleDependencies): readonly ConsoleRoute[] {
  const { catalog, console } = application;
  const of = { desk, operatorQueries, catalog, console, checkoutUrl: config.checkoutUrl };
  return [
    ...wellRoutes(of),
    ...walletRoutes(of),
    ...queueRoutes(of),
    ...creditRoutes(of),
    ...approvalRoutesOfOperators(of),
    ...signingRoutes(of),
    ...merchantRoutes(of),
    ...merchantPageRoutes(of),
    ...merchantBrandRoutes(of),
    ...auditRoutes(of),
    ...searchRoutesOfOperators(of),
    ...caseRoutes(of),
  ];
}

async function assetOf(
  request: Request,
  { name = '' }: Readonly<Record<string, string | undefined>>,
): Promise<Response> {
  const assets = await consoleAssets();
  const found = assets.serve(name, request.headers.get('accept-encoding'));
  return found === null
    ? new Response(null, { status: 404, headers: CONSOLE_HEADERS })
    : new Response(found.body, { headers: { ...CONSOLE_HEADERS, ...found.headers } });
}
