// Package push sends metrics to servers that cannot scrape, by Prometheus's
// remote-write protocol.
//
// # Model
//
// A [Pusher] has an endpoint for each server. Each endpoint independently gathers,
// sends, and waits for its interval. Nothing is queued, neither in memory nor on disk.
// After a failure, the next request has the values of its own time, and counters
// include all events since then.
//
// After an interruption of more than five minutes, a server first gets a backfill: the
// values of the counters that grew, at the end of each interval of five minutes. The
// owner supplies this [Past], as for a [Sender]. The time of the last accepted sample
// survives a restart.
//
// # Guarantees
//
//   - Reading, counting, scrapes and other endpoints never wait for a server.
//   - The timestamps of a series increase from one request to the next. A request has
//     one sample of each series, or several of a history in the order of time, with its
//     labels sorted and no empty label.
//   - A counter that appears while the process runs is 0 in the first accepted request,
//     and has its value from the next request on, so that increase() sees all of it. A
//     counter that is not zero in the first request starts with its value.
//   - The history of an interruption is newer than the samples that the server has
//     accepted, and older than the present samples. It is sent in the order of time, in
//     requests of a limited size. A part that the server refuses, for instance since it
//     is too old, is counted and not repeated. Other failures are retried. A server
//     that accepts requests but fails at the history gets the present values.
//   - A series that disappears gets a staleness marker, repeated until accepted, as do
//     all series when the process stops. A counter that returns continues at its value,
//     without another 0.
//   - A request refused by a 4xx status, except for 429, is not repeated. A busy or
//     broken server is retried with exponential backoff up to the interval, and not
//     before the time in its Retry-After header.
//   - Neither the endpoint nor its token server is followed to another URL by a
//     redirect, so only the configured servers receive the contents of a request.
//   - Errors are logged as redacted by package redact: without the path and query of a
//     URL, headers, labels, and anything of a response except its status.
package push
