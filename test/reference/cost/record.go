package cost

import (
	"cmp"
	"math/big"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference/entries"
)

// A key identifies a message.
type key struct {
	byUUID bool // the message has no id
	id     string
}

// A record is one line of a message.
type record struct {
	final    bool
	model    string
	usage    any
	at       time.Time
	fast, us bool
}

func (r *record) output() *big.Int { return count(member(r.usage, "output_tokens")) }

// better returns the record that counts of two, of which b was read later.
func better(a, b *record) *record {
	switch c := a.output().Cmp(b.output()); {
	case a.final != b.final && a.final, a.final == b.final && c > 0:
		return a
	case a.final != b.final || c < 0:
		return b
	}
	equal := *b
	if a.at.Before(b.at) {
		equal.at = a.at
	}
	return &equal
}

// parseMessage returns the record in an entry, nil if it is not one of a message. where
// identifies the entry if nothing else does.
func parseMessage(o entries.Object, where string, now time.Time) (key, *record) {
	message, _ := entries.Decode(o["message"]).(map[string]any)
	usage, ok := message["usage"].(map[string]any)
	if text(entries.Decode(o["type"])) != "assistant" || !ok || message["model"] == "<synthetic>" {
		return key{}, nil
	}
	k := key{id: text(message["id"])}
	if k.id == "" {
		uuid, ok := entries.Decode(o["uuid"]).(string)
		if !ok {
			uuid = where
		}
		k = key{true, uuid}
	}
	return k, &record{
		final: truthy(message["stop_reason"]),
		model: cmp.Or(text(message["model"]), "unknown"),
		usage: usage,
		at:    timestamp(text(entries.Decode(o["timestamp"])), now),
		fast:  usage["speed"] == "fast",
		us:    usage["inference_geo"] == "us",
	}
}

// earliest is the time before which there were no entries.
var earliest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// ParseTime parses the time of an entry, to the millisecond. ok is false if there is
// none, or if it is before 2020.
func ParseTime(s string) (t time.Time, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	t = t.UTC().Round(time.Millisecond)
	return t, err == nil && !t.Before(earliest)
}

// timestamp returns the time at which an entry counts. Without a time, and with one in
// the future, that is the time of the reading.
func timestamp(s string, now time.Time) time.Time {
	if t, ok := ParseTime(s); ok && !t.After(now) {
		return t
	}
	return now
}

// requests returns the requests in a record: its message, and the
// iterations whose tokens the usage of the message does not include.
func (r *record) requests() []*request {
	all := []*request{r.request(r.usage)}
	iterations, _ := member(r.usage, "iterations").([]any)
	for _, it := range iterations {
		if kind := text(member(it, "type")); kind != "advisor_message" && kind != "compaction" {
			continue
		}
		one := r.request(it)
		one.model = cmp.Or(text(member(it, "model")), r.model)
		if speed := member(it, "speed"); speed != nil {
			one.fast = speed == "fast"
		}
		if geo := member(it, "inference_geo"); geo != nil {
			one.us = geo == "us"
		}
		all = append(all, one)
	}
	return all
}

// request returns the request with a usage. Cache writes without a lifetime are for
// five minutes. The total of the cache writes counts if it is stated.
func (r *record) request(usage any) *request {
	write5m := count(member(usage, "cache_creation", "ephemeral_5m_input_tokens"))
	write1h := count(member(usage, "cache_creation", "ephemeral_1h_input_tokens"))
	written := count(member(usage, "cache_creation_input_tokens"))
	if written.Sign() == 0 {
		written = sum(write5m, write1h)
	}
	if write1h.Cmp(written) > 0 {
		write1h = written
	}
	return &request{
		model: r.model, at: r.at, fast: r.fast, us: r.us,
		input:    count(member(usage, "input_tokens")),
		output:   count(member(usage, "output_tokens")),
		read:     count(member(usage, "cache_read_input_tokens")),
		write5m:  new(big.Int).Sub(written, write1h),
		write1h:  write1h,
		searches: count(member(usage, "server_tool_use", "web_search_requests")),
	}
}
