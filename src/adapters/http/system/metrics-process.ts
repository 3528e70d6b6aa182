/** Metrics of the process that are correct on Bun: prom-client's defaults are made for V8. */
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

const OPEN_FILES = '/proc/self/fd';

type MakeGauge = (name: string, help: string, read: () => number) => unknown;

/** Registers them. Returns a function that stops the measurement of the event loop. */
export function processMetrics(registry: Registry, version: string): () => void {
  const registers = [registry];
  const gauge: MakeGauge = (name, help, read) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  new Gauge({
    name: 'quittance_build_info',
    help: 'Always 1. The label has the version of this process.',
    ...{ labelNames: ['version'], registers },
  }).set({ version }, 1);
  gauge('quittance_process_start_time_seconds', 'Unix time at which the process started.', () =>
    startTime(process.uptime()),
  );
  gauge('quittance_process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('quittance_process_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  openFilesGauge(gauge);
  new Counter({
    name: 'quittance_process_cpu_seconds_total',
    help: 'User and system CPU time used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  return eventLoopGauge(gauge);
}

function startTime(uptimeSeconds: number): number {
  return performance.timeOrigin / 1_000 + performance.now() / 1_000 - uptimeSeconds;
}

/** Only where the kernel shows them. */
function openFilesGauge(gauge: MakeGauge): void {
  const read = () => readdirSync(OPEN_FILES).length;
  try {
    read();
  } catch {
    return;
  }
  gauge('quittance_process_open_fds', 'Open file descriptors, sockets among them.', read);
}

function eventLoopGauge(gauge: MakeGauge): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  gauge(
    'quittance_event_loop_delay_p99_seconds',
    'How late timers fired since the last scrape, 99th percentile.',
    () => {
      const seconds = delay.percentile(99) / 1e9;
      delay.reset();
      return Number.isFinite(seconds) ? seconds : 0;
    },
  );
  return () => {
    delay.disable();
  };
}
