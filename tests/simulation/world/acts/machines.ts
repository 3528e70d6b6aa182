/** What happens to the machines of processes: their clocks are set, and they stand still. */
import type { Seeded } from '../../../support/runtime/seeded.ts';
import { type Act, pick } from './stage.ts';

/** Clocks of hosts with NTP, far within the minute after which an operator is alarmed. */
const STEP_MAX_MS = 20_000;
/**
 * A clock may be wrong by hours (safety.md K7). Not where backups are restored: payouts are then
 * compared with the times of blocks, and two minutes are allowed.
 */
export const WRONG_MAX_MS = 3 * 3_600_000;

/** Clocks of processes differ by up to two seconds from their start. */
export const skew = (random: Seeded): number => random.int(4_001) - 2_000;

const setClock: Act = {
  name: 'set the clock of a process',
  weight: 7,
  isFault: true,
  needs: 'clocks',
  run(stage) {
    const { random } = stage;
    const isWrong = random.int(4) === 0 && !stage.on.has('restores');
    const most = isWrong ? WRONG_MAX_MS : STEP_MAX_MS;
    const process = pick(stage, [...stage.workers(), stage.api()])!;
    stage.setSkew(process, random.int(2 * most + 1) - most);
  },
};

const pause: Act = {
  name: 'pause a process',
  weight: 7,
  isFault: true,
  needs: 'pauses',
  run(stage) {
    stage.pause(pick(stage, [...stage.workers(), stage.api()])!);
  },
};

const resume: Act = {
  name: 'let paused processes go on',
  weight: 5,
  needs: 'pauses',
  run: (stage) => stage.resume(),
};

export const MACHINES: readonly Act[] = [setClock, pause, resume];
