/** What Linux tells of a running process. */
import { readFileSync } from 'node:fs';
import type { SQL } from 'bun';

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
  // Behind the name, which may hold anything and ends with the last parenthesis: fields 14 and 15 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** CPU time of the sessions that services have with the database of this connection. */
export async function sessionSeconds(sql: SQL): Promise<number> {
  const sessions: { pid: number }[] = await sql.unsafe(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'quittance'`,
  );
  return sessions.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
}
