// Command compare compares ccwatchd's totals of trees of transcripts with the
// references. It is for the development of ccwatchd only.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
)

const usage = `Compare "ccwatchd once" with the references, for trees of transcripts.

  compare [flags] DIR...

Every series of costs, and of what else the reference program does not know, is compared
with the second implementation, test/reference/naive. The totals are compared with the
output of the reference program, or without --oracle with DIR/expected.tsv, if it exists.
DIR is a projects directory, or contains some. In ~/.claude, "ccwatchd once" reads only
projects, and the references all files.

    compare --each testdata/fixtures
    compare --oracle oracle.py ~/.claude/projects

With --cuts, also run the references on each DIR as it was at earlier times, and compare
with the history of ccwatchd, always as built from source.

Exit status: 0 if all values are equal, 1 if some differ, 2 if they could not be compared.

Flags:
`

// Exit statuses, like those of diff(1).
const (
	equal     = 0
	different = 1
	trouble   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
	}
	os.Exit(status)
}

type arguments struct {
	programs programs
	each     bool
	cuts     int // number of cut trees to compare with the history
	dirs     []string
}

// run returns the exit status.
func run(ctx context.Context, args []string, stdout io.Writer) (int, error) {
	a, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return equal, nil
	case err != nil:
		return trouble, fmt.Errorf("%w (try --help)", err)
	}
	same, err := compareTrees(ctx, a, stdout)
	switch {
	case err != nil:
		return trouble, err
	case !same:
		return different, nil
	default:
		return equal, nil
	}
}

func parse(args []string, help io.Writer) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&a.programs.oracle, "oracle", "", "`path` of the reference, a Python program")
	flags.StringVar(&a.programs.python, "python", "python3", "`command` that runs the reference")
	flags.StringVar(&a.programs.ccwatchd, "ccwatchd", "", "`path` of ccwatchd (default: built from source)")
	flags.BoolVar(&a.each, "each", false, "compare each sub-directory of DIR separately")
	flags.IntVar(&a.cuts, "cuts", 0, "also cut each tree at up to `n` times at which it was quiet, and\ncompare what is left with the history")
	flags.DurationVar(&a.programs.tolerance, "latency-tolerance", 0,
		"tolerance for the summed latency of a tool, for histories\nthat were copied with new timestamps (Claude Code 2.0.8)")
	err := flags.Parse(args)
	a.dirs = flags.Args()
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(help)
		_, _ = io.WriteString(help, usage)
		flags.PrintDefaults()
		return a, err
	case err != nil:
		return a, err
	case len(a.dirs) == 0:
		return a, errors.New("no directory to compare")
	case a.cuts < 0:
		return a, errors.New("--cuts must not be negative")
	}
	return a, nil
}

// report writes the number of equal values, or a table of the differences, and returns
// whether all are equal.
func report(w io.Writer, name string, r *result) (bool, error) {
	n := len(r.totals) + len(r.series)
	var text bytes.Buffer // writing to it does not fail
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "%s: %d totals and %d series compared, ", name, r.compared, r.expected)
	if n == 0 {
		_, _ = fmt.Fprintln(table, "all equal")
	} else {
		_, _ = fmt.Fprintf(table, "%d differences\n  NAME\tWANT\tGOT\tDIFFERENCE\t\n", n)
	}
	for _, d := range r.totals {
		_, _ = fmt.Fprintf(table, "  %v\t%d\t%d\t%+d %s\t\n", d.Key, d.Want, d.Got, d.Got-d.Want, d.Kind())
	}
	for _, d := range r.series {
		_, _ = fmt.Fprintf(table, "  %s\t%v\t%v\t%+g %s\t\n", d.Key, d.Want, d.Got, d.Got-d.Want, d.Kind())
	}
	_ = table.Flush()
	_, err := text.WriteTo(w)
	return n == 0, err
}
