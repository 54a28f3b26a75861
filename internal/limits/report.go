package limits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Report is a session's knowledge of the limits and of its context, in Claude Code's
// field names.
type Report struct {
	Session       string           `json:"session_id"`
	Transcript    string           `json:"transcript_path,omitempty"`
	ContextWindow uint64           `json:"context_window_size,omitempty"` // in tokens
	Limits        map[string]Usage `json:"rate_limits,omitempty"`
}

// A Usage is the use of one window.
type Usage struct {
	Percentage *float64 `json:"used_percentage"`
	Resets     *int64   `json:"resets_at,omitempty"` // in seconds since the epoch; nil if it is not stated
}

func (u *Usage) resets() time.Time {
	if u.Resets == nil {
		return time.Time{}
	}
	return time.Unix(*u.Resets, 0)
}

// The bounds of a report.
const (
	MaxReport        = 8 << 10 // bytes of JSON
	MaxContextWindow = 1e9     // tokens
	maxSession       = 128
	maxPath          = 4 << 10
	maxPercentage    = 1000
	// early is how much longer than a window its reset may be ahead, for clocks that
	// differ.
	early = 10 * time.Minute
)

var errReport = errors.New("invalid report")

// ParseReport reads a report as JSON. It accepts no other keys, and no windows whose
// reset has passed.
func ParseReport(b []byte, now time.Time) (*Report, error) {
	var r Report
	in := json.NewDecoder(bytes.NewReader(b))
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil {
		return nil, fmt.Errorf("%w: %w", errReport, err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one value", errReport)
	}
	switch {
	case r.Session == "" || len(r.Session) > maxSession:
		return nil, fmt.Errorf("%w: session_id: expected 1 to %d bytes", errReport, maxSession)
	case len(r.Transcript) > maxPath:
		return nil, fmt.Errorf("%w: transcript_path: expected at most %d bytes", errReport, maxPath)
	case r.ContextWindow > MaxContextWindow:
		return nil, fmt.Errorf("%w: context_window_size: expected at most %d", errReport, uint64(MaxContextWindow))
	case len(r.Limits) == 0 && r.ContextWindow == 0:
		return nil, fmt.Errorf("%w: rate_limits: missing", errReport)
	}
	windows := make(map[string]Usage)
	for stated, u := range r.Limits {
		name := Name(stated)
		if err := u.Check(name, now); err != nil {
			return nil, fmt.Errorf("%w: rate_limits.%w", errReport, err)
		}
		windows[name] = u
	}
	if len(windows) > MaxWindows {
		return nil, fmt.Errorf("%w: rate_limits: expected at most %d windows", errReport, MaxWindows)
	}
	r.Limits = windows
	return &r, nil
}

var (
	errWindow     = errors.New("window without a name")
	errPercentage = fmt.Errorf("used_percentage: expected a number from 0 to %d", maxPercentage)
	errReset      = errors.New("resets_at: expected a time in the future, and not after the end of a window that begins now")
)

// Check returns an error unless the named window can have this usage at a time.
func (u *Usage) Check(name string, now time.Time) error {
	switch {
	case name == "":
		return errWindow
	case u.Percentage == nil || !(*u.Percentage >= 0 && *u.Percentage <= maxPercentage):
		return fmt.Errorf("%s.%w", name, errPercentage)
	case u.Resets != nil && (*u.Resets <= now.Unix() || *u.Resets > now.Add(lengthOf(name)+early).Unix()):
		return fmt.Errorf("%s.%w", name, errReset)
	}
	return nil
}
