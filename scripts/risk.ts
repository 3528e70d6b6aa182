/** `bun run risk`: lets an operator decide on payments that the risk check holds. */
import { rejectHeld, releaseHeld } from '../src/app/deposits/unmatched-deposits.ts';
import { depositJson, depositLine, depositList } from './support/deposits.ts';
import { orRefuse } from './support/failures.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { id, reason } from './support/values.ts';

const list: Command = {
  name: 'list',
  about: 'Lists payments that are held and not decided yet.',
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read: () => (context) => depositList(context, ['held'], 'no held payments'),
};

const release: Command = {
  name: 'release',
  about: 'Accepts a held payment. It is credited, its invoice changes its status, and a webhook is sent.',
  positionals: ['deposit_id'],
  options: {},
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    return async ({ service }) => {
      await service.refreshRates();
      const deposit = orRefuse(await releaseHeld(service.dependencies)(depositId));
      const { catalog } = service.dependencies;
      return { json: depositJson(deposit, catalog), text: depositLine(deposit, catalog) };
    };
  },
};

const reject: Command = {
  name: 'reject',
  about: 'Rejects a held payment. It stays on the held account for good, and its invoice stays high_risk.',
  positionals: ['deposit_id'],
  options: { reason: { value: 'TEXT', required: true, help: 'why; it is kept with the deposit' } },
  examples: ['65f0c1d2e3a4b5c6d7e8f901 --reason "sanctioned sender"'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    const why = args.readNeeded('reason', reason);
    return async ({ service }) => {
      const deposit = orRefuse(await rejectHeld(service.dependencies)(depositId, why));
      const { catalog } = service.dependencies;
      return { json: depositJson(deposit, catalog), text: depositLine(deposit, catalog) };
    };
  },
};

export const program: Program = {
  name: 'risk',
  about: 'Payments that the risk check holds.',
  commands: [list, release, reject],
};

if (import.meta.main) await runProgram(program);
