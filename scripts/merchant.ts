/**
 * `bun run merchant`: creates merchants, and changes them, their brand, their verification and
 * their API keys.
 */
import { idIn } from '../src/app/audit/audited.ts';
import {
  changeMerchant,
  createMerchant,
  type MerchantChange,
  verifyMerchant,
} from '../src/app/merchants/manage-merchants.ts';
import { KYC_STATES, MERCHANT_STATUSES, type Merchant } from '../src/domain/merchants/merchant.ts';
import { formatUnits } from '../src/domain/money/decimal.ts';
import { DEFAULT_COMMISSION_PPM, type FeeBearer, PERCENT_DECIMALS } from '../src/domain/money/fee.ts';
import type { ListedMerchant } from '../src/ports/operator-queries.ts';
import type { Arguments } from './support/arguments.ts';
import { brand } from './support/brand.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import { DEFAULT_OPTIONS, defaultFacts, defaultsIn, defaultsJson } from './support/merchant-defaults.ts';
import { endOverlapCommand, rotate, unixSeconds, webhookSecret } from './support/merchant-keys.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { facts, shownTime, table } from './support/table.ts';
import {
  id,
  merchantName,
  oneOf,
  percentPpm,
  subnet,
  webhookUrl,
  webhookUrlOrNone,
} from './support/values.ts';

const ALLOW = {
  value: 'CIDR',
  multiple: true,
  help: 'address or range from which payouts are taken; may be repeated',
} as const;

const create: Command = {
  name: 'create',
  about:
    'Creates a merchant and prints its API keys and webhook secrets. The keys are shown only this once: only hashes and encrypted copies are stored.',
  audits: ['merchant.created'],
  positionals: [],
  options: {
    name: { value: 'NAME', required: true, help: 'name of the merchant' },
    'callback-url': { value: 'URL', help: 'where webhooks go when an invoice names no notify_url' },
    allow: ALLOW,
    live: {
      help: 'verify now, with a live key; otherwise it has a sandbox key until `verify`',
    },
    commission: { value: 'PERCENT', help: 'commission (default: commission_percent of CONFIG_FILE, else 1)' },
  },
  examples: ['--name "Corner shop"', '--name Shop --live --allow 203.0.113.7 --commission 0.5 --json'],
  read(args) {
    const name = args.readNeeded('name', merchantName);
    const callbackUrl = args.read('callback-url', webhookUrl);
    const allowedSubnets = args.readAll('allow', subnet);
    const commission = args.read('commission', percentPpm);
    const live = args.isSet('live');
    return async ({ act, config }) => {
      const configured = config.commissionPercent === null ? null : percentPpm(config.commissionPercent);
      const commissionPpm = commission ?? configured ?? DEFAULT_COMMISSION_PPM;
      const made = await act(
        { action: 'merchant.created', subject: 'merchant' },
        (deps) => createMerchant(deps)({ name, callbackUrl, allowedSubnets, commissionPpm, live }),
        { subjectOf: idIn('merchant') },
      );
      return {
        json: {
          merchant_id: made.merchant.id,
          name: made.merchant.name,
          sandbox_key: made.sandboxKey,
          sandbox_webhook_secret: made.sandboxSecret,
          live_key: made.liveKey,
          live_webhook_secret: made.liveSecret,
        },
        text: facts([
          ['merchant', `${made.merchant.id}  ${made.merchant.name}`],
          ['sandbox key', made.sandboxKey],
          ['sandbox webhook secret', made.sandboxSecret],
          ['live key', made.liveKey ?? 'none yet: `merchant verify` issues it'],
          ...(made.liveSecret === null ? [] : [['live webhook secret', made.liveSecret] as const]),
        ]),
      };
    };
  },
};

const set: Command = {
  name: 'set',
  about: 'Changes a merchant. Settings without an option keep their value. --allow replaces the whole list.',
  audits: ['merchant.changed'],
  positionals: ['merchant_id'],
  options: {
    name: { value: 'NAME', help: 'new name' },
    status: { value: 'STATUS', help: MERCHANT_STATUSES.join(', ') },
    kyc: { value: 'STATE', help: KYC_STATES.join(', ') },
    'callback-url': { value: 'URL|none', help: 'where webhooks go when an invoice names no notify_url' },
    'payout-webhooks': { value: 'on|off', help: 'whether webhooks and events cover payouts, too' },
    allow: ALLOW,
    'no-allow': { help: 'empty the list: payouts are refused from every address' },
    commission: { value: 'PERCENT', help: 'commission of invoices created from now on' },
    'fee-bearer': { value: 'WHO', help: 'default of invoices without fee_bearer: client or merchant' },
    ...DEFAULT_OPTIONS,
  },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 --status paused',
    '65f0c1d2e3a4b5c6d7e8f901 --allow 10.0.0.0/8 --allow ::1',
  ],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const change = changeOf(args);
    const action = { action: 'merchant.changed', subject: 'merchant', id: merchantId } as const;
    return async ({ act }) => {
      const merchant = orRefuse(await act(action, (deps) => changeMerchant(deps)(merchantId, change)));
      return { json: merchantJson(merchant), text: described(merchant) };
    };
  },
};

const list: Command = {
  name: 'list',
  about: 'Lists every merchant. Keys are not shown.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read:
    () =>
    async ({ service: { dependencies } }) => {
      const merchants = await dependencies.operatorQueries.merchants();
      const now = dependencies.clock.now();
      const living = (until: Date | null) => (until !== null && until > now ? until : null);
      return {
        json: {
          merchants: merchants.map((merchant) => ({
            ...merchantJson(merchant),
            has_sandbox_key: merchant.hasSandboxKey,
            has_live_key: merchant.hasLiveKey,
            old_sandbox_key_until: unixSeconds(living(merchant.oldSandboxKeyUntil)),
            old_live_key_until: unixSeconds(living(merchant.oldLiveKeyUntil)),
          })),
        },
        text: table(
          [
            { title: 'ID', cell: (merchant) => merchant.id },
            { title: 'NAME', cell: (merchant) => merchant.name },
            { title: 'STATUS', cell: (merchant) => merchant.status },
            { title: 'KYC', cell: (merchant) => merchant.kyc },
            { title: 'KEYS', cell: (merchant) => keysOf(merchant, living) },
            { title: 'COMMISSION', align: 'right', cell: (merchant) => percent(merchant) },
            { title: 'BEARER', cell: (merchant) => merchant.defaultFeeBearer },
            { title: 'PAYOUTS FROM', cell: (merchant) => merchant.allowedSubnets.join(' ') || 'nowhere' },
            { title: 'CALLBACK', cell: (merchant) => merchant.callbackUrl ?? '' },
          ],
          merchants,
          { empty: 'no merchants yet: bun run merchant create --name NAME' },
        ),
      };
    },
};

const verify: Command = {
  name: 'verify',
  about: 'Makes a merchant active, approves its KYC, and issues its live key if it has none.',
  audits: ['merchant.verified'],
  positionals: ['merchant_id'],
  options: {},
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const action = { action: 'merchant.verified', subject: 'merchant', id: merchantId } as const;
    return async ({ act }) => {
      const { merchant, issued } = orRefuse(await act(action, (deps) => verifyMerchant(deps)(merchantId)));
      return {
        json: {
          ...merchantJson(merchant),
          ...{ live_key: issued?.key ?? null, live_webhook_secret: issued?.secret ?? null },
        },
        text: `${described(merchant)}\n\n${facts([
          ['live key', issued?.key ?? 'as before (rotate-key issues a new one)'],
          ...(issued === null ? [] : [['live webhook secret', issued.secret] as const]),
        ])}`,
      };
    };
  },
};

function changeOf(args: Arguments): MerchantChange {
  const name = args.read('name', merchantName);
  const status = args.read('status', oneOf(MERCHANT_STATUSES));
  const kyc = args.read('kyc', oneOf(KYC_STATES));
  const callback = args.read('callback-url', (text) => ({ url: webhookUrlOrNone(text) }));
  const payoutWebhooks = args.read('payout-webhooks', oneOf(['on', 'off']));
  const subnets = args.readAll('allow', subnet);
  const commissionPpm = args.read('commission', percentPpm);
  const defaultFeeBearer = args.read('fee-bearer', oneOf<FeeBearer>(['client', 'merchant']));
  if (subnets.length > 0 && args.isSet('no-allow')) throw new UsageError('--allow and --no-allow contradict');
  const change: MerchantChange = {
    ...(name === null ? {} : { name }),
    ...(status === null ? {} : { status }),
    ...(kyc === null ? {} : { kyc }),
    ...(callback === null ? {} : { callbackUrl: callback.url }),
    ...(payoutWebhooks === null ? {} : { payoutWebhooks: payoutWebhooks === 'on' }),
    ...(subnets.length > 0 || args.isSet('no-allow') ? { allowedSubnets: subnets } : {}),
    ...(commissionPpm === null ? {} : { commissionPpm }),
    ...(defaultFeeBearer === null ? {} : { defaultFeeBearer }),
    ...defaultsIn(args),
  };
  if (Object.keys(change).length === 0) throw new UsageError('nothing to change: name at least one option');
  return change;
}

function merchantJson(merchant: Merchant) {
  return {
    merchant_id: merchant.id,
    name: merchant.name,
    status: merchant.status,
    kyc: merchant.kyc,
    callback_url: merchant.callbackUrl,
    payout_webhooks: merchant.payoutWebhooks,
    allowed_subnets: merchant.allowedSubnets,
    default_fee_bearer: merchant.defaultFeeBearer,
    ...defaultsJson(merchant),
    commission_percent: formatUnits(merchant.commissionPpm, PERCENT_DECIMALS),
    created_at: Math.floor(merchant.createdAt.getTime() / 1000),
  };
}

function described(merchant: Merchant): string {
  return facts([
    ['merchant', `${merchant.id}  ${merchant.name}`],
    ['status', merchant.status],
    ['kyc', merchant.kyc],
    ['commission', percent(merchant)],
    ['fee bearer', merchant.defaultFeeBearer],
    ...defaultFacts(merchant),
    ['payouts from', merchant.allowedSubnets.join(' ') || 'nowhere'],
    ['callback', merchant.callbackUrl ?? 'none'],
    ['payout webhooks', merchant.payoutWebhooks ? 'on' : 'off'],
    ['created', shownTime(merchant.createdAt)],
  ]);
}

function percent(merchant: Merchant): string {
  return `${formatUnits(merchant.commissionPpm, PERCENT_DECIMALS)} %`;
}

/** `living`: for an older key, only if its end is still to come. */
function keysOf(merchant: ListedMerchant, living: (until: Date | null) => Date | null): string {
  const environments = [
    ['sandbox', merchant.hasSandboxKey, merchant.oldSandboxKeyUntil],
    ['live', merchant.hasLiveKey, merchant.oldLiveKeyUntil],
  ] as const;
  const named = environments.flatMap(([name, has, oldUntil]) => {
    const until = living(oldUntil);
    if (!has) return [];
    return until === null ? name : `${name} (old one until ${shownTime(until)})`;
  });
  return named.join('+');
}

export const program: Program = {
  name: 'merchant',
  about: 'Merchants and their API keys.',
  commands: [create, set, brand, list, rotate, webhookSecret, endOverlapCommand, verify],
};

if (import.meta.main) await runProgram(program);
