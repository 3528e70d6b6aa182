/** `bun run migration` writes the next migration from the difference between the schema and drizzle/meta. */
import { defineConfig } from 'drizzle-kit';

const config = defineConfig({
  dialect: 'postgresql',
  schema: ['./src/adapters/postgres/schema', './src/adapters/postgres/schema/console'],
  out: './drizzle',
});

export default config;
