/**
 * Which file of tests/browser/console opens which route of the console: each page and each action
 * is opened by a browser somewhere. A file that does not open what it says fails, and so does a
 * route that no file opens (tests/adapters/http/console/opened-routes.test.ts).
 */
import { expect, test } from 'bun:test';
import type { ConsoleRoute } from '../../../src/adapters/http/console/kit/route.ts';
import { matchPath } from '../../../src/adapters/http/kit/path.ts';
import type { StagedConsole } from './console-shop.ts';
import { consoleStage } from './console-stage.ts';

/** A route as it is named here: paths of a merchant without `/m/:merchant/:environment`. */
export function nameOf({ method, path, access }: Pick<ConsoleRoute, 'method' | 'path' | 'access'>): string {
  const at = path.replace('/m/:merchant/:environment', access.of === 'merchant' ? 'merchant ' : '');
  return `${method} ${at}`;
}

export const OPENED = {
  entering: [
    'GET ',
    'GET /account',
    'GET /account/codes',
    'GET /i/:token',
    'GET /i/:token/join',
    'GET /live',
    'GET /register',
    'GET /second-factor',
    'GET /sign-in',
    'GET merchant ',
    'GET merchant /payouts',
    'GET merchant /settings',
    'POST /account/codes',
    'POST /account/codes/remove',
    'POST /account/passkeys',
    'POST /account/passkeys/options',
    'POST /account/passkeys/remove',
    'POST /account/password',
    'POST /account/recovery',
    'POST /account/sessions',
    'POST /i/:token',
    'POST /i/:token/join',
    'POST /leave',
    'POST /register',
    'POST /second-factor',
    'POST /second-factor/options',
    'POST /sign-in',
    'POST /sign-in/passkey',
    'POST /sign-in/passkey/options',
    'POST /sign-out',
    'POST merchant /settings/secret/show',
  ],
  'merchant-payments': [
    'GET merchant /addresses',
    'GET merchant /attention',
    'GET merchant /create',
    'GET merchant /links',
    'GET merchant /links/:id',
    'GET merchant /links/new',
    'GET merchant /payments',
    'GET merchant /payments/:id',
    'GET merchant /refunds/:id',
    'GET merchant /search',
    'POST merchant /addresses',
    'POST merchant /addresses/:id/deactivate',
    'POST merchant /attention/:id/credit',
    'POST merchant /attention/webhooks',
    'POST merchant /attention/webhooks/:id',
    'POST merchant /create',
    'POST merchant /links/:id',
    'POST merchant /links/new',
    'POST merchant /payments/:id/accept',
    'POST merchant /payments/:id/cancel',
    'POST merchant /payments/:id/simulate',
    'POST merchant /payments/:id/webhook',
    'POST merchant /refunds',
    'POST merchant /refunds/:id/link',
    'POST merchant /refunds/:id/withdraw',
  ],
  'merchant-money': [
    'GET merchant /approvals',
    'GET merchant /approvals/:id',
    'GET merchant /balance',
    'GET merchant /payouts/:id',
    'GET merchant /payouts/new',
    'GET merchant /payouts/upload',
    'GET merchant /statements',
    'GET merchant /statements/:month',
    'GET merchant /statements/:month/csv',
    'GET merchant /statements/:month/pdf',
    'POST merchant /approvals/:id/approve',
    'POST merchant /approvals/:id/refuse',
    'POST merchant /approvals/:id/withdraw',
    'POST merchant /payouts/:id/cancel',
    'POST merchant /payouts/batch',
    'POST merchant /payouts/new',
    'POST merchant /payouts/upload',
    'POST merchant /settings/approvals',
  ],
  'merchant-settings': [
    'GET merchant /people',
    'GET merchant /settings/brand',
    'POST merchant /people/invitations/withdraw',
    'POST merchant /people/invite',
    'POST merchant /people/remove',
    'POST merchant /people/role',
    'POST merchant /settings',
    'POST merchant /settings/brand',
    'POST merchant /settings/key',
    'POST merchant /settings/key/end',
    'POST merchant /settings/secret',
    'POST merchant /settings/secret/end',
    'POST merchant /settings/subnets',
    'POST merchant /settings/test-webhook',
  ],
  looks: ['GET /*', 'GET /o/wallets'],
  operator: [
    'GET /o',
    'GET /o/approvals',
    'GET /o/approvals/:id',
    'GET /o/audit',
    'GET /o/audit.jsonl',
    'GET /o/credits',
    'GET /o/merchants',
    'GET /o/merchants/:id',
    'GET /o/merchants/:id/brand',
    'GET /o/merchants/:id/people',
    'GET /o/payments/:id',
    'GET /o/payouts',
    'GET /o/payouts/:id',
    'GET /o/people',
    'GET /o/queue',
    'GET /o/search',
    'GET /o/signing',
    'GET /o/wallets/:chain',
    'POST /o/approvals/:id/approve',
    'POST /o/approvals/:id/refuse',
    'POST /o/approvals/:id/withdraw',
    'POST /o/credits/:id/decline',
    'POST /o/credits/:id/grant',
    'POST /o/deposits/:id/credit',
    'POST /o/deposits/:id/refund',
    'POST /o/deposits/:id/reject',
    'POST /o/deposits/:id/release',
    'POST /o/merchants',
    'POST /o/merchants/:id',
    'POST /o/merchants/:id/approvals',
    'POST /o/merchants/:id/brand',
    'POST /o/merchants/:id/end-overlap',
    'POST /o/merchants/:id/key',
    'POST /o/merchants/:id/people/invitations/withdraw',
    'POST /o/merchants/:id/people/invite',
    'POST /o/merchants/:id/people/remove',
    'POST /o/merchants/:id/people/reset',
    'POST /o/merchants/:id/people/role',
    'POST /o/merchants/:id/people/sessions',
    'POST /o/merchants/:id/secret',
    'POST /o/merchants/:id/secret/show',
    'POST /o/merchants/:id/verify',
    'POST /o/notices/test',
    'POST /o/payments/:id/claims/:claim/withdraw',
    'POST /o/payments/:id/offer',
    'POST /o/payments/:id/refund',
    'POST /o/payments/:id/refund/preview',
    'POST /o/payments/:id/replay',
    'POST /o/payouts/:id/cancel',
    'POST /o/payouts/:id/hold',
    'POST /o/payouts/:id/paid',
    'POST /o/payouts/:id/release',
    'POST /o/payouts/:id/retry',
    'POST /o/people/invitations/withdraw',
    'POST /o/people/invite',
    'POST /o/people/remove',
    'POST /o/people/reset',
    'POST /o/people/role',
    'POST /o/people/sessions',
    'POST /o/restored/release',
    'POST /o/signing/start',
    'POST /o/signing/stop',
    'POST /o/wallets/:chain/book',
    'POST /o/wallets/:chain/book/preview',
    'POST /o/wallets/:chain/forward',
    'POST /o/wallets/:chain/give-up',
    'POST /o/wallets/:chain/set-up',
    'POST /o/wallets/:chain/sweep',
    'POST /o/wallets/:chain/unfreeze',
    'POST /o/webhooks/replay',
  ],
  'operator-money': [
    'POST /o/wallets/:chain/adopt',
    'POST /o/wallets/:chain/assign',
    'POST /o/wallets/:chain/forward/give-up',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The last test of a file: it has opened what it says above. */
export function opensAll({ stage }: Pick<StagedConsole, 'stage'>, file: keyof typeof OPENED): void {
  test('every route that this file is to open was opened by a browser', () => {
    const { table } = consoleStage();
    const opened = new Set(
      [...stage.asked].flatMap((asked) => {
        const [method = '', path = ''] = asked.split(' ');
        const [route] = table
          .filter((one) => one.method === method && matchPath(`/console${one.path}`, path) !== null)
          .toSorted((a, b) => a.path.split(':').length - b.path.split(':').length);
        if (route === undefined) return /^\/console\/(?!assets\/)/.test(path) ? ['GET /*'] : [];
        return [nameOf(route)];
      }),
    );
    const names: readonly string[] = OPENED[file];
    expect(names.filter((name) => !opened.has(name))).toEqual([]);
  });
}
