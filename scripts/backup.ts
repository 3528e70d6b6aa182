/** `bun run backup`: copies DATA_DIR while the service runs. A service can start from the copy. */
import { systemClock } from '../src/adapters/system/system-clock.ts';
import { UsageError } from './support/failures.ts';
import { type OfflineCommand, type Program, runProgram } from './support/program.ts';

const TO = {
  value: 'FOLDER',
  help: 'folder to create: it must not exist, and its parent must',
} as const;
const NOTE = {
  help: 'copy nothing, but record that your own tools have just made a backup: for `quittance_backup_age_seconds`',
} as const;

const backup: OfflineCommand = {
  name: null,
  about:
    'Copies the embedded database and the keys into a new folder, while the service runs or not. The folder gets a consistent copy of the database, keystore.json, master.key, issued-indexes.json and signer.log. The copy is tested: a database server is started on it once. The folder gives access to the money: protect it like the wallet. CONFIG_FILE, SIGNER_POLICY and the environment (MASTER_KEY) are not in it. Back up your own database (DATABASE_URL) with its own tools, and record that with --note.',
  audits: [],
  positionals: [],
  options: {
    to: TO,
    note: NOTE,
    'without-master-key': {
      help: 'leave out master.key, to keep it elsewhere: the wallet cannot be opened without it',
    },
  },
  examples: ['--to /backup/2026-01-31', '--to /backup/today --without-master-key --json', '--note'],
  readOffline(args) {
    const to = args.read('to', (text) => text);
    const withMasterKey = !args.isSet('without-master-key');
    if (args.isSet('note') === (to !== null) || (args.isSet('note') && !withMasterKey))
      throw new UsageError('give --to FOLDER, or --note alone');
    return async (config) => {
      const { operatorsLogger } = await import('./support/operators-logger.ts');
      const { backUp, noteBackup } = await import('../src/compose/backup.ts');
      const parts = { clock: systemClock, logger: operatorsLogger(config) };
      if (to === null) {
        await noteBackup(config, parts);
        return { json: { noted: true }, text: 'The backup is recorded as of now.' };
      }
      const { folder, files } = await backUp(config, parts, { to, withMasterKey });
      return {
        json: { folder, files },
        text: `${folder} holds ${files.join(', ')}. Start the service with it as DATA_DIR. Before it replaces newer data: bun run restore --help`,
      };
    };
  },
};

export const program: Program = {
  name: 'backup',
  about: 'Copies DATA_DIR while the service runs.',
  commands: [backup],
};

if (import.meta.main) await runProgram(program);
