/**
 * What the processes have asked of the server and are not answered yet. One statement runs at a
 * time. The world goes on when it was answered, or waits for a lock: then another transaction has
 * to end first. Whoever was given a lock meanwhile runs next, one after the other, in the order in
 * which they were sent. So nothing depends on how fast the server is.
 */
import type { Faults } from '../faults.ts';
import type { Interleaving, SimulatedProcess } from '../interleaving.ts';
import { isInCycle, type Server, type ServerView } from './server-view.ts';

export interface Flight {
  /** It was answered. */
  land(): void;
}

export interface Flights {
  /** Something was sent for the process. */
  depart(process: SimulatedProcess, what: string): Flight;
  /** A statement of no transaction failed: its locks may be freed a moment after the answer. */
  doubt(): void;
  /** Waits until the server has nothing to do; false: it had nothing to do from the beginning. */
  settle(): Promise<boolean>;
}

interface Flown extends Flight {
  readonly process: SimulatedProcess;
  readonly what: string;
  state: 'runs' | 'waits' | 'landed';
  /** Known since it waited for a lock. */
  pid: number | null;
}

/** Milliseconds. They decide nothing but how often the server is looked at. */
const FIRST_LOOK_MS = 2;
const LONGEST_PAUSE_MS = 10;
const PATIENCE_MS = 60_000;

export function flightsOf(
  server: Server,
  { order, faults }: { readonly order: Interleaving; readonly faults: Faults },
): Flights {
  let flying: Flown[] = [];
  let isInDoubt = false;
  let landed: () => void = () => undefined;
  const inState = (state: Flown['state']) => flying.filter((one) => one.state === state);
  const known = () => new Set(inState('waits').map(({ pid }) => pid));

  function land(flight: Flown): void {
    flight.state = 'landed';
    flying = flying.filter((one) => one !== flight);
    landed();
  }

  function tell({ process, what }: Flown, how: string): void {
    order.story.tellOf(null, 'point', { by: process.name, what: `${what} ${how}` });
  }

  async function landingOr(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      landed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    landed = () => undefined;
  }

  /** The one that runs waits for a lock of another transaction, which is at a point. */
  function noteWait(view: ServerView): void {
    const others = known();
    const fresh = [...view.waits.keys()].filter((pid) => !others.has(pid));
    const runs = inState('runs');
    if (fresh.length === 0) return;
    const [flight] = runs;
    const [pid] = fresh;
    if (flight === undefined || pid === undefined || runs.length > 1 || fresh.length > 1)
      throw new Error(`more than one statement runs: ${runs.map(({ what }) => what).join(', ')}`);
    // The server ends it, since the others of the circle are stopped and cannot notice.
    if (isInCycle(view, pid)) return;
    server.stop(pid);
    flight.pid = pid;
    flight.state = 'waits';
    faults.met('lock wait');
    tell(flight, 'waits for a lock');
  }

  async function landOrWait(): Promise<void> {
    const began = performance.now();
    for (
      let pause = FIRST_LOOK_MS;
      inState('runs').length > 0;
      pause = Math.min(LONGEST_PAUSE_MS, pause + 1)
    ) {
      await landingOr(pause);
      if (inState('runs').length === 0) return;
      noteWait(await server.look());
      if (performance.now() - began > PATIENCE_MS)
        throw new Error(`no answer: ${flying.map(({ what, state }) => `${what} ${state}`).join(', ')}`);
    }
  }

  /** Lets the first one run that was given its lock; false: there is none. */
  async function wakeOne(): Promise<boolean> {
    const view = await server.look();
    const waits = known();
    if ([...view.active].some((pid) => !waits.has(pid))) return true;
    isInDoubt = false;
    const next = inState('waits').find(({ pid }) => pid !== null && !view.waits.has(pid));
    if (next?.pid == null) return false;
    next.state = 'runs';
    tell(next, 'has its lock');
    server.letRun(next.pid);
    return true;
  }

  return {
    depart(process, what) {
      const flight: Flown = {
        ...{ process, what, state: 'runs', pid: null },
        land: () => land(flight),
      };
      flying.push(flight);
      return flight;
    },
    doubt() {
      isInDoubt = true;
    },
    async settle() {
      if (inState('runs').length > 0) {
        await landOrWait();
        return true;
      }
      return flying.length > 0 || isInDoubt ? wakeOne() : false;
    },
  };
}
