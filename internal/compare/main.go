// Command compare measures ccwatchd beside other programs that read session
// files, on this machine and on the same files, and prints two tables: what each
// costs, and how far its totals are from the truth.
//
// The rules by which it compares:
//
//   - All programs read the same files: those that ccwatchd takes for sessions.
//   - They run in turn, every one once a round, so that whatever else the
//     machine does meanwhile hits all of them alike. A first round, which is not
//     measured, brings the files into the page cache.
//   - A cost is the median of its rounds. A ratio is the median of the ratios
//     within a round, which noise that lasts longer than a round cannot change.
//   - What a program costs is what the kernel says of it and of the processes
//     that it waited for.
//   - The truth is known before anything is read: whoever generated the files
//     kept the books.
//
// It is for the development of ccwatchd only.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/alecthomas/kingpin/v2"
)

const help = `Compare the speed and the totals of ccwatchd with those of wc, cat, jq and ccusage.

Without DIR it generates a corpus of session files whose totals are known, and keeps it in the cache directory for the next time. ` +
	`What is not installed, or fails, is left out. The tables are Markdown and go to the standard output.

Examples:

  go run ./internal/compare                              about 2 GB, five rounds
  go run ./internal/compare --size=200MB --runs=3        quicker
  go run ./internal/compare ~/.claude                    on your own sessions
  go run ./internal/compare --write=docs/performance.md  put the tables there`

// arguments are what the command line says.
type arguments struct {
	dir     string
	runs    int
	seed    uint64
	size    int64
	cache   string
	ccusage string
	write   string
	repeat  string // the command that measures the same again, "" if only its user can
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// run does everything that main does but for the process itself.
func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	a, err := parse(args, stdout)
	if err != nil || a == nil {
		return err
	}
	// Whether the outcome can be written is asked before the minutes that it takes.
	var file page
	if a.write != "" {
		if file, err = readPage(a.write); err != nil {
			return err
		}
	}
	text, err := compare(ctx, a, progress)
	if err != nil {
		return err
	}
	if a.write != "" {
		return file.replace(text)
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// parse returns nil without an error when it was asked for help only.
func parse(args []string, stdout io.Writer) (*arguments, error) {
	var a arguments
	app := kingpin.New("compare", help)
	done := false
	app.Terminate(func(int) { done = true }).UsageWriter(stdout)
	app.HelpFlag.Short('h')
	app.Flag("runs", "Rounds to measure, after one to warm up.").Default("5").IntVar(&a.runs)
	app.Flag("seed", "Seed of the corpus: the same one gives the same files.").Default("1").Uint64Var(&a.seed)
	size := app.Flag("size", "Size of the corpus, about.").PlaceHolder("2GB").Default("2GB").Bytes()
	app.Flag("cache", "Directory for the corpus and the programs.").PlaceHolder("DIR").StringVar(&a.cache)
	app.Flag("ccusage-version", "Version of ccusage.").Default("latest").StringVar(&a.ccusage)
	app.Flag("write", "Replace the tables in this file instead of printing them.").PlaceHolder("FILE").StringVar(&a.write)
	app.Arg("dir", "Configuration of Claude Code to read, with a projects directory in it. With a expected.tsv beside that, as the generator of the corpus writes it, deviations are shown.").
		StringVar(&a.dir)
	_, err := app.Parse(args)
	a.size = int64(*size)
	if a.dir == "" {
		a.repeat = fmt.Sprintf("go run ./internal/compare --seed=%d --size=%v --runs=%d", a.seed, *size, a.runs)
	}
	switch {
	case done:
		return nil, nil
	case err == nil && (a.runs < 1 || a.size < 1):
		err = fmt.Errorf("--runs and --size must be at least 1")
	case err == nil && a.cache == "":
		a.cache, err = defaultCache()
	}
	if err != nil {
		return nil, fmt.Errorf("%w (try --help)", err)
	}
	return &a, nil
}

// defaultCache is the directory that the Makefile uses too, where its CACHE
// and the system's idea of a cache directory agree.
func defaultCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	return filepath.Join(dir, "ccwatchd-development"), nil
}

// compare gets everything ready, measures, and returns the tables.
func compare(ctx context.Context, a *arguments, progress io.Writer) (string, error) {
	w := workshop{cache: a.cache, progress: progress}
	var err error
	if w.cache, err = filepath.Abs(a.cache); err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	if err := os.MkdirAll(w.cache, 0o755); err != nil { //nolint:gosec // nothing in it is private
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	dir := a.dir
	if dir == "" {
		if dir, err = w.corpus(ctx, a.seed, a.size); err != nil {
			return "", err
		}
	}
	c, err := readCorpus(ctx, dir)
	if err != nil {
		return "", err
	}
	programs, absent, err := w.programs(ctx, c, a.ccusage)
	if err != nil {
		return "", err
	}
	m := measurement{programs: programs, rounds: a.runs, progress: progress}
	m.run(ctx)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r := report{
		date: time.Now(), command: a.repeat, machine: thisMachine(),
		corpus: c, rounds: a.runs, programs: programs, absent: absent,
	}
	return r.markdown(), nil
}
