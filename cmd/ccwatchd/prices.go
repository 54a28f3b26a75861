package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/pricing"
)

const pricesHelp = `It prints the built-in prices, and with --config.file the prices in effect with that configuration. With the id of a model as in a session, it prints the prices of that model only. pricing.models in the configuration adds prices.

These are list prices: an estimate of what requests are worth, and not the bill of a subscription.`

func (c *command) addPrices() {
	var model string
	clause := c.add("prices", "Print the prices of models, in US dollars per million tokens.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) { return 0, c.printPrices(stdout, model) }, "config.file")
	clause.HelpLong(pricesHelp)
	clause.Arg("model", "Id of a model.").StringVar(&model)
}

var (
	errPricingOff = errors.New("pricing is off in the configuration")
	errNoPrice    = errors.New("no price for the model")
)

func (c *command) prices() (*pricing.Table, error) {
	if c.configFile == "" { // needs no home directory
		return pricing.Default(), nil
	}
	cfg, err := config.Load(c.configFile, c.env)
	if err != nil {
		return nil, err
	}
	table, err := cfg.Pricing.Table()
	if err == nil && table == nil {
		err = fmt.Errorf("%s: %w", c.configFile, errPricingOff)
	}
	return table, err
}

// printPrices prints the prices of a model, or of all models if it is "".
func (c *command) printPrices(w io.Writer, model string) error {
	table, err := c.prices()
	if err != nil {
		return err
	}
	name, _ := table.Model(model)
	lines := [][]string{{"MODEL", "FROM", "UNTIL", "INPUT", "5M WRITE", "1H WRITE", "CACHE READ", "OUTPUT", "NOTES"}}
	for i := range table.Rows {
		r := &table.Rows[i]
		if model != "" && r.Model != name {
			continue
		}
		lines = append(lines, priceLine(r.Model, day(r.From), day(max(0, r.Until-1)), r.Rates, notes(r)))
		if r.LongPrompt > 0 {
			lines = append(lines, priceLine("", "", "", r.Long, "prompt over "+format.Number(r.LongPrompt)+" tokens"))
		}
	}
	if len(lines) == 1 {
		return fmt.Errorf("%w %q: list all with ccwatchd prices, or add it to pricing.models in the configuration", errNoPrice, pricing.Normalize(model))
	}
	for column := 3; column < 8; column++ {
		alignNumbers(lines, column)
	}
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		_, _ = fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	_ = t.Flush()
	_, err = fmt.Fprintf(w, "%s.\n"+
		"They are an estimate of what requests are worth, and not the bill of a subscription.\n\n"+
		"%s\n"+
		"Inference in the US, or with a regional inference profile on Amazon Bedrock, costs 1.1 times as much.\n"+
		"A web search costs 0.01 US dollars.\n",
		heading(table), trailingBlanks.ReplaceAll(text.Bytes(), nil))
	return err
}

func heading(table *pricing.Table) string {
	if table.Overlaid() {
		return "Prices in US dollars per million tokens: list prices as of " + table.Updated + ", with prices of the configuration"
	}
	return "List prices in US dollars per million tokens, as of " + table.Updated
}

// trailingBlanks matches the padding of empty cells at the end of a line.
var trailingBlanks = regexp.MustCompile(`(?m) +$`)

func priceLine(model, from, until string, r pricing.Rates, notes string) []string {
	line := []string{model, from, until}
	for _, rate := range []uint64{r.Input, r.CacheWrite5m, r.CacheWrite1h, r.CacheRead, r.Output} {
		line = append(line, perMillion(rate))
	}
	return append(line, notes)
}

// alignNumbers aligns a column on the right, with its decimal points below each other.
func alignNumbers(lines [][]string, column int) {
	decimals, width := 0, 0
	for _, line := range lines[1:] {
		decimals = max(decimals, decimalsOf(line[column]))
	}
	for _, line := range lines[1:] {
		line[column] += strings.Repeat(" ", decimals-decimalsOf(line[column]))
	}
	for _, line := range lines {
		width = max(width, len(line[column]))
	}
	for _, line := range lines {
		line[column] = fmt.Sprintf("%*s", width, line[column])
	}
}

func decimalsOf(number string) int {
	_, fraction, _ := strings.Cut(number, ".")
	return len(fraction)
}

// perMillion formats a rate in US dollars per million tokens, with at least two decimal
// places.
func perMillion(rate uint64) string {
	whole, fraction := rate/1e6, strings.TrimRight(fmt.Sprintf("%06d", rate%1e6), "0")
	return fmt.Sprintf("%d.%s", whole, fraction+strings.Repeat("0", max(0, 2-len(fraction))))
}

// day returns the day of a time in milliseconds since the epoch, or "" if it is 0.
func day(millis int64) string {
	if millis == 0 {
		return ""
	}
	return time.UnixMilli(millis).UTC().Format(time.DateOnly)
}

func notes(r *pricing.Row) string {
	var all []string
	if r.LongPrompt > 0 {
		all = append(all, "prompt up to "+format.Number(r.LongPrompt)+" tokens")
	}
	if r.Fast > 0 {
		all = append(all, fmt.Sprintf("fast mode: x %d", r.Fast))
	}
	if r.SameInRegions {
		all = append(all, "same in all Bedrock regions")
	}
	if r.Multiplier > 0 {
		all = append(all, "x "+r.Multiplier.String())
	}
	if r.Overlay {
		all = append(all, "configuration")
	}
	return strings.Join(all, ", ")
}
