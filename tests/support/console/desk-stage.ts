/**
 * A merchant with a balance and a funded hot wallet on a fake chain, and the desks of its users and
 * of operators, as the composed service has them.
 */
import { expect } from 'bun:test';
import type { Application, PayoutInput } from '../../../src/app/application.ts';
import { carryOut } from '../../../src/app/console/approvals/carry-out.ts';
import { buildMerchantDesk } from '../../../src/app/console/build-merchant-desk.ts';
import { merchantCarriers } from '../../../src/app/console/merchant/merchant-carriers.ts';
import type { Desk, DeskFault, MerchantDesk, Ordered } from '../../../src/app/console/merchant-desk.ts';
import type { OperatorSeat } from '../../../src/app/console/operator-desk.ts';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { changeMerchant, type MerchantChange } from '../../../src/app/merchants/manage-merchants.ts';
import type { MerchantRole, OperatorRole, Role } from '../../../src/domain/accounts/role.ts';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { Environment } from '../../../src/domain/environment.ts';
import { parseDecimal, unitsOf } from '../../../src/domain/money/decimal.ts';
import type { Result } from '../../../src/domain/result.ts';
import type { RoleDirectory } from '../../../src/ports/accounts/role-directory.ts';
import { anAddress, anId } from '../builders.ts';
import { openFakeJourney, usdt } from '../fake/fake-journey.ts';
import type { Json } from '../test-service.ts';

const ETHER = 10n ** 18n;

export type DeskStage = Awaited<ReturnType<typeof openDeskStage>>;

export async function openDeskStage(env: Record<string, string> = {}) {
  const present = new Map<string, Role>();
  const sponsors = new Map<string, readonly string[]>();
  const roles: RoleDirectory = {
    async standingOf(userId) {
      const role = present.get(userId);
      return role === undefined ? null : { userId, role, sponsors: sponsors.get(userId) ?? [] };
    },
  };
  const journey = await openFakeJourney({ roles }, 'ethereum', [], env);
  const { it, merchant, clock } = journey;
  const deps: AppDependencies = it.service.dependencies;
  const hotWallet = it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
  journey.chain().fund(hotWallet, 'usdt_ethereum', usdt('100000'));
  journey.chain().fund(hotWallet, 'eth_ethereum', 100n * ETHER);
  await journey.mineToFinality();

  async function merchantNow() {
    const found = await deps.unitOfWork.run(({ merchants }) => merchants.find(merchant.id));
    if (found === null) throw new Error('the merchant is gone');
    return found;
  }

  /** A user with that role, at the merchant. */
  async function desk(
    role: MerchantRole = 'owner',
    of: { environment?: Environment; userId?: string; refundLimitMicroUsd?: bigint | null } = {},
  ): Promise<Desk> {
    const { environment = 'live', userId = anId(), refundLimitMicroUsd = null } = of;
    present.set(userId, role);
    const scope = { merchantId: merchant.id, sandbox: environment === 'sandbox' };
    const actor = {
      kind: 'user',
      userId,
      name: `${userId.slice(-6)}@shop.example`,
      ip: '198.51.100.7',
    } as const;
    return {
      actor,
      userId,
      role,
      refundLimitMicroUsd,
      caller: { merchant: await merchantNow(), environment, scope },
    };
  }

  function seat(role: OperatorRole = 'admin', userId = anId()): OperatorSeat {
    present.set(userId, role);
    return {
      userId,
      role,
      actor: { kind: 'user', userId, name: `${userId.slice(-6)}@gate.example`, ip: null },
    };
  }

  /** An invoice of 25 USDT and its fee of 0.25, paid so much. */
  async function paid(amount = '25.25', body: Json = {}): Promise<Json> {
    const invoice = await journey.create(body);
    journey.pay(invoice, amount);
    await journey.mineToFinality();
    await it.settle();
    return invoice;
  }

  const entries = (): Promise<readonly AuditEntry[]> => deps.operatorQueries.auditEntries(ALL, NEWEST);

  /** Entries that `act` wrote, oldest first. */
  async function audited<Made>(act: () => Promise<Made>): Promise<readonly [Made, readonly AuditEntry[]]> {
    const before = new Set((await entries()).map(({ id }) => id));
    const made = await act();
    const written = (await entries()).filter(({ id }) => !before.has(id));
    return [made, [...written].reverse()];
  }

  /** The same, and expects exactly these actions. */
  async function entriesOf<Made>(
    act: () => Promise<Made>,
    ...actions: readonly string[]
  ): Promise<readonly [Made, readonly AuditEntry[]]> {
    const [made, written] = await audited(act);
    expect(written.map(({ action }) => action)).toEqual([...actions]);
    return [made, written];
  }

  const payouts = async (): Promise<Json[]> =>
    (await it.call(merchant.live, 'GET', '/api/v2/payouts?per_page=100')).body.result;

  return {
    ...{ journey, it, clock, deps, merchant, present, sponsors, desk, seat, paid, payouts, roles },
    ...{ audited, entriesOf, entries },
    desks: it.service.console,
    merchantNow,
    change: (change: MerchantChange) => changeMerchant(deps)(merchant.id, change),
    available: async (): Promise<number> => (await journey.balance()).available,
    async runJobs(...names: readonly string[]): Promise<void> {
      for (const { name, run } of it.service.jobs) if (names.includes(name)) await run();
    },
    /** What a worker does about orders that a kill left, a minute later. */
    async minuteLater(): Promise<void> {
      clock.advance(61);
      for (const { run } of it.service.console.jobs) await run();
    },
  };
}

const ALL = {
  ...{ merchantId: null, subject: null, subjectId: null, actor: null, action: null },
  ...{ from: null, to: null },
};
const NEWEST = { before: null, limit: 500 };

export const micros = (usd: string): bigint => unitsOf(usd, 6);
export const formId = (): string => crypto.randomUUID();

export function aPayout(
  deps: AppDependencies,
  amount: string,
  change: Partial<PayoutInput> = {},
): PayoutInput {
  const exact = parseDecimal(amount);
  if (exact === null) throw new Error(`no amount: ${amount}`);
  return {
    ...{ address: anAddress(), amount: exact, asset: deps.catalog.require('usdt_ethereum') },
    ...{ fiatCurrency: null, ref: null, feeBearer: 'client', ...change },
  };
}

/** The value of a success. */
export function okOf<Made>(result: Result<Made, DeskFault>): Made {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function faultOf(result: Result<unknown, DeskFault>): DeskFault {
  if (result.ok) throw new Error('it was not refused');
  return result.error;
}

export function doneOf<Made>(result: Result<Ordered<Made>, DeskFault>): Made {
  const order = okOf(result);
  if (order.outcome !== 'done') throw new Error(`it is ${order.outcome}`);
  return order.made;
}

export function waitingOf(result: Result<Ordered<unknown>, DeskFault>) {
  const order = okOf(result);
  if (order.outcome !== 'waiting') throw new Error(`it is ${order.outcome}`);
  expect(order.approval.status).toBe('waiting');
  return order.approval;
}

export class Killed extends Error {}

/**
 * The same desk in a process that is killed at a step: a transaction or a write of payouts. At an
 * even number before it, at an odd one after its commit. Then nothing of it works any more.
 */
export function killedDesk(
  stage: Pick<DeskStage, 'deps' | 'roles'>,
  application: (deps: AppDependencies) => Application,
  killAt: number,
): { readonly desk: MerchantDesk; wasKilled(): boolean } {
  let [step, dead] = [0, false];
  async function stepped<Made>(commit: () => Promise<Made>): Promise<Made> {
    if (dead || step === killAt) throw kill();
    step += 1;
    const made = await commit();
    if (dead || step === killAt) throw kill();
    step += 1;
    return made;
  }
  function kill(): Killed {
    dead = true;
    return new Killed('killed');
  }
  const { deps } = stage;
  const mortal: AppDependencies = {
    ...deps,
    unitOfWork: { run: (work) => stepped(() => deps.unitOfWork.run(work)) },
    payoutWriter: { add: (request) => stepped(() => deps.payoutWriter.add(request)) },
  };
  const on = application(mortal);
  const carried = carryOut(mortal, merchantCarriers(mortal, on));
  return {
    desk: buildMerchantDesk(mortal, { application: on, roles: stage.roles, carryOut: carried }),
    wasKilled: () => dead,
  };
}
