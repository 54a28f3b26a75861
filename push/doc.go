// Package push sends what a scrape would show to servers that cannot scrape, by
// Prometheus's remote-write protocol.
//
// # Model
//
// A [Pusher] has an endpoint for each server, and each of them goes its own way:
// it gathers, sends, and waits for its interval. Nothing is queued, neither in
// memory nor on a disk. What could not be sent is not sent again as it was; what
// is sent next are the values of that time, and a counter has in it whatever
// happened meanwhile. So a server that was away for a day is up to date with the
// first request that it takes.
//
// # Guarantees
//
//   - Nobody waits for a server: neither what is read and counted nor a scrape nor
//     another endpoint.
//   - The timestamps of a series increase from one request to the next, and each has
//     one sample in it, with its labels sorted and none of them empty.
//   - A counter that has come while the process runs is 0 in the first request that
//     arrives, and has its value from the next one on, so that increase() sees all
//     of it. One that was there at the first request begins with its value.
//   - A series that is not there any more gets a staleness marker that arrives, and
//     so do all at the end.
//   - What the server is asked not to be sent again, by a status of 4xx, is not. A
//     server that is busy or broken is tried less and less often, down to once an
//     interval, and not before the time that it asks for.
//   - No redirect is followed, neither by the endpoint nor by its token server, so what
//     a request has in it is for the configured server alone.
//   - Of an error it logs what package redact leaves: no path or query of a URL, no
//     header, no label, and nothing of a response but its status.
package push
