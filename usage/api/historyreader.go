package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// ErrHistory is the error of a response that is not a history.
var ErrHistory = errors.New("not a history of ccwatchd")

// ReadHistory reads a response of /api/v1/history. The series can be read once; after
// an error there are no more.
func ReadHistory(r io.Reader) (h HistoryHeader, series iter.Seq2[HistorySeries, error], err error) {
	in := json.NewDecoder(r)
	if err := in.Decode(&h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	if h.Time.IsZero() || len(h.Families) == 0 {
		return h, nil, ErrHistory
	}
	return h, func(yield func(HistorySeries, error) bool) {
		for {
			var s HistorySeries
			err := in.Decode(&s)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("read history: %w", err)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}, nil
}
