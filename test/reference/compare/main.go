// Command compare compares the totals of ccwatchd with those of the reference: of
// existing files, or by running both on trees of transcripts. It is for the development
// of ccwatchd only.
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
	"strings"
	"text/tabwriter"

	"github.com/ccwatchd/ccwatchd/test/reference"
)

const usage = `Compare the totals of ccwatchd with those of the reference for the same transcripts.

  compare [flags] EXPECTED.tsv EXPOSITION.txt
        Compare the output of the reference with an exposition of ccwatchd. "-" is
        the standard input:

            ccwatchd once DIR | compare DIR/expected.tsv -

  compare [flags] --oracle ORACLE.py DIR...
        Run the reference and "ccwatchd once" on each DIR and compare, also with
        the costs that package test/reference/cost finds. DIR is a projects
        directory, or contains some. In ~/.claude, "ccwatchd once" reads only
        projects, and the reference all files.

            compare --oracle oracle.py ~/.claude/projects
            compare --oracle oracle.py --each testdata/fixtures

        With --cuts, also run the reference on each DIR as it was at earlier times,
        and compare with the history of ccwatchd, always as built from source.

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
	status, err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
	}
	os.Exit(status)
}

// arguments are the parsed command line.
type arguments struct {
	programs programs
	each     bool
	cuts     int // number of cut trees to compare with the history
	options  reference.Options
	rest     []string
}

// run returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) (int, error) {
	a, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return equal, nil
	case err != nil:
		return trouble, fmt.Errorf("%w (try --help)", err)
	}
	compare := func() (bool, error) { return compareFiles(a, stdin, stdout) }
	if a.programs.oracle != "" {
		compare = func() (bool, error) { return compareTrees(ctx, a, stdout) }
	}
	same, err := compare()
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
	flags.DurationVar(&a.options.LatencyTolerance, "latency-tolerance", 0,
		"tolerance for the summed latency of a tool, for histories\nthat were copied with new timestamps (Claude Code 2.0.8)")
	err := flags.Parse(args)
	a.rest = flags.Args()
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(help)
		_, _ = io.WriteString(help, usage)
		flags.PrintDefaults()
		return a, err
	case err != nil:
		return a, err
	case a.programs.oracle != "" && len(a.rest) == 0:
		return a, errors.New("no directory to compare")
	case a.programs.oracle == "" && (a.each || a.cuts != 0 || a.programs.ccwatchd != ""):
		return a, errors.New("--each, --cuts and --ccwatchd need --oracle")
	case a.cuts < 0:
		return a, errors.New("--cuts must not be negative")
	case a.programs.oracle == "" && len(a.rest) != 2:
		return a, fmt.Errorf("%d files instead of EXPECTED.tsv and EXPOSITION.txt", len(a.rest))
	}
	return a, nil
}

func compareFiles(a arguments, stdin io.Reader, stdout io.Writer) (bool, error) {
	want, err := read(a.rest[0], stdin, reference.ParseTSV)
	if err != nil {
		return false, err
	}
	got, err := read(a.rest[1], stdin, reference.ParseExposition)
	if err != nil {
		return false, err
	}
	return report(stdout, strings.Join(a.rest, " "), want, got, a.options)
}

// read parses a file, or stdin if the name is "-".
func read(name string, stdin io.Reader, parse func(io.Reader) (reference.Totals, error)) (reference.Totals, error) {
	if name == "-" {
		return parse(stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	totals, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return totals, nil
}

// report writes the number of equal values, or a table of the different ones, and
// returns whether all are equal.
func report(w io.Writer, name string, want, got reference.Totals, o reference.Options) (bool, error) {
	compared := fmt.Sprintf("%s: %d values compared", name, want.NonZero())
	if n := want.Costs().NonZero(); n > 0 {
		compared += fmt.Sprintf(" (%d of costs)", n)
	}
	differences := reference.Diff(want, got, o)
	if len(differences) == 0 {
		_, err := fmt.Fprintf(w, "%s, all equal\n", compared)
		return true, err
	}
	var text bytes.Buffer // writing to it does not fail
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "%s, %d differences\n", compared, len(differences))
	_, _ = fmt.Fprintf(table, "  METRIC\tLABELS\tWANT\tGOT\tDIFFERENCE\t\n")
	for _, d := range differences {
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%d\t%d\t%+d %s\t\n", d.Key.Metric, d.Key.Labels, d.Want, d.Got, d.Got-d.Want, d.Kind())
	}
	_ = table.Flush()
	_, err := text.WriteTo(w)
	return false, err
}
