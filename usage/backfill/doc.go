// Package backfill writes the history of the counters as samples with timestamps, so
// that a server also has the time before its first scrape.
//
// # Model
//
// Each series is a curve: 0 until its first increase, then its value at the end of each
// interval, and repeated at every step until the end, so that it is never stale. Live
// scrapes continue it, since names, labels and units are theirs.
//
// # Guarantees
//
//   - Samples of a series are in the order of time, and their values never fall.
//   - No sample is above a later live one, if the plan ends when the state began:
//     increases that the first scrapes did not have, see [api.HistorySeries.Late], are
//     left out, and appear in the live series. So are new series that are exposed as 0
//     at present. A plan with a later end, see [Plan.Scraped], may have increases that
//     were read after a scrape though they are older.
//   - A value is exactly that of a scrape at the same time.
//   - A file is written series by series, in constant memory.
//
// [Since] returns the samples that continue the series of a server after an
// interruption of remote write.
//
// Histograms have their count and sum. Their buckets are not recorded. A bucket for
// +Inf alone would make quantiles wrong where the recorded time and the live one meet.
package backfill
