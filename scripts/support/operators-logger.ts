/**
 * The log of a script: warnings and errors, on standard error, since standard output has the
 * result.
 */
import { pinoLogger } from '../../src/adapters/system/pino-logger.ts';
import type { Config, LogLevel } from '../../src/config/types.ts';
import type { Logger } from '../../src/ports/runtime/logger.ts';

/** `err` receives the lines. */
export function operatorsLogger({ logLevel }: Config, err: (line: string) => void = console.error): Logger {
  return pinoLogger({ level: atLeastWarn(logLevel), destination: { write: (line) => err(line.trimEnd()) } });
}

function atLeastWarn(level: LogLevel): LogLevel {
  return level === 'debug' || level === 'info' ? 'warn' : level;
}
