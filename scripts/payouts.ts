/** `bun run payouts`: what leaves the gateway, and what an operator can do about it. */
import {
  cancelPayout,
  holdPayout,
  releasePayout,
  retryPayout,
  startSigning,
  stopSigning,
} from '../src/app/operate-payouts.ts';
import type { AppError } from '../src/domain/errors.ts';
import { PAYOUT_STATUSES } from '../src/domain/payout.ts';
import type { Payout } from '../src/domain/payout-record.ts';
import type { Result } from '../src/domain/result.ts';
import { orRefuse } from './support/failures.ts';
import { payoutJson, payoutLine, payoutList } from './support/payouts.ts';
import { type Command, type Context, type Report, runProgram } from './support/program.ts';
import { id, oneOf, reason } from './support/values.ts';

const PAYOUT = '65f0c1d2e3a4b5c6d7e8f901';
type Decide = (deps: Context['service']['dependencies']) => (id: string) => Promise<Result<Payout, AppError>>;

const list: Command = {
  name: 'list',
  about:
    'Lists payouts and refunds of all merchants that are pending or processing, with why they are held or wait. Says when signing is stopped.',
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
  about: 'Keeps a pending payout from being sent until it is released.',
  positionals: ['payout_id'],
  options: { reason: { value: 'TEXT', help: 'why; shown in the list' } },
  examples: [`${PAYOUT} --reason "ask the merchant first"`],
  read(args) {
    const payoutId = args.readPositional('payout_id', id);
    const why = args.read('reason', reason) ?? 'by hand';
    return (context) => told(context, (deps) => (decided) => holdPayout(deps)(decided, why), payoutId);
  },
};

const release = onOne({
  name: 'release',
  about:
    'Lets a held payout be sent: no limit holds it again. Or one that waits since its merchant is not active or not approved.',
  decide: releasePayout,
});
const cancel = onOne({
  name: 'cancel',
  about:
    'Cancels a pending payout: its balance comes back. Refused once a transaction that pays it is signed, since that may be mined.',
  decide: cancelPayout,
});
const retry = onOne({
  name: 'retry',
  about:
    'Tries a payout again at the next step of the worker: a pending one as if it had never waited, one on its way with higher fees.',
  decide: retryPayout,
});

const stop: Command = {
  name: 'stop',
  about: 'The kill switch: nothing is signed any more, on any chain, by any worker, also after a restart.',
  positionals: [],
  options: { note: { value: 'TEXT', help: 'why; shown in the list' } },
  examples: ['--note "the hot wallet may be stolen"'],
  read(args) {
    const note = args.read('note', reason) ?? '';
    return async ({ service }) => {
      await stopSigning(service.dependencies)(note);
      return { json: { signing_stopped: true, note }, text: 'signing is stopped' };
    };
  },
};

const start: Command = {
  name: 'start',
  about: 'Lets signing go on after a stop.',
  positionals: [],
  options: {},
  examples: [''],
  read:
    () =>
    async ({ service }) => {
      const wasStopped = await startSigning(service.dependencies)();
      return {
        json: { signing_stopped: false, was_stopped: wasStopped },
        text: wasStopped ? 'signing goes on' : 'signing was not stopped',
      };
    },
};

function onOne({ name, about, decide }: { name: string; about: string; decide: Decide }): Command {
  return {
    name,
    about,
    positionals: ['payout_id'],
    options: {},
    examples: [PAYOUT],
    read(args) {
      const payoutId = args.readPositional('payout_id', id);
      return (context) => told(context, decide, payoutId);
    },
  };
}

async function told({ service }: Context, decide: Decide, payoutId: string): Promise<Report> {
  const { dependencies } = service;
  const payout = orRefuse(await decide(dependencies)(payoutId));
  return {
    json: payoutJson(payout, dependencies.catalog),
    text: payoutLine(payout, dependencies.catalog),
  };
}

await runProgram({
  name: 'payouts',
  about:
    'Payouts and refunds on their way out: look at them, hold, release, cancel and retry them, stop signing.',
  commands: [list, hold, release, cancel, retry, stop, start],
});
