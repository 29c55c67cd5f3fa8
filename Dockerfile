# The daemon with everything it runs, and the shim that is copied to the host from here.
# Base images by plain name; a registry of your own comes in by --build-arg.
ARG BASE_RUST=rust:1-bookworm
ARG BASE_NODE=node:24-bookworm
ARG BASE_RUN=debian:bookworm-slim

FROM ${BASE_RUST} AS toolchain

# Modules change less often than source: a layer of their own.
FROM ${BASE_NODE} AS modules
WORKDIR /src
COPY package.json package-lock.json .node-version ./
COPY tools/install-modules.sh tools/
RUN tools/install-modules.sh

FROM modules AS dist
COPY --from=toolchain /usr/local/cargo /usr/local/cargo
COPY --from=toolchain /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:/usr/local/bin:/usr/bin:/bin
COPY tools tools
COPY shim shim
COPY src src
RUN node tools/build.mjs

FROM ${BASE_RUN} AS multusd
COPY --from=dist /src/dist/lib /opt/multusd/lib
COPY --from=dist /src/dist/multusd /src/dist/multusctl /src/dist/multus-shim /src/dist/multus-host /opt/multusd/
RUN ln -s /opt/multusd/multusd /opt/multusd/multusctl /usr/local/bin/
ENTRYPOINT ["/opt/multusd/multusd"]
