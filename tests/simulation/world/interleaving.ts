/**
 * The order of everything in a history. Each process of the simulation waits at a point before and
 * after all that it asks of the world; the seed decides which of them goes on. Time passes only
 * when the history says so. A process that dies never goes on.
 */
import { type Seeded, seeded } from '../../support/runtime/seeded.ts';
import { type Story, story } from './story.ts';

/** A process of the service, as long as it lives. */
export interface SimulatedProcess {
  readonly name: string;
  /** How far its clock is ahead of the world's; negative: behind. */
  readonly skewMs: number;
  readonly isAlive: boolean;
  /** Resolves at its death. */
  readonly died: Promise<void>;
}

export interface Interleaving {
  readonly story: Story;
  /** Of the present turn. */
  readonly random: Seeded;
  /** Draws anew from here on. */
  reseed(seed: number): void;
  readonly nowMs: number;
  /** Points that were passed. */
  readonly steps: number;
  readonly deaths: number;
  born(name: string, skewMs: number): SimulatedProcess;
  /** It never goes on from any point, and its timers never fire. */
  kill(process: SimulatedProcess): void;
  /** Its clock is so far ahead from now on. */
  setSkew(process: SimulatedProcess, skewMs: number): void;
  /** It goes on from no point, and its timers wait, until it is resumed: it knows nothing of it. */
  pause(process: SimulatedProcess): void;
  resume(process: SimulatedProcess): void;
  isPaused(process: SimulatedProcess): boolean;
  /**
   * Waits until the seed lets the process go on; for ever once it is dead. With `holds` it goes on
   * only when no other process holds the database, and holds it until `letGo`. With `lingers`
   * others tend to go first.
   */
  point(process: SimulatedProcess, label: string, options?: PointOptions): Promise<void>;
  letGo(process: SimulatedProcess): void;
  /** Work outside the simulation (a real database), which it waits for. */
  real<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `work` at a time of the world, if the process is alive then. */
  after(process: SimulatedProcess, ms: number, work: () => void): () => void;
  /** Until nothing moves any more without a point being passed. */
  quiet(): Promise<void>;
  /** `settle` is part of being quiet: it waits for what it knows of; false: nothing moved. */
  settling(settle: () => Promise<boolean>): void;
  /** Lets one waiting point go on; false: none can. */
  release(): boolean;
  /** What waits, for people. */
  waitingFor(): readonly string[];
  /** Lets time pass, and fires the timers that are due. */
  pass(ms: number): void;
  /** Lets time pass to the next timer; false: there is none. */
  passToNextTimer(): boolean;
}

interface PointOptions {
  readonly holds?: boolean;
  readonly lingers?: boolean;
}

interface Waiting {
  readonly process: SimulatedProcess;
  readonly label: string;
  readonly holds: boolean;
  readonly lingers: boolean;
  /** Who waits, for the story. */
  readonly task: string | null;
  readonly go: () => void;
}

interface Timer {
  readonly process: SimulatedProcess;
  readonly atMs: number;
  readonly work: () => void;
}

interface Mortal extends SimulatedProcess {
  isAlive: boolean;
  skewMs: number;
  end(): void;
}

/** How often another is drawn in place of one that lingers. */
const LINGERING = 3;

/** What the dead wait for. Each waits for its own: one for all would keep all of them in memory. */
export const never = (): Promise<never> => new Promise<never>(() => undefined);

export function interleaving(
  seed: number,
  { told, startMs }: { readonly told: boolean; readonly startMs: number },
): Interleaving {
  let random = seeded(seed);
  let waiting: Waiting[] = [];
  let timers: Timer[] = [];
  let holder: SimulatedProcess | null = null;
  let inFlight = 0;
  let landed: (() => void) | null = null;
  let settle: () => Promise<boolean> = async () => false;
  const it = { nowMs: startMs, steps: 0, deaths: 0 };
  const lines = story({ keeps: told, now: () => it.nowMs });
  const processes = new Map<SimulatedProcess, Mortal>();
  const paused = new Set<SimulatedProcess>();

  function fire(): void {
    const isDue = ({ atMs, process }: Timer) => atMs <= it.nowMs && !paused.has(process);
    const due = timers.filter(isDue);
    timers = timers.filter((timer) => !isDue(timer));
    for (const { process, work } of due) if (process.isAlive) work();
  }

  return {
    story: lines,
    get random() {
      return random;
    },
    reseed(next) {
      random = seeded(next);
    },
    get nowMs() {
      return it.nowMs;
    },
    get steps() {
      return it.steps;
    },
    get deaths() {
      return it.deaths;
    },
    born(name, skewMs) {
      let end: () => void = () => undefined;
      const died = new Promise<void>((resolve) => {
        end = resolve;
      });
      const process: Mortal = { name, skewMs, isAlive: true, died, end };
      processes.set(process, process);
      return process;
    },
    kill(process) {
      const mortal = processes.get(process);
      if (mortal === undefined || !mortal.isAlive) return;
      mortal.isAlive = false;
      it.deaths += 1;
      processes.delete(process);
      waiting = waiting.filter((one) => one.process !== process);
      timers = timers.filter((one) => one.process !== process);
      paused.delete(process);
      lines.tell('fault', { by: process.name, what: 'dies' });
      mortal.end();
    },
    setSkew(process, skewMs) {
      const mortal = processes.get(process);
      if (mortal === undefined) return;
      mortal.skewMs = skewMs;
      lines.tell('fault', { by: process.name, what: `has its clock set to ${skewMs} ms ahead` });
    },
    pause(process) {
      if (!process.isAlive) return;
      paused.add(process);
      lines.tell('fault', { by: process.name, what: 'is paused' });
    },
    resume(process) {
      if (!paused.delete(process)) return;
      lines.tell('fault', { by: process.name, what: 'goes on after its pause' });
      fire();
    },
    isPaused: (process) => paused.has(process),
    async point(process, label, { holds = false, lingers = false } = {}) {
      if (!process.isAlive) return never();
      const { task } = lines;
      await new Promise<void>((go) => waiting.push({ process, label, holds, lingers, task, go }));
      return process.isAlive ? undefined : never();
    },
    letGo(process) {
      if (holder === process) holder = null;
    },
    async real(work) {
      inFlight += 1;
      try {
        return await work();
      } finally {
        inFlight -= 1;
        if (inFlight === 0) landed?.();
      }
    },
    after(process, ms, work) {
      const timer = { process, atMs: it.nowMs + ms, work };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    async quiet() {
      for (;;) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (inFlight === 0 && !(await settle())) return;
        if (inFlight === 0) continue;
        await new Promise<void>((resolve) => {
          landed = resolve;
        });
        landed = null;
      }
    },
    settling(known) {
      settle = known;
    },
    release() {
      const able = waiting.filter(
        ({ process, holds }) => !paused.has(process) && (!holds || holder === null),
      );
      if (able.length === 0) return false;
      let chosen = able[random.int(able.length)]!;
      for (let left = LINGERING; chosen.lingers && left > 0; left -= 1)
        chosen = able[random.int(able.length)]!;
      waiting.splice(waiting.indexOf(chosen), 1);
      it.steps += 1;
      lines.tellOf(chosen.task, 'point', { by: chosen.process.name, what: chosen.label });
      if (chosen.holds) holder = chosen.process;
      chosen.go();
      return true;
    },
    waitingFor: () => waiting.map(({ process, label }) => `${process.name} ${label}`),
    pass(ms) {
      it.nowMs += ms;
      fire();
    },
    passToNextTimer() {
      const running = timers.filter(({ process }) => !paused.has(process));
      if (running.length === 0) return false;
      it.nowMs = Math.max(it.nowMs, Math.min(...running.map(({ atMs }) => atMs)));
      fire();
      return true;
    },
  };
}
