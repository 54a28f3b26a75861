package naive

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
)

// cacheMessage returns the id of the message of which an entry is a line, "" if it is
// none.
func cacheMessage(f *File, i int) string {
	e := f.Entries[i]
	if _, ok := e.At("message", "usage").(map[string]any); !ok || e.Text("type") != "assistant" || e.Text("message", "model") == "<synthetic>" {
		return ""
	}
	if id := e.Text("message", "id"); id != "" {
		return "id " + id
	}
	if id, ok := e.At("uuid").(string); ok {
		return "uuid " + id
	}
	return fmt.Sprint("line ", f.Path, ":", i)
}

func cacheFinal(e Entry) bool {
	switch stop := e.At("message", "stop_reason").(type) {
	case nil:
		return false
	case string:
		return stop != ""
	case bool:
		return stop
	case map[string]any:
		return len(stop) > 0
	case []any:
		return len(stop) > 0
	}
	return e.Number("message", "stop_reason") != 0
}

// cacheCount returns a count of a line's usage.
func cacheCount(e Entry, names ...string) float64 {
	n := math.Trunc(max(0, e.Number(append([]string{"message", "usage"}, names...)...)))
	if n > 1<<53 {
		return 0
	}
	return n
}

// cacheWritten returns the tokens that were written to the cache by lifetime.
func cacheWritten(e Entry) (short, long float64) {
	short, long = cacheCount(e, "cache_creation", "ephemeral_5m_input_tokens"), cacheCount(e, "cache_creation", "ephemeral_1h_input_tokens")
	all := cmp.Or(cacheCount(e, "cache_creation_input_tokens"), short+long)
	long = min(long, all)
	return all - long, long
}

func cacheContext(e Entry) float64 {
	short, long := cacheWritten(e)
	return cacheCount(e, "input_tokens") + cacheCount(e, "cache_read_input_tokens") + short + long
}

func cacheModel(e Entry) string {
	var b strings.Builder
	for _, r := range e.Text("message", "model") {
		if r < ' ' || r == 0x7f {
			continue
		}
		if b.Len()+len(string(r)) > 128 {
			break
		}
		b.WriteRune(r)
	}
	return cmp.Or(b.String(), "unknown")
}

// cacheSeconds returns the time of an entry in whole seconds, 0 if it states none.
func cacheSeconds(e Entry) float64 {
	at, err := time.Parse(time.RFC3339, e.Text("timestamp"))
	if err != nil {
		return 0
	}
	return float64(at.Round(time.Millisecond).Unix())
}
