# ccwatchd for a simulated team: docker build --file packaging/docker/demo.Dockerfile .
#
# Mount a tmpfs at /tmp, for some hundred megabytes of sessions.
FROM docker.io/library/golang:1.26 AS build
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /root/ ./cmd/...

FROM scratch
COPY --from=build /root/ccwatchd /root/ccwatchd-demo /usr/bin/
USER 10229:10229
EXPOSE 10229
HEALTHCHECK --interval=5s --timeout=5s --start-period=2m \
  CMD ["/usr/bin/ccwatchd", "healthcheck", "--url=http://127.0.0.1:10229"]
ENTRYPOINT ["/usr/bin/ccwatchd-demo"]
