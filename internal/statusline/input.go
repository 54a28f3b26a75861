// Package statusline reads the JSON that Claude Code passes to its status-line command,
// and renders the line.
//
// Whatever the input is, there is a line: each member counts on its own, and a member
// that is missing, of another type or out of range is left out.
package statusline

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ccwatchd/ccwatchd/internal/limits"
)

// MaxInput is the number of bytes of input that are read. Claude Code passes a few KiB.
const MaxInput = 256 << 10

// An Input is the JSON that Claude Code passes.
type Input struct {
	Session    string
	Transcript string
	Model      string  // its name for people, or its id
	Context    float64 // used part of the context window, negative if not stated
	Window     uint64  // tokens that the context can have, 0 if not stated
	// Limits are the usage limits that Claude Code states, after the first response of a
	// session, by the name of their window: at most limits.MaxWindows.
	Limits map[string]limits.Usage

	sessionCost float64 // in US dollars, as Claude Code estimates it, 0 if not stated
	modelID     string  // for its price
	fast        bool    // fast mode is on
	cache       promptCache
}

// An object is the members of a JSON object.
type object map[string]json.RawMessage

// Parse reads the input at a time.
func Parse(b []byte, now time.Time) Input {
	o := parse(b)
	model, window := o.object("model"), o.object("context_window")
	in := Input{
		Session: o.text("session_id"), Transcript: o.text("transcript_path"),
		Model: printable(model.text("display_name")), Context: -1,
		Limits:  make(map[string]limits.Usage),
		modelID: model.text("id"), fast: o.flag("fast_mode"), cache: o.object("prompt_cache").promptCache(),
	}
	if in.Model == "" {
		in.Model = printable(in.modelID)
	}
	if n, ok := window.number("used_percentage"); ok && n >= 0 && n <= 1000 {
		in.Context = n / 100
	}
	if n, ok := window.number("context_window_size"); ok && n >= 1 && n <= limits.MaxContextWindow {
		in.Window = uint64(n)
	}
	if n, ok := o.object("cost").number("total_cost_usd"); ok && n > 0 && n < 1e9 {
		in.sessionCost = n
	}
	rates := o.object("rate_limits")
	for _, stated := range slices.Sorted(maps.Keys(rates)) {
		name := limits.Name(stated)
		if u := rates.object(stated).usage(); u.Check(name, now) == nil && len(in.Limits) < limits.MaxWindows {
			in.Limits[name] = u
		}
	}
	return in
}

// Report returns the report for the daemon as JSON, nil if there is nothing to report.
func (in *Input) Report() []byte {
	if len(in.Limits) == 0 && in.Window == 0 {
		return nil
	}
	b, err := json.Marshal(limits.Report{
		Session: in.Session, Transcript: in.Transcript, ContextWindow: in.Window, Limits: in.Limits,
	})
	if err != nil || len(b) > limits.MaxReport {
		return nil
	}
	return b
}

func parse(b []byte) (o object) {
	if json.Unmarshal(b, &o) != nil {
		return nil
	}
	return o
}

func (o object) object(name string) object { return parse(o[name]) }

// flag reports whether a member is true.
func (o object) flag(name string) (set bool) {
	return json.Unmarshal(o[name], &set) == nil && set
}

func (o object) text(name string) (s string) {
	if json.Unmarshal(o[name], &s) != nil {
		return ""
	}
	return s
}

// number returns a number; null is none.
func (o object) number(name string) (n float64, ok bool) {
	var p *float64
	if json.Unmarshal(o[name], &p) != nil || p == nil {
		return 0, false
	}
	return *p, true
}

// usage returns the use of a limit. Its reset is a number of seconds, or a time as
// text.
func (o object) usage() (u limits.Usage) {
	if n, ok := o.number("used_percentage"); ok {
		u.Percentage = &n
	}
	if n, ok := o.number("resets_at"); ok && math.Abs(n) < 1e12 {
		seconds := int64(n)
		u.Resets = &seconds
	} else if at, err := time.Parse(time.RFC3339, o.text("resets_at")); err == nil {
		seconds := at.Unix()
		u.Resets = &seconds
	}
	return u
}

// printable removes control characters, line breaks, escape sequences and invisible
// marks, and limits the length.
func printable(s string) string {
	const longest = 64
	n := 0
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if n++; n > longest || !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s))
}
