/** What the figures were measured on: without it they mean nothing. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './statistics.ts';

export interface MachineFact {
  readonly name: string;
  readonly value: string;
}

const FSYNCS = 50;
const ROUNDS = 5;

export function machineFacts(database: Readonly<Record<string, string>>, pgbench: string): MachineFact[] {
  const processors = cpus();
  return [
    {
      name: 'processors',
      value: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}, shared by all legs`,
    },
    { name: 'memory', value: `${Math.round(totalmem() / 2 ** 30)} GiB` },
    {
      name: 'system',
      value: `${process.platform} ${process.arch}, load ${loadavg()[0]?.toFixed(2)} at the start`,
    },
    {
      name: 'speed',
      value:
        `${freshPageMicroseconds().toFixed(1)} us for a fresh page of memory, ` +
        `${systemCallMicroseconds().toFixed(2)} us for a system call`,
    },
    { name: 'disk', value: `${fsyncMilliseconds().toFixed(2)} ms for an 8 KiB write with fsync` },
    { name: 'Bun', value: Bun.version },
    {
      name: 'PostgreSQL',
      value: Object.entries(database)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    },
    { name: 'pgbench', value: pgbench },
  ];
}

/** Of 4 KiB: sessions of PostgreSQL and garbage collections take many. */
function freshPageMicroseconds(): number {
  const pages = 4_096;
  const times = Array.from({ length: ROUNDS }, () => {
    const memory = new Uint8Array(pages * 4_096);
    const began = performance.now();
    for (let page = 0; page < pages; page += 1) memory[page * 4_096] = 1;
    return (performance.now() - began) / pages;
  });
  return median(times) * 1_000;
}

function systemCallMicroseconds(): number {
  const calls = 20_000;
  const file = openSync('/dev/null', 'w');
  const byte = Buffer.alloc(1);
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (let call = 0; call < calls; call += 1) writeSync(file, byte);
    return (performance.now() - began) / calls;
  });
  closeSync(file);
  return median(times) * 1_000;
}

/** The median of some synced writes beside the database's own files. */
function fsyncMilliseconds(): number {
  const path = join(tmpdir(), `quittance-fsync-${process.pid}`);
  const file = openSync(path, 'w');
  const page = Buffer.alloc(8_192);
  const times = Array.from({ length: FSYNCS }, () => {
    const began = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
