# The command line alone, run by a user who is not root: docs/library.md, "In a container".
# The base by its digest, since a tag can be moved to another image. The newest: docker buildx imagetools inspect node:24-slim
FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && npm run build

FROM node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
ENV NODE_ENV=production
WORKDIR /opt/cfe-lake
COPY package.json package-lock.json .npmrc ./
COPY tools tools
# The image has a Node of its own: the workspace that brings one is left out. npm's cache goes in the same layer.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts && rm -rf /root/.npm
COPY --from=build /build/dist dist
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
ENTRYPOINT ["node", "--max-semi-space-size=8", "/opt/cfe-lake/dist/bin/cfe-lake.js"]
