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
	"github.com/ccwatchd/ccwatchd/pricing"
)

const pricesHelp = `It prints the built-in prices, and with --config.file those in effect with that configuration. With the id of a model and what a request used, it shows how the request is priced. The id is written as in a session, the parts as PART=NUMBER, where k and M are thousands and millions:

  input, output, cache_read, cache_write_5m, cache_write_1h (tokens), web_search

Examples:

  ccwatchd prices                           all prices
  ccwatchd prices --date=2026-10-01         the prices on a day
  ccwatchd prices claude-sonnet-5-5         the prices of a model
  ccwatchd prices claude-opus-4-8 input=1200 cache_read=90k output=800
  ccwatchd prices claude-opus-4-7 input=3k output=1k --date=2026-07-24 --fast --us
  ccwatchd prices us.anthropic.claude-sonnet-4-5-20250929-v1:0 cache_write_1h=210k output=2k web_search=2

These are list prices: an estimate of what requests are worth, and not the bill of a subscription.`

// A pricesCommand holds the arguments of the command "prices".
type pricesCommand struct {
	model    string
	usage    usageArgs
	date     dateFlag
	fast, us bool
}

func (c *command) addPrices() {
	var p pricesCommand
	clause := c.add("prices", "Print the prices of models, in US dollars per million tokens, or explain the price of one request.",
		func(stdout io.Writer, _ *slog.Logger) (int, error) {
			err := c.showPrices(stdout, &p, time.Now())
			if errors.Is(err, errNoRequest) {
				return 2, err
			}
			return 0, err
		}, "config.file")
	clause.HelpLong(pricesHelp)
	clause.Flag("date", "Day of the request, or of the prices to list, in UTC. Default: today, or all prices.").
		PlaceHolder("YYYY-MM-DD").SetValue(&p.date)
	clause.Flag("fast", "The request used fast mode.").BoolVar(&p.fast)
	clause.Flag("us", "The request was restricted to inference in the US.").BoolVar(&p.us)
	clause.Arg("model", "Id of a model.").HintAction(modelIDs).StringVar(&p.model)
	clause.Arg("part=number", "What the request used, such as input=1200 or cache_read=90k.").SetValue(&p.usage)
}

// modelIDs returns the ids of the models with built-in prices.
func modelIDs() []string {
	var ids []string
	for i, rows := 0, pricing.Default().Rows; i < len(rows); i++ {
		if i == 0 || rows[i].Model != rows[i-1].Model {
			ids = append(ids, rows[i].Model)
		}
	}
	return ids
}

var (
	errPricingOff = errors.New("pricing is off in the configuration")
	errNoRequest  = errors.New("--fast and --us are properties of a request: add what it used, such as input=1200 output=800; try --help")
)

// showPrices prints prices as they are at a time, or explains that of a request.
func (c *command) showPrices(w io.Writer, p *pricesCommand, now time.Time) error {
	table, err := c.prices()
	if err != nil {
		return err
	}
	r := pricing.Request{Model: p.model, Time: now.UnixMilli(), Fast: p.fast, US: p.us}
	if p.date.isSet {
		r.Time = p.date.UnixMilli()
	}
	if p.model != "" {
		if _, ok := table.Row(p.model, r.Time); !ok {
			return unknownModel(table, p.model)
		}
	}
	if p.usage.given != nil {
		explain(w, table, r, p.usage.Usage)
		return nil
	}
	if p.fast || p.us {
		return errNoRequest
	}
	var rows []pricing.Row
	for _, row := range table.Rows {
		inForce, _ := table.Row(row.Model, r.Time)
		if (p.model == "" || row.Model == pricing.Normalize(p.model)) && (!p.date.isSet || row == inForce) {
			rows = append(rows, row)
		}
	}
	return printPrices(w, table, rows)
}

// prices returns the prices of the configuration.
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

// printPrices prints rows of a table.
func printPrices(w io.Writer, table *pricing.Table, rows []pricing.Row) error {
	var text bytes.Buffer
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	var rates []pricing.Rates
	for i := range rows {
		rates = append(rates, rows[i].Rates)
		if rows[i].LongPrompt > 0 {
			rates = append(rates, rows[i].Long)
		}
	}
	cells := rateCells(rates)
	next := func() string {
		cell := cells[0]
		cells = cells[1:]
		return cell
	}
	_, _ = fmt.Fprintf(t, "MODEL\tFROM\tUNTIL\t%s\tNOTES\n", next())
	for i := range rows {
		r := &rows[i]
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Model, firstDay(r), lastDay(r), next(), notes(r))
		if r.LongPrompt > 0 {
			_, _ = fmt.Fprintf(t, "\t\t\t%s\tprompt over %s tokens\n", next(), grouped(r.LongPrompt))
		}
	}
	_ = t.Flush()
	_, err := fmt.Fprintf(w, "%s.\n"+
		"They are an estimate of what requests are worth, and not the bill of a subscription.\n\n"+
		"%s\nTokens of inference in the US cost 1.1 times as much. A web search costs 0.01 US dollars.\n",
		heading(table), trailingBlanks.ReplaceAll(text.Bytes(), nil))
	return err
}

func heading(table *pricing.Table) string {
	if table.Overlaid() {
		return "Prices in US dollars per million tokens: list prices as of " + table.Updated + ", and those of the configuration"
	}
	return "List prices in US dollars per million tokens, as of " + table.Updated
}

// trailingBlanks are those of cells without a text.
var trailingBlanks = regexp.MustCompile(`(?m) +$`)

// firstDay returns the first day of a row, "" if it has always been in force.
func firstDay(r *pricing.Row) string {
	if r.From == 0 {
		return ""
	}
	return time.UnixMilli(r.From).UTC().Format(time.DateOnly)
}

// lastDay returns the last day of a row, "" if it is in force.
func lastDay(r *pricing.Row) string {
	if r.Until == 0 {
		return ""
	}
	return time.UnixMilli(r.Until).UTC().AddDate(0, 0, -1).Format(time.DateOnly)
}

func notes(r *pricing.Row) string {
	var all []string
	if r.LongPrompt > 0 {
		all = append(all, "prompt up to "+grouped(r.LongPrompt)+" tokens")
	}
	if r.Fast > 0 {
		all = append(all, fmt.Sprintf("fast mode: x %d", r.Fast))
	}
	if r.Overlay {
		all = append(all, "configuration")
	}
	return strings.Join(all, ", ")
}
