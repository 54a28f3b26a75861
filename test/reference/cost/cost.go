package cost

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference/entries"
)

// A Total is what the requests to one model cost, in 10^-9 dollars.
type Total struct {
	Components        map[string]*big.Int // as in the label "component"
	CacheSavings      *big.Int
	CacheWritePremium *big.Int
	UnpricedTokens    *big.Int
}

// Totals are by model, as it is written in the transcripts.
type Totals map[string]*Total

// Read returns the totals of all transcripts below a directory. now is the time of
// entries without one.
func Read(dir string, now time.Time) (Totals, error) {
	paths, err := entries.Transcripts(dir)
	if err != nil {
		return nil, err
	}
	best := make(map[key]*record)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		for i, o := range entries.Objects(content) {
			k, r := parseMessage(o, fmt.Sprint(path, ":", i), now)
			switch {
			case r == nil:
			case best[k] == nil:
				best[k] = r
			default:
				best[k] = better(best[k], r)
			}
		}
	}
	return price(best)
}

// price adds up what all messages cost.
func price(best map[key]*record) (Totals, error) {
	book, err := newBook()
	if err != nil {
		return nil, err
	}
	totals := make(Totals)
	for _, record := range best {
		for _, r := range record.requests() {
			totals.add(book, r)
		}
	}
	return totals, nil
}

func (t Totals) add(b book, r *request) {
	if t[r.model] == nil {
		t[r.model] = newTotal()
	}
	total := t[r.model]
	invoice, ok := b.invoice(r)
	if !ok {
		total.UnpricedTokens = sum(total.UnpricedTokens, r.prompt(), r.output)
		return
	}
	for name, amount := range invoice.components {
		total.Components[name] = sum(total.Components[name], amount)
	}
	total.CacheSavings = sum(total.CacheSavings, invoice.savings)
	total.CacheWritePremium = sum(total.CacheWritePremium, invoice.premium)
}

func newTotal() *Total {
	t := &Total{make(map[string]*big.Int), new(big.Int), new(big.Int), new(big.Int)}
	for _, name := range []string{"input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "web_search"} {
		t.Components[name] = new(big.Int)
	}
	return t
}

// WriteTSV writes the totals in the format of the reference: metric, labels and value,
// sorted. It lists zeros too, and the unpriced tokens of the model "unknown" always, so
// that the metrics are compared in every tree.
func (t Totals) WriteTSV(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	var lines []string
	add := func(metric, labels string, n *big.Int) {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\n", metric, escape.Replace(labels), n))
	}
	all := maps.Clone(t)
	if all["unknown"] == nil {
		all["unknown"] = newTotal()
	}
	for model, total := range all {
		for name, amount := range total.Components {
			add("cost", "component="+name+",model="+model, amount)
		}
		add("cache_savings", "model="+model, total.CacheSavings)
		add("cache_write_premium", "model="+model, total.CacheWritePremium)
		add("unpriced_tokens", "model="+model, total.UnpricedTokens)
	}
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, line := range lines {
		_, _ = out.WriteString(line)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the totals: %w", err)
	}
	return nil
}
