/** Opens pages of the console as a browser does, and measures them. */
import { brotliDecompressSync } from 'node:zlib';
import type { SQL } from 'bun';
import type { ConsolePage } from './console-pages.ts';
import { cpuSeconds, sessionSeconds } from './process-figures.ts';
import { median } from './statistics.ts';

export interface Visit extends ConsolePage {
  readonly firstMs: number;
  readonly medianMs: number;
  readonly highestMs: number;
  /** Processor time of one of them, of the service and of its sessions with the database. */
  readonly processMs: number;
  readonly databaseMs: number;
  /** Of page, stylesheet, scripts and icon, as they are sent; null for a file. */
  readonly firstViewBytes: number | null;
}

type Headers = Readonly<Record<string, string>>;

export async function visit(
  page: ConsolePage,
  at: { port: number; pid: number; sql: SQL; headers: Headers; times: number },
): Promise<Visit> {
  const open = () => opened(page, at);
  const first = await open();
  const milliseconds: number[] = [];
  const before = [cpuSeconds(at.pid), await sessionSeconds(at.sql)] as const;
  for (let nth = 0; nth < at.times; nth++) milliseconds.push((await open()).milliseconds);
  const after = [cpuSeconds(at.pid), await sessionSeconds(at.sql)] as const;
  return {
    ...page,
    firstMs: first.milliseconds,
    medianMs: median(milliseconds),
    highestMs: Math.max(...milliseconds),
    processMs: ((after[0] - before[0]) * 1000) / at.times,
    databaseMs: ((after[1] - before[1]) * 1000) / at.times,
    firstViewBytes: page.isDownload ? null : await firstView(at.port, first.bytes),
  };
}

async function opened(page: ConsolePage, { port, headers }: { port: number; headers: Headers }) {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/console${page.path}`, {
    headers: { ...headers, 'accept-encoding': 'br' },
    redirect: 'manual',
    decompress: false,
  });
  if (!page.statuses.includes(response.status)) throw new Error(`${page.path}: ${response.status}`);
  if (page.isDownload) {
    const reader = response.body?.getReader();
    await reader?.read();
    const milliseconds = performance.now() - began;
    await reader?.cancel();
    return { milliseconds, bytes: new Uint8Array() };
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { milliseconds: performance.now() - began, bytes };
}

async function firstView(port: number, page: Uint8Array): Promise<number> {
  const files = new Set(
    brotliDecompressSync(page)
      .toString()
      .match(/(?<=(?:src|href)=")[^"]*\/console\/assets\/[^"]+/g),
  );
  let bytes = page.length;
  for (const file of files) {
    const response = await fetch(new URL(file, `http://127.0.0.1:${port}`), {
      headers: { 'accept-encoding': 'br' },
      decompress: false,
    });
    bytes += (await response.arrayBuffer()).byteLength;
  }
  return bytes;
}

/** For the reader of a run. */
export function lineOf(visit: Visit): string {
  const { path, firstMs, medianMs, highestMs, processMs, databaseMs, firstViewBytes } = visit;
  const size = firstViewBytes === null ? '' : `; first view ${(firstViewBytes / 1000).toFixed(1)} kB`;
  return (
    `  ${shown(path)}: ${medianMs.toFixed(1)} ms, highest ${highestMs.toFixed(1)}, first` +
    ` ${firstMs.toFixed(1)}; processors ${processMs.toFixed(1)} + ${databaseMs.toFixed(1)} ms${size}`
  );
}

/** Without ids and tokens. */
const shown = (path: string) => path.replaceAll(/[0-9a-f]{24}|(?<=\/i\/)[\w-]{43}/g, '…');
/** The same without the merchant. */
export const shortOf = (path: string) => shown(path.replace(/^\/m\/[^/]*\/sandbox/, '')) || '/';
