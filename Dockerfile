# The worker, and the command line (node bin/replylane.mjs). Debian, since the SDK's native part needs glibc.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# Compiles, and bundles the workflows: a worker then needs no bundler at its start.
RUN npm run build
RUN npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
# The SDK reads the system's certificates even where the connection to Temporal is plain.
RUN --mount=type=cache,target=/var/lib/apt/lists,sharing=locked --mount=type=cache,target=/var/cache/apt,sharing=locked \
    apt-get update && apt-get install --yes --no-install-recommends ca-certificates
ENV NODE_ENV=production
ENV REPLYLANE_CONFIG=/etc/replylane/replylane.config.json
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
# The image's own user node; files of secrets must be readable for it.
USER 1000:1000
EXPOSE 9464
# Directly, with no npm in between: it must get the signal that ends it.
CMD ["node", "dist/workers/main.js"]
