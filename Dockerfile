# The whole image is Debian, the executable, its notices and an empty data folder.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json LICENSE THIRD-PARTY-NOTICES.md ./
RUN npx -y bun@1.4.5 install --frozen-lockfile --production
COPY src src
COPY voices voices
ARG TARGETARCH=amd64
RUN case "$TARGETARCH" in arm64) target=bun-linux-arm64 ;; *) target=bun-linux-x64-baseline ;; esac \
  && npx -y bun@1.4.5 src/build/build.ts --target "$target"

# Kokoro's voices as a signed bundle, from the npm registry: only for the target "kokoro".
FROM build AS kokoro-voices
RUN npx -y bun@1.4.5 voices/kokoro/build.ts --out /kokoro \
  && rm -r /kokoro/kokoro /kokoro/kokoro.private.pem

FROM debian:bookworm-slim AS lectern
# The sticky bit lets any user id start with an empty volume, and none replace another's files in it.
RUN install -d -m 1777 /data
COPY --from=build /build/dist/lectern /usr/local/bin/lectern
COPY LICENSE THIRD-PARTY-NOTICES.md /usr/share/doc/lectern/
ENV LECTERN_DATA=/data LECTERN_HOST=0.0.0.0
USER 10001:10001
WORKDIR /
VOLUME /data
EXPOSE 8080
# Not whether it is ready: a new container would not bring back a database, a bucket or disk space. The first start of a new
# version may back up and migrate the database; half an hour is for a very large one.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30m CMD ["lectern", "check", "--live", "--url", "http://127.0.0.1:8080"]
ENTRYPOINT ["lectern"]
CMD ["serve"]

# docker build --target kokoro -t lectern-kokoro .
FROM lectern AS kokoro
COPY --from=kokoro-voices /kokoro/kokoro-voices.tar /kokoro/kokoro.public.pem /usr/share/lectern/

# The last stage is what a build without a target makes.
FROM lectern
