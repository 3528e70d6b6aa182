/** `bun run risk`: lets an operator decide on payments that the risk check holds. */
import { rejectHeld, releaseHeld } from '../src/app/deposits/unmatched-deposits.ts';
import { depositJson, depositLine, depositList } from './support/deposits.ts';
import { orRefuse } from './support/failures.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { id, reason } from './support/values.ts';

const list: Command = {
  name: 'list',
  about: 'Lists payments that are held and not decided yet.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read: () => (context) => depositList(context, ['held'], 'no held payments'),
};

const release: Command = {
  name: 'release',
  about: 'Accepts a held payment. It is credited, its invoice changes its status, and a webhook is sent.',
  audits: ['deposit.released'],
  positionals: ['deposit_id'],
  options: {},
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    const action = { action: 'deposit.released', subject: 'deposit', id: depositId } as const;
    return async ({ act, service }) => {
      await service.refreshRates();
      const deposit = orRefuse(await act(action, (deps) => releaseHeld(deps)(depositId)));
      const { catalog } = service.dependencies;
      return { json: depositJson(deposit, catalog), text: depositLine(deposit, catalog) };
    };
  },
};

const reject: Command = {
  name: 'reject',
  about:
    'Rejects a held payment. It stays on the held account for good, and its invoice stays high_risk. Payments of it under 2 USD are unmatched then.',
  audits: ['deposit.rejected'],
  positionals: ['deposit_id'],
  options: { reason: { value: 'TEXT', required: true, help: 'why; it is kept with the deposit' } },
  examples: ['65f0c1d2e3a4b5c6d7e8f901 --reason "sanctioned sender"'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    const why = args.readNeeded('reason', reason);
    const action = { action: 'deposit.rejected', subject: 'deposit', id: depositId, note: why } as const;
    return async ({ act, service }) => {
      const deposit = orRefuse(await act(action, (deps) => rejectHeld(deps)(depositId, why)));
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
