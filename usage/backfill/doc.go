// Package backfill writes the history of the counters as samples with timestamps, so
// that a server also has the time before its first scrape.
//
// # Model
//
// Each series is a curve: 0 until its first increase, then its value at the end of each
// interval, and repeated at every step until the end, so that it is never stale. Live
// scrapes continue it with the same names, labels and units.
//
// # Guarantees
//
//   - Samples of a series are in the order of time, and their values never fall.
//   - If the plan ends when the state began, no sample exceeds a later live sample:
//     increases missing in the first scrapes, see [api.HistorySeries.Late], and new
//     series that are still exposed as 0 are left to the live series. A plan with a
//     later end, see [Plan.Scraped], may contain old increases that were read only
//     after a scrape.
//   - A value equals the value of a scrape at the same time.
//   - A file is written series by series, in constant memory.
//
// [Since] returns the samples that continue the series of a server after an
// interruption of remote write.
//
// Histograms have their count and sum. Their buckets are not recorded. A bucket for
// +Inf alone would make quantiles wrong where backfilled and live samples meet.
package backfill
