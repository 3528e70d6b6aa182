/**
 * The pages of the merchants' and the operators' console over HTTP, with a million invoices: how
 * long each takes, how many bytes its first view has, and what open consoles weigh on the service.
 */
import { composeForBench, fundMerchants } from '../harness/composed.ts';
import { type ConsoleArea, type ConsolePage, chainPages, consolePages } from '../harness/console-pages.ts';
import { invitationToken, signedInUser } from '../harness/console-users.ts';
import { lineOf, shortOf, type Visit, visit } from '../harness/console-visits.ts';
import { type OpenStream, openEvents } from '../harness/event-streams.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { addHistory } from '../harness/million-history.ts';
import { type MillionInvoices, millionInvoices } from '../harness/million-invoices.ts';
import { residentMiB } from '../harness/process-figures.ts';
import { createInvoiceRequest, send } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import {
  type Environment,
  type ServiceProcess,
  serviceEnvironment,
  startService,
} from '../harness/service.ts';
import { spread } from '../harness/statistics.ts';

const TIMES = 20;
const CONSOLES = 50;
/** Merchants' tabs are open at pages that are renewed; the tenth is an operator's. */
const TABS = ['', '/payments', '/attention', '/payouts', '', '/payments?status=created', '', '/payments', ''];
const SECONDS = 60;
const CHANGE_EVERY_MS = 5_000;
const SAMPLE_MS = 100;
const SLOWEST_TOLD = 5;
/** After a start: the files of pages are built by then, and the jobs of fake chains have begun. */
const SETTLE_MS = 10_000;
/** Of the statement that is made as a PDF. */
const PDF_LINES = 100;
/** Registration is open; no e-mail is sent. */
const REGISTRATION = {
  REGISTRATION: 'open',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'pay@gateway.example',
};

export const consolePagesRow: Row = {
  name: 'console',
  async run(context) {
    const million = await millionInvoices(context);
    await addHistory(million);
    // Beside the worker that the other rows share, as where API and workers are apart.
    const environment = { ...serviceEnvironment(million.databaseUrl), DATA_DIR: million.dataDir };
    return measureConsole({ million, environment, quick: context.quick });
  },
};

async function measureConsole(of: {
  million: MillionInvoices;
  environment: Environment;
  quick: boolean;
}): Promise<Finding[]> {
  const [merchant, shop] = of.million.merchants;
  if (merchant === undefined || shop === undefined) throw new Error('no merchants');
  await fundMerchants(
    of.environment,
    Array.from({ length: PDF_LINES }, () => shop),
    1_000_000n,
  );
  const users = await signedIn(of.environment, merchant.id, shop.id);
  const pages = consolePages({ merchantId: merchant.id, shopId: shop.id, invitation: users.invitation });
  const chains = await startService({ ...of.environment, CHAINS: 'fake' });
  await Bun.sleep(SETTLE_MS);
  const ofChains = await visited(chains, { ...of, users }, chainPages()).finally(() => chains.stop());
  const service = await startService({ ...of.environment, ...REGISTRATION, ROLE: 'api' });
  try {
    await Bun.sleep(SETTLE_MS);
    const visits = [...(await visited(service, { ...of, users }, pages)), ...ofChains];
    return [...ofTimes(visits), ofFirsts(visits), ofBytes(visits), await ofMemory(service, { ...of, users })];
  } finally {
    await service.stop();
  }
}

interface Users {
  readonly owners: readonly { cookie: string }[];
  readonly operators: readonly { cookie: string }[];
  /** Of the small shop. */
  readonly keeper: { readonly cookie: string };
  /** Somebody who has no account is invited. */
  readonly invitation: string;
}

async function signedIn(environment: Environment, merchantId: string, shopId: string): Promise<Users> {
  const service = await composeForBench(environment);
  try {
    const [owners, operators]: { cookie: string }[][] = [[], []];
    for (let nth = 0; nth < CONSOLES; nth++) {
      const isOperator = nth % (TABS.length + 1) === TABS.length;
      const of = isOperator
        ? { email: `operator${nth}@gateway.example`, merchantId: null, role: 'admin' as const }
        : { email: `owner${nth}@shop.example`, merchantId, role: 'owner' as const };
      (isOperator ? operators : owners)?.push(await signedInUser(service, of));
    }
    const keeper = { email: 'keeper@shop.example', merchantId: shopId, role: 'owner' as const };
    const invited = { email: 'new@shop.example', merchantId, role: 'support' as const };
    return {
      ...{ owners: owners ?? [], operators: operators ?? [] },
      keeper: await signedInUser(service, keeper),
      invitation: await invitationToken(service, invited),
    };
  } finally {
    await service.stop();
  }
}

interface Measured {
  readonly million: MillionInvoices;
  readonly quick: boolean;
  readonly users: Users;
}

async function visited(
  { port, pid }: ServiceProcess,
  { million, quick, users }: Measured,
  pages: readonly ConsolePage[],
): Promise<Visit[]> {
  const { sql } = million;
  const visits: Visit[] = [];
  for (const page of pages) {
    const headers = headersOf(page, users);
    const made = await visit(page, { port, pid, sql, headers, times: quick ? 3 : TIMES });
    console.log(lineOf(made));
    visits.push(made);
  }
  return visits;
}

function headersOf({ area }: ConsolePage, users: Users): Readonly<Record<string, string>> {
  if (area === 'open') return {};
  if (area === 'shop') return users.keeper;
  return (area === 'operator' ? users.operators : users.owners)[0] ?? {};
}

const AREAS: Readonly<Record<ConsoleArea, string>> = {
  open: 'page of a stranger',
  account: 'page of an account',
  shop: `a month with ${PDF_LINES} payments as PDF`,
  merchant: 'page of a merchant with a million invoices',
  operator: 'page of the operators',
};

function ofTimes(visits: readonly Visit[]): Finding[] {
  return (Object.keys(AREAS) as ConsoleArea[]).map((area) => {
    const its = visits.filter((one) => one.area === area).toSorted((a, b) => b.medianMs - a.medianMs);
    const medians = its.map(({ medianMs }) => medianMs);
    const told = its
      .slice(0, SLOWEST_TOLD)
      .map(
        ({ path, medianMs, processMs, databaseMs }) =>
          `${shortOf(path)} ${medianMs.toFixed(1)} ms (${processMs.toFixed(1)} + ${databaseMs.toFixed(1)})`,
      );
    // A file has as many lines as the month, and gives way to requests while it is made.
    const isFile = area === 'shop';
    return {
      what: `console: ${isFile ? '' : 'the slowest '}${AREAS[area]}, median of ${TIMES} views (in figures: processors of service + database)`,
      target: isFile ? null : atMost(100, 'ms'),
      unit: 'ms',
      measured: highest(medians),
      absolute: `${its.length} pages; ${told.join(', ')}`,
      latencies: [],
    };
  });
}

/** What a bound is held against: no value is higher. */
function highest(values: readonly number[]): Finding['measured'] {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return { median: max, min, max };
}

/** Each page is opened for the first time since its process started. Files load what makes them. */
function ofFirsts(visits: readonly Visit[]): Finding {
  const pages = visits.filter(({ isDownload }) => !isDownload).toSorted((a, b) => b.firstMs - a.firstMs);
  const told = pages
    .slice(0, SLOWEST_TOLD)
    .map(({ path, firstMs }) => `${shortOf(path)} ${firstMs.toFixed(1)} ms`);
  return {
    what: 'console: the slowest first view of a page since the start',
    target: atMost(100, 'ms'),
    unit: 'ms',
    measured: highest(pages.map(({ firstMs }) => firstMs)),
    absolute: told.join(', '),
    latencies: [],
  };
}

function ofBytes(visits: readonly Visit[]): Finding {
  const sized = visits
    .flatMap(({ path, firstViewBytes }) =>
      firstViewBytes === null ? [] : [{ path, kB: firstViewBytes / 1000 }],
    )
    .toSorted((a, b) => b.kB - a.kB);
  const told = sized.slice(0, SLOWEST_TOLD).map(({ path, kB }) => `${shortOf(path)} ${kB.toFixed(1)} kB`);
  return {
    what: 'console: the largest first view of a page, with stylesheet, scripts and icon, by brotli',
    target: atMost(60, 'kB'),
    unit: 'kB',
    measured: highest(sized.map(({ kB }) => kB)),
    absolute: told.join(', '),
    latencies: [],
  };
}

/** Every tab fetches its page whenever it hears of a change. */
async function ofMemory(service: ServiceProcess, { million, quick, users }: Measured): Promise<Finding> {
  const seconds = quick ? 5 : SECONDS;
  const before = await weighed(service.pid, seconds / 3);
  const tabs = await openTabs(service.port, million.merchants[0]?.id ?? '', users);
  const merchant = million.merchants[0];
  if (merchant === undefined) throw new Error('no merchants');
  try {
    const idle = await weighed(service.pid, seconds / 3);
    const weight = weighing(service.pid);
    for (let left = seconds * 1000; left > 0; left -= CHANGE_EVERY_MS) {
      const { order_id: id } = await send(service.port, createInvoiceRequest(merchant));
      await send(service.port, {
        method: 'POST',
        path: `/api/v2/invoices/${String(id)}/simulate`,
        headers: { 'x-api-key': merchant.sandboxKey },
        body: JSON.stringify({ status: 'success', send_webhook: true }),
      });
      await Bun.sleep(CHANGE_EVERY_MS);
    }
    const renewing = weight();
    return {
      what: `console: memory of the service, the highest with ${CONSOLES} consoles open that renew themselves beyond the usual without`,
      target: atMost(30, 'MB'),
      unit: 'MB',
      measured: {
        median: renewing.max - before.median,
        min: idle.median - before.median,
        max: renewing.max - before.median,
      },
      absolute:
        `${before.median.toFixed(0)} MB without, ${idle.median.toFixed(0)} MB with them,` +
        ` ${renewing.median.toFixed(0)} MB usual and ${renewing.max.toFixed(0)} MB highest while they are renewed` +
        ` (${tabs.renewed()} pages)`,
      latencies: [],
    };
  } finally {
    tabs.close();
  }
}

async function openTabs(port: number, merchantId: string, { owners, operators }: Users) {
  const open: OpenStream[] = [];
  let renewed = 0;
  const tab = async (headers: { cookie: string }, page: string, stream: string) => {
    const renew = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/console${page}`, { headers });
      if (response.status !== 200) throw new Error(`${page}: ${response.status}`);
      await response.arrayBuffer();
      renewed += 1;
    };
    await renew();
    open.push(
      await openEvents({ port, path: `/console/live${stream}`, headers, onState: () => void renew() }),
    );
  };
  for (const [nth, headers] of owners.entries())
    await tab(
      headers,
      `/m/${merchantId}/sandbox${TABS[nth % TABS.length] ?? ''}`,
      `?merchant=${merchantId}&environment=sandbox`,
    );
  for (const headers of operators) await tab(headers, '/o', '');
  return {
    renewed: () => renewed,
    close() {
      for (const stream of open) stream.close();
    },
  };
}

async function weighed(pid: number, seconds: number) {
  const weight = weighing(pid);
  await Bun.sleep(seconds * 1000);
  return weight();
}

/** Memory from now until the end is asked for. */
function weighing(pid: number) {
  const samples = [residentMiB(pid)];
  const timer = setInterval(() => samples.push(residentMiB(pid)), SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return spread(samples);
  };
}
