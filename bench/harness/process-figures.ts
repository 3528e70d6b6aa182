/** What Linux tells of a running process. */
import { readFileSync } from 'node:fs';
import type { SQL } from 'bun';
import { median } from './statistics.ts';

/** Of the clock in which /proc tells CPU time: fixed on Linux. */
const TICKS_PER_SECOND = 100;

/** Resident set size, or what of it are mapped files. Linux tells it in kB (of 1,024). */
export function residentMiB(pid: number, part: 'VmRSS' | 'RssFile' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${part}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return Number(kilobytes) / 1_024;
}

/** CPU time that the process used since it began, user and system, all threads. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name, which may hold anything and ends with the last parenthesis: fields 14 and 15
  // of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** CPU time of the sessions that services have with the database of this connection. */
export function sessionSeconds(sql: SQL): Promise<number> {
  return secondsOf(sql, `datname = current_database() and application_name = 'quittance'`);
}

/** CPU time of the session of this connection itself. */
export function ownSessionSeconds(sql: SQL): Promise<number> {
  return secondsOf(sql, 'pid = pg_backend_pid()');
}

async function secondsOf(sql: SQL, condition: string): Promise<number> {
  const sessions: { pid: number }[] = await sql.unsafe(`select pid from pg_stat_activity where ${condition}`);
  return sessions.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}

/** What each of many cost, in seconds. */
export interface Cost {
  /** By the clock. */
  readonly elapsed: number;
  /** CPU time of this process, and of the sessions that do the work in the database. */
  readonly process: number;
  readonly database: number;
}

/** `work` does all of the `count`; `sessions`: those that do it in the database. */
export async function costOfEach(
  count: number,
  sql: SQL,
  work: () => Promise<unknown>,
  sessions: (sql: SQL) => Promise<number> = sessionSeconds,
): Promise<Cost> {
  const sessionsBefore = await sessions(sql);
  const [before, began] = [process.cpuUsage(), performance.now()];
  await work();
  const elapsed = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const database = (await sessions(sql)) - sessionsBefore;
  return { elapsed: elapsed / count, process: (user + system) / 1e6 / count, database: database / count };
}

/** `10,180/s; processors 71 + 45 microseconds each (process + database)`, the medians. */
export function costText(costs: readonly Cost[], what = ''): string {
  const micros = (pick: (cost: Cost) => number) => Math.round(median(costs.map(pick)) * 1e6);
  const rate = Math.round(1 / median(costs.map(({ elapsed }) => elapsed))).toLocaleString('en');
  return `${rate}${what}/s; processors ${micros((cost) => cost.process)} + ${micros((cost) => cost.database)} microseconds each (process + database)`;
}
