package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/format"
	"github.com/ccwatchd/ccwatchd/usage"
)

// A budget is the cost above which a report is printed, for cron and scripts.
type budget struct {
	usd   float64
	given bool
}

func (b *budget) addFlag(clause *kingpin.CmdClause) {
	clause.Flag("over", "Print nothing unless the cost is over this number of US dollars; then print the report and exit with 1. For cron, which mails what it prints.").
		PlaceHolder("USD").IsSetByUser(&b.given).Float64Var(&b.usd)
}

var (
	errBudget  = errors.New("--over: expected a number of US dollars")
	errNoCost  = errors.New("--over: this report has no cost")
	errExceeds = errors.New("the cost is over the budget")
)

func (b *budget) check() error {
	if math.IsNaN(b.usd) || b.usd < 0 {
		return errBudget
	}
	return nil
}

// print calls write to print a report, unless its cost is within the budget; then it
// warns of tokens that this cost lacks. The error is errExceeds if the cost is over the
// budget, and otherwise incomplete.
func (b *budget) print(u *usage.Usage, log *slog.Logger, write func() error, incomplete error) (int, error) {
	cost := u.Total.USD()
	switch {
	case !b.given:
		return 0, errors.Join(write(), incomplete)
	case len(u.Rows) > 0 && !slices.Contains(u.Measures, usage.Cost):
		return 2, errNoCost
	case cost <= b.usd:
		warnUnpriced(u, log)
		return 0, incomplete
	}
	text := format.Cost{USD: cost, Unpriced: u.HasUnpriced(&u.Total)}.Text(format.USD, "")
	return 1, errors.Join(write(), fmt.Errorf("%w of %s: %s", errExceeds, format.USD(b.usd), text), incomplete)
}

// warnUnpriced logs the number of tokens that the cost of a usage lacks. Of a project,
// it is not known which of all tokens without a price it used.
func warnUnpriced(u *usage.Usage, log *slog.Logger) {
	switch {
	case !u.HasUnpriced(&u.Total):
	case slices.Contains(u.Measures, usage.UnpricedTokens):
		log.Warn("The cost for --over lacks tokens without a price", "tokens", format.Number(u.Total[usage.UnpricedTokens]))
	default:
		log.Warn("The cost for --over may lack tokens without a price", "tokens", format.Number(u.AllUnpriced()))
	}
}
