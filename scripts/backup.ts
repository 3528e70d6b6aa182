/** `bun run backup`: a copy of DATA_DIR while the service runs, which starts again. */
import { systemClock } from '../src/adapters/system/system-clock.ts';
import { type OfflineCommand, type Program, runProgram } from './support/program.ts';

const TO = {
  value: 'FOLDER',
  required: true,
  help: 'folder to make; it must not be there, and its parent must',
} as const;

const backup: OfflineCommand = {
  name: null,
  about:
    'Copies the embedded database and the keys into a new folder, while the service runs or not. The folder gets the database as of one moment, keystore.json, master.key, issued-indexes.json and signer.log. A server is started on the copy once, to see that it starts. Whoever has the folder has the money: keep it like the wallet. CONFIG_FILE, SIGNER_POLICY and the environment (MASTER_KEY) are not in it. A database of your own (DATABASE_URL) has tools of its own.',
  positionals: [],
  options: {
    to: TO,
    'without-master-key': {
      help: 'leave master.key out, to keep it elsewhere: without it nothing opens the wallet',
    },
  },
  examples: ['--to /backup/2026-01-31', '--to /backup/today --without-master-key --json'],
  readOffline(args) {
    const to = args.readNeeded('to', (text) => text);
    const withMasterKey = !args.isSet('without-master-key');
    return async (config) => {
      const { operatorsLogger } = await import('./support/operators-logger.ts');
      const { backUp } = await import('../src/compose/backup.ts');
      const parts = { clock: systemClock, logger: operatorsLogger(config) };
      const { folder, files } = await backUp(config, parts, { to, withMasterKey });
      return {
        json: { folder, files },
        text: `${folder} holds ${files.join(', ')}. It starts as DATA_DIR; before it takes the place of a newer one: bun run restore --help`,
      };
    };
  },
};

export const program: Program = {
  name: 'backup',
  about: 'A copy of DATA_DIR while the service runs.',
  commands: [backup],
};

if (import.meta.main) await runProgram(program);
