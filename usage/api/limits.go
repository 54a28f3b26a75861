package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/usage"
)

// Limits are how full the usage limits are at one moment.
type Limits struct {
	Time time.Time `json:"time"`
	// Windows are the windows that status lines reported, sorted by name and labels.
	Windows []Window `json:"windows"`
	// Block is the block of five hours at that time; nil if there is none.
	Block *Block `json:"block,omitempty"`
}

// A Window is how full the window of a limit is. Ratios are 1 at the limit.
type Window struct {
	Name      string            `json:"window"`           // such as five_hour
	Labels    map[string]string `json:"labels,omitempty"` // of the source
	UsedRatio float64           `json:"used_ratio"`
	// Resets is the end of the window, if it is known and ahead.
	Resets time.Time `json:"resets,omitzero"`
	// ForecastRatio is the used ratio at the reset if use continues at the present rate.
	// Full is when use reaches the limit, if it does before the reset.
	ForecastRatio *float64  `json:"forecast_ratio,omitempty"`
	Full          time.Time `json:"full,omitzero"`
}

// A Block is the usage in a [usage.Block].
type Block struct {
	Start          time.Time `json:"start"`
	End            time.Time `json:"end"`
	CostUSD        *float64  `json:"cost_usd,omitempty"` // missing without prices
	UnpricedTokens uint64    `json:"unpriced_tokens,omitempty"`
	Tokens         uint64    `json:"tokens"`
}

// NewLimits returns the limits at a time. Without a history there is no block.
func NewLimits(windows []limits.Window, h *counters.History, now time.Time) Limits {
	l := Limits{Time: now.UTC(), Windows: make([]Window, len(windows))}
	ends := make(map[counters.SourceLabels]time.Time) // of windows of five hours
	for i := range windows {
		w := &windows[i]
		if w.Name == limits.FiveHours {
			ends[counters.SourceLabels(w.Source)] = w.Resets
		}
		l.Windows[i] = Window{
			Name: w.Name, Labels: sourceLabels(counters.SourceLabels(w.Source)), UsedRatio: w.Used, Resets: utc(w.Resets),
		}
		if f, ok := w.Forecast(now); ok {
			l.Windows[i].ForecastRatio, l.Windows[i].Full = &f.Used, utc(f.Full)
		}
	}
	if b, ok := usage.CurrentBlock(h, now, ends); ok {
		total := &b.Usage.Total
		l.Block = &Block{Start: b.Start, End: b.End, UnpricedTokens: total[usage.UnpricedTokens], Tokens: total.Tokens()}
		if slices.Contains(b.Usage.Measures, usage.Cost) {
			l.Block.CostUSD = new(total.USD())
		}
	}
	return l
}

// utc returns a time to the second in UTC. The zero time stays zero.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Second)
}

func (s *server) limits(w http.ResponseWriter, r *http.Request) {
	if _, ok := parsed(w, r, func(p url.Values) (struct{}, error) { return struct{}{}, checkParameters(p) }); !ok {
		return
	}
	s.answer(w, r, func(to io.Writer) bool {
		h, ok := s.History()
		if !ok {
			unavailable(w)
			return false
		}
		_ = json.NewEncoder(to).Encode(NewLimits(s.Limits(), &h, s.Now())) // which never fails
		return true
	})
}
