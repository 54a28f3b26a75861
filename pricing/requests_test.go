package pricing

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// A handPriced is a line of testdata/requests.txt.
type handPriced struct {
	request Request
	usage   Usage
	unknown bool
	cost    Cost // without savings and premium
}

// TestRequests compares requests with prices calculated by hand.
func TestRequests(t *testing.T) {
	text := filetest.Read(t, "testdata/requests.txt")
	table := Default()
	count := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count++
		r := parseRequest(t, line)
		price := table.Price(r.request)
		if price.Unknown != r.unknown {
			t.Errorf("%s: got unknown %t", line, price.Unknown)
		}
		got := price.Cost(r.usage)
		got.CacheSavings, got.CacheWritePremium = 0, 0
		if got != r.cost {
			t.Errorf("%s\ngot  %+v\nwant %+v", line, got, r.cost)
		}
	}
	if count < 80 {
		t.Errorf("got %d requests, want at least 80", count)
	}
}

func parseRequest(t *testing.T, line string) (r handPriced) {
	t.Helper()
	columns := strings.Split(line, "|")
	if len(columns) != 4 {
		t.Fatalf("%s: got %d columns", line, len(columns))
	}
	r.request.Model = strings.TrimSpace(columns[0])
	r.request.Time = parseTime(t, strings.TrimSpace(columns[1]))
	for flag := range strings.FieldsSeq(columns[2]) {
		switch flag {
		case "fast":
			r.request.Fast = true
		case "us":
			r.request.US = true
		default:
			t.Fatalf("%s: unknown flag", line)
		}
	}
	for part := range strings.SplitSeq(columns[3], ";") {
		if part = strings.TrimSpace(part); part == "unknown" {
			r.unknown, r.usage = true, Usage{1, 2, 3, 4, 5, 6}
			continue
		}
		r.add(t, part)
	}
	return r
}

func parseTime(t *testing.T, text string) int64 {
	t.Helper()
	layout := time.RFC3339
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// add adds a part such as "input 3 * 5000 = 15000", whose multiplication it checks.
func (r *handPriced) add(t *testing.T, part string) {
	t.Helper()
	var (
		name, rate, sign string
		tokens, amount   uint64
	)
	if _, err := fmt.Sscanf(part, "%s %d * %s %s %d", &name, &tokens, &rate, &sign, &amount); err != nil {
		t.Fatalf("%s: %v", part, err)
	}
	exact, ok := new(big.Rat).SetString(rate)
	if !ok {
		t.Fatalf("%s: not a rate", part)
	}
	exact.Mul(exact, new(big.Rat).SetUint64(tokens))
	rounding := new(big.Rat).Sub(new(big.Rat).SetUint64(amount), exact)
	half := big.NewRat(1, 2)
	if sign == "=" && rounding.Sign() != 0 || sign == "~" && (rounding.Sign() <= 0 || rounding.Cmp(half) > 0) {
		t.Errorf("%s: the product is %s", part, exact.FloatString(3))
	}
	fields := map[string]struct{ used, cost *uint64 }{
		"input":   {&r.usage.Input, &r.cost.Input},
		"write5m": {&r.usage.CacheWrite5m, &r.cost.CacheWrite5m},
		"write1h": {&r.usage.CacheWrite1h, &r.cost.CacheWrite1h},
		"read":    {&r.usage.CacheRead, &r.cost.CacheRead},
		"output":  {&r.usage.Output, &r.cost.Output},
		"search":  {&r.usage.WebSearches, &r.cost.WebSearch},
	}
	field, ok := fields[name]
	if !ok {
		t.Fatalf("%s: unknown part", part)
	}
	*field.used, *field.cost = tokens, amount
}
