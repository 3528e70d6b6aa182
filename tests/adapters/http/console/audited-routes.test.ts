/**
 * The claim "an entry per action" (safety.md D1), for the console: each form reaches a use case of
 * accounts or of a desk before anything else, and each of those names here what it writes into the
 * audit log, and a test expects that. A new form, or a new method, is neither until somebody
 * decides.
 */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { formCode } from '../../../../src/adapters/http/console/kit/session-cookie.ts';
import type { Accounts } from '../../../../src/app/accounts/accounts.ts';
import type { MerchantDesk } from '../../../../src/app/console/merchant-desk.ts';
import type { OperatorDesk } from '../../../../src/app/console/operator-desk.ts';
import { AUDIT_ACTION } from '../../../../src/domain/audit/audit-entry.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { aMerchant } from '../../../support/builders.ts';
import { consoleStage, OWN, type Person } from '../../../support/console/console-stage.ts';

/** Nothing is changed, or given away. */
const READS: readonly string[] = [];
const REQUESTED = ['approval.requested'];

const ACCOUNTS: Readonly<Record<keyof Accounts, readonly string[]>> = {
  signIn: ['session.started'],
  passkeyOptions: READS,
  signInByPasskey: ['session.started'],
  confirmSecondFactor: ['session.confirmed'],
  hasPasskeys: READS,
  secondFactorOptions: READS,
  sessionOf: READS,
  signOut: ['session.ended'],
  endSession: ['session.ended', 'session.others_ended'],
  security: READS,
  beginCodes: READS,
  enableCodes: ['user.codes_enabled'],
  disableCodes: ['user.codes_disabled'],
  beginPasskey: READS,
  addPasskey: ['user.passkey_added'],
  removePasskey: ['user.passkey_removed'],
  newRecoveryCodes: ['user.recovery_codes_renewed'],
  changePassword: ['user.password_changed'],
  people: READS,
  invite: ['invitation.made'],
  withdrawInvitation: ['invitation.withdrawn'],
  resetLink: ['invitation.made'],
  changeRole: ['user.role_changed'],
  removePerson: ['user.removed', 'user.disabled'],
  endSessionsOf: ['session.all_ended'],
  invitationOf: READS,
  acceptInvitation: ['invitation.accepted', 'merchant.registered'],
  joinByInvitation: ['invitation.accepted'],
  register: ['invitation.made'],
};

const MERCHANT: Readonly<Record<keyof MerchantDesk, readonly string[]>> = {
  createInvoice: ['invoice.created'],
  cancelInvoice: ['invoice.cancelled'],
  acceptInvoice: ['invoice.accepted'],
  requestCredit: ['deposit.credit_requested'],
  simulateInvoice: ['invoice.simulated'],
  replayWebhook: ['delivery.queued_again'],
  sendAgain: ['delivery.queued_again'],
  sendTestWebhook: ['delivery.tested'],
  createLink: ['link.created'],
  changeLink: ['link.changed'],
  getPermanentAddress: ['permanent_address.created'],
  deactivatePermanentAddress: ['permanent_address.deactivated'],
  offerRefund: ['refund.offered', ...REQUESTED],
  showRefundLink: ['refund.link_shown'],
  withdrawRefund: ['refund.withdrawn'],
  createPayout: ['payout.ordered', 'approval.failed', ...REQUESTED],
  previewPayouts: READS,
  createPayoutBatch: ['payout.batch_ordered', ...REQUESTED],
  cancelPayout: ['payout.cancelled'],
  changeSettings: ['merchant.changed'],
  changeApprovalLimit: ['merchant.changed', ...REQUESTED],
  changeAllowedSubnets: ['merchant.changed', ...REQUESTED],
  brand: READS,
  changeBrand: ['brand.changed'],
  keys: READS,
  rotateKey: ['api_key.rotated'],
  endKeyOverlap: ['api_key.overlap_ended'],
  showWebhookSecret: ['webhook_secret.shown'],
  rotateWebhookSecret: ['webhook_secret.rotated'],
  endSecretOverlap: ['webhook_secret.overlap_ended'],
  exportStatement: ['merchant.statement_exported'],
  approvals: READS,
  approval: READS,
  whyNotApprove: READS,
  approve: ['approval.approved', 'approval.failed', 'approval.done_after_all'],
  refuse: ['approval.refused'],
  withdraw: ['approval.withdrawn'],
};

const OPERATOR: Readonly<Record<keyof OperatorDesk, readonly string[]>> = {
  isAllWell: READS,
  nodes: READS,
  treasury: READS,
  unbookedFunding: READS,
  holdPayout: ['payout.held'],
  releasePayout: ['payout.released', ...REQUESTED],
  releaseRestored: ['payout.released', ...REQUESTED],
  payoutPaidBy: ['payout.found_paid'],
  cancelPayout: ['payout.cancelled'],
  retryPayout: ['payout.retried'],
  stopSigning: ['signing.stopped'],
  startSigning: ['signing.started'],
  releaseHeld: ['deposit.released'],
  rejectHeld: ['deposit.rejected'],
  creditStray: ['deposit.credited'],
  grantCredit: ['deposit.credited'],
  declineCredit: ['deposit.credit_declined'],
  forwardable: READS,
  unknownPayments: READS,
  assignFunding: ['deposit.assigned'],
  adoptFunding: ['capital.adopted', ...REQUESTED],
  offerRefund: ['refund.offered', 'deposit.credited', ...REQUESTED],
  withdrawRefund: ['refund.withdrawn'],
  previewRefund: READS,
  refundInvoice: ['refund.ordered', ...REQUESTED],
  replayInvoice: ['delivery.queued_again'],
  replayDead: ['delivery.queued_again'],
  tryNotices: ['delivery.tested'],
  requestForward: ['forward.requested'],
  giveUpForward: ['forward.given_up'],
  setUpWallet: ['wallet.setup_ordered'],
  requestSweeps: ['sweep.requested'],
  giveUpSweep: ['sweep.given_up'],
  previewCapital: READS,
  bookCapital: ['capital.booked', ...REQUESTED],
  thawAddress: ['address.unfrozen'],
  createMerchant: ['merchant.created'],
  changeMerchant: ['merchant.changed'],
  verifyMerchant: ['merchant.verified'],
  rotateKey: ['api_key.rotated'],
  showWebhookSecret: ['webhook_secret.shown'],
  rotateWebhookSecret: ['webhook_secret.rotated'],
  endOverlap: ['api_key.overlap_ended', 'webhook_secret.overlap_ended'],
  brand: READS,
  changeBrand: ['brand.changed'],
  exportAuditLog: ['audit_log.exported'],
  approvals: READS,
  approval: READS,
  whyNotApprove: READS,
  approve: ['approval.approved'],
  refuse: ['approval.refused'],
  withdraw: ['approval.withdrawn'],
};
const WRITTEN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  ...{ accounts: ACCOUNTS, merchantDesk: MERCHANT, operatorDesk: OPERATOR },
};

/** Forms that change nothing: they begin what another one ends, or show what it would do. */
const FORMS_WITHOUT = [
  ...['/sign-in/passkey/options', '/second-factor/options', '/account/passkeys/options'],
  ...['/m/:merchant/:environment/payouts/upload', '/o/wallets/:chain/book/preview'],
  '/o/payments/:id/refund/preview',
];
/** Files are given away by a GET. */
const FILES = [
  ...['/m/:merchant/:environment/statements/:month/csv', '/m/:merchant/:environment/statements/:month/pdf'],
  '/o/audit.jsonl',
];

class Called extends Error {}
const ID = '0190f3a1b2c30a1b2c3d4e55';
/** What some form needs before it asks a use case. */
const FIELDS = {
  ...{ code: formCode('a'.repeat(43)), email: 'bob@shop.example', password: 'a stable with 9 horses' },
  ...{ amount: '1', asset: 'usdt_ethereum', address: `0x${'1'.repeat(40)}`, fiat_currency: 'USD' },
  ...{ name: 'Ann', title: 'Tea', note: 'n', limit: '1', units: '1', txid: 'x', status: 'active' },
  commission: '0.5',
  ...{ user: ID, id: ID, user_id: 'ann', family: 'evm', factor: '123456', csv: 'address,amount,asset\n' },
};

test('D1: every form reaches a use case that says what it writes, and every file as well', async () => {
  let called: string[] = [];
  const named = (owner: string): never =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          owner === 'accounts' && method === 'sessionOf'
            ? undefined
            : () => {
                called.push(`${owner}.${String(method)}`);
                throw new Called();
              },
      },
    ) as never;
  const merchant = aMerchant({ id: OWN });
  const stage = consoleStage({
    ...{ accounts: named('accounts'), merchantDesk: named('merchantDesk') },
    operatorDesk: named('operatorDesk'),
    operatorQueries: {
      merchants: async () => [aMerchant({ id: ID })],
      merchantNames: async () => new Map([[ID, 'Shop']]),
    } as never,
    application: {
      queries: { merchantById: async () => merchant, lastNumbers: async () => [] },
      catalog: new AssetCatalog(),
      console: named('application'),
    } as never,
  });
  const without: string[] = [];
  for (const { method, path, access } of stage.table) {
    if (method === 'GET' && !FILES.includes(path)) continue;
    const filled = path.replace(':merchant', OWN).replace(':environment', 'live');
    const at = filled.replace(':chain', 'ethereum').replace(':month', '2026-01').replace(/:\w+/g, ID);
    const by: Person = path.startsWith('/o/') ? { operatorRole: 'admin' } : { role: 'owner' };
    const half = access.of === 'second_factor' ? { ...by, secondFactorAgeS: null } : by;
    const body = new URLSearchParams({
      ...FIELDS,
      role: path.startsWith('/o/people') ? 'viewer' : 'support',
    });
    called = [];
    const asked = method === 'POST' ? { body: body.toString() } : {};
    await stage.ask(method, `/console${at}`, half, asked).catch((thrown: unknown) => {
      if (!(thrown instanceof Called)) throw thrown;
    });
    const [owner = '', use = ''] = (called[0] ?? '').split('.');
    const actions = WRITTEN[owner]?.[use];
    expect({ path, called, known: actions !== undefined }).toEqual({ path, called, known: true });
    if (actions?.length === 0) without.push(path);
  }
  expect(without.toSorted()).toEqual(FORMS_WITHOUT.toSorted());
});

test('D1: every entry that a use case of the console says it writes is expected by a test', async () => {
  const root = `${import.meta.dir}/../../../`;
  let all = '';
  for (const folder of ['journeys', 'app', 'scripts'])
    for await (const file of new Glob(`${folder}/**/*.test.ts`).scan(root))
      all += await Bun.file(`${root}${file}`).text();
  const actions = Object.values(WRITTEN).flatMap((methods) => Object.values(methods).flat());
  for (const action of new Set(actions)) {
    expect({ action, isOne: AUDIT_ACTION.test(action) }).toEqual({ action, isOne: true });
    expect({ action, isExpected: all.includes(`'${action}'`) }).toEqual({ action, isExpected: true });
  }
});
