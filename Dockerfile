# syntax=docker/dockerfile:1
FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --release --locked --bin sheetwise && cp target/release/sheetwise /sheetwise

FROM debian:bookworm-slim
# The certificates are for models behind https.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home sheetwise \
    && install -d -o sheetwise -g sheetwise /data
COPY --from=build /sheetwise /usr/local/bin/sheetwise
USER 10001
# The platform's convention puts the data folder below it.
ENV XDG_DATA_HOME=/data
VOLUME /data
WORKDIR /files
EXPOSE 9380
ENTRYPOINT ["sheetwise"]
# Reached from other machines, it starts only where there is a key: `sheetwise keys create NAME`.
CMD ["serve", "--listen", "0.0.0.0:9380"]
# The shell's own connection: the image has no client.
HEALTHCHECK --interval=10s --timeout=5s --retries=6 --start-period=10s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9380 && printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3 && grep -q '200 OK' <&3"]
