/**
 * Plays ledger steps against the composed service on the fake ethereum, each history with a
 * merchant of its own.
 */
import { randomUUID } from 'node:crypto';
import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { creditStray, rejectHeld, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { applyPayoutEvent } from '../../../src/app/payouts/apply-payout-event.ts';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import type { DepositStatus } from '../../../src/domain/deposits/deposit.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { unreachable } from '../../../src/domain/result.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Answer, type Json, startTestService, type TestService } from '../test-service.ts';
import type { LedgerHistory, LedgerStep } from './ledger-steps.ts';

export interface LedgerWorld {
  readonly it: TestService;
  readonly chain: FakeChain;
  /**
   * Plays the steps, then lets everything come to rest; answers who it happened to and what was
   * paid.
   */
  play(history: LedgerHistory): Promise<PlayedHistory>;
}

export interface PlayedHistory {
  readonly merchant: { readonly id: string; readonly live: string; readonly sandbox: string };
  /** Every transaction that ever paid an address of the merchant. */
  readonly txids: readonly string[];
  /** Live invoices by id. */
  readonly invoices: readonly string[];
}

const FINALITY = 13;
/** 500 USD. */
const MOST_STRAY_UNITS = 500_000_000n;
const DEEPEST_REORG = 20;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const JOBS = new Set([
  'open-chains',
  'chain:ethereum',
  'screen-deposits',
  'expire-invoices',
  'settle-sandbox-payouts',
  'deliver-webhooks',
]);

/**
 * What a create answered; a refusal would be a mistake of the test, and a history without invoices
 * proves nothing.
 */
function accepted(answer: Answer): Json {
  if (answer.status !== 201) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer.body.result;
}

export async function openLedgerWorld(): Promise<LedgerWorld> {
  const clock: TestClock = testClock();
  let verdict: RiskVerdict = { kind: 'pass' };
  let isLocalNow = true;
  const it = await startTestService({
    env: { CHAINS: 'fake' },
    // Invoices as small as the rules of small payments are about.
    file: { assets: { usdt_ethereum: { min_amount_usd: '2' } } },
    overrides: {
      clock,
      riskScreener: {
        get isLocal() {
          return isLocalNow;
        },
        screen: async () => verdict,
      },
      webhookTransport: { post: async () => ({ kind: 'answered', status: 200, body: '' }) },
    },
  });
  const chain = it.service.chains.fakes?.get('ethereum');
  if (!chain) throw new Error('the fake chains are not there');
  const { control } = chain;
  const deps = it.service.dependencies;

  async function work(): Promise<void> {
    for (const job of it.service.jobs) if (JOBS.has(job.name)) await job.run();
  }
  const depositIds = async (merchantId: string, status: DepositStatus) => {
    const deposits = await deps.operatorQueries.deposits({
      statuses: [status],
      sandbox: null,
      limit: 10_000,
    });
    return deposits.filter((deposit) => deposit.merchantId === merchantId).map(({ id }) => id);
  };

  async function play({ steps, isLocal }: LedgerHistory): Promise<PlayedHistory> {
    verdict = { kind: 'pass' };
    isLocalNow = isLocal;
    // Reorganisations must not reach into the history before.
    control.mine(DEEPEST_REORG + 1);
    await work();
    const merchant = await it.merchant({ callbackUrl: 'https://merchant.example/webhook' });
    const { live, sandbox } = merchant;
    const invoices: Json[] = [];
    const sandboxInvoices: Json[] = [];
    const payouts: string[] = [];
    const txids: string[] = [];
    let permanent: string | null = null;
    const at = <T>(things: readonly T[], which: number): T | undefined =>
      things[which % Math.max(1, things.length)];
    const post = (key: string, path: string, body: unknown, headers = {}) =>
      it.call(key, 'POST', `/api/v2/${path}`, body, headers);
    const pay = (to: string, asset: string, units: bigint) => {
      if (units > 0n) txids.push(control.pay({ to, asset, units }).txid);
    };

    async function take(step: LedgerStep): Promise<void> {
      switch (step.do) {
        case 'create': {
          const { cents, asset, billing, bearer, tolerance, ttl, open } = step;
          const answer = await post(live, 'invoices', {
            amount: cents / 100,
            fiat_currency: 'USD',
            asset,
            billing_type: billing,
            fee_bearer: bearer,
            underpay_tolerance: tolerance,
            ttl,
            ...(open ? { accepted_coins: ['usdt_ethereum', 'eth_ethereum', 'usdc_ethereum'] } : {}),
          });
          invoices.push(accepted(answer));
          return;
        }
        case 'choose': {
          const page = at(invoices, step.which);
          if (!page) return;
          const asset = deps.catalog.require(step.asset);
          const chosen = await it.service.application.chooseCurrency(page.external_id, asset);
          const path = `/api/v2/invoices/${page.order_id}`;
          const { result } = (await it.call(live, 'GET', path)).body;
          if (chosen.ok) invoices.push({ ...result, external_id: page.external_id });
          return;
        }
        case 'pay': {
          const invoice = at(invoices, step.which);
          if (!invoice) return;
          const due = unitsOf(String(invoice.amount), invoice.type === 'native' ? 18 : 6);
          const units = (due * BigInt(step.permille)) / 1_000n;
          if (!step.stray) pay(invoice.address_to, invoice.asset, units);
          else pay(invoice.address_to, 'usdc_ethereum', 1n + (units % MOST_STRAY_UNITS));
          return;
        }
        case 'payPermanent':
          permanent ??= (await post(live, 'permanent', { user_id: 'user', family: 'evm' })).body.result
            .address;
          pay(permanent ?? '', 'usdt_ethereum', BigInt(step.cents) * 10_000n);
          return;
        case 'mine':
          clock.advance(step.count);
          control.mine(step.count);
          return;
        case 'reorg': {
          const fate = (txid: string, index: number) => (step.fate + index + txid.charCodeAt(0)) % 3;
          control.reorg(step.depth, {
            keep: txids.filter((txid, index) => fate(txid, index) === 0),
            requeue: txids.filter((txid, index) => fate(txid, index) === 1),
          });
          return;
        }
        case 'doubleSpend': {
          const txid = at(txids, step.which);
          const place = txid === undefined ? null : await chain?.scanner.lookup(txid);
          const tip = (await chain?.scanner.head())?.tip.height ?? 0;
          const reachable =
            place?.state === 'pending' || (place?.state === 'mined' && tip - place.height < DEEPEST_REORG);
          if (txid !== undefined && reachable) control.doubleSpend(txid, { to: `0x${'9'.repeat(40)}` });
          return;
        }
        case 'verdict':
          verdict = step.verdict === 'pass' ? { kind: 'pass' } : { kind: step.verdict, reason: 'drawn' };
          return;
        case 'release':
          await releaseHeld(deps)(at(await depositIds(merchant.id, 'held'), step.which) ?? 'none');
          return;
        case 'reject':
          await rejectHeld(deps)(at(await depositIds(merchant.id, 'held'), step.which) ?? 'none', 'drawn');
          return;
        case 'creditStray':
          await creditStray(deps)(at(await depositIds(merchant.id, 'stray'), step.which) ?? 'none');
          return;
        case 'refund': {
          const invoiceId: string = at(invoices, step.which)?.order_id ?? 'none';
          const made = await refundInvoice(deps)(invoiceId, {
            to: null,
            amount: null,
            by: 'drawn',
            force: true,
          });
          if (made.ok) payouts.push(made.value.refund.id);
          return;
        }
        case 'payout': {
          const body = { address: RECIPIENT, amount: step.cents / 100, asset: 'usdt_ethereum' };
          const answer = await post(step.sandbox ? sandbox : live, 'payouts', body, {
            'x-uniq-id': randomUUID(),
          });
          if (answer.status === 201 && !step.sandbox) payouts.push(answer.body.result.order_id);
          return;
        }
        case 'movePayout':
          await movePayout(at(payouts, step.which), step.event);
          return;
        case 'wait':
          clock.advance(step.seconds);
          return;
        case 'work':
          await work();
          return;
        case 'finish':
          control.mine(FINALITY);
          await work();
          return;
        case 'createSandbox': {
          const body = { amount: step.cents / 100, asset: 'usdt_tron', billing_type: step.billing };
          const answer = await post(sandbox, 'invoices', body);
          sandboxInvoices.push(accepted(answer));
          return;
        }
        case 'simulate': {
          const invoice = at(sandboxInvoices, step.which);
          if (!invoice) return;
          const { status, cents } = step;
          await post(sandbox, `invoices/${invoice.order_id}/simulate`, {
            status,
            ...(cents === null ? {} : { paid_amount: cents / 100 }),
          });
          return;
        }
        default:
          unreachable(step);
      }
    }

    async function movePayout(
      id: string | undefined,
      type: 'signed' | 'confirmed' | 'failed' | 'cancelled' | 'reorganised',
    ): Promise<void> {
      if (id === undefined) return;
      await deps.unitOfWork.run(async (repositories) => {
        const payout = await repositories.payouts.lock(id);
        const event = { type, txid: `0x${id}`, reason: 'drawn', at: clock.now() };
        if (payout) await applyPayoutEvent(deps, repositories, payout, event);
      });
    }

    for (const step of steps) await take(step);
    verdict = { kind: 'pass' };
    control.mine(FINALITY);
    for (let round = 0; round < 3; round += 1) await work();
    return { merchant, txids, invoices: [...new Set(invoices.map((invoice) => invoice.order_id))] };
  }

  return { it, chain, play };
}
