/**
 * Debian's Chromium for the browser tests, driven by playwright-core, which brings no browser of
 * its own. The two talk over a pipe, which works under Bun 1.4: no port is open to other users of
 * the machine, and when this process dies, even by SIGKILL, the pipe closes and the browser ends
 * itself.
 */
import { type Browser, chromium } from 'playwright-core';

/**
 * What the browser does without, of which its last list counts: Playwright's own, and three pages
 * of the browser itself behind its address bar, which nobody sees here and which cost as much as
 * the page under test.
 */
const FEATURES_OFF = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
];

/**
 * The browser asks nobody for anything by itself, and no name leads out of this machine. One
 * process draws all pages: with one for each page the tests of the console took half as much time
 * again.
 */
const FLAGS = [
  `--disable-features=${FEATURES_OFF.join(',')}`,
  '--disable-gpu',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Whether this machine has it: for `needs('chromium', chromiumAvailable())`. */
export function chromiumAvailable(): boolean {
  return program() !== null;
}

/** The one without a window of its own takes a quarter less of the processor. */
function program(): string | null {
  return Bun.which('chromium-headless-shell') ?? Bun.which('chromium');
}

/**
 * A browser with an empty profile, which is removed with it. Its sandbox is off for root alone,
 * whom it would refuse.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = program();
  if (executablePath === null) throw new Error('neither chromium-headless-shell nor chromium is installed');
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: !isRoot, args: FLAGS });
}
