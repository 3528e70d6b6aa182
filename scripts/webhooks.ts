/** `bun run webhooks`: which receivers do not answer, and sends webhooks again. */

import { replayDead, replayInvoice } from '../src/app/invoices/replay-webhooks.ts';
import type { OpenCircuit } from '../src/ports/webhooks/receiver-circuits.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import {
  type Command,
  type CommandContext,
  type CommandReport,
  type Program,
  runProgram,
} from './support/program.ts';
import { type Column, shownTime, table } from './support/table.ts';
import { id, instant } from './support/values.ts';

const LISTED_MAX = 1_000;
const COLUMNS: readonly Column<OpenCircuit>[] = [
  { title: 'RECEIVER', cell: ({ destination }) => destination },
  { title: 'CIRCUIT', cell: ({ state }) => state },
  { title: 'SILENT SINCE', cell: ({ silentSince }) => shownTime(silentSince) },
  { title: 'ATTEMPTS', align: 'right', cell: ({ silences }) => String(silences) },
  { title: 'NEXT TRIAL', cell: ({ tryAt }) => (tryAt === null ? '' : shownTime(tryAt)) },
  { title: 'WAITING', align: 'right', cell: ({ waiting }) => String(waiting) },
  { title: 'MERCHANTS', align: 'right', cell: ({ merchants }) => String(merchants) },
  { title: 'WHY', cell: ({ reason }) => reason },
];

const REPLAY = { action: 'delivery.queued_again', subject: 'delivery' } as const;

const replay: Command = {
  name: 'replay',
  about:
    'Queues the present state of invoices as new deliveries. The service sends them once it runs. Name one invoice, or --dead for every invoice whose latest delivery was given up. Deliveries about payouts are queued again unchanged.',
  audits: ['delivery.queued_again'],
  positionals: [],
  options: {
    invoice: { value: 'ID', help: 'this invoice, in any state' },
    dead: {
      help: 'every invoice whose latest delivery was given up; states that are never pushed are left out',
    },
    since: {
      value: 'ISO',
      help: 'with --dead: only what was given up at or after this instant (UTC without a zone)',
    },
  },
  examples: ['--invoice 65f0c1d2e3a4b5c6d7e8f901', '--dead --since 2026-01-31T12:00:00Z'],
  read(args) {
    const invoiceId = args.read('invoice', id);
    const since = args.read('since', instant);
    const dead = args.isSet('dead');
    if (invoiceId !== null && dead) throw new UsageError('--invoice and --dead contradict');
    if (since !== null && !dead) throw new UsageError('--since belongs to --dead');
    if (invoiceId !== null) return (context) => one(context, invoiceId);
    if (!dead) throw new UsageError('say what to replay: --invoice ID or --dead');
    return (context) => all(context, since);
  },
};

async function one({ act }: CommandContext, invoiceId: string): Promise<CommandReport> {
  const action = { ...REPLAY, note: `of invoice ${invoiceId}` };
  const queued = orRefuse(await act(action, (deps) => replayInvoice(deps)(invoiceId)));
  return {
    json: { queued: 1, skipped: 0, delivery_id: queued.deliveryId, url: queued.url },
    text: `queued delivery ${queued.deliveryId} to ${queued.url}`,
  };
}

async function all({ act, progress }: CommandContext, since: Date | null): Promise<CommandReport> {
  const note = `all that were given up${since === null ? '' : ` since ${since.toISOString()}`}`;
  const { queued, skipped, more } = await act({ ...REPLAY, note }, (deps) =>
    replayDead(deps)({ since }, (done) => progress(`${done} webhooks that were given up`)),
  );
  const left = more ? '; there are more: run it again' : '';
  return {
    json: { queued, skipped, more },
    text: `queued ${queued}, left out ${skipped} (nowhere to send to, or expired or refunded meanwhile)${left}`,
  };
}

const status: Command = {
  name: 'status',
  about:
    'Lists the receivers that do not answer: since when, how many webhooks of how many merchants wait for them, and when the next try is.',
  audits: [],
  positionals: [],
  options: {},
  examples: [''],
  read: () => silentReceivers,
};

async function silentReceivers({ service }: CommandContext): Promise<CommandReport> {
  const circuits = await service.dependencies.receiverCircuits.open(LISTED_MAX);
  const seconds = (at: Date | null) => (at === null ? null : Math.floor(at.getTime() / 1000));
  return {
    json: circuits.map(({ silentSince, tryAt, silences, ...circuit }) => ({
      destination: circuit.destination,
      state: circuit.state,
      silent_since: seconds(silentSince),
      attempts: silences,
      try_at: seconds(tryAt),
      waiting: circuit.waiting,
      merchants: circuit.merchants,
      reason: circuit.reason,
    })),
    text: table(COLUMNS, circuits, { empty: 'no receiver is silent' }),
  };
}

export const program: Program = {
  name: 'webhooks',
  about: 'Receivers that do not answer, and sending webhooks again.',
  commands: [status, replay],
};

if (import.meta.main) await runProgram(program);
