/** `bun run payouts`: payouts and refunds, and what an operator can do about them. */
import { idIn } from '../src/app/audit/audited.ts';
import { payoutPaidBy } from '../src/app/payouts/record-paid.ts';
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  releaseRestored,
  retryPayout,
  startSigning,
  stopSigning,
} from '../src/app/sending/operate-payouts.ts';
import { cancelWay, type Family } from '../src/domain/catalog/family.ts';
import type { CancelWay } from '../src/domain/catalog/family-facts.ts';
import type { AppError } from '../src/domain/errors.ts';
import { PAYOUT_STATUSES } from '../src/domain/payouts/payout.ts';
import type { Payout } from '../src/domain/payouts/payout-record.ts';
import type { Result } from '../src/domain/result.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import { payoutJson, payoutLine, payoutList } from './support/payouts.ts';
import {
  type Command,
  type CommandContext,
  type CommandReport,
  type Program,
  runProgram,
} from './support/program.ts';
import { id, oneOf, reason, wholeNumber } from './support/values.ts';

const PAYOUT = '65f0c1d2e3a4b5c6d7e8f901';
const RELEASED_MAX = 1_000_000_000;
type PayoutDecision = (
  deps: CommandContext['service']['dependencies'],
) => (id: string) => Promise<Result<Payout, AppError>>;

const list: Command = {
  name: 'list',
  about:
    'Lists payouts and refunds of all merchants that are pending or processing, and why they are held or wait. It also says whether signing is stopped.',
  audits: [],
  positionals: [],
  options: {
    status: { value: 'STATUS', help: `only this one, also ended ones: ${PAYOUT_STATUSES.join(', ')}` },
    held: { help: 'only those that wait for a release' },
    waiting: { help: 'only those that could not be sent at the last try' },
    merchant: { value: 'ID', help: 'only those of one merchant' },
  },
  examples: ['', '--held', '--status failed --merchant 65f0c1d2e3a4b5c6d7e8f901', '--json'],
  read(args) {
    const status = args.read('status', oneOf(PAYOUT_STATUSES));
    const filter = {
      statuses: status === null ? (['pending', 'processing'] as const) : [status],
      held: args.isSet('held'),
      waiting: args.isSet('waiting'),
      merchantId: args.read('merchant', id),
    };
    return (context) => payoutList(context, filter);
  },
};

const hold: Command = {
  name: 'hold',
  about: 'Keeps a pending payout from being sent until you release it.',
  audits: ['payout.held'],
  positionals: ['payout_id'],
  options: { reason: { value: 'TEXT', help: 'why; shown in the list' } },
  examples: [`${PAYOUT} --reason "ask the merchant first"`],
  read(args) {
    const payoutId = args.readPositional('payout_id', id);
    const why = args.read('reason', reason) ?? 'by hand';
    return (context) =>
      told(context, (deps) => (decided) => holdPayout(deps)(decided, why), {
        ...{ payoutId, action: 'payout.held', note: why },
      });
  },
};

const release: Command = {
  name: 'release',
  about:
    'Releases a held payout: it is sent, and no limit holds it again. Works as well for a payout that waits because its merchant is not active or not approved.',
  audits: ['payout.released'],
  positionals: [],
  optional: 'payout_id',
  options: {
    restored: {
      value: 'COUNT',
      help: 'release every payout that is held because it may have been paid already; only when none was paid. COUNT is the number that payouts list --held shows; another number is refused',
    },
  },
  examples: [PAYOUT, '--restored 12'],
  read(args) {
    const payoutId = args.readOptional('payout_id', id);
    const seen = args.read('restored', wholeNumber(1, RELEASED_MAX));
    if (payoutId !== null && seen === null)
      return (context) => told(context, releasePayout, { payoutId, action: 'payout.released' });
    if (payoutId !== null || seen === null)
      throw new UsageError('name either a <payout_id> or --restored COUNT');
    return async ({ act, service }) => {
      const { catalog } = service.dependencies;
      const released = orRefuse(
        await act(
          { action: 'payout.released', subject: 'payout', note: `all ${seen} that were restored` },
          (deps) => releaseRestored(deps)(seen),
          { subjectOf: idIn() },
        ),
      );
      return {
        json: { released: released.map((payout) => payoutJson(payout, catalog)) },
        text: released.map((payout) => payoutLine(payout, catalog)).join('\n'),
      };
    };
  },
};

const paid: Command = {
  name: 'paid',
  about:
    'Names the transaction that paid a held payout. The payout is settled, and not sent. The hot wallet sent the transaction, and this gateway does not know it (payouts list --held shows it). It must be final, and pay exactly the amount of the payout to its address.',
  audits: ['payout.found_paid'],
  positionals: ['payout_id'],
  options: { txid: { value: 'TXID', required: true, help: 'the transaction, as the list shows it' } },
  examples: [`${PAYOUT} --txid 0x5f3a...`],
  read(args) {
    const payoutId = args.readPositional('payout_id', id);
    const txid = args.readNeeded('txid', (text) => text);
    return (context) =>
      told(context, (deps) => (found) => payoutPaidBy(deps)(found, txid), {
        ...{ payoutId, action: 'payout.found_paid', note: txid },
      });
  },
};

const cancel = onOne({
  ...{ name: 'cancel', action: 'payout.cancelled' },
  about:
    'Cancels a payout: its amount returns to the balance. If the payout is signed already, a transaction that moves nothing replaces it, or it expires. If it is mined first, the payout is success.',
  decide: cancelPayout,
  done: ({ status }, family) => (status === 'processing' ? CANCELLING[cancelWay(family) ?? 'replace'] : null),
});
const retry = onOne({
  ...{ name: 'retry', action: 'payout.retried' },
  about:
    'Tries a payout again at the next run of the worker. A pending payout is tried as if it had never waited. One that is processing gets a higher fee, unless it offers twice the current price already.',
  decide: retryPayout,
  done: ({ status }) =>
    status === 'processing' ? 'a transaction with higher fees is to take the place of the newest one' : null,
});

const stop: Command = {
  name: 'stop',
  about: 'The kill switch: nothing is signed any more, on any chain, by any worker, also after a restart.',
  audits: ['signing.stopped'],
  positionals: [],
  options: { note: { value: 'TEXT', help: 'why; shown in the list' } },
  examples: ['--note "the hot wallet may be stolen"'],
  read(args) {
    const note = args.read('note', reason) ?? '';
    return async ({ act }) => {
      await act({ action: 'signing.stopped', subject: 'signing', note }, (deps) => stopSigning(deps)(note));
      return { json: { signing_stopped: true, note }, text: 'signing is stopped' };
    };
  },
};

const start: Command = {
  name: 'start',
  about: 'Resumes signing after a stop.',
  audits: ['signing.started'],
  positionals: [],
  options: {},
  examples: [''],
  read:
    () =>
    async ({ act }) => {
      const wasStopped = await act({ action: 'signing.started', subject: 'signing' }, (deps) =>
        startSigning(deps)(),
      );
      return {
        json: { signing_stopped: false, was_stopped: wasStopped },
        text: wasStopped ? 'signing goes on' : 'signing was not stopped',
      };
    },
};

const CANCELLING: Readonly<Record<CancelWay, string>> = {
  replace: 'a transaction that moves nothing is to take its place: whichever is mined decides',
  expire: 'it is not handed out any more, and not signed again when it has expired',
};

/** What was ordered, if the payout does not show it yet. */
type OrderedText = (payout: Payout, family: Family) => string | null;

function onOne(of: {
  name: string;
  about: string;
  action: string;
  decide: PayoutDecision;
  done?: OrderedText;
}): Command {
  const { name, about, action, decide, done } = of;
  return {
    name,
    about,
    audits: [action],
    positionals: ['payout_id'],
    options: {},
    examples: [PAYOUT],
    read(args) {
      const payoutId = args.readPositional('payout_id', id);
      return (context) => told(context, decide, { payoutId, action }, done);
    },
  };
}

async function told(
  { act, service }: CommandContext,
  decide: PayoutDecision,
  { payoutId, ...action }: { payoutId: string; action: string; note?: string },
  done: OrderedText = () => null,
): Promise<CommandReport> {
  const { catalog } = service.dependencies;
  const payout = orRefuse(
    await act({ ...action, subject: 'payout', id: payoutId }, (deps) => decide(deps)(payoutId)),
  );
  const ordered = done(payout, catalog.require(payout.asset).family);
  return {
    json: { ...payoutJson(payout, catalog), ...(ordered === null ? {} : { ordered }) },
    text: `${payoutLine(payout, catalog)}${ordered === null ? '' : `\n${ordered}`}`,
  };
}

export const program: Program = {
  name: 'payouts',
  about:
    'Payouts and refunds: list, hold, release, settle, cancel and retry them; and the kill switch of all signing.',
  commands: [list, hold, release, paid, cancel, retry, stop, start],
};

if (import.meta.main) await runProgram(program);
