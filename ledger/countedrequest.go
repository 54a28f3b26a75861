package ledger

import (
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A CountedRequest is a request at the moment when it counts, as the counters show it.
type CountedRequest struct {
	When           int64 // in milliseconds since the epoch
	Project, Agent string
	Model          string // as the transcript states it
	Usage          transcript.Usage
	Cost           pricing.Cost // zero without a price
	Cache          CacheUse
}

// Context returns the number of tokens that the request sent: its context.
func (r *CountedRequest) Context() uint64 { return contextOf(&r.Usage) }
